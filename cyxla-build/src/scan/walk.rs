use std::collections::{BTreeSet, HashMap};
use std::path::{Component, Path as FilePath, PathBuf};
use std::rc::Rc;

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::visit::{self, Visit};
use syn::{
    Attribute, Block, Fields, Ident, ImplItem, ItemImpl, ItemMacro, ItemMod, LitStr, Stmt, UseTree,
};

use super::attributes::{conditional_paths, declaration, path_attribute};
use super::conditions::{Conditions, Holds};
use super::tree::{Associated, Found, Item, ItemKind, Path, ScopeId, ScopeKind, Tree, place};
use super::{ScanError, source};
use crate::package::{Package, Target};

/// All crates of a package.
pub(super) struct Walk {
    pub(super) tree: Tree,
    /// The files that were read, sorted.
    pub(super) files: Vec<PathBuf>,
    /// The files that the compiler will miss, sorted.
    pub(super) missing: Vec<PathBuf>,
}

/// The most scopes of a package, and the most files and modules inside of each other.
const MOST_SCOPES: usize = 100_000;
const MOST_DEEP: usize = 128;

/// Follows the modules of every target.
pub(super) fn walk(package: &Package, conditions: &Conditions) -> Result<Walk, ScanError> {
    let mut files = Files {
        package,
        conditions,
        parsed: HashMap::new(),
        read: BTreeSet::new(),
        missing: BTreeSet::new(),
    };
    let mut tree = Tree::default();
    for target in &package.targets {
        walk_crate(&mut tree, &mut files, target)?;
    }
    Ok(Walk {
        tree,
        files: files.read.into_iter().collect(),
        missing: files.missing.into_iter().collect(),
    })
}

fn walk_crate(tree: &mut Tree, files: &mut Files<'_>, target: &Target) -> Result<(), ScanError> {
    let is_2015 = target.is_2015;
    let scope = tree.add_scope(ScopeKind::Root { is_2015 }, None);
    if target.is_library {
        tree.libraries.insert(target.crate_name.clone(), scope);
    }
    let mut walker = Walker {
        tree,
        files,
        scope,
        shown: String::new(),
        file: PathBuf::new(),
        children: PathBuf::new(),
        inline: false,
        conditional: false,
        opened: Vec::new(),
        depth: 0,
        failure: None,
    };
    let path = normal(&target.source);
    let children = parent(&path);
    walker.file(path, children);
    walker.failure.map_or(Ok(()), Err)
}

/// The files of a package; each is parsed once, however many crates it belongs to.
struct Files<'a> {
    package: &'a Package,
    conditions: &'a Conditions,
    parsed: HashMap<PathBuf, Option<Rc<syn::File>>>,
    read: BTreeSet<PathBuf>,
    missing: BTreeSet<PathBuf>,
}

impl Files<'_> {
    fn parsed(&mut self, path: &FilePath) -> Option<Rc<syn::File>> {
        if !path.is_file() {
            return None;
        }
        self.read.insert(path.to_owned());
        let parsed = self.parsed.entry(path.to_owned());
        parsed
            .or_insert_with(|| source::read(path).map(Rc::new))
            .clone()
    }
}

/// Goes through one crate. The fields after `files` say where it is.
struct Walker<'a, 'f> {
    tree: &'a mut Tree,
    files: &'a mut Files<'f>,
    scope: ScopeId,
    /// The file, and how it is shown.
    file: PathBuf,
    shown: String,
    /// Where `mod name;` looks for its file.
    children: PathBuf,
    /// Whether this is inside of `mod name { … }`.
    inline: bool,
    /// Whether some `#[cfg]` around this may be off.
    conditional: bool,
    /// The files around this.
    opened: Vec<PathBuf>,
    depth: usize,
    failure: Option<ScanError>,
}

impl Walker<'_, '_> {
    /// Goes through a file whose items belong to the current scope.
    fn file(&mut self, path: PathBuf, children: PathBuf) {
        // A file that is part of itself has no end; the compiler says so.
        if self.opened.contains(&path) || self.too_many() {
            return;
        }
        let Some(parsed) = self.files.parsed(&path) else {
            return;
        };
        let shown = self.files.package.relative(&path);
        let outer = (
            std::mem::replace(&mut self.shown, shown),
            std::mem::replace(&mut self.file, path.clone()),
            std::mem::replace(&mut self.children, children),
            std::mem::replace(&mut self.inline, false),
        );
        self.opened.push(path);
        let conditional =
            self.conditional || parsed.attrs.iter().any(|it| it.path().is_ident("cfg"));
        let around = std::mem::replace(&mut self.conditional, conditional);
        self.visit_file(&parsed);
        self.conditional = around;
        self.opened.pop();
        (self.shown, self.file, self.children, self.inline) = outer;
    }

    fn too_many(&mut self) -> bool {
        if self.tree.len() > MOST_SCOPES || self.depth > MOST_DEEP {
            self.failure
                .get_or_insert_with(|| ScanError::TooManyModules {
                    file: self.file.clone(),
                    limit: MOST_SCOPES,
                    depth: MOST_DEEP,
                });
        }
        self.failure.is_some()
    }

    fn add(&mut self, name: &Ident, attributes: &[Attribute], kind: ItemKind) {
        let item = self.item(name, attributes, kind);
        self.tree.add(item);
    }

    fn item(&self, name: &Ident, attributes: &[Attribute], kind: ItemKind) -> Item {
        Item {
            name: name.unraw().to_string(),
            scope: self.scope,
            place: place(&self.shown, name.span()),
            holds: self.files.conditions.of_item(attributes),
            kind,
        }
    }

    /// Does `work` in another scope.
    fn within(&mut self, scope: ScopeId, work: impl FnOnce(&mut Self)) {
        let outer = std::mem::replace(&mut self.scope, scope);
        self.depth += 1;
        work(self);
        self.depth -= 1;
        self.scope = outer;
    }

    /// Source: the Rust reference, "Module source filenames".
    fn module(&mut self, module: &ItemMod) {
        if self.too_many() {
            return;
        }
        let scope = self.tree.add_scope(ScopeKind::Module, Some(self.scope));
        self.add(&module.ident, &module.attrs, ItemKind::Module(scope));
        let name = module.ident.unraw().to_string();
        let conditional = self.conditional
            || module
                .attrs
                .iter()
                .any(|each| each.path().is_ident("cfg") || each.path().is_ident("cfg_attr"));
        let outer = std::mem::replace(&mut self.conditional, conditional);
        // A path on a module of a file is relative to that file, one inside of `mod name { … }` to the folder of `name`.
        let base = if self.inline {
            self.children.clone()
        } else {
            parent(&self.file)
        };
        let place = |path: String| normal(&base.join(path));
        let path = path_attribute(&module.attrs).map(place);
        if let Some((_, items)) = &module.content {
            let children = path.unwrap_or_else(|| self.children.join(&name));
            let outer = (
                std::mem::replace(&mut self.children, children),
                std::mem::replace(&mut self.inline, true),
            );
            self.within(scope, |walker| {
                for item in items {
                    walker.visit_item(item);
                }
            });
            (self.children, self.inline) = outer;
        } else {
            // Below a file with a path, modules are found as below a mod.rs.
            let beside_itself = |path: PathBuf| (path.clone(), parent(&path));
            let mut files: Vec<(PathBuf, PathBuf)> = Vec::new();
            if let Some(path) = path {
                files.push(beside_itself(path));
            } else {
                let folder = self.children.join(&name);
                files.push((self.children.join(format!("{name}.rs")), folder.clone()));
                files.push(beside_itself(folder.join("mod.rs")));
                let conditional = conditional_paths(&module.attrs);
                files.extend(conditional.into_iter().map(place).map(beside_itself));
            }
            let found: Vec<_> = files.iter().filter(|(file, _)| file.is_file()).collect();
            if let ([], Some((file, _)), false) = (&found[..], files.first(), self.conditional) {
                self.files.missing.insert(file.clone());
            }
            for (file, children) in found {
                self.within(scope, |walker| walker.file(file.clone(), children.clone()));
            }
        }
        self.conditional = outer;
    }

    fn import(&mut self, tree: &UseTree, path: &mut Path, attributes: &[Attribute]) {
        match tree {
            UseTree::Path(part) => {
                path.names.push(part.ident.unraw().to_string());
                self.import(&part.tree, path, attributes);
                path.names.pop();
            }
            UseTree::Name(last) => {
                let mut item = self.item(&last.ident, attributes, ItemKind::Value);
                let mut whole = path.clone();
                match whole.names.last() {
                    // `use a::b::{self}` is `use a::b`.
                    Some(module) if last.ident == "self" => item.name.clone_from(module),
                    _ => whole.names.push(item.name.clone()),
                }
                item.kind = ItemKind::Import(whole);
                self.tree.add(item);
            }
            UseTree::Rename(last) => {
                let mut whole = path.clone();
                if last.ident != "self" || whole.names.is_empty() {
                    whole.names.push(last.ident.unraw().to_string());
                }
                self.add(&last.rename, attributes, ItemKind::Import(whole));
            }
            UseTree::Glob(_) => {
                if self.files.conditions.of_item(attributes) != Holds::No {
                    self.tree.add_glob(self.scope, path.clone());
                }
            }
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.import(tree, path, attributes);
                }
            }
        }
    }

    fn constants_of(&mut self, block: &ItemImpl) {
        let Some(of) = path_of(&block.self_ty) else {
            return;
        };
        for item in &block.items {
            if let ImplItem::Const(constant) = item {
                let kind = ItemKind::Constant {
                    ty: Box::new(constant.ty.clone()),
                    value: Box::new(constant.expr.clone()),
                };
                let item = self.item(&constant.ident, &constant.attrs, kind);
                let constant = self.tree.add_unnamed(item);
                self.tree.associated.push(Associated {
                    scope: self.scope,
                    of: of.clone(),
                    of_trait: block.trait_.is_some(),
                    constant,
                });
            }
        }
    }

    fn item_macro(&mut self, item: &ItemMacro) {
        let Some(name) = item.mac.path.segments.last() else {
            return;
        };
        if name.ident == "include" {
            if let Ok(text) = item.mac.parse_body::<LitStr>() {
                let path = normal(&parent(&self.file).join(text.value()));
                let children = parent(&path);
                self.depth += 1;
                self.file(path, children);
                self.depth -= 1;
            }
        } else if name.ident == "cfg_if" {
            // The blocks of `if #[cfg(…)] { … } else { … }` hold items.
            let outer = std::mem::replace(&mut self.conditional, true);
            for token in item.mac.tokens.clone() {
                if let TokenTree::Group(group) = token
                    && group.delimiter() == Delimiter::Brace
                    && let Ok(file) = syn::parse2::<syn::File>(group.stream())
                {
                    self.visit_file(&file);
                }
            }
            self.conditional = outer;
        }
    }

    /// An item that syn does not know: a function without a body is one.
    fn verbatim(&mut self, tokens: &TokenStream) {
        let Ok(Some(declaration)) = declaration(tokens) else {
            return;
        };
        let name = declaration.function.ident.clone();
        self.add(&name, &declaration.function.attrs, ItemKind::Value);
        self.tree.declarations.push(Found {
            scope: self.scope,
            place: place(&self.shown, name.span()),
            file: self.shown.clone(),
            declaration,
        });
    }
}

impl<'ast> Visit<'ast> for Walker<'_, '_> {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        match item {
            syn::Item::Mod(module) => return self.module(module),
            syn::Item::Use(import) => {
                let mut path = Path {
                    leading: import.leading_colon.is_some(),
                    names: Vec::new(),
                };
                self.import(&import.tree, &mut path, &import.attrs);
            }
            syn::Item::ExternCrate(import) => {
                let name = match &import.rename {
                    Some((_, rename)) => rename,
                    None => &import.ident,
                };
                let own = import.ident == "self";
                let path = Path {
                    leading: !own,
                    names: vec![if own {
                        "crate".to_owned()
                    } else {
                        import.ident.unraw().to_string()
                    }],
                };
                self.add(name, &import.attrs, ItemKind::Import(path));
            }
            syn::Item::Const(constant) if constant.ident != "_" => {
                let kind = ItemKind::Constant {
                    ty: constant.ty.clone(),
                    value: constant.expr.clone(),
                };
                self.add(&constant.ident, &constant.attrs, kind);
            }
            syn::Item::Type(alias) => {
                let kind = ItemKind::Alias {
                    generics: alias.generics.clone(),
                    ty: alias.ty.clone(),
                };
                self.add(&alias.ident, &alias.attrs, kind);
            }
            syn::Item::Enum(item) => {
                let variants = item
                    .variants
                    .iter()
                    .filter(|variant| matches!(variant.fields, Fields::Unit))
                    .map(|variant| {
                        let explicit = variant
                            .discriminant
                            .as_ref()
                            .map(|(_, value)| value.clone());
                        (variant.ident.unraw().to_string(), explicit)
                    })
                    .collect();
                self.add(&item.ident, &item.attrs, ItemKind::Enum(variants));
            }
            syn::Item::Struct(item) => self.add(&item.ident, &item.attrs, ItemKind::Type),
            syn::Item::Union(item) => self.add(&item.ident, &item.attrs, ItemKind::Type),
            syn::Item::Trait(item) => self.add(&item.ident, &item.attrs, ItemKind::Type),
            syn::Item::Fn(item) => self.add(&item.sig.ident, &item.attrs, ItemKind::Value),
            syn::Item::Static(item) => self.add(&item.ident, &item.attrs, ItemKind::Value),
            syn::Item::Impl(block) => self.constants_of(block),
            syn::Item::Macro(item) => self.item_macro(item),
            syn::Item::Verbatim(tokens) => self.verbatim(tokens),
            _ => {}
        }
        visit::visit_item(self, item);
    }

    fn visit_block(&mut self, block: &'ast Block) {
        let has_items = block.stmts.iter().any(|stmt| matches!(stmt, Stmt::Item(_)));
        if !has_items {
            return visit::visit_block(self, block);
        }
        if !self.too_many() {
            let scope = self.tree.add_scope(ScopeKind::Block, Some(self.scope));
            self.within(scope, |walker| visit::visit_block(walker, block));
        }
    }
}

/// The path of a plain type.
pub(super) fn path_of(ty: &syn::Type) -> Option<Path> {
    match ty {
        syn::Type::Group(group) => path_of(&group.elem),
        syn::Type::Paren(paren) => path_of(&paren.elem),
        syn::Type::Path(path) if path.qself.is_none() => Some(Path::of(&path.path)),
        _ => None,
    }
}

impl Path {
    /// The names of a path, without generic arguments.
    pub(super) fn of(path: &syn::Path) -> Self {
        Self {
            leading: path.leading_colon.is_some(),
            names: path
                .segments
                .iter()
                .map(|segment| segment.ident.unraw().to_string())
                .collect(),
        }
    }
}

fn parent(path: &FilePath) -> PathBuf {
    path.parent().unwrap_or(path).to_owned()
}

/// The path without `.` and `..`, as far as its text tells.
fn normal(path: &FilePath) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir if normal.file_name().is_some() => {
                normal.pop();
            }
            other => normal.push(other),
        }
    }
    normal
}
