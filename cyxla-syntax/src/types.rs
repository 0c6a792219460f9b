use syn::{Expr, PathArguments, Type};

use crate::mistake::Mistake;
use crate::report::Report;

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
                syn::GenericArgument::Type(ty) => Some(ty),
                _ => None,
            })
            .collect(),
        _ => None,
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
        _ => {}
    }
}
