use cyxla_artifact::{ArrayType, Leaf, ProgramRecord};
use cyxla_syntax::{Declaration, Parameter, Passing, Returned, ReturnedShape, Slot};
use proc_macro2::{Delimiter, Group, Ident, Literal, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{Attribute, Meta, Type};

use crate::types::{constant, result_type, rust_type};

/// The function that calls the program, and the module of its name that gives it.
///
/// `code` is the absolute path of the file with the program's code.
pub(crate) fn expansion(
    declaration: &Declaration,
    record: &ProgramRecord,
    code: &str,
) -> TokenStream {
    let krate = &crate_path(declaration);
    let private = quote!(#krate::__private);
    let function = &declaration.function;
    let (attrs, vis, ident) = (&function.attrs, &function.vis, &function.ident);
    let docs = (!attrs.iter().any(is_doc)).then(|| docs(record));

    let inputs = function.parameters.iter().zip(&record.inputs);
    let parameters = inputs
        .clone()
        .map(|(parameter, leaf)| parameter_tokens(parameter, &leaf.array_type, krate));
    let arguments = inputs.clone().map(|(parameter, leaf)| {
        let name = &parameter.name;
        let array = array_tokens(&parameter.ty, &leaf.array_type, krate);
        match parameter.by {
            Passing::Value => quote!(#private::argument::<#array>().view(&#name)),
            Passing::Reference => quote!(#private::argument::<#array>().view(#name)),
        }
    });
    let expected = |leaf: &Leaf| {
        let what = format!("`{}` of {}", leaf.path, record.target);
        let array_type = constant(&leaf.array_type, krate);
        quote!(#what, #array_type)
    };
    let argument_checks = inputs.filter_map(|(parameter, leaf)| {
        let ty = parameter.ty.ty()?;
        let expected = expected(leaf);
        let arguments = quote!(&#private::argument::<#ty>(), #expected);
        Some(checked(ty, "check_argument", arguments, krate))
    });
    let results = function.returned.values.iter().zip(&record.outputs);
    let result_checks = results.filter_map(|(value, leaf)| {
        let ty = value.ty.ty()?;
        Some(checked(ty, "check_result", expected(leaf), krate))
    });
    let returned = returned_tokens(&function.returned, &record.outputs, krate);
    let module = module(declaration, &program_tokens(record, code, krate));

    quote! {
        #docs
        #(#attrs)*
        #vis fn #ident(#(#parameters),*) -> #returned {
            #(#argument_checks)*
            #(#result_checks)*
            #private::call::<#returned>(#ident::program(), &[#(#arguments),*])
        }

        #module
    }
}

/// A function as declared that is never called: in the place of an expansion that failed, so that what calls it is right.
///
/// None if its types come from Python.
pub(crate) fn stand_in(declaration: &Declaration) -> Option<TokenStream> {
    let function = &declaration.function;
    let returned = &function.returned;
    let slots = function.parameters.iter().map(|parameter| &parameter.ty);
    let mut slots = slots.chain(returned.values.iter().map(|value| &value.ty));
    if slots.any(|slot| slot.ty().is_none()) {
        return None;
    }
    let (attrs, vis, ident) = (&function.attrs, &function.vis, &function.ident);
    let parameters = function.parameters.iter().map(|parameter| {
        let (name, written) = (&parameter.name, &parameter.written);
        quote!(#name: #written)
    });
    let written = &returned.written;
    let module = module(declaration, &quote!(loop {}));
    Some(quote! {
        #(#attrs)*
        #[allow(unused_variables)]
        #vis fn #ident(#(#parameters),*) -> #written {
            loop {}
        }

        #module
    })
}

/// The module beside the function, whose `program` has the given body. Nothing in it depends on where it stands.
fn module(declaration: &Declaration, body: &TokenStream) -> TokenStream {
    let krate = crate_path(declaration);
    let function = &declaration.function;
    let vis = &function.vis;
    let attrs = function
        .attrs
        .iter()
        .filter(|attribute| belongs_to_module(attribute));
    // Where the user wrote it, but not by his hand: lints leave it alone.
    let mut ident = function.ident.clone();
    ident.set_span(Span::call_site().located_at(ident.span()));
    let name = function.name();
    let about = format!(" The program that [`{name}`](fn@{name}) calls.");
    quote! {
        #[doc = #about]
        #(#attrs)*
        #vis mod #ident {
            /// The program: to load it ahead of the first call, and to ask for its types.
            pub fn program() -> &'static #krate::Program {
                #body
            }
        }
    }
}

fn crate_path(declaration: &Declaration) -> TokenStream {
    let path = declaration.options.crate_path.as_ref();
    path.map_or_else(|| quote!(::cyxla), ToTokens::to_token_stream)
}

fn is_doc(attribute: &Attribute) -> bool {
    attribute.path().is_ident("doc") && matches!(attribute.meta, Meta::NameValue(_))
}

/// What makes the function be there, or be seen, holds for its module too.
fn belongs_to_module(attribute: &Attribute) -> bool {
    let path = attribute.path();
    path.is_ident("cfg") || (path.is_ident("doc") && !is_doc(attribute))
}

/// The type of an array: as declared, else as Python gives it.
fn array_tokens(slot: &Slot, array_type: &ArrayType, krate: &TokenStream) -> TokenStream {
    match slot {
        Slot::Type(ty) => ty.to_token_stream(),
        Slot::Infer(_) => rust_type(array_type, krate),
    }
}

fn parameter_tokens(
    parameter: &Parameter,
    array_type: &ArrayType,
    krate: &TokenStream,
) -> TokenStream {
    let name = &parameter.name;
    let ty = match (&parameter.ty, parameter.by) {
        (Slot::Type(_), _) => parameter.written.to_token_stream(),
        (Slot::Infer(_), Passing::Value) => rust_type(array_type, krate),
        (Slot::Infer(_), Passing::Reference) => {
            let ty = rust_type(array_type, krate);
            quote!(&#ty)
        }
    };
    quote!(#name: #ty)
}

/// The return type, with what Python gives in the place of each `_`.
fn returned_tokens(returned: &Returned, outputs: &[Leaf], krate: &TokenStream) -> TokenStream {
    if returned.values.iter().all(|value| value.ty.ty().is_some()) {
        return returned.written.to_token_stream();
    }
    let success = if returned.is_open() {
        let mut types = outputs
            .iter()
            .map(|leaf| result_type(&leaf.array_type, krate));
        match (types.next(), outputs.len()) {
            (Some(single), 1) => single,
            (first, _) => {
                let types = first.into_iter().chain(types);
                quote!((#(#types),*))
            }
        }
    } else {
        let values = returned.values.iter().zip(outputs);
        let types = values.map(|(value, leaf)| match (&value.ty, value.boxed) {
            (Slot::Type(_), _) => value.written.to_token_stream(),
            (Slot::Infer(_), true) => {
                let ty = rust_type(&leaf.array_type, krate);
                quote!(::std::boxed::Box<#ty>)
            }
            (Slot::Infer(_), false) => result_type(&leaf.array_type, krate),
        });
        match returned.shape {
            ReturnedShape::Single => quote!(#(#types)*),
            ReturnedShape::Tuple => quote!((#(#types,)*)),
        }
    };
    returned
        .with_success(Type::Verbatim(success))
        .to_token_stream()
}

/// A constant that stops the compiler, on the tokens of `ty`, if the run time's function `check` panics.
fn checked(ty: &Type, check: &str, arguments: TokenStream, krate: &TokenStream) -> TokenStream {
    // The compiler reports a panic at the expression that calls, from its first to its last token.
    let (first, last) = ends(ty);
    let krate = at(first, krate);
    let check = Ident::new(check, first);
    let function = quote_spanned!(first=> #krate::__private::#check::<#ty>);
    let mut arguments = Group::new(Delimiter::Parenthesis, arguments);
    arguments.set_span(last);
    quote!(const _: () = #function #arguments;)
}

/// The same tokens at another place.
fn at(span: Span, tokens: &TokenStream) -> TokenStream {
    let tokens = tokens.clone().into_iter();
    tokens
        .map(|mut token| {
            token.set_span(span);
            token
        })
        .collect()
}

/// Where tokens begin and end.
fn ends(tokens: &impl ToTokens) -> (Span, Span) {
    let mut spans = tokens
        .to_token_stream()
        .into_iter()
        .map(|token| token.span());
    let first = spans.next().unwrap_or_else(Span::call_site);
    (first, spans.last().unwrap_or(first))
}

fn docs(record: &ProgramRecord) -> TokenStream {
    let place = record.location.as_ref().map_or_else(String::new, |place| {
        format!(", defined in {}:{}", place.file, place.line)
    });
    let mut lines = vec![
        format!(" The JAX program `{}`{place}.", record.target),
        String::new(),
    ];
    let leaf = |leaf: &Leaf| {
        let ty = &leaf.array_type;
        format!(" - `{}`: `{}`, which is `{ty}`", leaf.path, ty.rust())
    };
    if !record.inputs.is_empty() {
        lines.extend([" # Arguments".to_owned()]);
        lines.extend(record.inputs.iter().map(leaf));
        lines.push(String::new());
    }
    if !record.outputs.is_empty() {
        lines.extend([" # Returns".to_owned()]);
        lines.extend(record.outputs.iter().map(leaf));
        lines.push(String::new());
    }
    lines.push(" # Errors".to_owned());
    lines.push(" The program can't be loaded at its first call, or a call fails.".to_owned());
    quote!(#(#[doc = #lines])*)
}

/// The body of `program()`.
fn program_tokens(record: &ProgramRecord, code: &str, krate: &TokenStream) -> TokenStream {
    let private = quote!(#krate::__private);
    let parameters = |leaves: &[Leaf]| {
        let parameters = leaves.iter().map(|leaf| {
            let Leaf { path, donated, .. } = leaf;
            let array_type = constant(&leaf.array_type, krate);
            quote! {
                #private::Parameter { path: #path, array_type: #array_type, donated: #donated }
            }
        });
        quote!(&[#(#parameters),*])
    };
    let (inputs, outputs) = (parameters(&record.inputs), parameters(&record.outputs));
    let ProgramRecord {
        name,
        target,
        platform,
        x64,
        custom_calls,
        calling_convention,
        ..
    } = record;
    let version = record.stablehlo_version;
    let [major, minor, patch] =
        [version.major, version.minor, version.patch].map(Literal::u32_unsuffixed);
    let calling_convention = Literal::u32_unsuffixed(*calling_convention);
    let sha256 = Literal::byte_string(record.code.sha256.as_bytes());
    quote! {
        static PROGRAM: #krate::Program = #krate::Program::new(#private::ProgramParts {
            name: #name,
            target: #target,
            platform: #platform,
            x64: #x64,
            inputs: #inputs,
            outputs: #outputs,
            custom_calls: &[#(#custom_calls),*],
            stablehlo_version: #private::StableHloVersion::new(#major, #minor, #patch),
            calling_convention: #calling_convention,
            sha256: *#sha256,
            code: ::std::include_bytes!(#code),
        });
        &PROGRAM
    }
}
