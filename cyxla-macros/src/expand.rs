use cyxla_artifact::{ArrayType, Leaf, ProgramRecord};
use cyxla_syntax::{
    Declaration, Holder, Parameter, Passing, Returned, ReturnedShape, ReturnedValue, Slot,
};
use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{Attribute, Meta, Type};

use crate::beside::Beside;
use crate::types::{constant, one_or_tuple, result_type, rust_type};

/// The function that calls the program, and the type of its name with the other ways to use the program.
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
    let arrays: Vec<_> = inputs
        .clone()
        .map(|(parameter, leaf)| array_tokens(&parameter.ty, &leaf.array_type, krate))
        .collect();
    let types: Vec<_> = inputs
        .clone()
        .map(|(parameter, leaf)| parameter_type(parameter, &leaf.array_type, krate))
        .collect();
    let names: Vec<_> = function.parameters.iter().map(|each| &each.name).collect();
    let expected = |leaf: &Leaf| {
        let what = format!("`{}` of {}", leaf.path, record.target);
        let array_type = constant(&leaf.array_type, krate);
        quote!(#what, #array_type)
    };
    let argument_checks = inputs.filter_map(|(parameter, leaf)| {
        let ty = parameter.ty.ty()?;
        let expected = expected(leaf);
        let arguments = quote!(&#private::argument::<#ty>(), #expected);
        Some(checked(ty, ty, "check_argument", arguments, krate))
    });
    let results = function.returned.values.iter().zip(&record.outputs);
    let result_checks = results.filter_map(|(value, leaf)| {
        // The whole type, as `Host` may be the user's own name for something else; it is the array that is wrong, if not.
        let (whole, place) = match (&value.ty, value.holder) {
            (Slot::Infer(_), Holder::None) => return None,
            (Slot::Infer(_), _) => (value_type(value, leaf, krate), &value.written),
            (Slot::Type(array), _) => (value.written.clone(), &**array),
        };
        Some(checked(
            &whole,
            place,
            "check_result",
            expected(leaf),
            krate,
        ))
    });
    let arguments = passed(&function.parameters, &arrays, krate);
    let machine_code = bytes(record, &function.parameters, &arrays, krate);
    let success = success_type(&function.returned, &record.outputs, krate);
    let returned = function.returned.with_success(success.clone());
    let machine_code = machine_code.map(|bytes| {
        quote! {
            if let Some(code) = #private::machine_code(#ident::program()) {
                return code.call::<#returned, #success>(#bytes);
            }
        }
    });

    let results = function.returned.values.iter().zip(&record.outputs);
    let results: Vec<_> = if function.returned.is_open() {
        let leaves = record.outputs.iter();
        leaves
            .map(|leaf| rust_type(&leaf.array_type, krate))
            .collect()
    } else {
        results
            .map(|(value, leaf)| array_tokens(&value.ty, &leaf.array_type, krate))
            .collect()
    };
    let beside = Beside {
        declaration,
        inputs: &arrays,
        outputs: &results,
        types: &types,
        success: &success,
        lowered: Some((record, code)),
    };

    quote! {
        #docs
        #(#attrs)*
        #vis fn #ident(#(#names: #types),*) -> #returned {
            #(#argument_checks)*
            #(#result_checks)*
            #machine_code
            #private::call::<#returned, #success>(#ident::program(), #arguments)
        }

        #beside
    }
}

/// A function as declared that is never called: in the place of an expansion that failed, so that what calls it is right.
///
/// None if its types come from Python.
pub(crate) fn stand_in(declaration: &Declaration) -> Option<TokenStream> {
    let function = &declaration.function;
    let returned = &function.returned;
    let declared = |slot: &Slot| slot.ty().map(ToTokens::to_token_stream);
    let parameters = function.parameters.iter();
    let arrays: Option<Vec<_>> = parameters.clone().map(|each| declared(&each.ty)).collect();
    let values = returned.values.iter();
    let results: Option<Vec<_>> = values.map(|value| declared(&value.ty)).collect();
    let (arrays, results) = (arrays?, results?);
    let names: Vec<_> = parameters.clone().map(|each| &each.name).collect();
    let types: Vec<_> = parameters.map(|each| each.written.clone()).collect();
    let (attrs, vis, ident) = (&function.attrs, &function.vis, &function.ident);
    let written = &returned.written;
    let beside = Beside {
        declaration,
        inputs: &arrays,
        outputs: &results,
        types: &types,
        success: &returned.success,
        lowered: None,
    };
    Some(quote! {
        #(#attrs)*
        #[allow(unused_variables)]
        #vis fn #ident(#(#names: #types),*) -> #written {
            loop {}
        }

        #beside
    })
}

/// The arguments of a call: `parameters`, whose array types are `arrays`.
pub(crate) fn passed(
    parameters: &[Parameter],
    arrays: &[TokenStream],
    krate: &TokenStream,
) -> TokenStream {
    let arguments = parameters.iter().zip(arrays).map(|(parameter, array)| {
        let name = &parameter.name;
        let argument = quote!(#krate::__private::argument::<#array>());
        match (parameter.by, parameter.holder) {
            (Passing::Value, Holder::Buffer) => quote!(#argument.donated(#name)),
            (Passing::Reference, Holder::Buffer) => quote!(#argument.buffer(#name)),
            // In a block, so that it is moved in, as its type says.
            (Passing::Value, Holder::Host) => quote!(#argument.view(&*{ #name })),
            (Passing::Value, _) => quote!(#argument.view(&#name)),
            (Passing::Reference, _) => quote!(#argument.view(#name)),
        }
    });
    quote!(&mut [#(#arguments),*])
}

/// The arguments of a call as bytes, if the program may be machine code and none is on a device.
fn bytes(
    record: &ProgramRecord,
    parameters: &[Parameter],
    arrays: &[TokenStream],
    krate: &TokenStream,
) -> Option<TokenStream> {
    if record.native.images.is_empty() {
        return None;
    }
    let arguments = parameters.iter().zip(arrays).map(|(parameter, array)| {
        let name = &parameter.name;
        let argument = quote!(#krate::__private::argument::<#array>());
        match (parameter.by, parameter.holder) {
            (_, Holder::Buffer) => None,
            // Its memory is freed by the call.
            (Passing::Value, Holder::Host) => Some(quote!(#argument.bytes(&*{ #name }))),
            (Passing::Value, _) => Some(quote!(#argument.bytes(&#name))),
            (Passing::Reference, _) => Some(quote!(#argument.bytes(#name))),
        }
    });
    let arguments = arguments.collect::<Option<Vec<_>>>()?;
    Some(quote!(&[#(#arguments),*]))
}

/// The path of the crate `cyxla`.
pub(crate) fn crate_path(declaration: &Declaration) -> TokenStream {
    let path = declaration.options.crate_path.as_ref();
    path.map_or_else(|| quote!(::cyxla), ToTokens::to_token_stream)
}

/// Whether an attribute is a line of documentation.
pub(crate) fn is_doc(attribute: &Attribute) -> bool {
    attribute.path().is_ident("doc") && matches!(attribute.meta, Meta::NameValue(_))
}

/// The type of an array: as declared, else as Python gives it.
fn array_tokens(slot: &Slot, array_type: &ArrayType, krate: &TokenStream) -> TokenStream {
    match slot {
        Slot::Type(ty) => ty.to_token_stream(),
        Slot::Infer(_) => rust_type(array_type, krate),
    }
}

/// The type of a parameter, with what Python gives in the place of `_`.
fn parameter_type(parameter: &Parameter, array_type: &ArrayType, krate: &TokenStream) -> Type {
    match parameter.ty {
        Slot::Type(_) => parameter.written.clone(),
        Slot::Infer(_) => parameter.with_array(Type::Verbatim(rust_type(array_type, krate))),
    }
}

/// The `T` of the function's `Result<T>`, with what Python gives in the place of each `_`.
fn success_type(returned: &Returned, outputs: &[Leaf], krate: &TokenStream) -> Type {
    if returned.values.iter().all(|value| value.ty.ty().is_some()) {
        return returned.success.clone();
    }
    if returned.is_open() {
        let types = outputs
            .iter()
            .map(|leaf| result_type(&leaf.array_type, krate));
        return Type::Verbatim(one_or_tuple(types));
    }
    let values = returned.values.iter().zip(outputs);
    let types = values.map(|(value, leaf)| value_type(value, leaf, krate));
    Type::Verbatim(match returned.shape {
        ReturnedShape::Single => quote!(#(#types)*),
        ReturnedShape::Tuple => quote!((#(#types,)*)),
    })
}

/// The type of one result, with what Python gives in the place of `_`.
fn value_type(value: &ReturnedValue, leaf: &Leaf, krate: &TokenStream) -> Type {
    match (&value.ty, value.holder) {
        (Slot::Type(_), _) => value.written.clone(),
        (Slot::Infer(_), Holder::None) => Type::Verbatim(result_type(&leaf.array_type, krate)),
        (Slot::Infer(_), _) => value.with_array(Type::Verbatim(rust_type(&leaf.array_type, krate))),
    }
}

/// A constant that stops the compiler, on the tokens of `place`, if the run time's function `check` panics for `ty`.
fn checked(
    ty: &Type,
    place: &Type,
    check: &str,
    arguments: TokenStream,
    krate: &TokenStream,
) -> TokenStream {
    // The compiler reports a panic at the expression that calls, from its first to its last token.
    let (first, last) = ends(place);
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
    lines.extend(leaves_listed("Arguments", &record.inputs));
    lines.extend(leaves_listed("Returns", &record.outputs));
    lines.push(" # Errors".to_owned());
    lines.push(" The program can't be loaded at its first call, or a call fails.".to_owned());
    quote!(#(#[doc = #lines])*)
}

/// A section of documentation: leaves with their types.
pub(crate) fn leaves_listed(title: &str, leaves: &[Leaf]) -> Vec<String> {
    if leaves.is_empty() {
        return Vec::new();
    }
    let leaf = |leaf: &Leaf| {
        let ty = &leaf.array_type;
        let donated = if leaf.donated { "; donated" } else { "" };
        format!(
            " - `{}`: `{}`, which is `{ty}`{donated}",
            leaf.path,
            ty.rust()
        )
    };
    let title = format!(" # {title}");
    let lines = [title].into_iter().chain(leaves.iter().map(leaf));
    lines.chain([String::new()]).collect()
}
