use cyxla_artifact::{ArrayType, Leaf};
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, quote};

/// Results beyond this many bytes come in a `Box` where `_` leaves it open: by value they would pass through the stack,
/// of which a thread has 2 MiB.
pub(crate) const LARGEST_BY_VALUE: usize = 64 * 1024;

/// An array type in both notations, for messages: `[[f32; 4]; 8], which is f32[8,4]`.
pub(crate) fn described(array_type: &ArrayType) -> String {
    format!("{}, which is {array_type}", array_type.rust())
}

/// Leaves with their types, for messages: a line each.
pub(crate) fn listed(leaves: &[Leaf]) -> String {
    let lines = leaves.iter().map(|leaf| {
        let ty = described(&leaf.array_type);
        format!("\n          `{}`: {ty}", leaf.path)
    });
    lines.collect()
}

/// The Rust type: `[[f32; 4]; 8]`.
pub(crate) fn rust_type(array_type: &ArrayType, krate: &TokenStream) -> TokenStream {
    let element = array_type.dtype().rust();
    let path: TokenStream = element
        .strip_prefix("cyxla::")
        .unwrap_or(element)
        .parse()
        .unwrap_or_default();
    let element = if element.starts_with("cyxla::") {
        quote!(#krate::#path)
    } else {
        path
    };
    array_type
        .shape()
        .iter()
        .rev()
        .map(|&n| Literal::usize_unsuffixed(n))
        .fold(element, |array, n| quote!([#array; #n]))
}

/// The type of a result that `_` stands for.
pub(crate) fn result_type(array_type: &ArrayType, krate: &TokenStream) -> TokenStream {
    let ty = rust_type(array_type, krate);
    if array_type.nbytes() > LARGEST_BY_VALUE {
        quote!(::std::boxed::Box<#ty>)
    } else {
        ty
    }
}

/// The type of a result that `_` stands for, for messages.
pub(crate) fn result_text(array_type: &ArrayType) -> String {
    let ty = array_type.rust();
    if array_type.nbytes() > LARGEST_BY_VALUE {
        format!("Box<{ty}>")
    } else {
        ty.to_string()
    }
}

/// The one type, or a tuple of none or several.
pub(crate) fn one_or_tuple(types: impl IntoIterator<Item = impl ToTokens>) -> TokenStream {
    let types: Vec<_> = types.into_iter().collect();
    match types.as_slice() {
        [only] => only.to_token_stream(),
        several => quote!((#(#several),*)),
    }
}

/// The `ArrayType` as a constant expression.
pub(crate) fn constant(array_type: &ArrayType, krate: &TokenStream) -> TokenStream {
    // Derived, so that it is the name of the variant.
    let variant = format!("{:?}", array_type.dtype());
    let dtype = Ident::new(&variant, Span::call_site());
    let private = quote!(#krate::__private);
    let scalar = quote!(#private::ArrayType::scalar(#private::DType::#dtype));
    array_type
        .shape()
        .iter()
        .rev()
        .map(|&n| Literal::usize_unsuffixed(n))
        .fold(scalar, |array, n| quote!(#array.in_array(#n)))
}

#[cfg(test)]
mod tests {
    use cyxla_artifact::DType;

    use super::*;

    fn ty(dtype: DType, shape: &[usize]) -> ArrayType {
        ArrayType::new(dtype, shape).unwrap()
    }

    #[test]
    fn every_element_type_has_a_rust_type() {
        for &dtype in DType::ALL {
            let tokens = rust_type(&ty(dtype, &[2, 3]), &quote!(::renamed));
            let text = tokens.to_string().replace(' ', "");
            let element = dtype.rust().replace("cyxla::", "::renamed::");
            assert_eq!(text, format!("[[{element};3];2]"));
            syn::parse2::<syn::Type>(tokens).unwrap();
        }
    }

    #[test]
    fn constants_add_axes_from_the_inside() {
        let tokens = constant(&ty(DType::BF16, &[8, 4]), &quote!(::cyxla));
        assert_eq!(
            tokens.to_string().replace(' ', ""),
            "::cyxla::__private::ArrayType::scalar(::cyxla::__private::DType::BF16)\
             .in_array(4).in_array(8)"
        );
    }

    #[test]
    fn only_large_results_are_boxed() {
        let boxed = |n| {
            let tokens = result_type(&ty(DType::F32, &[n]), &quote!(::cyxla));
            tokens.to_string().contains("Box")
        };
        // 64 KiB are 16384 elements of 4 bytes.
        assert!(!boxed(16384));
        assert!(boxed(16385));
    }
}
