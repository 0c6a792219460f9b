//! The declarations against the C header of the Python package xla-cpu-pjrt, which has API 0.81.
//!
//! The compiler for C proves each offset and size: a file of static assertions is compiled against the header, and what is
//! wrong is named by the compiler.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test")]

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use cyxla_pjrt_sys::{Args, PJRT_Api, PJRT_Api_Version, SLOTS, constants, layouts};

/// Fields that the header of API 0.81 does not have yet, with the version that brought them.
const NEWER_FIELDS: &[(&str, &str, u32)] = &[
    (
        "PJRT_Executable_DeserializeAndLoad_Args",
        "load_options",
        111,
    ),
    ("PJRT_ExecuteOptions", "multi_slice_config", 97),
    (
        "PJRT_ExecuteOptions",
        "use_major_to_minor_data_layout_for_callbacks",
        108,
    ),
    ("PJRT_ExecuteOptions", "hlo_output_callbacks", 112),
    ("PJRT_ExecuteOptions", "num_hlo_output_callbacks", 112),
];

/// The last function of the table of API 0.81; those behind it are newer.
const LAST_FUNCTION: &str = "PJRT_LoadedExecutable_GetDeviceAssignment";

fn is_newer(structure: &str, field: &str) -> bool {
    NEWER_FIELDS
        .iter()
        .any(|&(s, f, _)| (s, f) == (structure, field))
}

/// The name in the header of a field whose name is a word of Rust, or which is an unnamed union there.
fn in_header(structure: &str, field: &'static str) -> &'static str {
    match (structure, field) {
        (_, "type_") => "type",
        ("PJRT_NamedValue", "value") => "string_value",
        ("PJRT_Buffer_MemoryLayout", "value") => "tiled",
        (_, field) => field,
    }
}

/// Compiles static assertions against the header.
fn prove(include: &Path, assertions: &str) {
    let directory = tempfile::tempdir().unwrap();
    let source = directory.path().join("layout.c");
    std::fs::write(&source, format!("#include \"pjrt_c_api.h\"\n{assertions}")).unwrap();
    let output = Command::new("cc")
        .args(["-std=c11", "-fsyntax-only", "-I"])
        .args([include, &source])
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
    let include = cyxla_test_environment::pjrt_include();
    let mut c = String::new();
    for layout in layouts() {
        let name = layout.name;
        for field in layout
            .fields
            .iter()
            .filter(|field| !is_newer(name, field.name))
        {
            let (offset, size) = (field.offset, field.size);
            let field = in_header(name, field.name);
            writeln!(c, "_Static_assert(offsetof({name}, {field}) == {offset}, \"offset of {name}.{field}\");").unwrap();
            writeln!(c, "_Static_assert(sizeof((({name}*)0)->{field}) == {size}, \"size of {name}.{field}\");").unwrap();
        }
    }
    prove(&include, &c);
}

#[test]
fn every_structure_ends_where_the_header_ends_it() {
    let include = cyxla_test_environment::pjrt_include();
    let mut c = String::new();
    for layout in layouts() {
        let name = layout.name;
        let last = layout
            .fields
            .iter()
            .rfind(|field| !is_newer(name, field.name))
            .unwrap();
        let end = last.offset + last.size;
        writeln!(
            c,
            "_Static_assert({name}_STRUCT_SIZE == {end}, \"struct_size of {name}\");"
        )
        .unwrap();
        if !NEWER_FIELDS.iter().any(|&(newer, ..)| newer == name) {
            assert_eq!(end, layout.struct_size, "{name}");
            writeln!(
                c,
                "_Static_assert(sizeof({name}) == {}, \"sizeof {name}\");",
                layout.size
            )
            .unwrap();
        }
    }
    prove(&include, &c);
}

#[test]
fn every_function_of_the_table_has_its_place() {
    let include = cyxla_test_environment::pjrt_include();
    let mut c = String::new();
    let last = SLOTS
        .iter()
        .position(|slot| slot.name == LAST_FUNCTION)
        .unwrap();
    for slot in &SLOTS[..=last] {
        let (name, offset) = (slot.name, slot.offset);
        writeln!(
            c,
            "_Static_assert(offsetof(PJRT_Api, {name}) == {offset}, \"place of {name}\");"
        )
        .unwrap();
    }
    let end = SLOTS[last].offset + SLOTS[last].size;
    writeln!(
        c,
        "_Static_assert(PJRT_Api_STRUCT_SIZE == {end}, \"a function behind {LAST_FUNCTION}\");"
    )
    .unwrap();
    let version = std::mem::offset_of!(PJRT_Api, pjrt_api_version);
    writeln!(
        c,
        "_Static_assert(offsetof(PJRT_Api, pjrt_api_version) == {version}, \"version\");"
    )
    .unwrap();
    writeln!(c, "_Static_assert(PJRT_API_MAJOR == 0 && PJRT_API_MINOR == 81, \"the header is of another version\");").unwrap();
    prove(&include, &c);
}

#[test]
fn every_constant_has_the_number_of_the_header() {
    let include = cyxla_test_environment::pjrt_include();
    let mut c = String::new();
    for constant in constants() {
        let (name, value) = (constant.name, constant.value);
        writeln!(c, "_Static_assert({name} == {value}, \"{name}\");").unwrap();
    }
    prove(&include, &c);
}

#[test]
fn the_table_has_the_size_that_a_plugin_of_api_0_115_reports() {
    assert_eq!(size_of::<PJRT_Api>(), 1144);
}

#[test]
fn new_arguments_are_zero_but_for_their_size() {
    let version = PJRT_Api_Version::new();
    assert_eq!(
        (
            version.struct_size,
            version.major_version,
            version.minor_version
        ),
        (24, 0, 0)
    );
    assert!(version.extension_start.is_null());
}
