use cyxla_artifact::{ArrayType, DType};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{
    Expr, ExprPath, GenericArgument, GenericParam, Generics, PathArguments, PathSegment, Type,
};

use super::Unknown;
use super::evaluate::{Site, Value, text, too_complex};
use super::resolve::{Evaluator, Meaning, Space};
use super::tree::{ItemId, ItemKind, Path};

/// What a generic parameter of an alias stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Binding {
    Constant(Value),
    Type(ArrayType),
}

/// Whether the lengths of arrays matter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Lengths {
    Exact,
    /// Every axis is taken to have length 0.
    Ignored,
}

impl Evaluator<'_> {
    /// The array type that a type in Rust is.
    pub(super) fn array_type(&mut self, ty: &Type, site: Site<'_>) -> Result<ArrayType, Unknown> {
        self.restart();
        self.ty(ty, site, Lengths::Exact)
    }

    /// The element type alone, for types with lengths that can't be told.
    pub(super) fn dtype(&mut self, ty: &Type, site: Site<'_>) -> Result<DType, Unknown> {
        self.restart();
        self.ty(ty, site, Lengths::Ignored).map(|ty| ty.dtype())
    }

    fn ty(&mut self, ty: &Type, site: Site<'_>, lengths: Lengths) -> Result<ArrayType, Unknown> {
        let known = self.step(|this| match ty {
            Type::Paren(paren) => this.ty(&paren.elem, site, lengths),
            Type::Group(group) => this.ty(&group.elem, site, lengths),
            Type::Array(array) => {
                let element = this.ty(&array.elem, site, lengths)?;
                let length = match lengths {
                    Lengths::Exact => this.length(&array.len, site)?,
                    Lengths::Ignored => 0,
                };
                let mut shape = vec![length];
                shape.extend_from_slice(element.shape());
                ArrayType::new(element.dtype(), &shape).map_err(|problem| Unknown::Shape {
                    place: site.place(array.span()),
                    problem,
                })
            }
            Type::Path(path) if path.qself.is_none() => this.path_type(&path.path, site, lengths),
            _ => Err(not_an_array(ty, site)),
        });
        known.unwrap_or_else(|| Err(too_complex(ty, site)))
    }

    fn path_type(
        &mut self,
        path: &syn::Path,
        site: Site<'_>,
        lengths: Lengths,
    ) -> Result<ArrayType, Unknown> {
        let names = Path::of(path);
        if let [name] = &names.names[..] {
            let bound = site.bindings.iter().find(|(bound, _)| bound == name);
            if let Some((_, Binding::Type(ty))) = bound {
                return Ok(*ty);
            }
        }
        let mut found: Option<(ArrayType, Option<ItemId>)> = None;
        for meaning in self.resolve(site.scope, &names, Space::Types) {
            let (ty, item) = match &meaning {
                Meaning::Item(id) => (self.alias(*id, path, site, lengths)?, Some(*id)),
                Meaning::Foreign(names) => {
                    let name = names.last().map_or("", String::as_str);
                    (self.element(name, path, site, lengths)?, None)
                }
                Meaning::Module(_) | Meaning::Variant(..) => return Err(not_an_array(path, site)),
            };
            match &found {
                Some((other, other_item)) if *other != ty => {
                    let defined = |item: Option<ItemId>| match item {
                        Some(item) => self.tree.item(item).place.clone(),
                        None => site.place(path.span()),
                    };
                    return Err(Unknown::Ambiguous {
                        place: site.place(path.span()),
                        name: text(path),
                        first: defined(*other_item),
                        second: defined(item),
                    });
                }
                _ => found = Some((ty, item)),
            }
        }
        match found {
            _ if self.is_spent() => Err(too_complex(path, site)),
            Some((ty, _)) => Ok(ty),
            None => Err(Unknown::NotFound {
                place: site.place(path.span()),
                path: text(path),
            }),
        }
    }

    fn alias(
        &mut self,
        id: ItemId,
        path: &syn::Path,
        site: Site<'_>,
        lengths: Lengths,
    ) -> Result<ArrayType, Unknown> {
        let tree = self.tree;
        let item = tree.item(id);
        let ItemKind::Alias { generics, ty } = &item.kind else {
            return Err(not_an_array(path, site));
        };
        let inner = Site {
            scope: item.scope,
            file: &item.place.file,
            bindings: &[],
        };
        let bindings = match path.segments.last() {
            Some(last) => self.bindings(generics, last, site, inner, lengths)?,
            None => Vec::new(),
        };
        let inner = Site {
            bindings: &bindings,
            ..inner
        };
        self.opened(id, |this| this.ty(ty, inner, lengths))
    }

    /// The arguments of a generic alias, which are worked out where they are written; its defaults where it is defined.
    fn bindings(
        &mut self,
        generics: &Generics,
        segment: &PathSegment,
        site: Site<'_>,
        inner: Site<'_>,
        lengths: Lengths,
    ) -> Result<Vec<(String, Binding)>, Unknown> {
        let mut given = arguments(segment)
            .into_iter()
            .filter(|argument| !matches!(argument, GenericArgument::Lifetime(_)));
        let mut bindings = Vec::new();
        for parameter in &generics.params {
            let (name, binding) = match parameter {
                GenericParam::Lifetime(_) => continue,
                GenericParam::Type(parameter) => {
                    let ty = match (given.next(), &parameter.default) {
                        (Some(GenericArgument::Type(ty)), _) => self.ty(ty, site, lengths)?,
                        (None, Some(default)) => self.ty(default, inner, lengths)?,
                        _ => return Err(not_an_array(segment, site)),
                    };
                    (&parameter.ident, Binding::Type(ty))
                }
                GenericParam::Const(parameter) => {
                    let value = match (given.next(), &parameter.default) {
                        (Some(GenericArgument::Const(value)), _) => self.expression(value, site)?,
                        // A path could be either; only the parameter tells.
                        (Some(GenericArgument::Type(Type::Path(path))), _) => {
                            let path = ExprPath {
                                attrs: Vec::new(),
                                qself: path.qself.clone(),
                                path: path.path.clone(),
                            };
                            self.expression(&Expr::Path(path), site)?
                        }
                        (None, Some(default)) => self.expression(default, inner)?,
                        _ => return Err(not_an_array(segment, site)),
                    };
                    (&parameter.ident, Binding::Constant(value))
                }
            };
            bindings.push((name.unraw().to_string(), binding));
        }
        Ok(bindings)
    }

    /// An element type by its name, in whichever crate: the compiler checks later that it is the one of that name.
    fn element(
        &mut self,
        name: &str,
        path: &syn::Path,
        site: Site<'_>,
        lengths: Lengths,
    ) -> Result<ArrayType, Unknown> {
        let dtype = match name {
            "Complex" => {
                let arguments = path.segments.last().map(arguments).unwrap_or_default();
                let part = match &arguments[..] {
                    [GenericArgument::Type(part)] => self.ty(part, site, lengths)?,
                    _ => return Err(not_an_array(path, site)),
                };
                match (part.dtype(), part.shape()) {
                    (DType::F32, []) => DType::C64,
                    (DType::F64, []) => DType::C128,
                    _ => return Err(not_an_array(path, site)),
                }
            }
            "Complex32" => DType::C64,
            "Complex64" => DType::C128,
            // As the crate `half` calls them.
            "f16" => DType::F16,
            "bf16" => DType::BF16,
            "usize" | "isize" => {
                return Err(Unknown::PlatformSize {
                    place: site.place(path.span()),
                    ty: if name == "usize" { "usize" } else { "isize" },
                });
            }
            _ => {
                let is_named = |dtype: &&DType| dtype.rust().rsplit("::").next() == Some(name);
                match DType::ALL.iter().find(is_named) {
                    Some(dtype) => *dtype,
                    None if path.segments.len() > 1 => {
                        return Err(Unknown::OtherCrate {
                            place: site.place(path.span()),
                            path: text(path),
                        });
                    }
                    None => {
                        return Err(Unknown::NotFound {
                            place: site.place(path.span()),
                            path: text(path),
                        });
                    }
                }
            }
        };
        Ok(ArrayType::scalar(dtype))
    }
}

fn arguments(segment: &PathSegment) -> Vec<&GenericArgument> {
    match &segment.arguments {
        PathArguments::AngleBracketed(arguments) => arguments.args.iter().collect(),
        _ => Vec::new(),
    }
}

fn not_an_array(ty: &impl Spanned, site: Site<'_>) -> Unknown {
    Unknown::NotAnArray {
        place: site.place(ty.span()),
        ty: text(ty),
    }
}
