//! The attribute `#[cyxla::ffi_handler]`; documented where users meet it, in the crate `cyxla`.
//!
//! The function stays as it is, and can be called. Beside it comes a type of its name, which takes the function's parameters
//! out of a call. What a parameter is, the compiler finds by its type: the macro can't know what an alias means.

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::quote;
use syn::ext::IdentExt as _;
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned as _;
use syn::{FnArg, ItemFn, LitStr, Pat, Path, ReturnType, Signature, Token};

/// The expansion of one attribute: the function and its handler, or all that is wrong.
pub(crate) fn expand(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let function = match syn::parse2::<ItemFn>(item.clone()) {
        Ok(function) => function,
        Err(error) => {
            let mut tokens = error.into_compile_error();
            tokens.extend(item);
            return tokens;
        }
    };
    let expanded = syn::parse2::<Options>(attribute)
        .and_then(|options| Ok((parameters(&function.sig)?, options)))
        .map(|(parameters, options)| handler(&function, &parameters, &options));
    let beside = expanded.unwrap_or_else(syn::Error::into_compile_error);
    quote! {
        // A parameter says what is taken from a call, not how long that lives.
        #[allow(elided_lifetimes_in_paths)]
        #function
        #beside
    }
}

/// What stands in the attribute.
struct Options {
    /// The target of the custom call; the name of the function, if none is given.
    target: Option<LitStr>,
    krate: Path,
}

impl Parse for Options {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut target = None;
        let mut krate = syn::parse_quote!(::cyxla);
        if input.peek(LitStr) {
            let text = input.parse::<LitStr>()?;
            let name = text.value();
            if name.is_empty() || name.chars().any(char::is_control) {
                return Err(syn::Error::new(
                    text.span(),
                    "no custom call has such a target\n  help: write the name that jax.ffi.ffi_call gets",
                ));
            }
            target = Some(text);
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        if input.peek(Token![crate]) {
            input.parse::<Token![crate]>()?;
            input.parse::<Token![=]>()?;
            let text = input.parse::<LitStr>()?;
            krate = text.parse_with(Path::parse_mod_style)?;
            let first = krate.segments.first().map(|segment| &segment.ident);
            if first.is_some_and(|first| first != "crate") {
                krate.leading_colon = Some(Token![::](text.span()));
            }
            input.parse::<Option<Token![,]>>()?;
        }
        if !input.is_empty() {
            return Err(input.error(
                "expected a target and options\n  help: `#[cyxla::ffi_handler(\"my_target\")]`; the one option is `crate = \"name\"`",
            ));
        }
        Ok(Self { target, krate })
    }
}

/// A parameter: its name, and where its type stands.
struct Parameter {
    name: Ident,
    ty: Span,
}

fn parameters(signature: &Signature) -> syn::Result<Vec<Parameter>> {
    let mut mistakes = Mistakes(None);
    let plain = [
        signature.asyncness.map(|word| word.span()),
        signature.unsafety.map(|word| word.span()),
        signature.abi.as_ref().map(syn::spanned::Spanned::span),
        signature.variadic.as_ref().map(syn::spanned::Spanned::span),
    ];
    for span in plain.into_iter().flatten() {
        mistakes.add(span, "a handler is a plain function");
    }
    for parameter in &signature.generics.params {
        if !matches!(parameter, syn::GenericParam::Lifetime(_)) {
            let help = "a handler is called with types that are known\n  help: write a handler for each type, which calls a \
                        generic function";
            mistakes.add(parameter.span(), help);
        }
    }
    let mut parameters = Vec::new();
    for input in &signature.inputs {
        match input {
            FnArg::Receiver(receiver) => mistakes.add(
                receiver.span(),
                "a handler has no `self`\n  help: for a handler with state, give a closure to `cyxla::register_ffi_target`",
            ),
            FnArg::Typed(typed) => match &*typed.pat {
                Pat::Ident(name) if name.by_ref.is_none() && name.subpat.is_none() => {
                    parameters.push(Parameter {
                        name: name.ident.clone(),
                        ty: typed.ty.span(),
                    });
                }
                other => mistakes.add(
                    other.span(),
                    "a parameter of a handler is a name\n  help: take it apart inside of the function",
                ),
            },
        }
    }
    mistakes.0.map_or(Ok(parameters), Err)
}

/// All that is wrong so far.
struct Mistakes(Option<syn::Error>);

impl Mistakes {
    fn add(&mut self, span: Span, text: &str) {
        let error = syn::Error::new(span, text);
        match &mut self.0 {
            Some(errors) => errors.combine(error),
            none => *none = Some(error),
        }
    }
}

/// The type beside the function. In it, no type of the user is named, so that his lifetimes need not be.
fn handler(function: &ItemFn, parameters: &[Parameter], options: &Options) -> TokenStream {
    let krate = &options.krate;
    let (vis, ident) = (&function.vis, &function.sig.ident);
    let name = ident.unraw().to_string();
    let target = match &options.target {
        Some(target) => target.value(),
        None => name.clone(),
    };
    let shared: Vec<_> = function
        .attrs
        .iter()
        .filter(|attribute| attribute.path().is_ident("cfg"))
        .collect();
    // Where the user wrote it, but not by his hand: lints leave it alone.
    let mut own = ident.clone();
    own.set_span(Span::call_site().located_at(ident.span()));
    let about =
        format!(" The handler of the custom call `{target}`, which calls [`{name}`](fn@{name}).");
    let values: Vec<_> = (0..parameters.len())
        .map(|index| Ident::new(&format!("parameter_{index}"), Span::call_site()))
        .collect();
    let takes = parameters.iter().zip(&values).map(|(parameter, value)| {
        let name = parameter.name.unraw().to_string();
        at(
            parameter.ty,
            quote!(let #value = #krate::ffi::Parameter::take(&mut parameters, #name)?;),
        )
    });
    let returned = match &function.sig.output {
        ReturnType::Default => ident.span(),
        ReturnType::Type(_, ty) => ty.span(),
    };
    let returned = at(
        returned,
        quote!(#krate::ffi::Returned::into_result(#ident(#(#values),*))),
    );
    quote! {
        #[doc = #about]
        #(#shared)*
        #[allow(non_camel_case_types)]
        #[derive(::core::clone::Clone, ::core::marker::Copy, ::core::fmt::Debug)]
        #vis struct #own {}

        #(#shared)*
        #[allow(dead_code)]
        impl #own {
            /// The target of the custom call.
            pub const TARGET: &'static str = #target;

            /// Registers the handler, once per process: see `cyxla::register_ffi_target`.
            ///
            /// # Errors
            /// The target has a handler already; a plugin that is loaded does not take it.
            pub fn register() -> #krate::Result<()> {
                #krate::register_ffi_target(Self::TARGET, Self {})
            }
        }

        #(#shared)*
        impl #krate::ffi::Handler for #own {
            fn call(
                &self,
                frame: &mut #krate::ffi::CallFrame<'_>,
            ) -> ::core::result::Result<(), #krate::ffi::Error> {
                let mut parameters = #krate::ffi::Parameters::new(frame)?;
                #(#takes)*
                parameters.finish()?;
                #returned
            }
        }
    }
}

/// The same tokens at another place, where the compiler says what is wrong with them.
fn at(place: Span, tokens: TokenStream) -> TokenStream {
    let span = Span::call_site().located_at(place);
    let moved = tokens.into_iter().map(|mut token| {
        if let TokenTree::Group(group) = &mut token {
            *group = Group::new(group.delimiter(), at(place, group.stream()));
        }
        token.set_span(span);
        token
    });
    moved.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The messages of an expansion.
    fn errors(attribute: TokenStream, item: TokenStream) -> String {
        expand(attribute, item).to_string()
    }

    #[test]
    fn a_method_is_refused() {
        let item = quote!(
            fn norm(&self, x: Array<f32, 1>) -> Result<(), Error> {
                Ok(())
            }
        );
        assert!(errors(quote!("norm"), item).contains("a handler has no `self`"));
    }

    #[test]
    fn all_mistakes_of_a_signature_are_told_at_once() {
        let item = quote!(
            async fn norm<T>((x, y): (f32, f32)) -> Result<(), Error> {
                Ok(())
            }
        );
        let text = errors(quote!("norm"), item);
        for mistake in [
            "a handler is a plain function",
            "a handler is called with types that are known",
            "a parameter of a handler is a name",
        ] {
            assert!(text.contains(mistake), "{mistake}: {text}");
        }
    }

    #[test]
    fn targets_that_nobody_can_call_are_refused() {
        let item = quote!(
            fn norm() -> Result<(), Error> {
                Ok(())
            }
        );
        for target in ["", "a\nb"] {
            let text = errors(quote!(#target), item.clone());
            assert!(text.contains("no custom call has such a target"), "{text}");
        }
        let text = errors(quote!("norm", platform = "cpu"), item);
        assert!(text.contains("the one option is"), "{text}");
    }

    #[test]
    fn what_is_no_function_is_kept_beside_the_error() {
        let text = errors(
            quote!("norm"),
            quote!(
                struct Norm;
            ),
        );
        assert!(
            text.contains("compile_error") && text.contains("struct Norm"),
            "{text}"
        );
    }
}
