//! What a declaration says once it is read.

use cyxla_syntax::{
    Declaration, Holder, Parameter, Passing, ReturnedShape, Slot, is_program_attribute,
};
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
            donate = [x],
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
    assert_eq!(options.donate, ["x"]);
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
    assert!(options.donate.is_empty());
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
            .map(|value| (value.holder, value.ty.ty().cloned()))
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
        (single, vec![(Holder::None, Some(scalar.clone()))])
    );
    assert_eq!(
        read(quote!(
            fn f() -> std::result::Result<Box<f32>, cyxla::Error>;
        )),
        (single, vec![(Holder::Box, Some(scalar.clone()))])
    );
    assert_eq!(
        read(quote!(
            fn f() -> cyxla::Result<_>;
        )),
        (single, vec![(Holder::None, None)])
    );
    assert_eq!(
        read(quote!(
            fn f() -> cyxla::Result<(f32, Box<_>)>;
        )),
        (
            tuple,
            vec![(Holder::None, Some(scalar.clone())), (Holder::Box, None)]
        )
    );
    assert_eq!(
        read(quote!(
            fn f() -> cyxla::Result<(f32,)>;
        )),
        (tuple, vec![(Holder::None, Some(scalar))])
    );
    assert_eq!(
        read(quote!(
            fn f() -> cyxla::Result<()>;
        )),
        (tuple, vec![])
    );
}

/// The parameters of a declaration: how each is passed, what holds it, and its array type.
fn parameters(item: TokenStream) -> Vec<(Passing, Holder, String)> {
    let parameters = parse(target(), item).function.parameters;
    let text = |slot: &Slot| {
        slot.ty()
            .map_or("_".to_owned(), |ty| quote!(#ty).to_string())
    };
    parameters
        .iter()
        .map(|each| (each.by, each.holder, text(&each.ty)))
        .collect()
}

#[test]
fn an_argument_may_be_held_by_value_or_by_reference() {
    let item = quote!(
        fn f(
            a: Host<f32>,
            b: &cyxla::Host<f32>,
            c: ::cyxla::Buffer<f32>,
            d: &Buffer<f32>,
            e: &Buffer<_>,
            g: (Host<_>),
        ) -> cyxla::Result<f32>;
    );
    let (value, reference) = (Passing::Value, Passing::Reference);
    let expected = [
        (value, Holder::Host, "f32"),
        (reference, Holder::Host, "f32"),
        (value, Holder::Buffer, "f32"),
        (reference, Holder::Buffer, "f32"),
        (reference, Holder::Buffer, "_"),
        (value, Holder::Host, "_"),
    ];
    let expected = expected.map(|(by, holder, ty)| (by, holder, ty.to_owned()));
    assert_eq!(parameters(item), expected);
}

#[test]
fn a_result_may_be_held() {
    let item = quote!(
        fn f() -> cyxla::Result<(Host<f32>, cyxla::Buffer<_>, Box<f32>, f32)>;
    );
    let values = parse(target(), item).function.returned.values;
    let holders: Vec<_> = values.iter().map(|value| value.holder).collect();
    assert_eq!(
        holders,
        [Holder::Host, Holder::Buffer, Holder::Box, Holder::None]
    );
}

#[test]
fn a_held_result_is_one_array() {
    let item = quote!(
        fn f() -> cyxla::Result<Buffer<_>>;
    );
    assert!(!parse(target(), item).function.returned.is_open());
}

#[test]
fn array_types_are_filled_in_where_they_stand() {
    let item = quote!(
        fn f(a: &_, b: &cyxla::Buffer<_>, c: _) -> cyxla::Result<(my::Host<_>, _)>;
    );
    let function = parse(target(), item).function;
    let array: syn::Type = parse_quote!([f32; 2]);
    let parameters: Vec<_> = function
        .parameters
        .iter()
        .map(|each| each.with_array(array.clone()))
        .collect();
    let expected: [syn::Type; 3] = [
        parse_quote!(&[f32; 2]),
        parse_quote!(&cyxla::Buffer<[f32; 2]>),
        parse_quote!([f32; 2]),
    ];
    assert_eq!(parameters, expected);
    let values = function.returned.values.iter();
    let values: Vec<_> = values.map(|each| each.with_array(array.clone())).collect();
    let expected: [syn::Type; 2] = [parse_quote!(my::Host<[f32; 2]>), parse_quote!([f32; 2])];
    assert_eq!(values, expected);
}

#[test]
fn a_buffer_that_is_moved_in_is_donated_and_what_the_option_names() {
    let declaration = parse(
        quote!("model:f", donate = [r#in, b]),
        quote!(
            fn f(
                a: Buffer<_>,
                b: _,
                c: &Buffer<_>,
                d: Host<_>,
                r#in: Host<_>,
                e: _,
            ) -> cyxla::Result<_>;
        ),
    );
    let parameters = declaration.function.parameters.iter();
    let donated: Vec<_> = parameters
        .filter(|each| declaration.donates(each))
        .map(Parameter::name)
        .collect();
    assert_eq!(donated, ["a", "b", "in"]);
}

#[test]
fn the_order_of_what_is_donated_says_nothing() {
    let options = |attribute| {
        let item = quote!(
            fn f(a: _, r#in: _) -> cyxla::Result<_>;
        );
        parse(attribute, item).declared().1
    };
    let texts = [
        options(quote!("model:f", donate = [r#in, a], deps = ["b"])),
        options(quote!("model:f", deps = ["b"], donate = [a, r#in])),
    ];
    assert_eq!(texts, ["deps = [\"b\"], donate = [a, in]"; 2]);
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
