use cyxla_artifact::Manifest;
use cyxla_syntax::Declaration;
use proc_macro2::{Span, TokenStream};

use crate::check::check;
use crate::expand::{expansion, stand_in};
use crate::locate::{Surroundings, locate};
use crate::lookup::lookup;
use crate::mistake::Mistake;

/// The expansion of one attribute: a function, or all that is wrong.
pub(crate) fn expand(
    attribute: TokenStream,
    item: TokenStream,
    surroundings: &Surroundings,
) -> TokenStream {
    let declaration = match Declaration::parse(attribute, item) {
        Ok(declaration) => declaration,
        Err(mistakes) => return mistakes.into_compile_error(),
    };
    expand_declaration(&declaration, surroundings).unwrap_or_else(|mistakes| {
        let mut tokens = mistakes.into_compile_error();
        // So that the calls are not errors too.
        tokens.extend(stand_in(&declaration));
        tokens
    })
}

fn expand_declaration(
    declaration: &Declaration,
    surroundings: &Surroundings,
) -> syn::Result<TokenStream> {
    let on_attribute = |mistake: Mistake| syn::Error::new(Span::call_site(), mistake);
    let artifact = locate(surroundings).map_err(on_attribute)?;
    let record = lookup(declaration, &artifact.manifest)?;
    check(declaration, record)?;
    // Its digest is compared here, so that a damaged file stops the compiler and not the finished binary.
    Manifest::load(&artifact.directory, record)
        .map_err(|error| on_attribute(Mistake::Artifact(error)))?;
    let path = artifact.directory.join(&record.code.file);
    let code = path
        .to_str()
        .ok_or_else(|| on_attribute(Mistake::PathNotUnicode { path: path.clone() }))?;
    Ok(expansion(declaration, record, code))
}
