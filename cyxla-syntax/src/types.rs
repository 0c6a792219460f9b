use syn::{Expr, GenericArgument, PathArguments, Type};

use crate::mistake::Mistake;
use crate::report::Report;

/// What holds an array between the caller and the program, told by the last name of its path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Holder {
    /// Nothing: the array itself, `[f32; 8]`.
    None,
    /// `Box<[f32; 8]>`; of results only.
    Box,
    /// `Host<[f32; 8]>`: on the heap, aligned as a device wants it.
    Host,
    /// `Buffer<[f32; 8]>`: on the device; an argument by value is donated.
    Buffer,
}

impl Holder {
    /// Those that are something.
    const ALL: [Self; 3] = [Self::Box, Self::Host, Self::Buffer];

    /// Its name in Rust.
    const fn name(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Box => "Box",
            Self::Host => "Host",
            Self::Buffer => "Buffer",
        }
    }
}

/// A type that came through a `macro_rules!` fragment, or that stands in parentheses.
pub(crate) fn ungrouped(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => ungrouped(&group.elem),
        Type::Paren(paren) => ungrouped(&paren.elem),
        other => other,
    }
}

/// The type arguments of a path that ends in `name<…>`; none for other types.
pub(crate) fn arguments_of<'a>(ty: &'a Type, name: &str) -> Option<Vec<&'a Type>> {
    let Type::Path(path) = ungrouped(ty) else {
        return None;
    };
    let last = path.path.segments.last()?;
    match &last.arguments {
        PathArguments::AngleBracketed(arguments) if last.ident == name => arguments
            .args
            .iter()
            .map(|argument| match argument {
                GenericArgument::Type(ty) => Some(ty),
                _ => None,
            })
            .collect(),
        _ => None,
    }
}

/// What holds an array in a type, and the type of the array.
pub(crate) fn held(ty: &Type) -> (Holder, &Type) {
    let inside = |holder: Holder| match arguments_of(ty, holder.name()).as_deref() {
        Some(&[array]) => Some((holder, array)),
        _ => None,
    };
    let found = Holder::ALL.into_iter().find_map(inside);
    found.unwrap_or((Holder::None, ty))
}

/// A type as written, with `array` in the place of the type of the array.
pub(crate) fn filled(written: &Type, array: Type) -> Type {
    match ungrouped(written) {
        Type::Reference(reference) => {
            let mut reference = reference.clone();
            *reference.elem = filled(&reference.elem, array);
            Type::Reference(reference)
        }
        Type::Path(path) if held(written).0 != Holder::None => {
            let mut path = path.clone();
            if let Some(last) = path.path.segments.last_mut()
                && let PathArguments::AngleBracketed(arguments) = &mut last.arguments
                && let Some(first) = arguments.args.first_mut()
            {
                *first = GenericArgument::Type(array);
            }
            Type::Path(path)
        }
        _ => array,
    }
}

/// Reports what keeps `ty` from being an array type. Whether a named type is one, only the compiler knows.
pub(crate) fn check_array(ty: &Type, report: &mut Report) {
    match ungrouped(ty) {
        Type::Array(array) => {
            if matches!(array.len, Expr::Infer(_)) {
                report.on(&array.len, Mistake::PartlyInferred);
            }
            check_array(&array.elem, report);
        }
        Type::Infer(infer) => report.on(infer, Mistake::PartlyInferred),
        Type::Reference(reference) => {
            report.on(reference.and_token, Mistake::InnerReference);
            check_array(&reference.elem, report);
        }
        Type::Slice(slice) => report.on(slice, Mistake::Unsized),
        Type::ImplTrait(_) | Type::TraitObject(_) => report.on(ty, Mistake::Opaque),
        other if arguments_of(other, "Vec").is_some() => report.on(other, Mistake::Unsized),
        other => {
            let is_of = |holder: &Holder| arguments_of(other, holder.name()).is_some();
            if let Some(holder) = Holder::ALL.into_iter().find(is_of) {
                let name = holder.name();
                report.on(other, Mistake::InnerHolder { name });
            }
        }
    }
}
