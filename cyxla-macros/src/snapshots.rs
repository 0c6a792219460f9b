//! The expansion of a declaration for each branch of the generation, beside this file's package in `snapshots/`.
//!
//! `CYXLA_BLESS=1 cargo test -p cyxla-macros` writes them anew; the difference is to be read before it is committed.

use std::path::Path;

use cyxla_artifact::{
    CodeFile, DType, Digest, Engine, ImageFile, Leaf, Level, PlatformCode, ProgramRecord,
    PythonLocation,
};
use proc_macro2::TokenStream;
use quote::quote;

use crate::check::check;
use crate::expand::{expansion, stand_in};
use crate::testing::{self, leaf};

/// Compares formatted tokens with the snapshot of this name.
fn matches_snapshot(name: &str, tokens: TokenStream) {
    let file = syn::parse2(tokens).unwrap_or_else(|error| panic!("{name}: {error}"));
    let text = prettyplease::unparse(&file);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("snapshots/{name}.rs"));
    if std::env::var_os("CYXLA_BLESS").is_some() {
        std::fs::write(&path, &text).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        text == expected,
        "the expansion differs from {}; if it should, run with CYXLA_BLESS=1. It is now\n{text}",
        path.display()
    );
}

/// Declares a program with these leaves, and compares its expansion with the snapshot `name`.
fn expands(
    name: &str,
    (attribute, item): (TokenStream, TokenStream),
    inputs: Vec<Leaf>,
    outputs: Vec<Leaf>,
    with: impl FnOnce(&mut ProgramRecord),
) {
    let declaration = testing::declaration(attribute, item);
    let mut record = testing::record(&declaration, "src/main.rs:1", inputs, outputs);
    with(&mut record);
    check(&declaration, &record).unwrap_or_else(|error| panic!("{name}: {error}"));
    let tokens = expansion(&declaration, &record, "/out/cyxla/code.mlirbc");
    matches_snapshot(name, tokens);
}

#[test]
fn types_of_the_user_are_kept_and_checked() {
    let item = quote!(
        /// Documented by the user.
        #[must_use]
        #[cfg(unix)]
        #[doc(hidden)]
        pub(crate) fn predict(x: &[[f32; 4]; ROWS], scale: Scalar) -> cyxla::Result<Box<[f32; 8]>>;
    );
    expands(
        "declared_types",
        (quote!("model:predict"), item),
        vec![
            leaf("x", DType::F32, &[8, 4]),
            leaf("scale", DType::F32, &[]),
        ],
        vec![leaf("result", DType::F32, &[8])],
        |_| {},
    );
}

#[test]
fn types_of_python_fill_each_underscore() {
    expands(
        "inferred_types",
        (
            quote!("model:f", args = "model:args"),
            quote!(
                fn f(x: &_, y: _) -> cyxla::Result<_>;
            ),
        ),
        vec![
            leaf("params['w']", DType::BF16, &[2, 3]),
            leaf("params['b']", DType::C128, &[]),
        ],
        vec![leaf("result", DType::I4, &[5])],
        |record| {
            record.location = Some(PythonLocation {
                file: "python/model.py".into(),
                line: 7,
            });
            record.x64 = true;
        },
    );
}

#[test]
fn an_underscore_stands_for_all_results_and_boxes_large_ones() {
    expands(
        "inferred_tuple",
        (
            quote!("model:f"),
            quote!(
                fn f() -> cyxla::Result<_>;
            ),
        ),
        vec![],
        vec![
            leaf("result[0]", DType::F32, &[]),
            // 64 KiB and 68 KiB.
            leaf("result[1]", DType::F32, &[16, 1024]),
            leaf("result[2]", DType::F32, &[17, 1024]),
        ],
        |_| {},
    );
}

#[test]
fn an_underscore_stands_for_no_result() {
    expands(
        "inferred_nothing",
        (
            quote!("model:f"),
            quote!(
                fn f() -> std::result::Result<_, cyxla::Error>;
            ),
        ),
        vec![],
        vec![],
        |_| {},
    );
}

#[test]
fn tuples_mix_declared_and_inferred_types() {
    expands(
        "mixed_tuple",
        (
            quote!("model:f"),
            quote!(
                fn f() -> cyxla::Result<([f32; N], Box<f64>, _, Box<_>)>;
            ),
        ),
        vec![],
        vec![
            leaf("result['a']", DType::F32, &[2]),
            leaf("result['b']", DType::F64, &[]),
            leaf("result['c']", DType::U8, &[1]),
            leaf("result['d']", DType::U8, &[2]),
        ],
        |_| {},
    );
}

#[test]
fn a_tuple_of_one_stays_a_tuple() {
    expands(
        "tuple_of_one",
        (
            quote!("model:f"),
            quote!(
                fn f() -> cyxla::Result<(_,)>;
            ),
        ),
        vec![],
        vec![leaf("result[0]", DType::F32, &[])],
        |_| {},
    );
}

#[test]
fn everything_is_found_in_a_renamed_crate() {
    expands(
        "renamed_crate",
        (
            quote!("model:f", crate = "renamed", custom_calls = ["mine"]),
            quote!(
                fn r#type(r#in: _, x: f32) -> renamed::Result<_>;
            ),
        ),
        vec![leaf("in", DType::F16, &[]), leaf("x", DType::F32, &[])],
        vec![leaf("result", DType::F16, &[])],
        |record| {
            record.custom_calls = vec!["mine".into()];
            record.inputs[0].donated = true;
        },
    );
}

#[test]
fn arguments_are_passed_as_what_holds_them() {
    let item = quote!(
        fn f(
            a: Host<[f32; N]>,
            b: &cyxla::Host<[f32; 2]>,
            c: Buffer<[f32; 2]>,
            d: &cyxla::Buffer<[f32; 2]>,
            e: &Buffer<_>,
            g: [f32; 2],
        ) -> cyxla::Result<(Host<_>, cyxla::Buffer<[f32; N]>, Buffer<_>)>;
    );
    let inputs = ["a", "b", "c", "d", "e", "g"].map(|path| leaf(path, DType::F32, &[2]));
    let outputs = [0, 1, 2].map(|i| leaf(&format!("result[{i}]"), DType::F32, &[2]));
    expands(
        "held_arrays",
        (quote!("model:f", donate = [g]), item),
        inputs.to_vec(),
        outputs.to_vec(),
        |record| {
            record.inputs[2].donated = true;
            record.inputs[5].donated = true;
        },
    );
}

#[test]
fn the_type_beside_is_there_and_is_spared_by_lints_as_the_function_is() {
    let item = quote!(
        #[cfg(unix)]
        #[allow(unused_qualifications)]
        #[expect(clippy::large_types_passed_by_value, reason = "small enough")]
        #[deprecated]
        fn f(x: f32) -> cyxla::Result<f32>;
    );
    expands(
        "attributes",
        (quote!("model:f"), item),
        vec![leaf("x", DType::F32, &[])],
        vec![leaf("result", DType::F32, &[])],
        |_| {},
    );
}

#[test]
fn more_arguments_than_a_tuple_has_are_not_prepared() {
    let names = (0..25).map(|i| quote::format_ident!("x{i}"));
    let item = quote!(fn f(#(#names: f32),*) -> cyxla::Result<()>;);
    let leaves = (0..25).map(|i| leaf(&format!("x{i}"), DType::F32, &[]));
    let declaration = testing::declaration(quote!("model:f"), item);
    let record = testing::record(&declaration, "src/main.rs:1", leaves.collect(), vec![]);
    let text = expansion(&declaration, &record, "code").to_string();
    assert!(
        text.contains("fn start") && !text.contains("fn prepare"),
        "{text}"
    );
}

#[test]
fn machine_code_comes_with_the_program() {
    let item = quote!(
        fn double(x: f32) -> cyxla::Result<f32>;
    );
    expands(
        "machine_code",
        (quote!("model:double", engine = "auto"), item),
        vec![leaf("x", DType::F32, &[])],
        vec![leaf("result", DType::F32, &[])],
        |record| {
            record.native.engine = Engine::Auto;
            record.native.images = [Level::V3, Level::V2]
                .map(|level| ImageFile {
                    level,
                    file: format!("double-{level}.image"),
                    sha256: Digest::of(b"image"),
                })
                .into();
        },
    );
}

#[test]
fn each_platform_has_its_code() {
    let item = quote!(
        fn double(x: f32) -> cyxla::Result<f32>;
    );
    expands(
        "platforms",
        (quote!("model:double", platforms = ["cpu", "cuda"]), item),
        vec![leaf("x", DType::F32, &[])],
        vec![leaf("result", DType::F32, &[])],
        |record| {
            record.other_platforms = vec![PlatformCode {
                platform: "cuda".into(),
                custom_calls: vec!["mine".into()],
                code: CodeFile {
                    file: "double-cuda.mlirbc".into(),
                    sha256: Digest::of(b"cuda"),
                },
            }];
        },
    );
}

#[test]
fn what_fails_leaves_a_function_to_call() {
    let declaration = testing::declaration(
        quote!("model:f"),
        quote!(
            pub fn f(x: &[f32; 3]) -> cyxla::Result<f32>;
        ),
    );
    matches_snapshot("stand_in", stand_in(&declaration).unwrap_or_default());
    let open = testing::declaration(
        quote!("model:f"),
        quote!(
            pub fn f(x: &_) -> cyxla::Result<f32>;
        ),
    );
    assert!(stand_in(&open).is_none());
}

#[test]
fn a_handler_takes_its_parameters_in_order() {
    let item = quote!(
        /// Documented by the user.
        #[cfg(unix)]
        pub fn my_norm(
            x: ffi::Array<f32, 2>,
            r#type: &str,
            mut out: ffi::ArrayMut<f32, 1>,
        ) -> Result<(), ffi::Error> {
            out.fill(0.0);
            Ok(())
        }
    );
    let tokens = crate::ffi_handler::expand(quote!("norm.of.rows", crate = "renamed"), item);
    matches_snapshot("ffi_handler", tokens);
}
