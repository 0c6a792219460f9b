//! Each mistake has its message, on the smallest tokens that make it.

#![allow(
    clippy::unwrap_used,
    reason = "a test stops at what it does not expect"
)]

use cyxla_syntax::Declaration;

/// The mistakes of a source text, each as `tokens it stands on: first line of the message`.
fn mistakes(source: &str) -> Vec<String> {
    let tokens = source.parse().unwrap();
    let error = Declaration::of_item(tokens).unwrap_err();
    let characters: Vec<char> = source.chars().collect();
    error
        .into_iter()
        .map(|each| {
            let (start, end) = (each.span().start(), each.span().end());
            assert_eq!((start.line, end.line), (1, 1), "{source}");
            let culprit: String = characters[start.column..end.column].iter().collect();
            let message = each.to_string();
            format!("{culprit}: {}", message.lines().next().unwrap_or_default())
        })
        .collect()
}

/// The mistakes of a signature.
fn of_signature(signature: &str) -> Vec<String> {
    mistakes(&format!("#[cyxla::program(\"model:f\")] {signature}"))
}

/// The mistakes of an attribute's arguments.
fn of_attribute(arguments: &str) -> Vec<String> {
    mistakes(&format!(
        "#[cyxla::program({arguments})] fn f() -> cyxla::Result<f32>;"
    ))
}

const GENERICS: &str = "a program has no generics: it is compiled for one list of array types";
const LIFETIME: &str = "a program keeps no references, so that lifetimes say nothing";
const NO_TARGET: &str = "which Python function is the program?";
const NOT_A_RESULT: &str = "a program returns `cyxla::Result<T>`: a call can fail";

#[test]
fn the_target_is_missing() {
    assert_eq!(
        mistakes("#[cyxla::program] fn f() -> cyxla::Result<f32>;"),
        [format!("#[cyxla::program]: {NO_TARGET}")]
    );
    assert_eq!(of_attribute("model"), [format!("model: {NO_TARGET}")]);
    assert_eq!(of_attribute("x64 = true"), [format!("x64: {NO_TARGET}")]);
}

#[test]
fn the_target_is_no_entry_point() {
    assert_eq!(
        of_attribute("\"model.f\", args = \"args\""),
        [
            "\"model.f\": `model.f` names no Python function",
            "\"args\": `args` names no Python function"
        ]
    );
}

#[test]
fn an_option_is_unknown_and_the_known_ones_are_listed() {
    assert_eq!(
        of_attribute("\"model:f\", argz = 1, x64 = true"),
        ["argz: `argz` is no option of a program"]
    );
    let error = Declaration::parse(
        quote::quote!("model:f", argz = 1),
        quote::quote!(
            fn f() -> cyxla::Result<f32>;
        ),
    )
    .unwrap_err();
    assert_eq!(
        error.to_string(),
        "`argz` is no option of a program\n  \
         help: the options are `args`, `bind`, `crate`, `custom_calls`, `deps`, `donate`, `engine`, `linalg`, `platforms`, \
         `stablehlo_version`, `weights`, `weights_from`, `x64`"
    );
}

#[test]
fn an_option_is_given_twice() {
    assert_eq!(
        of_attribute("\"model:f\", x64 = true, deps = [\"a\"], x64 = false"),
        ["x64: `x64` is given twice"]
    );
}

#[test]
fn platforms_are_a_list_of_those_that_there_are_each_once() {
    assert_eq!(
        of_attribute("\"model:f\", platforms = [\"cpu\", \"gpu\", \"cpu\", 3]"),
        [
            "\"gpu\": wrong value for `platforms`",
            "\"cpu\": `cpu` is given twice",
            "3: wrong value for `platforms`",
        ]
    );
    assert_eq!(
        of_attribute("\"model:f\", platforms = []"),
        ["[]: wrong value for `platforms`"]
    );
    assert_eq!(
        of_attribute("\"model:f\", platforms = \"cuda\""),
        ["\"cuda\": wrong value for `platforms`"]
    );
}

#[test]
fn an_option_has_a_wrong_value() {
    assert_eq!(
        of_attribute(
            "\"model:f\", args = 1, x64 = 2, custom_calls = \"a\", deps = [\"a\", 3, \"\"], \
             linalg = \"blas\", stablehlo_version = \"new\", crate = \"a-b\""
        ),
        [
            "1: wrong value for `args`",
            "2: wrong value for `x64`",
            "\"a\": wrong value for `custom_calls`",
            "3: wrong value for `deps`",
            "\"\": wrong value for `deps`",
            "\"blas\": wrong value for `linalg`",
            "\"new\": wrong value for `stablehlo_version`",
            "\"a-b\": wrong value for `crate`",
        ]
    );
}

#[test]
fn the_crate_is_named_from_its_root() {
    assert_eq!(
        of_attribute("\"model:f\", crate = \"super::cyxla\""),
        ["\"super::cyxla\": wrong value for `crate`"]
    );
}

#[test]
fn what_is_donated_is_a_list_of_parameters() {
    assert_eq!(
        of_attribute("\"model:f\", donate = x"),
        ["x: wrong value for `donate`"]
    );
    assert_eq!(
        mistakes(
            "#[cyxla::program(\"model:f\", donate = [\"x\", x::y, x, x])] fn f(x: f32) -> cyxla::Result<f32>;"
        ),
        [
            "\"x\": wrong value for `donate`",
            "x::y: wrong value for `donate`",
            "x: `x` is given twice",
        ]
    );
}

/// The one message for a declaration with `donate`.
fn of_donated(donated: &str, parameters: &str) -> String {
    let attribute = format!("\"model:f\", donate = [{donated}]");
    let item = format!("fn f({parameters}) -> cyxla::Result<f32>;");
    let error = Declaration::parse(attribute.parse().unwrap(), item.parse().unwrap()).unwrap_err();
    assert_eq!(error.clone().into_iter().count(), 1);
    error.to_string()
}

#[test]
fn an_unknown_name_is_donated_and_the_nearest_come_first() {
    assert_eq!(
        of_donated("stat", "step: f32, gain: f32, state: f32"),
        "`stat` is no parameter of `f`\n  help: its parameters are `state`, `step`, `gain`"
    );
    assert_eq!(
        of_donated("stat", "state: f32"),
        "`stat` is no parameter of `f`\n  help: its parameter is `state`"
    );
    assert_eq!(
        of_donated("stat", ""),
        "`stat` is no parameter of `f`\n  help: it has none: leave `donate` out"
    );
}

#[test]
fn what_is_donated_is_taken_by_value() {
    assert_eq!(
        of_donated("x", "x: &Buffer<[f32; 8]>"),
        "`x` is donated: a result takes its memory\n  \
         help: take it by value: `Buffer<[f32; 8]>`, or `[f32; 8]`"
    );
    assert_eq!(
        mistakes(
            "#[cyxla::program(\"model:f\", donate = [x])] fn f(x: &f32) -> cyxla::Result<f32>;"
        ),
        ["&f32: `x` is donated: a result takes its memory"]
    );
}

#[test]
fn an_option_has_no_value() {
    assert_eq!(of_attribute("\"model:f\", x64: true"), [":: expected `=`"]);
}

#[test]
fn the_attribute_stands_there_twice() {
    assert_eq!(
        of_signature("#[cyxla::program(\"model:g\")] fn f() -> cyxla::Result<f32>;"),
        ["#[cyxla::program(\"model:g\")]: this function is a program already"]
    );
}

#[test]
fn the_item_is_no_function() {
    let message = "only a function can be a program";
    assert_eq!(of_signature("struct S;"), [format!("struct: {message}")]);
    assert_eq!(
        of_signature("pub const N: usize = 1;"),
        [format!("const: {message}")]
    );
    assert_eq!(
        of_signature("extern crate other;"),
        [format!("extern: {message}")]
    );
}

#[test]
fn there_is_a_body() {
    assert_eq!(
        of_signature("fn f() -> cyxla::Result<f32> { todo!() }"),
        ["{ todo!() }: a program has no body: end the signature with `;`"]
    );
}

#[test]
fn qualifiers_are_refused() {
    assert_eq!(
        of_signature("const async unsafe extern \"C\" fn f() -> cyxla::Result<f32>;"),
        [
            "const: a program is not `const`",
            "async: a program is not `async`",
            "unsafe: a program is not `unsafe`",
            "extern \"C\": a program is not `extern`",
        ]
    );
}

#[test]
fn generics_are_refused() {
    assert_eq!(
        of_signature("fn f<T, const N: usize>(x: T) -> cyxla::Result<f32> where T: Copy;"),
        [
            format!("<T, const N: usize>: {GENERICS}"),
            format!("where T: Copy: {GENERICS}"),
        ]
    );
}

#[test]
fn lifetimes_are_refused() {
    assert_eq!(
        of_signature("fn f<'a>(x: &'a f32, y: &'static f32) -> cyxla::Result<f32>;"),
        [
            format!("<'a>: {LIFETIME}"),
            format!("'a: {LIFETIME}"),
            format!("'static: {LIFETIME}"),
        ]
    );
}

#[test]
fn a_receiver_is_refused() {
    assert_eq!(
        of_signature("fn f(&self, x: f32) -> cyxla::Result<f32>;"),
        ["&self: a program has no `self`"]
    );
}

#[test]
fn variadic_arguments_are_refused() {
    assert_eq!(
        of_signature("fn f(x: f32, ...) -> cyxla::Result<f32>;"),
        ["...: a program has a fixed number of arguments"]
    );
}

#[test]
fn a_parameter_is_a_plain_name() {
    let message = "a parameter is a plain name";
    assert_eq!(
        of_signature("fn f((a, b): f32, mut c: f32, _: f32, ref d: f32) -> cyxla::Result<f32>;"),
        [
            format!("(a, b): {message}"),
            format!("mut c: {message}"),
            format!("_: {message}"),
            format!("ref d: {message}"),
        ]
    );
}

#[test]
fn a_parameter_has_no_attributes() {
    assert_eq!(
        of_signature("fn f(#[cfg(all())] x: f32) -> cyxla::Result<f32>;"),
        ["#[cfg(all())]: a parameter of a program has no attributes"]
    );
}

#[test]
fn arguments_are_arrays_by_value_or_by_reference() {
    assert_eq!(
        of_signature(
            "fn f(a: &mut f32, b: Box<f32>, c: &[f32], d: impl Copy, e: (f32, f32), f: &&f32, \
             g: Vec<f32>, h: &Box<f32>, i: &dyn Copy) -> cyxla::Result<f32>;"
        ),
        [
            "&mut: arguments are never changed",
            "Box<f32>: arguments are not boxed",
            "[f32]: shapes are static",
            "impl Copy: a program has no `impl` or `dyn` types",
            "(f32, f32): an argument is one array",
            "&: a reference stands only before the whole type of a parameter",
            "Vec<f32>: shapes are static",
            "Box<f32>: arguments are not boxed",
            "dyn Copy: a program has no `impl` or `dyn` types",
        ]
    );
}

#[test]
fn a_buffer_is_moved_in_instead_of_changed() {
    assert_eq!(
        Declaration::parse(
            quote::quote!("model:f"),
            quote::quote!(
                fn f(x: &mut cyxla::Buffer<f32>) -> cyxla::Result<f32>;
            ),
        )
        .unwrap_err()
        .to_string(),
        "arguments are never changed\n  \
         help: move the buffer in, `Buffer<T>`, and return one: the result takes its memory"
    );
}

#[test]
fn what_holds_an_array_holds_all_of_it_and_alone() {
    let around = |name: &str| format!("`{name}` stands around a whole array type, and alone");
    assert_eq!(
        of_signature(
            "fn f(a: Buffer<Host<f32>>, b: &[Buffer<f32>; 2], c: Host<Box<f32>>) \
             -> cyxla::Result<(Box<Buffer<f32>>, [Box<f32>; 2])>;"
        ),
        [
            format!("Host<f32>: {}", around("Host")),
            format!("Buffer<f32>: {}", around("Buffer")),
            format!("Box<f32>: {}", around("Box")),
            format!("Buffer<f32>: {}", around("Buffer")),
            format!("Box<f32>: {}", around("Box")),
        ]
    );
}

#[test]
fn what_is_held_is_an_array() {
    assert_eq!(
        of_signature(
            "fn f(a: &Host<[f32]>, b: Buffer<Vec<f32>>, c: &Buffer<(f32, f32)>, d: Host<&f32>, \
             e: Buffer<[_; 2]>) -> cyxla::Result<(Buffer<&f32>, &Buffer<f32>, Host<(f32, f32)>)>;"
        ),
        [
            "[f32]: shapes are static",
            "Vec<f32>: shapes are static",
            "(f32, f32): an argument is one array",
            "&: a reference stands only before the whole type of a parameter",
            "_: `_` stands for a whole type",
            "&: a result is owned",
            "&: a result is owned",
            "(f32, f32): the results stand in one flat tuple, one for each leaf of the pytree",
        ]
    );
}

#[test]
fn an_underscore_is_a_whole_type() {
    assert_eq!(
        of_signature("fn f(a: [_; 8], b: &[f32; _]) -> cyxla::Result<[_; 2]>;"),
        [
            "_: `_` stands for a whole type",
            "_: `_` stands for a whole type",
            "_: `_` stands for a whole type",
        ]
    );
}

#[test]
fn a_result_is_missing() {
    assert_eq!(
        of_signature("fn f(x: f32);"),
        ["f: a program returns a result"]
    );
}

#[test]
fn a_result_is_no_cyxla_result() {
    assert_eq!(
        of_signature("fn f() -> [f32; 8];"),
        [format!("[f32; 8]: {NOT_A_RESULT}")]
    );
    assert_eq!(
        of_signature("fn f() -> Result<f32, String>;"),
        [format!("Result<f32, String>: {NOT_A_RESULT}")]
    );
    assert_eq!(
        of_signature("fn f() -> cyxla::Result;"),
        [format!("cyxla::Result: {NOT_A_RESULT}")]
    );
}

#[test]
fn the_help_names_the_result_to_write() {
    let error = Declaration::parse(
        quote::quote!("model:f"),
        quote::quote!(
            fn f() -> [f32; 8];
        ),
    )
    .unwrap_err();
    assert_eq!(
        error.to_string().lines().last(),
        Some("  help: write `cyxla::Result<[f32; 8]>`")
    );
}

#[test]
fn results_are_owned_arrays_in_one_tuple() {
    assert_eq!(
        of_signature(
            "fn f() -> cyxla::Result<(&f32, Vec<f32>, Box<[f32]>, (f32, f32), impl Copy)>;"
        ),
        [
            "&: a result is owned",
            "Vec<f32>: shapes are static",
            "[f32]: shapes are static",
            "(f32, f32): the results stand in one flat tuple, one for each leaf of the pytree",
            "impl Copy: a program has no `impl` or `dyn` types",
        ]
    );
}

#[test]
fn all_mistakes_are_reported_at_once() {
    let found = mistakes(
        "#[cyxla::program(\"model\", argz = 1)] async fn f<T>(&self, (a, b): T) -> f32 {}",
    );
    assert_eq!(found.len(), 8, "{found:#?}");
}
