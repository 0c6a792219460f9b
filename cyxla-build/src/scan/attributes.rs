use cyxla_syntax::{Declaration, is_program_attribute};
use proc_macro2::TokenStream;
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Attribute, Expr, Lit, Meta, Token};

/// The declaration among the tokens of an item; the attribute may stand in a `cfg_attr`.
pub(super) fn declaration(tokens: &TokenStream) -> syn::Result<Option<Declaration>> {
    let split = |input: syn::parse::ParseStream<'_>| {
        Ok((
            input.call(Attribute::parse_outer)?,
            input.parse::<TokenStream>()?,
        ))
    };
    let (attributes, item) = split.parse2(tokens.clone())?;
    if attributes.iter().any(is_program_attribute) {
        return Declaration::of_item(tokens.clone());
    }
    for meta in attributes.iter().flat_map(conditional_attributes) {
        let Meta::List(list) = &meta else { continue };
        let attribute = Attribute {
            pound_token: Token![#](meta.span()),
            style: syn::AttrStyle::Outer,
            bracket_token: syn::token::Bracket(meta.span()),
            meta: meta.clone(),
        };
        if is_program_attribute(&attribute) {
            return Declaration::parse(list.tokens.clone(), item).map(Some);
        }
    }
    Ok(None)
}

/// The attributes in `#[cfg_attr(condition, …)]`.
fn conditional_attributes(attribute: &Attribute) -> Vec<Meta> {
    if !attribute.path().is_ident("cfg_attr") {
        return Vec::new();
    }
    let parts = attribute.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated);
    parts.map_or_else(|_| Vec::new(), |parts| parts.into_iter().skip(1).collect())
}

/// What `#[path = "…"]` says.
pub(super) fn path_attribute(attributes: &[Attribute]) -> Option<String> {
    attributes
        .iter()
        .find_map(|attribute| path_in(&attribute.meta))
}

/// What each `#[cfg_attr(…, path = "…")]` says.
pub(super) fn conditional_paths(attributes: &[Attribute]) -> Vec<String> {
    let conditional = attributes.iter().flat_map(conditional_attributes);
    conditional.filter_map(|meta| path_in(&meta)).collect()
}

fn path_in(meta: &Meta) -> Option<String> {
    match meta {
        Meta::NameValue(pair) if pair.path.is_ident("path") => match &pair.value {
            Expr::Lit(value) => match &value.lit {
                Lit::Str(text) => Some(text.value()),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}
