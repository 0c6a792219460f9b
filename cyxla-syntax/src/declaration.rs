use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::spanned::Spanned;
use syn::{Attribute, LitStr, Meta};

use crate::mistake::Mistake;
use crate::nearest::nearest_first;
use crate::report::Report;
use crate::{
    EntryPoint, Function, Holder, Options, Parameter, Passing, Slot, function, normal, options,
};

/// A program as its user declares it: `#[cyxla::program("module:function")] fn …;`.
#[derive(Clone, Debug)]
pub struct Declaration {
    /// The Python function.
    pub target: EntryPoint,
    /// What the attribute says beside it.
    pub options: Options,
    /// The function in Rust.
    pub function: Function,
}

impl Declaration {
    /// Reads the arguments of the attribute and the item under it, as an attribute macro gets them.
    ///
    /// # Errors
    /// All mistakes at once, each on the tokens that make it, with a `help:` line.
    pub fn parse(attribute: TokenStream, item: TokenStream) -> syn::Result<Self> {
        Self::parse_at(attribute, Span::call_site(), item)
    }

    /// Reads an item as it stands in a source file, with the attribute; none if it has no such attribute.
    ///
    /// A function without a body is `syn::Item::Verbatim` to syn, with the tokens that this takes.
    ///
    /// # Errors
    /// All mistakes at once, each on the tokens that make it, with a `help:` line.
    pub fn of_item(item: TokenStream) -> syn::Result<Option<Self>> {
        let split = |input: ParseStream<'_>| {
            let attributes = input.call(Attribute::parse_outer)?;
            Ok((attributes, input.parse::<TokenStream>()?))
        };
        let (mut attributes, rest) = split.parse2(item)?;
        let Some(place) = attributes.iter().position(is_program_attribute) else {
            return Ok(None);
        };
        let attribute = attributes.remove(place);
        let span = attribute.span();
        let arguments = match attribute.meta {
            Meta::List(list) => list.tokens,
            Meta::Path(_) | Meta::NameValue(_) => TokenStream::new(),
        };
        let mut item = TokenStream::new();
        for other in attributes {
            other.to_tokens(&mut item);
        }
        item.extend(rest);
        Self::parse_at(arguments, span, item).map(Some)
    }

    fn parse_at(attribute: TokenStream, at: Span, item: TokenStream) -> syn::Result<Self> {
        let mut report = Report::default();
        let (target, options) = options::parse(attribute, at, &mut report);
        let parsed = (|input: ParseStream<'_>| function::parse(input, &mut report)).parse2(item);
        let function = report.take(parsed).flatten();
        if let Some(function) = &function {
            check_donated(&options, function, &mut report);
        }
        report.finish()?;
        match (target, function) {
            (Some(target), Some(function)) => Ok(Self {
                target,
                options,
                function,
            }),
            // Whatever is missing has been reported.
            _ => Err(syn::Error::new(at, Mistake::NoTarget)),
        }
    }

    /// Whether the program may reuse the memory of `parameter` for a result: the option `donate` names it, or it is a buffer
    /// that is moved in.
    pub fn donates(&self, parameter: &Parameter) -> bool {
        let is_moved = (parameter.by, parameter.holder) == (Passing::Value, Holder::Buffer);
        is_moved || is_named(&self.options, parameter)
    }

    /// The declaration as two texts, of the signature and of the options: equal for the same source text, wherever it was
    /// read.
    ///
    /// Doc comments, visibility, other attributes and the error type of the result do not count.
    pub fn declared(&self) -> (String, String) {
        (self.function.text(), self.options.text())
    }
}

fn is_named(options: &Options, parameter: &Parameter) -> bool {
    let mut names = options.donate.iter();
    names.any(|name| name.unraw() == parameter.name.unraw())
}

/// Each name of the option `donate` is that of a parameter by value.
fn check_donated(options: &Options, function: &Function, report: &mut Report) {
    let parameters = &function.parameters;
    for name in &options.donate {
        if parameters
            .iter()
            .any(|parameter| parameter.name.unraw() == name.unraw())
        {
            continue;
        }
        let text = name.unraw().to_string();
        let known = parameters.iter().map(Parameter::name).collect();
        let known: Vec<String> = nearest_first(&text, known)
            .iter()
            .map(|known| format!("`{known}`"))
            .collect();
        let mistake = Mistake::UnknownDonated {
            name: text,
            function: function.name(),
            known: match known.as_slice() {
                [] => "it has none: leave `donate` out".to_owned(),
                [only] => format!("its parameter is {only}"),
                several => format!("its parameters are {}", several.join(", ")),
            },
        };
        report.on(name, mistake);
    }
    for parameter in parameters {
        if parameter.by == Passing::Reference && is_named(options, parameter) {
            let array = match &parameter.ty {
                Slot::Type(ty) => normal::text(ty.to_token_stream()),
                Slot::Infer(_) => "_".to_owned(),
            };
            let mistake = Mistake::DonatedReference {
                name: parameter.name(),
                array,
            };
            report.on(&parameter.written, mistake);
        }
    }
}

/// Whether an attribute is this one: `cyxla::program`, or another path that ends in `program`, such as that of a renamed
/// crate or an import, if its first argument is a string `module:function`.
pub fn is_program_attribute(attribute: &Attribute) -> bool {
    let segments = &attribute.path().segments;
    let is_last = segments.last().is_some_and(|last| last.ident == "program");
    let full = segments.len() == 2 && segments[0].ident == "cyxla";
    is_last && (full || begins_with_entry_point(&attribute.meta))
}

fn begins_with_entry_point(meta: &Meta) -> bool {
    let Meta::List(list) = meta else {
        return false;
    };
    match list.tokens.clone().into_iter().next() {
        Some(token @ TokenTree::Literal(_)) => syn::parse2::<LitStr>(token.into())
            .is_ok_and(|text| EntryPoint::parse(&text.value(), text.span()).is_ok()),
        _ => false,
    }
}
