use std::collections::HashMap;

use super::Unknown;
use super::conditions::Holds;
use super::evaluate::Value;
use super::tree::{ItemId, ItemKind, Path, ScopeId, ScopeKind, Tree};
use super::walk::path_of;

/// Works out what paths, constants and types are.
///
/// It has a budget, so that no source, however contrived, keeps a build waiting.
pub(super) struct Evaluator<'a> {
    pub(super) tree: &'a Tree,
    /// The constants that are known, or known to be unknown.
    pub(super) values: HashMap<ItemId, Result<Value, Unknown>>,
    /// The constants and aliases that are being worked out.
    pub(super) open: Vec<ItemId>,
    importing: Vec<(ItemId, Space)>,
    globbing: Vec<(ScopeId, String, Space)>,
    steps: usize,
    depth: usize,
}

/// What a path stands for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Meaning {
    Module(ScopeId),
    Item(ItemId),
    /// A variant of an enum, by its place.
    Variant(ItemId, usize),
    /// A path that begins in no scope of the package: another crate, a primitive type, or nothing.
    Foreign(Vec<String>),
}

/// The two kinds of names that cyxla meets: a type and a constant can share one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Space {
    Types,
    Values,
}

/// Far more than any real constant takes, and well under a second.
const MOST_STEPS: usize = 100_000;
const MOST_DEEP: usize = 4_000;

impl<'a> Evaluator<'a> {
    pub(super) fn new(tree: &'a Tree) -> Self {
        Self {
            tree,
            values: HashMap::new(),
            open: Vec::new(),
            importing: Vec::new(),
            globbing: Vec::new(),
            steps: 0,
            depth: 0,
        }
    }

    /// Starts a new budget.
    pub(super) fn restart(&mut self) {
        self.steps = 0;
    }

    /// Does one step, one level deeper; none if the budget is spent.
    pub(super) fn step<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.steps += 1;
        if self.is_spent() || self.depth >= MOST_DEEP {
            self.steps = MOST_STEPS + 1;
            return None;
        }
        self.depth += 1;
        let done = work(self);
        self.depth -= 1;
        Some(done)
    }

    pub(super) fn is_spent(&self) -> bool {
        self.steps > MOST_STEPS
    }

    /// Everything that `path` can mean in `scope`: several things if `#[cfg]` chooses, none if there is no such name in
    /// the package's modules.
    pub(super) fn resolve(&mut self, scope: ScopeId, path: &Path, space: Space) -> Vec<Meaning> {
        self.step(|this| this.resolve_from(scope, path, space, false))
            .unwrap_or_default()
    }

    fn resolve_from(
        &mut self,
        scope: ScopeId,
        path: &Path,
        space: Space,
        is_import: bool,
    ) -> Vec<Meaning> {
        let Some((first, rest)) = path.names.split_first() else {
            // In `use {a, b}`, nothing stands before the braces.
            return if path.leading {
                Vec::new()
            } else {
                vec![Meaning::Module(self.tree.root(scope))]
            };
        };
        let root = self.tree.root(scope);
        let module = self.tree.module(scope);
        let is_2015 = self.tree.scope(root).kind == ScopeKind::Root { is_2015: true };
        let first_space = if rest.is_empty() { space } else { Space::Types };
        let mut meanings = match first.as_str() {
            "crate" => vec![Meaning::Module(root)],
            "self" => vec![Meaning::Module(module)],
            "super" => self.member(&Meaning::Module(module), first, Space::Types),
            "Self" => self.self_type(),
            _ if is_2015 && (path.leading || is_import) => {
                let found = self.within(root, first, first_space);
                if found.is_empty() {
                    self.other_crate(first)
                } else {
                    found
                }
            }
            _ if path.leading => self.other_crate(first),
            _ => self.lexical(scope, first, first_space),
        };
        for (index, name) in rest.iter().enumerate() {
            let space = if index + 1 == rest.len() {
                space
            } else {
                Space::Types
            };
            let parents = std::mem::take(&mut meanings);
            for parent in &parents {
                for meaning in self.member(parent, name, space) {
                    if !meanings.contains(&meaning) {
                        meanings.push(meaning);
                    }
                }
            }
        }
        meanings
    }

    /// A name by itself: in the blocks around, in the module, then among the crates and primitive types.
    fn lexical(&mut self, scope: ScopeId, name: &str, space: Space) -> Vec<Meaning> {
        let mut scope = scope;
        loop {
            let found = self.within(scope, name, space);
            if !found.is_empty() {
                return found;
            }
            match (self.tree.scope(scope).kind, self.tree.scope(scope).parent) {
                (ScopeKind::Block, Some(parent)) => scope = parent,
                _ => return self.other_crate(name),
            }
        }
    }

    fn other_crate(&self, name: &str) -> Vec<Meaning> {
        vec![match self.tree.libraries.get(name) {
            Some(library) => Meaning::Module(*library),
            None => Meaning::Foreign(vec![name.to_owned()]),
        }]
    }

    /// The type that the `impl` block around the constant that is being worked out is for.
    fn self_type(&mut self) -> Vec<Meaning> {
        let Some(constant) = self.open.last() else {
            return Vec::new();
        };
        let tree = self.tree;
        let block = tree.associated.iter().find(|it| it.constant == *constant);
        block.map_or_else(Vec::new, |block| {
            self.resolve(block.scope, &block.of, Space::Types)
        })
    }

    /// A name behind `::`.
    fn member(&mut self, parent: &Meaning, name: &str, space: Space) -> Vec<Meaning> {
        let tree = self.tree;
        match parent {
            Meaning::Module(module) => match (name, tree.scope(*module).parent) {
                ("self", _) => vec![Meaning::Module(*module)],
                ("super", Some(outer)) => vec![Meaning::Module(tree.module(outer))],
                ("super", None) => Vec::new(),
                _ => self.within(*module, name, space),
            },
            Meaning::Item(item) => match &tree.item(*item).kind {
                ItemKind::Enum(variants) => {
                    match variants.iter().position(|(variant, _)| variant == name) {
                        Some(index) => vec![Meaning::Variant(*item, index)],
                        None => self.associated(*item, name),
                    }
                }
                ItemKind::Type => self.associated(*item, name),
                ItemKind::Alias { ty, .. } => {
                    let scope = tree.item(*item).scope;
                    let of = path_of(ty).map(|path| self.resolve(scope, &path, Space::Types));
                    let of = of.unwrap_or_default();
                    let members = |this: &mut Self| {
                        of.iter()
                            .flat_map(|each| this.member(each, name, space))
                            .collect()
                    };
                    self.step(members).unwrap_or_default()
                }
                _ => Vec::new(),
            },
            Meaning::Variant(..) => Vec::new(),
            Meaning::Foreign(path) => {
                let mut path = path.clone();
                path.push(name.to_owned());
                vec![Meaning::Foreign(path)]
            }
        }
    }

    /// The constants of that name in `impl` blocks of a type; those of traits only if the type itself has none.
    fn associated(&mut self, of: ItemId, name: &str) -> Vec<Meaning> {
        let tree = self.tree;
        for of_trait in [false, true] {
            let mut found = Vec::new();
            for block in tree
                .associated
                .iter()
                .filter(|block| block.of_trait == of_trait)
            {
                let constant = tree.item(block.constant);
                if constant.name == name
                    && constant.holds != Holds::No
                    && self
                        .resolve(block.scope, &block.of, Space::Types)
                        .contains(&Meaning::Item(of))
                {
                    found.push(Meaning::Item(block.constant));
                }
            }
            if !found.is_empty() {
                return found;
            }
        }
        Vec::new()
    }

    /// A name that a module or block itself has: defined or imported there.
    fn within(&mut self, scope: ScopeId, name: &str, space: Space) -> Vec<Meaning> {
        if !self.tree.has_name(name) {
            return Vec::new();
        }
        self.step(|this| {
            let named = this.named(scope, name, space);
            if named.is_empty() {
                this.through_globs(scope, name, space)
            } else {
                named
            }
        })
        .unwrap_or_default()
    }

    fn named(&mut self, scope: ScopeId, name: &str, space: Space) -> Vec<Meaning> {
        let tree = self.tree;
        let mut found = Vec::new();
        for &id in tree.scope(scope).names.get(name).into_iter().flatten() {
            let item = tree.item(id);
            if item.holds == Holds::No {
                continue;
            }
            match (&item.kind, space) {
                (ItemKind::Constant { .. } | ItemKind::Value, Space::Values)
                | (ItemKind::Alias { .. } | ItemKind::Enum(_) | ItemKind::Type, Space::Types) => {
                    found.push(Meaning::Item(id));
                }
                (ItemKind::Module(module), Space::Types) => found.push(Meaning::Module(*module)),
                // In `use half::half`, the first name is not the second.
                (ItemKind::Import(path), _) if !self.importing.contains(&(id, space)) => {
                    let path_space = (id, space);
                    self.importing.push(path_space);
                    let meanings = self.resolve_from(item.scope, path, space, true);
                    self.importing.pop();
                    for meaning in meanings {
                        if !found.contains(&meaning) {
                            found.push(meaning);
                        }
                    }
                }
                _ => {}
            }
        }
        found
    }

    fn through_globs(&mut self, scope: ScopeId, name: &str, space: Space) -> Vec<Meaning> {
        let key = (scope, name.to_owned(), space);
        if self.globbing.contains(&key) {
            return Vec::new();
        }
        self.globbing.push(key);
        let tree = self.tree;
        let mut found = Vec::new();
        for path in &tree.scope(scope).globs {
            for parent in self.resolve_from(scope, path, Space::Types, true) {
                // What another crate has by that name can't be told.
                if matches!(parent, Meaning::Foreign(_)) {
                    continue;
                }
                for meaning in self.member(&parent, name, space) {
                    if !found.contains(&meaning) {
                        found.push(meaning);
                    }
                }
            }
        }
        self.globbing.pop();
        found
    }
}
