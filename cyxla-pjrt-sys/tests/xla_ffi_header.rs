//! The declarations of XLA's FFI against the C header of the Python package jaxlib.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test")]

use std::fmt::Write as _;
use std::process::Command;

use cyxla_pjrt_sys::xla_ffi::{FFI_MAJOR, NEWEST_FFI_MINOR, xla_ffi_constants, xla_ffi_layouts};

/// Structures that are declared up to the last field that is used.
const SHORTENED: &[&str] = &["XLA_FFI_Api", "XLA_FFI_CallFrame", "XLA_FFI_Metadata"];

/// Compiles static assertions against the header.
fn prove(assertions: &str) {
    let include = cyxla_test_environment::main()
        .site_packages()
        .join("jaxlib/include");
    let directory = tempfile::tempdir().unwrap();
    let source = directory.path().join("layout.c");
    let text = format!("#include \"xla/ffi/api/c_api.h\"\n{assertions}");
    std::fs::write(&source, text).unwrap();
    let output = Command::new("cc")
        .args(["-std=c11", "-fsyntax-only", "-I"])
        .args([&include, &source])
        .output()
        .expect("this test needs a C compiler, cc");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn every_field_lies_where_the_header_has_it() {
    let mut c = String::new();
    for layout in xla_ffi_layouts() {
        let name = layout.name;
        for field in layout.fields {
            let (offset, size) = (field.offset, field.size);
            let field = if field.name == "type_" {
                "type"
            } else {
                field.name
            };
            writeln!(c, "_Static_assert(offsetof({name}, {field}) == {offset}, \"offset of {name}.{field}\");").unwrap();
            writeln!(c, "_Static_assert(sizeof((({name}*)0)->{field}) == {size}, \"size of {name}.{field}\");").unwrap();
        }
        if !SHORTENED.contains(&name) {
            let size = layout.size;
            writeln!(
                c,
                "_Static_assert(sizeof({name}) == {size}, \"sizeof {name}\");"
            )
            .unwrap();
        }
    }
    prove(&c);
}

#[test]
fn frames_and_metadata_are_declared_up_to_the_size_that_the_header_gives_them() {
    let mut c = String::new();
    for layout in xla_ffi_layouts() {
        let name = layout.name;
        let end = layout.fields.iter().map(|field| field.offset + field.size);
        let end = end.max().unwrap();
        if name == "XLA_FFI_CallFrame" || name == "XLA_FFI_Metadata" {
            writeln!(
                c,
                "_Static_assert({name}_STRUCT_SIZE == {end}, \"{name}\");"
            )
            .unwrap();
        }
    }
    prove(&c);
}

#[test]
fn every_constant_has_the_number_of_the_header() {
    let mut c = String::new();
    for constant in xla_ffi_constants() {
        let (name, value) = (constant.name, constant.value);
        writeln!(c, "_Static_assert({name} == {value}, \"{name}\");").unwrap();
    }
    prove(&c);
}

#[test]
fn the_header_is_of_the_version_that_is_declared() {
    prove(&format!(
        "_Static_assert(XLA_FFI_API_MAJOR == {FFI_MAJOR}, \"major\");\n\
         _Static_assert(XLA_FFI_API_MINOR == {NEWEST_FFI_MINOR}, \"minor\");\n"
    ));
}
