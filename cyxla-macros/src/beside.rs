use std::path::Path;

use cyxla_artifact::{CodeFile, Engine, Leaf, Native, PlatformCode, ProgramRecord};
use cyxla_syntax::{Declaration, Parameter};
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::{Attribute, Meta, Type};

use crate::expand::{crate_path, is_doc, leaves_listed, passed};
use crate::types::{constant, one_or_tuple};
use crate::weights::{WeightTokens, weight_tokens};

/// The most arguments of a call that can be prepared: the run time has tuples of so many.
const MOST_PREPARED: usize = 24;

/// The type beside a function, of its name: what else its program is good for.
///
/// It is a type and no module, since the types that a user writes in the signature would mean something else inside of a
/// module.
pub(crate) struct Beside<'a> {
    pub(crate) declaration: &'a Declaration,
    /// The array types of the arguments.
    pub(crate) inputs: &'a [TokenStream],
    /// The array types of the results.
    pub(crate) outputs: &'a [TokenStream],
    /// The types of the parameters.
    pub(crate) types: &'a [Type],
    /// The `T` of the function's `Result<T>`.
    pub(crate) success: &'a Type,
    /// The program, and the absolute path of the file with its code; without them, nothing can be called.
    pub(crate) lowered: Option<(&'a ProgramRecord, &'a str)>,
}

impl ToTokens for Beside<'_> {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let function = &self.declaration.function;
        let (vis, ident, name) = (&function.vis, by_macro(&function.ident), function.name());
        let attrs = &function.attrs;
        let seen = attrs.iter().filter(|attribute| is_of_rustdoc(attribute));
        let shared: Vec<_> = attrs.iter().filter_map(shared).collect();
        let about = format!(
            " The program that [`{name}`](fn@{name}) calls, and other ways to call it; a type without values."
        );
        let (program, prepare, start) = (self.program(), self.prepare(), self.start());
        tokens.extend(quote! {
            #[doc = #about]
            #(#shared)*
            #(#seen)*
            #vis enum #ident {}

            #(#shared)*
            impl #ident {
                #program
                #prepare
                #start
            }
        });
    }
}

impl Beside<'_> {
    /// What stands in a function of the type.
    fn body(&self, calling: impl FnOnce(&ProgramRecord, &str) -> TokenStream) -> TokenStream {
        let calling = self.lowered.map(|(record, code)| calling(record, code));
        calling.unwrap_or_else(|| quote!(loop {}))
    }

    /// A section of documentation.
    fn listed(&self, title: &str, leaves: impl FnOnce(&ProgramRecord) -> &[Leaf]) -> Vec<String> {
        let record = self.lowered.map(|(record, _)| record);
        record.map_or_else(Vec::new, |record| leaves_listed(title, leaves(record)))
    }

    fn program(&self) -> TokenStream {
        let krate = crate_path(self.declaration);
        let body = self.body(|record, code| program_tokens(record, code, &krate));
        quote! {
            /// The program: to load it ahead of the first call, and to ask for its types.
            pub fn program() -> &'static #krate::Program {
                #body
            }
        }
    }

    fn prepare(&self) -> Option<TokenStream> {
        if self.inputs.len() > MOST_PREPARED {
            return None;
        }
        let krate = crate_path(self.declaration);
        let docs = [
            vec![
                " A call with memory of its own: arguments are written in place, results are read in place.".to_owned(),
                " For loops that call again and again.".to_owned(),
                String::new(),
            ],
            self.listed("Inputs", |record| &record.inputs),
            self.listed("Outputs", |record| &record.outputs),
            vec![
                " # Errors".to_owned(),
                " The program can't be loaded, or there is no memory for the call.".to_owned(),
            ],
        ]
        .concat();
        let (inputs, outputs) = (one_or_tuple(self.inputs), one_or_tuple(self.outputs));
        let body = self.body(|_, _| quote!(#krate::__private::prepare(Self::program())));
        Some(quote! {
            #(#[doc = #docs])*
            pub fn prepare() -> #krate::Result<#krate::Prepared<#inputs, #outputs>> {
                #body
            }
        })
    }

    fn start(&self) -> TokenStream {
        let krate = crate_path(self.declaration);
        let docs = [
            vec![
                " Starts a call and returns while it runs: `wait()` or `.await` gives the results.".to_owned(),
                String::new(),
            ],
            self.listed("Arguments", |record| &record.inputs),
            self.listed("Returns", |record| &record.outputs),
            vec![
                " # Errors".to_owned(),
                " The program can't be loaded, or the call can't be started; whoever waits is told how it ends.".to_owned(),
            ],
        ]
        .concat();
        let function = &self.declaration.function;
        let parameters: Vec<_> = function
            .parameters
            .iter()
            .map(|parameter| Parameter {
                name: by_macro(&parameter.name),
                ..parameter.clone()
            })
            .collect();
        let names = parameters.iter().map(|parameter| &parameter.name);
        let (types, success) = (self.types, self.success);
        let body = self.body(|_, _| {
            let arguments = passed(&parameters, self.inputs, &krate);
            // The type is named so that an error stands on it.
            quote!(#krate::__private::start::<#success>(Self::program(), #arguments))
        });
        let unused = self
            .lowered
            .is_none()
            .then(|| quote!(#[allow(unused_variables)]));
        quote! {
            #(#[doc = #docs])*
            #unused
            pub fn start(#(#names: #types),*) -> #krate::Result<#krate::Pending<#success>> {
                #body
            }
        }
    }
}

/// A name where the user wrote it, but not by his hand: lints leave it alone.
fn by_macro(ident: &Ident) -> Ident {
    let mut ident = ident.clone();
    ident.set_span(Span::call_site().located_at(ident.span()));
    ident
}

/// What makes the function be there holds for its type too, and what lints may not say of its types.
fn shared(attribute: &Attribute) -> Option<Attribute> {
    let path = attribute.path();
    if path.is_ident("cfg") || path.is_ident("allow") {
        return Some(attribute.clone());
    }
    let mut attribute = attribute.clone();
    match &mut attribute.meta {
        // The function is what it is expected of.
        Meta::List(list) if list.path.is_ident("expect") => {
            list.path = Ident::new("allow", Span::call_site()).into();
            Some(attribute)
        }
        _ => None,
    }
}

/// Whether an attribute says how documentation is to be shown.
fn is_of_rustdoc(attribute: &Attribute) -> bool {
    attribute.path().is_ident("doc") && !is_doc(attribute)
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
    let platforms = platforms_tokens(record, code, krate);
    let native = native_tokens(record, code, krate);
    let WeightTokens { items, call } = weight_tokens(record, code, krate);
    quote! {
        #items
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
        })#platforms #native #call;
        &PROGRAM
    }
}

/// What `program()` says of the platforms beyond the first, if there are any.
fn platforms_tokens(record: &ProgramRecord, code: &str, krate: &TokenStream) -> TokenStream {
    if record.other_platforms.is_empty() {
        return TokenStream::new();
    }
    let private = quote!(#krate::__private);
    let others = record.other_platforms.iter().map(|other| {
        let PlatformCode {
            platform,
            custom_calls,
            code: CodeFile { file, sha256 },
        } = other;
        let sha256 = Literal::byte_string(sha256.as_bytes());
        let path = beside(code, file);
        quote! {
            #private::PlatformParts {
                platform: #platform,
                custom_calls: &[#(#custom_calls),*],
                sha256: *#sha256,
                code: ::std::include_bytes!(#path),
            }
        }
    });
    // A constant, since what a static borrows must live as long as it.
    quote! {
        .with_platforms({
            const OTHERS: &[#private::PlatformParts] = &[#(#others),*];
            OTHERS
        })
    }
}

/// The path of a file beside the code, whose path is text already.
fn beside(code: &str, file: &str) -> String {
    let path = Path::new(code).with_file_name(file);
    path.to_string_lossy().into_owned()
}

/// What `program()` says of machine code, if there is something to say.
fn native_tokens(record: &ProgramRecord, code: &str, krate: &TokenStream) -> TokenStream {
    let Native {
        engine,
        images,
        reason,
    } = &record.native;
    if *engine == Engine::default() && images.is_empty() {
        return TokenStream::new();
    }
    let private = quote!(#krate::__private);
    let engine = match engine {
        Engine::Native => quote!(Native),
        Engine::Auto => quote!(Auto),
        _ => quote!(Pjrt),
    };
    let none = quote!(::core::option::Option::None);
    let reason = reason
        .as_ref()
        .map_or(none, |reason| quote!(::core::option::Option::Some(#reason)));
    let images = images.iter().map(|image| {
        let path = beside(code, &image.file);
        quote!(::std::include_bytes!(#path))
    });
    quote! {
        .with_native(#private::NativeParts {
            engine: #private::Engine::#engine,
            images: &[#(#images),*],
            reason: #reason,
        })
    }
}
