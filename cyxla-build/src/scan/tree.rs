use std::collections::{HashMap, HashSet};

use cyxla_syntax::Declaration;
use proc_macro2::Span;
use syn::{Expr, Generics, Type};

use super::Place;
use super::conditions::Holds;

/// The scopes of all crates of a package, and what is named in them.
#[derive(Default)]
pub(super) struct Tree {
    scopes: Vec<Scope>,
    items: Vec<Item>,
    /// All names of items and variants.
    names: HashSet<String>,
    /// The library of the package by the name that its other crates know it by.
    pub(super) libraries: HashMap<String, ScopeId>,
    /// The constants of all `impl` blocks.
    pub(super) associated: Vec<Associated>,
    /// The programs.
    pub(super) declarations: Vec<Found>,
}

/// A [`Scope`] of a [`Tree`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct ScopeId(usize);

/// An [`Item`] of a [`Tree`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct ItemId(usize);

/// A module, or a block with items of its own.
pub(super) struct Scope {
    pub(super) kind: ScopeKind,
    pub(super) parent: Option<ScopeId>,
    pub(super) names: HashMap<String, Vec<ItemId>>,
    /// `use path::*`.
    pub(super) globs: Vec<Path>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ScopeKind {
    /// The root of a crate; whether imports start there, as in edition 2015.
    Root {
        is_2015: bool,
    },
    Module,
    Block,
}

/// Something with a name.
pub(super) struct Item {
    pub(super) name: String,
    /// Where it is defined.
    pub(super) scope: ScopeId,
    pub(super) place: Place,
    /// Whether its `#[cfg]` holds.
    pub(super) holds: Holds,
    pub(super) kind: ItemKind,
}

pub(super) enum ItemKind {
    /// `const N: usize = 4;`
    Constant { ty: Box<Type>, value: Box<Expr> },
    /// `type State = [f32; N];`
    Alias { generics: Generics, ty: Box<Type> },
    /// `mod config`
    Module(ScopeId),
    /// `use path as name`
    Import(Path),
    /// `enum Axis { X, Y }`: variants without fields, with their explicit discriminants.
    Enum(Vec<(String, Option<Expr>)>),
    /// Any other type, or a trait.
    Type,
    /// A function or a static.
    Value,
}

/// The names in a path, without generic arguments.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Path {
    /// Whether `::` stands before it.
    pub(super) leading: bool,
    pub(super) names: Vec<String>,
}

/// A constant in an `impl` block.
pub(super) struct Associated {
    pub(super) scope: ScopeId,
    /// The type that the block is for.
    pub(super) of: Path,
    /// Whether the block is for a trait, so that constants of the type itself stand before it.
    pub(super) of_trait: bool,
    pub(super) constant: ItemId,
}

/// A declaration of a program.
pub(super) struct Found {
    pub(super) scope: ScopeId,
    pub(super) place: Place,
    pub(super) file: String,
    pub(super) declaration: Declaration,
}

impl Tree {
    pub(super) fn scope(&self, id: ScopeId) -> &Scope {
        &self.scopes[id.0]
    }

    pub(super) fn item(&self, id: ItemId) -> &Item {
        &self.items[id.0]
    }

    /// Whether anything has this name.
    pub(super) fn has_name(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// Number of scopes.
    pub(super) fn len(&self) -> usize {
        self.scopes.len()
    }

    pub(super) fn add_scope(&mut self, kind: ScopeKind, parent: Option<ScopeId>) -> ScopeId {
        self.scopes.push(Scope {
            kind,
            parent,
            names: HashMap::new(),
            globs: Vec::new(),
        });
        ScopeId(self.scopes.len() - 1)
    }

    /// Adds an item that only an `impl` block knows.
    pub(super) fn add_unnamed(&mut self, item: Item) -> ItemId {
        self.items.push(item);
        ItemId(self.items.len() - 1)
    }

    /// Adds an item to its scope.
    pub(super) fn add(&mut self, item: Item) -> ItemId {
        let (scope, name) = (item.scope, item.name.clone());
        self.names.insert(name.clone());
        if let ItemKind::Enum(variants) = &item.kind {
            self.names
                .extend(variants.iter().map(|(variant, _)| variant.clone()));
        }
        let id = self.add_unnamed(item);
        self.scopes[scope.0].names.entry(name).or_default().push(id);
        id
    }

    pub(super) fn add_glob(&mut self, scope: ScopeId, path: Path) {
        self.scopes[scope.0].globs.push(path);
    }

    /// The module that a scope is, or is a block of.
    pub(super) fn module(&self, mut scope: ScopeId) -> ScopeId {
        while let (ScopeKind::Block, Some(parent)) =
            (self.scope(scope).kind, self.scope(scope).parent)
        {
            scope = parent;
        }
        scope
    }

    /// The root of the crate that a scope belongs to.
    pub(super) fn root(&self, mut scope: ScopeId) -> ScopeId {
        while let Some(parent) = self.scope(scope).parent {
            scope = parent;
        }
        scope
    }
}

/// The place of some tokens of the file that is shown as `file`.
pub(super) fn place(file: &str, span: Span) -> Place {
    Place {
        file: file.to_owned(),
        line: span.start().line,
    }
}
