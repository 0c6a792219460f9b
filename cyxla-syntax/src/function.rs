use proc_macro2::{Group, Ident, Span};
use quote::quote;
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::spanned::Spanned;
use syn::{
    Attribute, FnArg, GenericArgument, LitStr, Pat, PatType, PathArguments, ReturnType, Signature,
    Token, Type, Visibility,
};

use crate::mistake::Mistake;
use crate::report::Report;
use crate::types::{Holder, arguments_of, check_array, filled, held, ungrouped};
use crate::{is_program_attribute, normal};

/// The signature under the attribute.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its other attributes, doc comments among them.
    pub attrs: Vec<Attribute>,
    /// Its visibility.
    pub vis: Visibility,
    /// Its name.
    pub ident: Ident,
    /// The whole parameter list, with its parentheses.
    pub parentheses: Span,
    /// Its parameters, in order.
    pub parameters: Vec<Parameter>,
    /// What it returns.
    pub returned: Returned,
}

/// One parameter: `x: &Buffer<[[f32; 4]; 8]>`.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// The name.
    pub name: Ident,
    /// Whether the array is passed by value or by reference.
    pub by: Passing,
    /// What holds the array; never a `Box`.
    pub holder: Holder,
    /// The type of the array, without the `&` and what holds it.
    pub ty: Slot,
    /// The type as written, with the `&` and what holds the array.
    pub written: Type,
    /// Where the parameter stands: its name.
    pub span: Span,
}

/// How an array is passed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Passing {
    /// `x: T`
    Value,
    /// `x: &T`
    Reference,
}

/// A type, or `_` for the one that Python gives.
#[derive(Clone, Debug)]
pub enum Slot {
    /// A type.
    Type(Box<Type>),
    /// `_`, and where it stands.
    Infer(Span),
}

/// What a function returns: `cyxla::Result<T>`.
#[derive(Clone, Debug)]
pub struct Returned {
    /// The type as written.
    pub written: Type,
    /// The `T` in it.
    pub success: Type,
    /// The array types in `T`, in order.
    pub values: Vec<ReturnedValue>,
    /// Whether `T` is one of them or a tuple of them.
    pub shape: ReturnedShape,
}

/// One array among the results.
#[derive(Clone, Debug)]
pub struct ReturnedValue {
    /// What holds the array.
    pub holder: Holder,
    /// The type of the array.
    pub ty: Slot,
    /// The type as written, with what holds the array.
    pub written: Type,
}

/// How the results of a function stand together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReturnedShape {
    /// `Result<T>`; also `Result<_>`, whose `_` stands for the tuple of all results if there is not exactly one.
    Single,
    /// `Result<(T, U)>`; also of one element, or none.
    Tuple,
}

impl Function {
    /// The name without `r#`.
    pub fn name(&self) -> String {
        self.ident.unraw().to_string()
    }

    /// The signature as text: equal signatures have equal texts.
    pub(crate) fn text(&self) -> String {
        let parameters: Vec<String> = self.parameters.iter().map(Parameter::text).collect();
        let success = &self.returned.success;
        let result = normal::text(quote!(#success));
        format!("fn {}({}) -> {result}", self.name(), parameters.join(", "))
    }
}

impl Returned {
    /// Whether the result is one `_`, which stands for all arrays that Python returns, however many.
    pub fn is_open(&self) -> bool {
        matches!(
            (self.shape, self.values.as_slice()),
            (
                ReturnedShape::Single,
                [ReturnedValue {
                    holder: Holder::None,
                    ty: Slot::Infer(_),
                    ..
                }]
            )
        )
    }

    /// The type as written, with `success` in the place of [`success`](Self::success).
    pub fn with_success(&self, success: Type) -> Type {
        let mut written = ungrouped(&self.written).clone();
        if let Type::Path(path) = &mut written
            && let Some(last) = path.path.segments.last_mut()
            && let PathArguments::AngleBracketed(arguments) = &mut last.arguments
            && let Some(first) = arguments.args.first_mut()
        {
            *first = GenericArgument::Type(success);
        }
        written
    }
}

impl Parameter {
    /// The name without `r#`.
    pub fn name(&self) -> String {
        self.name.unraw().to_string()
    }

    /// The type as written, with `array` in the place of the type of the array.
    pub fn with_array(&self, array: Type) -> Type {
        filled(&self.written, array)
    }

    fn text(&self) -> String {
        let written = &self.written;
        format!("{}: {}", self.name(), normal::text(quote!(#written)))
    }
}

impl ReturnedValue {
    /// The type as written, with `array` in the place of the type of the array.
    pub fn with_array(&self, array: Type) -> Type {
        filled(&self.written, array)
    }
}

impl Slot {
    /// The type, unless Python gives it.
    pub fn ty(&self) -> Option<&Type> {
        match self {
            Self::Type(ty) => Some(ty),
            Self::Infer(_) => None,
        }
    }

    fn new(ty: &Type, report: &mut Report) -> Self {
        if let Type::Infer(infer) = ungrouped(ty) {
            return Self::Infer(infer.span());
        }
        check_array(ty, report);
        Self::Type(Box::new(ty.clone()))
    }
}

/// Reads an item; none, with a report, if it can't be a program.
pub(crate) fn parse(input: ParseStream<'_>, report: &mut Report) -> syn::Result<Option<Function>> {
    let attrs = input.call(Attribute::parse_outer)?;
    for attribute in attrs.iter().filter(|each| is_program_attribute(each)) {
        report.on(attribute, Mistake::AttributeTwice);
    }
    let vis = input.parse()?;
    if !begins_function(&input.fork())? {
        report.at(input.span(), Mistake::NotAFunction);
        input.parse::<proc_macro2::TokenStream>()?;
        return Ok(None);
    }
    let signature: Signature = input.parse()?;
    if input.peek(syn::token::Brace) {
        report.at(input.parse::<Group>()?.span(), Mistake::Body);
    } else {
        input.parse::<Token![;]>()?;
    }
    check_header(&signature, report);
    let parameters = signature
        .inputs
        .iter()
        .filter_map(|input| match input {
            FnArg::Receiver(receiver) => {
                report.on(receiver, Mistake::Receiver);
                None
            }
            FnArg::Typed(typed) => parameter(typed, report),
        })
        .collect();
    let Some(returned) = returned(&signature, report) else {
        return Ok(None);
    };
    Ok(Some(Function {
        attrs,
        vis,
        parentheses: signature.paren_token.span.join(),
        ident: signature.ident,
        parameters,
        returned,
    }))
}

fn begins_function(input: ParseStream<'_>) -> syn::Result<bool> {
    loop {
        if input.peek(Token![fn]) {
            return Ok(true);
        } else if input.peek(Token![const]) {
            input.parse::<Token![const]>()?;
        } else if input.peek(Token![async]) {
            input.parse::<Token![async]>()?;
        } else if input.peek(Token![unsafe]) {
            input.parse::<Token![unsafe]>()?;
        } else if input.peek(Token![extern]) {
            input.parse::<Token![extern]>()?;
            input.parse::<Option<LitStr>>()?;
        } else {
            return Ok(false);
        }
    }
}

fn check_header(signature: &Signature, report: &mut Report) {
    if let Some(token) = signature.constness {
        report.on(token, Mistake::Qualifier { keyword: "const" });
    }
    if let Some(token) = signature.asyncness {
        report.on(token, Mistake::Qualifier { keyword: "async" });
    }
    if let Some(token) = signature.unsafety {
        report.on(token, Mistake::Qualifier { keyword: "unsafe" });
    }
    if let Some(abi) = &signature.abi {
        report.on(abi, Mistake::Qualifier { keyword: "extern" });
    }
    let generics = &signature.generics;
    if generics.type_params().next().is_some() || generics.const_params().next().is_some() {
        report.on(generics, Mistake::Generics);
    } else if generics.lifetimes().next().is_some() {
        report.on(generics, Mistake::Lifetime);
    }
    if let Some(clause) = &generics.where_clause {
        report.on(clause, Mistake::Generics);
    }
    if let Some(variadic) = &signature.variadic {
        report.on(variadic, Mistake::Variadic);
    }
}

fn parameter(typed: &PatType, report: &mut Report) -> Option<Parameter> {
    if let Some(attribute) = typed.attrs.first() {
        report.on(attribute, Mistake::ParameterAttribute);
    }
    let (by, whole) = match ungrouped(&typed.ty) {
        Type::Reference(reference) => {
            if let Some(lifetime) = &reference.lifetime {
                report.on(lifetime, Mistake::Lifetime);
            }
            if let Some(mutable) = &reference.mutability {
                let and = &reference.and_token;
                let mistake = match held(&reference.elem).0 {
                    Holder::Buffer => Mistake::MutableBuffer,
                    _ => Mistake::Mutable,
                };
                report.on(quote!(#and #mutable), mistake);
            }
            (Passing::Reference, &*reference.elem)
        }
        _ => (Passing::Value, &*typed.ty),
    };
    let (holder, array) = held(whole);
    if holder == Holder::Box {
        report.on(whole, Mistake::BoxedArgument);
    }
    if let Type::Tuple(tuple) = ungrouped(array) {
        report.on(tuple, Mistake::TupleArgument);
    }
    let ty = Slot::new(array, report);
    let name = match &*typed.pat {
        Pat::Ident(name)
            if name.by_ref.is_none() && name.mutability.is_none() && name.subpat.is_none() =>
        {
            name.ident.clone()
        }
        pattern => {
            report.on(pattern, Mistake::Pattern);
            return None;
        }
    };
    Some(Parameter {
        span: name.span(),
        name,
        by,
        holder,
        ty,
        written: (*typed.ty).clone(),
    })
}

fn returned(signature: &Signature, report: &mut Report) -> Option<Returned> {
    let ReturnType::Type(_, written) = &signature.output else {
        report.on(&signature.ident, Mistake::NoResult);
        return None;
    };
    let success = match arguments_of(written, "Result").as_deref() {
        Some(&[success]) => success,
        Some(&[success, error]) if is_error(error) => success,
        other => {
            let success = match other {
                Some(&[success, ..]) => quote!(#success),
                Some([]) => quote!(()),
                None => quote!(#written),
            };
            let help = format!("`cyxla::Result<{}>`", normal::text(success));
            report.on(written, Mistake::NotAResult { written: help });
            return None;
        }
    };
    let (shape, values) = match ungrouped(success) {
        Type::Tuple(tuple) => {
            let values = tuple.elems.iter().map(|each| value(each, report)).collect();
            (ReturnedShape::Tuple, values)
        }
        single => (ReturnedShape::Single, vec![value(single, report)]),
    };
    Some(Returned {
        written: (**written).clone(),
        success: success.clone(),
        values,
        shape,
    })
}

fn is_error(ty: &Type) -> bool {
    match ungrouped(ty) {
        Type::Path(path) => path
            .path
            .segments
            .last()
            .is_some_and(|last| last.ident.to_string().ends_with("Error")),
        _ => false,
    }
}

fn value(ty: &Type, report: &mut Report) -> ReturnedValue {
    let (holder, array) = held(owned(ty, report));
    let array = owned(array, report);
    if let Type::Tuple(tuple) = ungrouped(array) {
        report.on(tuple, Mistake::NestedTuple);
    }
    ReturnedValue {
        holder,
        ty: Slot::new(array, report),
        written: ty.clone(),
    }
}

fn owned<'a>(ty: &'a Type, report: &mut Report) -> &'a Type {
    match ungrouped(ty) {
        Type::Reference(reference) => {
            report.on(reference.and_token, Mistake::ReferenceResult);
            &reference.elem
        }
        _ => ty,
    }
}
