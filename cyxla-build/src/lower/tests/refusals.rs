//! What can't be lowered, and what is said of it.

use cyxla_artifact::{DType::F32, DType::F64, StableHloVersion};

use super::*;

const X: &[(&str, DType, &[usize])] = &[("x", F32, &[])];

/// The programs that are refused, under the names that the tests call them by.
pub(super) fn requests() -> Vec<(&'static str, ProgramRequest)> {
    let by_target = [
        "refused:raises_at_length",
        "refused:raises_unprintable",
        "modell:predict",
        "imports_nothing:f",
        "raises:f",
        "broken_syntax:f",
        "exits_on_import:f",
        "refused:takes_too",
        "programs:model.aply",
        "refused:VALUE",
        "refused:takes_two",
        "refused:adds_text",
        "refused:branches",
        "refused:ends_the_process",
        "refused:prints",
        "refused:reports",
        "refused:asks_numpy",
        "refused:reads_a_file",
        "refused:calls_foreign_code",
        "refused:gives_text",
        "refused:gives_text_jitted",
        "refused:gives_strings",
        "refused:gives_two_bits",
    ];
    let by_example = ["three", "fails", "strings", "doubles", "symbolic"];
    let examples = [
        ("refused:takes_two", "refused:three"),
        ("refused:identity", "refused:fails"),
        ("refused:identity", "refused:strings"),
        ("refused:identity", "refused:doubles"),
        ("refused:identity", "refused:symbolic"),
    ];
    let identity = program("refused:identity", X);
    let others = [
        (
            "untyped",
            ProgramRequest {
                arguments: Some(vec![Argument::inferred("x")]),
                ..identity.clone()
            },
        ),
        (
            "unknown arguments",
            ProgramRequest {
                arguments: None,
                ..identity.clone()
            },
        ),
        (
            "double without x64",
            ProgramRequest {
                x64: false,
                x64_explicit: true,
                ..program("refused:identity", &[("x", F64, &[3])])
            },
        ),
        (
            "newer",
            ProgramRequest {
                stablehlo_version: Some(StableHloVersion::new(1, 999, 0)),
                ..identity
            },
        ),
        (
            "portable pivots",
            ProgramRequest {
                linalg: Linalg::Portable,
                ..program("programs:pivoted", &[("x", F32, &[3, 3])])
            },
        ),
        (
            "pivots on a GPU",
            ProgramRequest {
                platforms: vec![Platform::Cpu, Platform::Cuda],
                ..program("programs:pivoted", &[("x", F32, &[3, 3])])
            },
        ),
        (
            "joins_two_bits",
            program("refused:joins_two_bits", &[("x", F32, &[2])]),
        ),
    ];
    let by_target = by_target.map(|target| (target, program(target, X)));
    let examples = examples.map(|(target, example)| with_example(target, example));
    by_target
        .into_iter()
        .chain(by_example.into_iter().zip(examples))
        .chain(others)
        .collect()
}

/// Each interpreter's word on one program.
#[track_caller]
fn tells(name: &str, kind: FailureKind, place: Option<(&str, &str)>, parts: &[&str]) {
    for interpreter in interpreters() {
        let outcomes = outcomes(&interpreter);
        let failure = outcomes[name].as_ref().unwrap_err();
        assert_tells(failure, kind, place, parts);
    }
}

#[test]
fn a_module_that_is_not_there() {
    let folder = python("");
    tells(
        "modell:predict",
        FailureKind::ModuleMissing,
        None,
        &[
            "no Python module `modell`",
            folder.to_str().unwrap().trim_end_matches('/'),
            "help: create modell.py",
            "python_path",
        ],
    );
}

#[test]
fn a_module_that_needs_a_missing_package() {
    tells(
        "imports_nothing:f",
        FailureKind::ImportFailed,
        Some(("imports_nothing.py", "import there_is")),
        &[
            "it needs `there_is_no_such_package`",
            // The environments of the tests are managed ones.
            "help: add there_is_no_such_package to the requirements file",
        ],
    );
}

#[test]
fn a_module_that_raises_with_its_traceback() {
    tells(
        "raises:f",
        FailureKind::ImportFailed,
        Some(("raises.py", "return SCALES[name]")),
        &[
            "`raises` can't be imported: KeyError: 'b'",
            "SCALE = scale(\"b\")",
            "return SCALES[name]",
        ],
    );
}

#[test]
fn a_module_that_is_no_python() {
    tells(
        "broken_syntax:f",
        FailureKind::ImportFailed,
        Some(("broken_syntax.py", "return x +")),
        &["SyntaxError: invalid syntax"],
    );
}

#[test]
fn a_module_that_exits() {
    tells(
        "exits_on_import:f",
        FailureKind::ImportFailed,
        Some(("exits_on_import.py", "sys.exit(")),
        &[
            "calls sys.exit('usage: exits_on_import FILE')",
            "if __name__ == \"__main__\":",
        ],
    );
}

#[test]
fn a_function_that_is_not_there_with_those_that_are() {
    tells(
        "refused:takes_too",
        FailureKind::FunctionMissing,
        None,
        &[
            "`refused`",
            "has no `takes_too`",
            "adds_text, asks_numpy, branches",
            "did you mean `refused:takes_two`?",
        ],
    );
}

#[test]
fn a_method_that_is_not_there() {
    tells(
        "programs:model.aply",
        FailureKind::FunctionMissing,
        None,
        &["object `programs.model`", "has no `aply`"],
    );
}

#[test]
fn something_that_is_no_function() {
    tells(
        "refused:VALUE",
        FailureKind::NotCallable,
        None,
        &[
            "of type int, which can't be called",
            "help: name a function",
        ],
    );
}

#[test]
fn another_number_of_arguments_with_both_signatures() {
    tells(
        "refused:takes_two",
        FailureKind::WrongArguments,
        Some(("refused.py", "def takes_two")),
        &[
            "wrong number of arguments",
            "Python has `takes_two(x, y)`",
            "Rust has (x: float32[])",
            "'y'",
        ],
    );
    tells(
        "three",
        FailureKind::WrongArguments,
        Some(("refused.py", "def takes_two")),
        &[
            "`refused:three` gives 3 arguments",
            "a tuple is the list of arguments",
        ],
    );
}

#[test]
fn arguments_of_unknown_type() {
    tells(
        "untyped",
        FailureKind::TypesMissing,
        Some(("refused.py", "def identity")),
        &[
            "nothing says what type `x` has",
            "add `args = \"module:example_args\"`",
        ],
    );
    tells(
        "unknown arguments",
        FailureKind::TypesMissing,
        Some(("refused.py", "def identity")),
        &["nothing says what arguments it takes", "add `args = "],
    );
}

#[test]
fn example_arguments_that_raise() {
    tells(
        "fails",
        FailureKind::ExampleArgs,
        Some(("refused.py", "raise ValueError")),
        &[
            "`refused:fails` failed: ValueError: no arguments today",
            "in fails",
        ],
    );
}

#[test]
fn example_arguments_that_are_no_arrays() {
    tells(
        "strings",
        FailureKind::ArgumentNotArray,
        Some(("refused.py", "def identity")),
        &["the argument `x['name']` is of type str"],
    );
}

#[test]
fn a_type_error_within_the_function_with_its_traceback() {
    tells(
        "refused:adds_text",
        FailureKind::TraceFailed,
        Some(("refused.py", "return jnp.sin(x) + \"text\"")),
        &[
            "TypeError: ",
            "in adds_text",
            "| Traceback (most recent call last):",
        ],
    );
}

#[test]
fn an_exception_of_any_length_and_letters() {
    tells(
        "refused:raises_at_length",
        FailureKind::TraceFailed,
        Some(("refused.py", "long \")")),
        &["ValueError: \\x1b[31mlong", "characters …]"],
    );
    let interpreter = &interpreters()[0];
    let failure = outcomes(interpreter)["refused:raises_at_length"].clone();
    assert!(failure.unwrap_err().to_string().len() < 20_000);
}

#[test]
fn an_exception_without_text() {
    tells(
        "refused:raises_unprintable",
        FailureKind::TraceFailed,
        Some(("refused.py", "raise Unprintable")),
        &["Unprintable, which can't be printed"],
    );
}

#[test]
fn python_control_flow_on_arrays() {
    tells(
        "refused:branches",
        FailureKind::TraceFailed,
        Some(("refused.py", "if x > 0:")),
        &[
            "Python needs the value of an array",
            "the argument x.",
            "refused.py:22",
            "jax.lax.cond",
        ],
    );
}

#[test]
fn a_function_that_exits() {
    tells(
        "refused:ends_the_process",
        FailureKind::TraceFailed,
        Some(("refused.py", "sys.exit(3)")),
        &["it calls sys.exit(3)"],
    );
}

#[test]
fn a_type_that_jax_would_change() {
    tells(
        "double without x64",
        FailureKind::DtypeChanged,
        Some(("refused.py", "def identity")),
        &[
            "the argument `x` is float64",
            "into float32",
            "help: say `x64 = true`",
        ],
    );
    tells(
        "doubles",
        FailureKind::DtypeChanged,
        Some(("refused.py", "def identity")),
        &["the argument `x` is float64"],
    );
}

#[test]
fn printing_at_run_time() {
    tells(
        "refused:prints",
        FailureKind::HostCallback,
        Some(("refused.py", "jax.debug.print")),
        &[
            "calls back into Python, with `debug_",
            "help: remove jax.debug.print",
        ],
    );
}

#[test]
fn a_callback_within_a_loop() {
    tells(
        "refused:reports",
        FailureKind::HostCallback,
        Some(("refused.py", "jax.debug.callback")),
        &["with `debug_callback`"],
    );
}

#[test]
fn callbacks_that_compute() {
    tells(
        "refused:asks_numpy",
        FailureKind::HostCallback,
        Some(("refused.py", "jax.pure_callback")),
        &[
            "with `pure_callback`",
            "write it in JAX, or compute it in Rust",
        ],
    );
    tells(
        "refused:reads_a_file",
        FailureKind::HostCallback,
        Some(("refused.py", "return jax.lax.cond")),
        &["with `io_callback`", "do the rest in Rust"],
    );
}

#[test]
fn checks_of_equinox_that_are_to_raise() {
    for interpreter in interpreters() {
        let script = "import os; os.environ['EQX_ON_ERROR'] = 'raise'";
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(
            folder.path().join("asks_for_exceptions.py"),
            format!("{script}\nfrom checked import root\n"),
        )
        .unwrap();
        let output = tempfile::tempdir().unwrap();
        let error = lower_all(&Job {
            python: &interpreter,
            package_root: &package(),
            python_path: &[folder.path().to_owned(), python("")],
            output: output.path(),
            debug_info: false,
            programs: &[program("asks_for_exceptions:root", X)],
        });
        let Err(LowerError::Programs(failures)) = error else {
            panic!("{error:?}");
        };
        assert_tells(
            &failures[0].failure,
            FailureKind::HostCallback,
            Some(("checked.py", "equinox.error_if(")),
            &["with `pure_callback`", "EQX_ON_ERROR=nan", "'raise' now"],
        );
    }
}

#[test]
fn an_unknown_custom_call() {
    tells(
        "refused:calls_foreign_code",
        FailureKind::CustomCall,
        Some(("refused.py", "jax.ffi.ffi_call")),
        &["it calls `my_kernel`", "custom_calls = [\"my_kernel\"]"],
    );
}

#[test]
fn linear_algebra_that_only_lapack_does() {
    tells(
        "portable pivots",
        FailureKind::CustomCall,
        // The traced program has a `qr`, of which lowering makes the `geqp3`: no line of the function is known for that.
        Some(("programs.py", "def pivoted")),
        &[
            "it uses the primitive `geqp3`",
            "leave `linalg = \"portable\"` out",
        ],
    );
}

#[test]
fn linear_algebra_that_no_plugin_for_a_gpu_does() {
    tells(
        "pivots on a GPU",
        FailureKind::CustomCall,
        Some(("programs.py", "def pivoted")),
        &[
            "it uses the primitive `geqp3`",
            "plugins for cuda have no handler outside of Python",
            "lower this program for the platform cpu only",
        ],
    );
}

#[test]
fn a_symbolic_dimension() {
    tells(
        "symbolic",
        FailureKind::SymbolicDimension,
        Some(("refused.py", "def identity")),
        &["the argument `x` has a symbolic dimension, n: float32[n,6]"],
    );
}

#[test]
fn more_than_one_device() {
    for interpreter in interpreters() {
        let outcomes = lower_each(
            &interpreter,
            &[program("two_devices:split", &[("x", F32, &[4])])],
        );
        assert_tells(
            outcomes[0].as_ref().unwrap_err(),
            FailureKind::Devices,
            Some(("two_devices.py", "def split")),
            &["written for 2 devices", "runs on one device"],
        );
    }
}

#[test]
fn a_result_that_is_no_array() {
    tells(
        "refused:gives_text",
        FailureKind::OutputNotArray,
        Some(("refused.py", "def gives_text")),
        &["`result['name']` is of type str"],
    );
    tells(
        "refused:gives_text_jitted",
        FailureKind::OutputNotArray,
        Some(("refused.py", "def gives_text_jitted")),
        &["`result[1]` is of type object"],
    );
    tells(
        "refused:gives_strings",
        FailureKind::OutputNotArray,
        Some(("refused.py", "def gives_strings")),
        &["`result` is of type numpy.ndarray (<U1)"],
    );
}

#[test]
fn two_bit_numbers() {
    tells(
        "refused:gives_two_bits",
        FailureKind::UnsupportedDtype,
        Some(("refused.py", "def gives_two_bits")),
        &["the result `result` is of the element type int2"],
    );
    tells(
        "joins_two_bits",
        FailureKind::UnsupportedDtype,
        Some(("refused.py", "def joins_two_bits")),
        &["concatenates arrays of int2"],
    );
}

#[test]
fn a_stablehlo_version_that_jaxlib_does_not_know() {
    tells(
        "newer",
        FailureKind::StablehloVersion,
        Some(("refused.py", "def identity")),
        &["can't be written at StableHLO 1.999.0", "0.9.0 to 1."],
    );
}

#[test]
fn all_programs_that_fail_are_told_of_at_once() {
    for interpreter in interpreters() {
        let output = tempfile::tempdir().unwrap();
        let programs = [
            program("refused:prints", X),
            program("refused:identity", X),
            program("raises:f", X),
            program("refused:adds_text", X),
            program("raises:g", X),
        ];
        let error = lower_in(&package(), &interpreter, &programs, output.path()).unwrap_err();
        let LowerError::Programs(failures) = &error else {
            panic!("{error}");
        };
        let targets: Vec<_> = failures
            .iter()
            .map(|failure| failure.targets.join(" "))
            .collect();
        assert_eq!(
            targets,
            ["refused:prints", "raises:f raises:g", "refused:adds_text"]
        );
    }
}
