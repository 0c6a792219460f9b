//! What a declaration says once it is read.

use cyxla_syntax::{Declaration, Parameter, Passing, ReturnedShape, Slot, is_program_attribute};
use proc_macro2::{Delimiter, Group, TokenStream};
use quote::quote;
use syn::parse_quote;

fn parse(attribute: TokenStream, item: TokenStream) -> Declaration {
    Declaration::parse(attribute, item).unwrap_or_else(|error| panic!("{error}"))
}

fn target() -> TokenStream {
    quote!("model:f")
}

#[test]
fn every_option_is_read() {
    let declaration = parse(
        quote!(
            "pkg.model:Class.method",
            args = "model:example_args",
            x64 = false,
            custom_calls = ["mine", "theirs"],
            deps = ["weights.safetensors"],
            stablehlo_version = "1.9.5",
            crate = "renamed::cyxla",
        ),
        quote!(
            fn f(x: _) -> cyxla::Result<_>;
        ),
    );
    let options = declaration.options;
    assert_eq!(declaration.target.module, "pkg.model");
    assert_eq!(declaration.target.function, "Class.method");
    assert_eq!(options.args.unwrap().to_string(), "model:example_args");
    assert_eq!(options.x64, Some(false));
    assert_eq!(options.custom_calls, ["mine", "theirs"]);
    assert_eq!(options.deps, ["weights.safetensors"]);
    assert_eq!(options.stablehlo_version.unwrap().to_string(), "1.9.5");
    let path = options.crate_path.unwrap();
    assert_eq!(path, parse_quote!(::renamed::cyxla));
}

#[test]
fn unsaid_options_are_open() {
    let options = parse(
        target(),
        quote!(
            fn f() -> cyxla::Result<f32>;
        ),
    )
    .options;
    assert!(options.args.is_none() && options.x64.is_none());
    assert!(options.custom_calls.is_empty() && options.deps.is_empty());
    assert!(options.stablehlo_version.is_none() && options.crate_path.is_none());
}

#[test]
fn the_function_keeps_what_is_its_own() {
    let function = parse(
        target(),
        quote!(
            /// Predicts.
            #[must_use]
            pub(crate) fn r#type(x: &[[f32; 4]; N], r#in: f32, y: &_, z: _) -> Result<[f32; N]>;
        ),
    )
    .function;
    assert_eq!(function.name(), "type");
    assert_eq!(function.attrs.len(), 2);
    assert_eq!(function.vis, parse_quote!(pub(crate)));
    let names: Vec<_> = function.parameters.iter().map(Parameter::name).collect();
    assert_eq!(names, ["x", "in", "y", "z"]);
    let by: Vec<_> = function.parameters.iter().map(|each| each.by).collect();
    let (reference, value) = (Passing::Reference, Passing::Value);
    assert_eq!(by, [reference, value, reference, value]);
    let given = |slot: &Slot| slot.ty().cloned();
    let types: Vec<_> = function
        .parameters
        .iter()
        .map(|each| given(&each.ty))
        .collect();
    let matrix = parse_quote!([[f32; 4]; N]);
    assert_eq!(types, [Some(matrix), Some(parse_quote!(f32)), None, None]);
}

#[test]
fn results_stand_alone_or_in_a_tuple() {
    let read = |item| {
        let returned = parse(target(), item).function.returned;
        let values: Vec<_> = returned
            .values
            .iter()
            .map(|value| (value.boxed, value.ty.ty().cloned()))
            .collect();
        (returned.shape, values)
    };
    let scalar: syn::Type = parse_quote!(f32);
    let single = ReturnedShape::Single;
    let tuple = ReturnedShape::Tuple;
    assert_eq!(
        read(quote!(
            fn f() -> cyxla::Result<f32>;
        )),
        (single, vec![(false, Some(scalar.clone()))])
    );
    assert_eq!(
        read(quote!(
            fn f() -> std::result::Result<Box<f32>, cyxla::Error>;
        )),
        (single, vec![(true, Some(scalar.clone()))])
    );
    assert_eq!(
        read(quote!(
            fn f() -> cyxla::Result<_>;
        )),
        (single, vec![(false, None)])
    );
    assert_eq!(
        read(quote!(
            fn f() -> cyxla::Result<(f32, Box<_>)>;
        )),
        (tuple, vec![(false, Some(scalar.clone())), (true, None)])
    );
    assert_eq!(
        read(quote!(
            fn f() -> cyxla::Result<(f32,)>;
        )),
        (tuple, vec![(false, Some(scalar))])
    );
    assert_eq!(
        read(quote!(
            fn f() -> cyxla::Result<()>;
        )),
        (tuple, vec![])
    );
}

#[test]
fn the_result_can_be_filled_in() {
    let returned = parse(
        target(),
        quote!(
            fn f() -> std::result::Result<_, cyxla::Error>;
        ),
    )
    .function
    .returned;
    assert!(returned.is_open());
    assert_eq!(
        returned.with_success(parse_quote!((f32, f32))),
        parse_quote!(std::result::Result<(f32, f32), cyxla::Error>)
    );
}

#[test]
fn declared_texts_show_what_is_lowered() {
    let declaration = parse(
        quote!(
            "model:f",
            x64 = true,
            args = "model:args",
            crate = "renamed"
        ),
        quote!(
            pub fn f(x: &[[f32; 4]; 2 * N], y: _) -> my::Result<(f32, Box<_>)>;
        ),
    );
    assert_eq!(
        declaration.declared(),
        (
            "fn f(x: &[[f32; 4]; 2 * N], y: _) -> (f32, Box<_>)".to_owned(),
            "args = \"model:args\", x64 = true".to_owned(),
        )
    );
}

#[test]
fn declared_texts_are_equal_for_the_macro_and_for_the_file() {
    let file = syn::parse_file(
        "
        /// Documented.
        #[cyxla::program( \"model:f\" , deps=[\"a\",] )]
        #[inline]
        pub fn f( x:&[f32;4] , ) ->cyxla::Result < Box<[f32 ; 8]>> ; // and a comment
        ",
    )
    .unwrap();
    let syn::Item::Verbatim(item) = &file.items[0] else {
        panic!("{:?}", file.items[0]);
    };
    let scanned = Declaration::of_item(item.clone()).unwrap().unwrap();
    let fragment = Group::new(Delimiter::None, quote!([f32; 4]));
    let expanded = parse(
        quote!("model:f", deps = ["a"]),
        quote!(fn f(x: &#fragment) -> Result<Box<[f32; 8]>, cyxla::Error>;),
    );
    assert_eq!(scanned.declared(), expanded.declared());
    assert_eq!(scanned.function.attrs.len(), 2);
}

#[test]
fn other_items_are_no_declarations() {
    for item in [
        quote!(
            struct S;
        ),
        quote!(
            #[inline]
            fn f();
        ),
        quote!(
            #[other::program]
            fn f() {}
        ),
    ] {
        assert!(Declaration::of_item(item).unwrap().is_none());
    }
}

#[test]
fn the_attribute_is_known_by_any_path_that_a_user_may_write() {
    assert!(is_program_attribute(
        &parse_quote!(#[cyxla::program("model:f")])
    ));
    assert!(is_program_attribute(&parse_quote!(#[::cyxla::program])));
    assert!(is_program_attribute(
        &parse_quote!(#[program("model:f", x64 = true)])
    ));
    assert!(is_program_attribute(
        &parse_quote!(#[renamed::program("model:f")])
    ));
    assert!(!is_program_attribute(&parse_quote!(#[program])));
    assert!(!is_program_attribute(&parse_quote!(#[program("a test")])));
    assert!(!is_program_attribute(
        &parse_quote!(#[cyxla::other("model:f")])
    ));
}
