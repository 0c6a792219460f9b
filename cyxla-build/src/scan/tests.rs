use std::fs;
use std::path::Path;

use cyxla_artifact::ArrayType;

use super::*;
use crate::package::{Package, Settings, Target};

/// A package in a temporary folder.
struct Crate {
    folder: tempfile::TempDir,
    package: Package,
}

impl Crate {
    /// A package of these files; those that begin a crate are told by their names.
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut targets = Vec::new();
        for (path, text) in files {
            let file = folder.path().join(path);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(&file, text).unwrap();
            let is_target = matches!(*path, "src/lib.rs" | "src/main.rs")
                || path.starts_with("tests/") && path.matches('/').count() == 1;
            if is_target {
                targets.push(Target {
                    crate_name: match *path {
                        "src/lib.rs" => "demo".to_owned(),
                        _ => Path::new(path)
                            .file_stem()
                            .unwrap()
                            .to_string_lossy()
                            .into_owned(),
                    },
                    is_library: *path == "src/lib.rs",
                    source: file,
                    is_2015: false,
                });
            }
        }
        let package = Package {
            name: "demo".to_owned(),
            root: folder.path().to_owned(),
            workspace_root: folder.path().to_owned(),
            targets,
            settings: Settings::default(),
        };
        Self { folder, package }
    }

    fn scan_with(&self, variables: &Variables) -> Result<Scan, Error> {
        scan(&self.package, variables)
    }

    fn scan(&self) -> Scan {
        self.scan_with(&Variables::fixed([])).unwrap()
    }

    fn error(&self) -> String {
        self.scan_with(&Variables::fixed([]))
            .unwrap_err()
            .to_string()
    }
}

/// A declaration of `name` with one argument.
fn declare(name: &str, ty: &str) -> String {
    format!("#[cyxla::program(\"model:{name}\")] fn {name}(x: {ty}) -> cyxla::Result<f32>;\n")
}

/// The types of the arguments of each program, `name: f32[8,4]`.
fn types(scan: &Scan) -> Vec<String> {
    scan.programs
        .iter()
        .map(|program| {
            let types: Vec<String> = program
                .arguments
                .iter()
                .map(|argument| {
                    argument
                        .array_type
                        .map_or("_".to_owned(), |ty| ty.to_string())
                })
                .collect();
            format!("{}: {}", program.name, types.join(", "))
        })
        .collect()
}

/// The type of an argument declared as `ty` in a file that begins with `items`.
fn type_of(items: &str, ty: &str) -> ArrayType {
    let source = format!("{items}\n{}", declare("f", ty));
    let scan = Crate::new(&[("src/main.rs", &source)]).scan();
    scan.programs[0].arguments[0].array_type.unwrap()
}

fn type_error(items: &str, ty: &str) -> String {
    let source = format!("{items}\n{}", declare("f", ty));
    Crate::new(&[("src/main.rs", &source)]).error()
}

#[track_caller]
fn assert_type(items: &str, ty: &str, expected: &str) {
    assert_eq!(type_of(items, ty).to_string(), expected, "{items} {ty}");
}

// What holds an array.

#[test]
fn the_array_inside_of_what_holds_it_counts() {
    for ty in [
        "Host<[f32; N]>",
        "&cyxla::Host<[f32; N]>",
        "cyxla::Buffer<[f32; N]>",
        "&Buffer<[f32; N]>",
    ] {
        assert_type("const N: usize = 3;", ty, "f32[3]");
    }
}

#[test]
fn buffers_that_are_moved_in_and_named_parameters_are_donated() {
    let source = "#[cyxla::program(\"model:f\", donate = [c])]\n\
        fn f(a: &Buffer<f32>, b: Buffer<f32>, c: f32, d: Host<f32>) -> cyxla::Result<f32>;";
    let scan = Crate::new(&[("src/main.rs", source)]).scan();
    let arguments = scan.programs[0].arguments.iter();
    let donated: Vec<_> = arguments.map(|argument| argument.donated).collect();
    assert_eq!(donated, [false, true, true, false]);
}

#[test]
fn an_element_type_that_only_a_held_result_names_turns_x64_on() {
    let source = "#[cyxla::program(\"model:f\")] fn f() -> cyxla::Result<cyxla::Buffer<f64>>;";
    let scan = Crate::new(&[("src/main.rs", source)]).scan();
    assert!(scan.programs[0].x64);
}

// Where declarations are found.

#[test]
fn programs_of_all_targets_and_modules_are_found() {
    let files = [
        ("src/lib.rs", "mod a; mod b { mod c; }".to_owned()),
        ("src/a.rs", format!("mod inner; {}", declare("in_a", "f32"))),
        ("src/a/inner.rs", declare("in_inner", "f32")),
        (
            "src/b/c/mod.rs",
            format!("mod d; {}", declare("in_c", "f32")),
        ),
        ("src/b/c/d.rs", declare("in_d", "f32")),
        ("src/main.rs", declare("in_main", "f32")),
        ("tests/t.rs", declare("in_test", "f32")),
    ];
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(path, text)| (*path, text.as_str()))
        .collect();
    let scan = Crate::new(&files).scan();
    let names: Vec<_> = scan
        .programs
        .iter()
        .map(|program| program.name.as_str())
        .collect();
    assert_eq!(
        names,
        ["in_a", "in_c", "in_d", "in_inner", "in_main", "in_test"]
    );
    assert_eq!(scan.files.len(), files.len());
    assert_eq!(scan.missing, [] as [PathBuf; 0]);
}

#[test]
fn path_attributes_are_followed_as_the_compiler_does() {
    // The Rust reference, "The path attribute".
    let lib = r#"
        #[path = "foo.rs"] mod c;
        mod inline { #[path = "other.rs"] mod inner; }
        #[path = "thread_files"] mod thread { #[path = "tls.rs"] mod local_data; mod pool; }
        mod plain;
    "#;
    let files = [
        ("src/lib.rs", lib.to_owned()),
        (
            "src/foo.rs",
            format!("mod beside; {}", declare("foo", "f32")),
        ),
        ("src/beside.rs", declare("beside", "f32")),
        ("src/inline/other.rs", declare("other", "f32")),
        ("src/thread_files/tls.rs", declare("tls", "f32")),
        ("src/thread_files/pool.rs", declare("pool", "f32")),
        (
            "src/plain.rs",
            r#"#[path = "above.rs"] mod x; mod inline { #[path = "below.rs"] mod y; }"#.to_owned(),
        ),
        ("src/above.rs", declare("above", "f32")),
        ("src/plain/inline/below.rs", declare("below", "f32")),
    ];
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(path, text)| (*path, text.as_str()))
        .collect();
    let names: Vec<String> = Crate::new(&files)
        .scan()
        .programs
        .into_iter()
        .map(|program| program.name)
        .collect();
    assert_eq!(
        names,
        ["above", "below", "beside", "foo", "other", "pool", "tls"]
    );
}

#[test]
fn programs_in_bodies_and_behind_conditions_are_found() {
    let source = format!(
        "fn main() {{ if true {{ {} }} let f = || {{ {} }}; }}
         struct S; impl S {{ fn method(&self) {{ {} }} }}
         #[cfg(windows)] mod windows {{ #[cfg(feature = \"never\")] {} }}
         #[cfg_attr(unix, cyxla::program(\"model:attr\"))] fn attr(x: f32) -> cyxla::Result<f32>;
         cfg_if::cfg_if! {{ if #[cfg(unix)] {{ {} }} else {{ mod missing; }} }}
         include!(\"more/part.rs\");",
        declare("block", "f32"),
        declare("closure", "f32"),
        declare("method", "f32"),
        declare("windows", "f32"),
        declare("cfg_if", "f32"),
    );
    let part = format!("mod beside; {}", declare("included", "f32"));
    let scan = Crate::new(&[
        ("src/main.rs", &source),
        ("src/more/part.rs", &part),
        ("src/more/beside.rs", &declare("beside", "f32")),
    ])
    .scan();
    let names: Vec<_> = scan
        .programs
        .iter()
        .map(|program| program.name.as_str())
        .collect();
    let expected = [
        "attr", "beside", "block", "cfg_if", "closure", "included", "method", "windows",
    ];
    assert_eq!(names, expected);
    assert_eq!(scan.missing, [] as [PathBuf; 0]);
}

#[test]
fn only_a_missing_file_that_nothing_excuses_is_told() {
    let source = "mod gone; #[cfg(windows)] mod other; #[cfg(test)] mod tests { mod deep; }";
    let package = Crate::new(&[("src/main.rs", source)]);
    assert_eq!(
        package.scan().missing,
        [package.folder.path().join("src/gone.rs")]
    );
}

#[test]
fn what_does_not_parse_is_left_to_the_compiler() {
    let package = Crate::new(&[
        ("src/main.rs", "mod broken; fn main() {}"),
        ("src/broken.rs", "fn f( { "),
    ]);
    let scan = package.scan();
    assert_eq!(scan.programs, []);
    // Watched all the same: once mended, it may declare programs.
    assert_eq!(scan.files.len(), 2);
    let wrong = "#[cyxla::program(\"no colon\")] fn f(x: f32) -> cyxla::Result<f32>;
                 #[cyxla::program(\"m:f\")] fn g(x: f32) -> cyxla::Result<f32> { todo!() }";
    assert_eq!(Crate::new(&[("src/main.rs", wrong)]).scan().programs, []);
}

#[test]
fn a_file_that_is_part_of_itself_ends() {
    let scan = Crate::new(&[
        ("src/main.rs", "#[path = \"main.rs\"] mod again; mod a;"),
        (
            "src/a.rs",
            "include!(\"a.rs\"); #[path = \"../src/a.rs\"] mod b;",
        ),
    ])
    .scan();
    assert_eq!(scan.programs, []);
}

#[test]
fn modules_without_end_are_an_error() {
    // Each file has the next one twice: 2^40 modules.
    let files: Vec<(String, String)> = (0..40)
        .map(|i| {
            let next = format!("f{}.rs", i + 1);
            let text = format!("#[path = {next:?}] mod a; #[path = {next:?}] mod b;");
            (format!("src/f{i}.rs"), text)
        })
        .collect();
    let mut all = vec![("src/main.rs", "#[path = \"f0.rs\"] mod f;")];
    all.extend(
        files
            .iter()
            .map(|(path, text)| (path.as_str(), text.as_str())),
    );
    let error = Crate::new(&all).error();
    assert!(error.contains("more than 100000 modules"), "{error}");
}

// Programs.

#[test]
fn the_same_declaration_in_several_places_is_one_program() {
    let source = format!("\n{}", declare("f", "&[f32; 4]"));
    let scan = Crate::new(&[
        ("src/lib.rs", &source),
        ("tests/a.rs", &format!("mod common; {source}")),
        ("tests/b.rs", "mod common;"),
        ("tests/common/mod.rs", &source),
    ])
    .scan();
    assert_eq!(types(&scan), ["f: f32[4]"]);
    let places = &scan.programs[0].declared.places;
    assert_eq!(
        places,
        &["src/lib.rs:2", "tests/a.rs:2", "tests/common/mod.rs:2"]
    );
}

#[test]
fn equal_words_for_different_types_are_refused() {
    let with = |n: u32| format!("const N: usize = {n};\n{}", declare("f", "&[f32; N]"));
    let error = Crate::new(&[("src/lib.rs", &with(4)), ("tests/t.rs", &with(8))]).error();
    assert_eq!(
        error,
        "`f` is declared twice in the same words, with different types: (x: f32[4]) at src/lib.rs:2 and (x: f32[8]) at \
         tests/t.rs:2\n  help: give one of the two functions another name"
    );
}

#[test]
fn x64_is_on_for_exactly_the_programs_that_name_64_bit_types() {
    let source = r#"
        type Wide = [f64; 2];
        #[cyxla::program("m:a")] fn a(x: &[f32; 2], n: i32) -> cyxla::Result<f32>;
        #[cyxla::program("m:b")] fn b(x: &Wide) -> cyxla::Result<f32>;
        #[cyxla::program("m:c")] fn c(x: f32) -> cyxla::Result<(f32, Box<[i64; dep::N]>)>;
        #[cyxla::program("m:d", x64 = false)] fn d(x: f64) -> cyxla::Result<f32>;
        #[cyxla::program("m:e", x64 = true)] fn e(x: f32) -> cyxla::Result<f32>;
        #[cyxla::program("m:f", args = "m:args")] fn f(x: _, y: &[f64; dep::N]) -> cyxla::Result<_>;
    "#;
    let scan = Crate::new(&[("src/main.rs", source)]).scan();
    let x64: Vec<_> = scan
        .programs
        .iter()
        .map(|program| (program.x64, program.x64_explicit))
        .collect();
    let (off, on) = ((false, false), (true, false));
    assert_eq!(x64, [off, on, on, (false, true), (true, true), on]);
    assert_eq!(types(&scan)[5], "f: _, _");
}

#[test]
fn options_are_handed_on() {
    let source = r#"#[cyxla::program("pkg.model:C.f", args = "m:args", custom_calls = ["a"], deps = ["w.bin"],
        stablehlo_version = "1.9.0")] fn f(x: &_) -> cyxla::Result<_>;"#;
    let program = Crate::new(&[("src/main.rs", source)])
        .scan()
        .programs
        .remove(0);
    assert_eq!(program.target, "pkg.model:C.f");
    assert_eq!(program.example_args.as_deref(), Some("m:args"));
    assert_eq!(program.custom_calls, ["a"]);
    assert_eq!(program.deps, ["w.bin"]);
    assert_eq!(program.stablehlo_version, "1.9.0".parse().ok());
    assert!(program.declared.signature.starts_with("fn f("));
}

#[test]
fn an_argument_without_a_type_needs_example_arguments() {
    assert_eq!(
        type_error("", "&_"),
        "src/main.rs:2: nothing gives the type of `x` of `f`\n  \
         help: write the type in place of `_`, or let Python give it: args = \"module:example_args\""
    );
}

#[test]
fn all_errors_are_told_at_once() {
    let source = "#[cyxla::program(\"m:f\")] fn f(x: &[f32; dep::N], y: &_) -> cyxla::Result<f32>;
                  #[cyxla::program(\"m:g\")] fn g(x: usize) -> cyxla::Result<f32>;";
    let error = Crate::new(&[("src/main.rs", source)]).error();
    let heads: Vec<&str> = error
        .lines()
        .filter(|line| line.starts_with("src"))
        .collect();
    assert_eq!(
        heads,
        [
            "src/main.rs:1: the type of `x` of `f` can't be told before compilation",
            "src/main.rs:1: nothing gives the type of `y` of `f`",
            "src/main.rs:2: the type of `x` of `g` can't be told before compilation",
        ]
    );
}

// Types.

#[test]
fn nested_arrays_have_their_outermost_axis_first() {
    assert_type("", "f32", "f32[]");
    assert_type("", "&[[f32; 4]; 8]", "f32[8,4]");
    assert_type("", "[[[u8; 0]; 2]; (3)]", "u8[3,2,0]");
    assert_type(
        "",
        "&[[[[[[[[f32; 1]; 2]; 3]; 4]; 5]; 6]; 7]; 8]",
        "f32[8,7,6,5,4,3,2,1]",
    );
}

#[test]
fn element_types_are_known_by_name() {
    for (ty, expected) in [
        ("bool", "bool[]"),
        ("i64", "i64[]"),
        ("std::primitive::u16", "u16[]"),
        ("cyxla::BF16", "bf16[]"),
        ("::cyxla::I4", "i4[]"),
        ("[cyxla::F8E4M3B11FNUZ; 2]", "f8_e4m3b11fnuz[2]"),
        ("half::f16", "f16[]"),
        ("half::bf16", "bf16[]"),
        ("num_complex::Complex<f64>", "c128[]"),
        ("cyxla::Complex<f32>", "c64[]"),
        ("num_complex::Complex64", "c128[]"),
    ] {
        assert_type("", ty, expected);
    }
}

#[test]
fn imported_and_renamed_element_types_are_known() {
    assert_type("use cyxla::BF16;", "BF16", "bf16[]");
    assert_type("use cyxla::{self as jax, F16 as Half};", "Half", "f16[]");
    assert_type("use half::f16;", "f16", "f16[]");
    assert_type("use cyxla::*;", "[F8E5M2; 3]", "f8_e5m2[3]");
    assert_type(
        "use num_complex::Complex; type R = f32;",
        "Complex<R>",
        "c64[]",
    );
    assert_type("extern crate half as h;", "h::bf16", "bf16[]");
}

#[test]
fn aliases_are_followed() {
    let items = "mod shapes { pub type Row = [f32; 4]; pub type Matrix = [Row; super::N]; } const N: usize = 3;
                 use shapes::Matrix as M;";
    assert_type(items, "&M", "f32[3,4]");
    assert_type(items, "&[shapes::Row; 2]", "f32[2,4]");
    assert_type("type Real = f64;", "[Real; 2]", "f64[2]");
}

#[test]
fn generic_aliases_are_followed() {
    let items =
        "type Matrix<const R: usize, const C: usize, T = f32> = [[T; C]; R]; const N: usize = 5;";
    assert_type(items, "&Matrix<2, 3>", "f32[2,3]");
    assert_type(items, "&Matrix<N, { N + 1 }, f64>", "f64[5,6]");
    assert_type(items, "&[Matrix<1, N>; 2]", "f32[2,1,5]");
}

#[test]
fn what_is_no_array_is_named() {
    let error = type_error("struct State;", "State");
    assert!(
        error.contains("src/main.rs:2: `State` is no element type and no array of one"),
        "{error}"
    );
    let error = type_error("", "usize");
    assert!(
        error.contains("`usize` is no element type, its size depends on the machine"),
        "{error}"
    );
    assert!(
        error.contains("help: use a type of fixed size, such as i64 or u64"),
        "{error}"
    );
    let error = type_error("", "Foo");
    assert!(error.contains("`Foo` is not found"), "{error}");
    let error = type_error("use dep::State;", "State");
    assert!(error.contains("`State` is not found"), "{error}");
}

// Constants.

#[test]
fn lengths_are_worked_out() {
    for (length, expected) in [
        ("1_000", 1000),
        ("0x10", 16),
        ("0b11usize", 3),
        ("0o17", 15),
        ("2 + 3 * 4", 14),
        ("(2 + 3) * 4 - 6 / 4 % 5", 19),
        ("1 << 4 >> 1", 8),
        ("N", 7),
        ("N * self::N", 49),
        ("crate::inner::N", 5),
        ("inner::DOUBLE", 10),
        ("SMALL as usize", 200),
        ("(SMALL << 1) as usize", 144), // 400 - 256: bits that leave a u8 are dropped.
        ("-3i32 as u8 as usize", 253),
        ("!0u8 as usize", 255),
        ("u8::MAX as usize + 1", 256),
        ("if N > 5 { N } else { 5 }", 7),
        ("{ N }", 7),
        ("Config::N", 11),
        ("Config::TWICE", 22),
        ("Axis::Count as usize", 6),
        ("b' ' as usize", 32),
        ("(N == 7 && N != 8) as usize", 1),
        ("Dims::COUNT", 13),
    ] {
        let items = "const N: usize = 7; const SMALL: u8 = 200;
            mod inner { pub const N: usize = 5; pub const DOUBLE: usize = 2 * N; }
            struct Config; impl Config { const N: usize = 11; const TWICE: usize = Self::N * 2; }
            enum Axis { X, Y = 4, Z, Count }
            trait Sized { const COUNT: usize; } struct Dims; impl Sized for Dims { const COUNT: usize = 13; }";
        let ty = format!("&[f32; {length}]");
        assert_type(items, &ty, &format!("f32[{expected}]"));
    }
}

#[test]
fn each_module_has_its_own_names() {
    let declaration = |name: &str| declare(name, "&[f32; N]");
    let source = format!(
        "const N: usize = 1; {}
         mod a {{ const N: usize = 2; {} mod b {{ use super::N; {} }} }}
         mod c {{ use crate::a::*; {} }}
         mod d {{ use super::a::N as M; pub use self::e::N; mod e {{ pub const N: usize = 3 + super::M; }} {} }}",
        declaration("top"),
        declaration("a"),
        declaration("b"),
        declaration("c"),
        declaration("d"),
    );
    let scan = Crate::new(&[("src/main.rs", &source)]).scan();
    assert_eq!(
        types(&scan),
        [
            "a: f32[2]",
            "b: f32[2]",
            "c: f32[2]",
            "d: f32[5]",
            "top: f32[1]"
        ]
    );
}

#[test]
fn blocks_shadow_modules() {
    let source = format!(
        "const N: usize = 1; type f32 = f64;
         fn main() {{ const N: usize = 2; {} {{ {} const N: usize = 3; type f32 = i8; }} }}
         fn other() {{ {} }}",
        declare("outer", "&[bool; N]"),
        declare("inner", "&[f32; N]"),
        declare("none", "&[f32; N]"),
    );
    let scan = Crate::new(&[("src/main.rs", &source)]).scan();
    assert_eq!(
        types(&scan),
        ["inner: i8[3]", "none: f64[1]", "outer: bool[2]"]
    );
}

#[test]
fn a_module_does_not_see_the_names_around_it() {
    let error = Crate::new(&[(
        "src/main.rs",
        &format!(
            "const N: usize = 1; mod a {{ {} }}",
            declare("f", "&[f32; N]")
        ),
    )])
    .error();
    assert!(error.contains("`N` is not found"), "{error}");
}

#[test]
fn the_library_is_known_to_the_other_crates_of_the_package() {
    let scan = Crate::new(&[
        (
            "src/lib.rs",
            "pub mod config; pub use config::STATE as DIM;",
        ),
        ("src/config.rs", "pub const STATE: usize = 6;"),
        (
            "src/main.rs",
            &format!("use demo::DIM; {}", declare("f", "&[f32; DIM]")),
        ),
        ("tests/t.rs", &declare("g", "&[f32; demo::config::STATE]")),
    ])
    .scan();
    assert_eq!(types(&scan), ["f: f32[6]", "g: f32[6]"]);
}

#[test]
fn a_name_that_imports_itself_is_another_crate() {
    let error = type_error("use dep::dep;", "&[f32; dep::N]");
    assert!(
        error.contains("`dep::dep::N` is in another crate"),
        "{error}"
    );
}

#[test]
fn what_can_not_be_worked_out_is_named() {
    for (items, length, expected) in [
        ("", "dep::N", "src/main.rs:2: `dep::N` is in another crate"),
        (
            "use dep::config as c;",
            "c::N",
            "src/main.rs:2: `dep::config::N` is in another crate",
        ),
        ("", "N", "src/main.rs:2: `N` is not found"),
        (
            "fn n() -> usize { 3 }",
            "n()",
            "src/main.rs:2: `n()` is more than arithmetic",
        ),
        (
            "fn n() -> usize { 3 }",
            "n",
            "src/main.rs:2: `n` is no constant",
        ),
        (
            "static N: usize = 3;",
            "N",
            "src/main.rs:2: `N` is no constant",
        ),
        (
            "const N: usize = g(4);",
            "2 * N",
            "src/main.rs:1: `g(4)` is more than arithmetic",
        ),
        (
            "const N: usize = 3 - 4;",
            "N",
            "src/main.rs:1: `3 - 4` is -1, which is no usize",
        ),
        (
            "const N: u8 = 200 + 100;",
            "N as usize",
            "`200 + 100` is 300, which is no u8",
        ),
        ("", "200u8 + 100", "`200u8 + 100` overflows u8"),
        ("", "1 / 0", "`1 / 0` divides by zero"),
        ("", "1 % (2 - 2)", "divides by zero"),
        (
            "",
            "1 << 64",
            "`1 << 64` shifts by 64, and the number has 64 bits",
        ),
        ("", "-1", "`-1` is -1, which is no length of an array"),
        (
            "const A: usize = B; const B: usize = A;",
            "A",
            "`A` is defined by itself",
        ),
        (
            "type A = [B; 2]; type B = A;",
            "A::N",
            "`A::N` is not found",
        ),
        (
            "",
            "99999999999999999999999999999999999999999999",
            "overflows any integer type",
        ),
        ("", "100_000_000_000_000_000_000", "which is no length"),
        ("", "0xFFFF_FFFF_FFFF_FFFF", "does not fit into memory"),
        ("", "1.5 as usize", "is more than arithmetic"),
        (
            "",
            "size_of::<f32>()",
            "`size_of::<f32>()` is more than arithmetic",
        ),
    ] {
        let error = type_error(items, &format!("&[f32; {length}]"));
        assert!(error.contains(expected), "{items} {length}: {error}");
        assert!(error.contains("args = \"module:example_args\""), "{error}");
    }
}

#[test]
fn configuration_chooses_between_definitions() {
    let source = format!(
        "#[cfg(feature = \"big\")] const N: usize = 64;\n#[cfg(not(feature = \"big\"))] const N: usize = 4;\n{}",
        declare("f", "&[f32; N]")
    );
    let package = Crate::new(&[("src/main.rs", &source)]);
    let with = |variables: Variables| package.scan_with(&variables).map(|scan| types(&scan));
    let arch = ("CARGO_CFG_TARGET_ARCH", "x86_64");
    assert_eq!(with(Variables::fixed([arch])).unwrap(), ["f: f32[4]"]);
    let big = Variables::fixed([arch, ("CARGO_FEATURE_BIG", "1")]);
    assert_eq!(with(big).unwrap(), ["f: f32[64]"]);
    let error = with(Variables::fixed([])).unwrap_err().to_string();
    let expected = "`N` is defined at src/main.rs:1 and, differently, at src/main.rs:2";
    assert!(error.contains(expected), "{error}");
}

// Hostile sources: each of these ends, quickly, without a panic.

#[test]
fn a_type_of_too_many_axes_is_refused() {
    let ty = format!("&{}f32{}", "[".repeat(17), "; 1]".repeat(17));
    let error = type_error("", &ty);
    assert!(error.contains("an array of 17 axes"), "{error}");
}

#[test]
fn cycles_of_aliases_and_imports_end() {
    let error = type_error("type A = [B; 2]; type B = A;", "A");
    assert!(error.contains("`A` is defined by itself"), "{error}");
    let error = type_error(
        "mod a { pub use super::b::N; } mod b { pub use super::a::N; }",
        "[f32; a::N]",
    );
    assert!(error.contains("`a::N` is not found"), "{error}");
    let error = type_error(
        "mod a { pub use super::b::*; } mod b { pub use super::a::*; } mod c { const N: u8 = 1; }",
        "[f32; a::N]",
    );
    assert!(error.contains("`a::N` is not found"), "{error}");
}

#[test]
fn definitions_that_double_end() {
    use std::fmt::Write as _;
    // A constant is worked out once: 2^62, and no array has as many elements.
    let mut constants = "const C0: usize = 1;".to_owned();
    let mut aliases = "type A0<T> = T;".to_owned();
    let mut modules = "mod m0 { pub use super::m1::*; pub use super::m1::*; }".to_owned();
    for i in 1..=62 {
        let before = i - 1;
        write!(constants, "const C{i}: usize = C{before} + C{before};").unwrap();
        write!(aliases, "type A{i}<T> = A{before}<A{before}<T>>;").unwrap();
        let after = i + 1;
        write!(
            modules,
            "mod m{i} {{ pub use super::m{after}::*; pub use super::{{m{after}::*, m0::*}}; }}"
        )
        .unwrap();
    }
    modules.push_str("mod m63 { pub use super::m0::*; } mod other { pub const N: usize = 1; }");
    let error = type_error(&constants, "[f32; C62]");
    assert!(error.contains("does not fit into memory"), "{error}");
    let error = type_error(&aliases, "A62<f32>");
    assert!(
        error.contains("takes too many steps") || error.contains("defined by itself"),
        "{error}"
    );
    let error = type_error(&modules, "[f32; m0::N]");
    assert!(
        error.contains("too many steps") || error.contains("not found"),
        "{error}"
    );
}

#[test]
fn a_long_chain_of_constants_ends() {
    use std::fmt::Write as _;
    let mut constants = "const C0: usize = 1;".to_owned();
    for i in 1..=5000 {
        let before = i - 1;
        write!(
            constants,
            "const C{i}: usize = {}C{before}{};",
            "(".repeat(20),
            ")".repeat(20)
        )
        .unwrap();
    }
    let error = type_error(&constants, "[f32; C5000]");
    assert!(error.contains("takes too many steps"), "{error}");
}
