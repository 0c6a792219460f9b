//! What can be lowered, and what is known of it.

use cyxla_artifact::DType::{self, F32, F64, I32, U32};
use cyxla_artifact::StableHloVersion;

use super::*;

fn leaves(program: &LoweredProgram) -> (Vec<String>, Vec<String>) {
    let words = |leaves: &[cyxla_artifact::Leaf]| {
        let words = leaves.iter().map(|leaf| {
            let donated = if leaf.donated { " donated" } else { "" };
            format!("{}: {}{donated}", leaf.path, leaf.array_type)
        });
        words.collect()
    };
    (
        words(&program.record.inputs),
        words(&program.record.outputs),
    )
}

/// The programs that are lowered, under the names that the tests call them by.
#[expect(clippy::too_many_lines, reason = "a table: a row for each program")]
pub(super) fn requests() -> Vec<(&'static str, ProgramRequest)> {
    let matrix: &[(&str, DType, &[usize])] = &[("x", F32, &[3, 3])];
    let mut number = with_example("programs:keeps_unused", "programs:numbers_args");
    let declared = ArrayType::scalar(DType::I8);
    number.arguments = Some(vec![Argument::inferred("x"), Argument::new("n", declared)]);
    let older = ProgramRequest {
        stablehlo_version: Some(StableHloVersion::new(1, 9, 1)),
        ..program("programs:doubled", matrix)
    };
    let foreign = ProgramRequest {
        custom_calls: vec!["my_kernel".to_owned()],
        ..program("programs:foreign", matrix)
    };
    let mut requests = vec![
        (
            "affine",
            program(
                "programs:affine",
                &[("x", F32, &[8, 4]), ("scale", F32, &[])],
            ),
        ),
        ("older", older),
        (
            "keeps_unused",
            program(
                "programs:keeps_unused",
                &[("x", F32, &[]), ("y", I32, &[2])],
            ),
        ),
        (
            "structures",
            with_example("programs:structures", "programs:structures_args"),
        ),
        (
            "update",
            with_example("programs:update", "programs:update_args"),
        ),
        (
            "update_in_place",
            with_example("programs:update_in_place", "programs:update_args"),
        ),
        (
            "give_away_by_name",
            with_example("programs:give_away_by_name", "programs:update_args"),
        ),
        (
            "moves",
            ProgramRequest {
                arguments: Some(vec![
                    Argument::new("x", ArrayType::new(F32, &[4]).unwrap()),
                    Argument::new("y", ArrayType::new(F32, &[4]).unwrap()).donated(),
                    Argument::new("count", ArrayType::scalar(I32)).donated(),
                ]),
                ..program("programs:moves", &[])
            },
        ),
        (
            "one leaf",
            ProgramRequest {
                arguments: Some(vec![
                    Argument::inferred("u"),
                    Argument::inferred("v").donated(),
                    Argument::inferred("step"),
                ]),
                ..with_example("programs:update", "programs:update_args")
            },
        ),
        (
            "both say",
            ProgramRequest {
                arguments: Some(vec![
                    Argument::inferred("u"),
                    Argument::inferred("v"),
                    Argument::inferred("step").donated(),
                ]),
                ..with_example("programs:update_in_place", "programs:update_args")
            },
        ),
        (
            "powers",
            with_example("programs:powers", "programs:powers_args"),
        ),
        (
            "next_key",
            with_example("programs:next_key", "programs:key_args"),
        ),
        (
            "many keys",
            with_example("refused:identity", "programs:many_keys_args"),
        ),
        ("total", with_example("programs:total", "programs:one_list")),
        (
            "value",
            with_example("programs:keeps_unused", "programs:EXAMPLE"),
        ),
        (
            "number",
            with_example("programs:keeps_unused", "programs:numbers_args"),
        ),
        ("declared number", number),
        ("nothing", program("programs:nothing", &[])),
        (
            "small_types",
            program("programs:small_types", &[("x", F32, &[4])]),
        ),
        (
            "width f64",
            program("programs:reports_width", &[("x", F64, &[3])]),
        ),
        (
            "width f32",
            program("programs:reports_width", &[("x", F32, &[3])]),
        ),
        (
            "width i64",
            program("programs:reports_width", &[("x", DType::I64, &[3])]),
        ),
        (
            "width i32",
            program("programs:reports_width", &[("x", I32, &[3])]),
        ),
        ("foreign", foreign),
        (
            "portable",
            ProgramRequest {
                linalg: Linalg::Portable,
                ..program("programs:factored", matrix)
            },
        ),
        (
            "shuffled",
            program("programs:shuffled", &[("key", U32, &[2]), ("x", F32, &[6])]),
        ),
        (
            "everywhere",
            ProgramRequest {
                platforms: Platform::ALL.into(),
                ..program(
                    "programs:affine",
                    &[("x", F32, &[8, 4]), ("scale", F32, &[])],
                )
            },
        ),
        (
            "factored on GPUs",
            ProgramRequest {
                platforms: vec![Platform::Cpu, Platform::Cuda, Platform::Rocm],
                ..program("programs:factored", matrix)
            },
        ),
        (
            "shuffled on GPUs",
            ProgramRequest {
                platforms: vec![Platform::Cuda, Platform::Rocm],
                ..program("programs:shuffled", &[("key", U32, &[2]), ("x", F32, &[6])])
            },
        ),
        (
            "foreign on GPUs",
            ProgramRequest {
                custom_calls: vec!["my_kernel".to_owned()],
                platforms: vec![Platform::Cuda],
                ..program("programs:foreign", matrix)
            },
        ),
        ("checked", program("checked:root", &[("x", F32, &[2])])),
    ];
    let by_name = [
        "model.apply",
        "Model.negated",
        "model",
        "partial",
        "cholesky",
        "pivoted",
    ];
    requests.extend(by_name.map(|name| (name, program(&format!("programs:{name}"), matrix))));
    requests.extend(DType::ALL.iter().map(|&dtype| {
        let identity = program("refused:identity", &[("x", dtype, &[2, 0, 3])]);
        (dtype.name(), identity)
    }));
    requests
}

/// One program, as each interpreter lowered it.
fn lowered(name: &str) -> Vec<LoweredProgram> {
    let outcome = |interpreter: &PathBuf| match outcomes(interpreter).remove(name) {
        Some(Ok(program)) => program,
        Some(Err(failure)) => panic!("{name}: {failure}"),
        None => panic!("{name} is not among the requests"),
    };
    interpreters().iter().map(outcome).collect()
}

/// Asserts what one program takes and gives, on each interpreter.
#[track_caller]
fn takes_and_gives(name: &str, inputs: &[&str], outputs: &[&str]) {
    for program in lowered(name) {
        let (taken, given) = leaves(&program);
        assert_eq!(taken, inputs, "{name}");
        assert_eq!(given, outputs, "{name}");
    }
}

#[test]
fn declared_types_are_taken() {
    takes_and_gives(
        "affine",
        &["x: f32[8,4]", "scale: f32[]"],
        &["result: f32[8]"],
    );
}

#[test]
fn code_is_written_at_the_default_version_and_says_where_it_is_from() {
    for program in lowered("affine") {
        let record = &program.record;
        assert_eq!(
            StableHloVersion::of_bytecode(&program.code),
            Some(StableHloVersion::DEFAULT)
        );
        let location = record.location.as_ref().unwrap();
        assert_eq!(location.file, "python/programs.py");
        assert_eq!(location.line, line_of("programs.py", "def affine"));
        assert!((9..=20).contains(&record.calling_convention));
    }
}

#[test]
fn code_is_written_at_the_version_that_was_asked_for() {
    let version = StableHloVersion::new(1, 9, 1);
    for program in lowered("older") {
        assert_eq!(StableHloVersion::of_bytecode(&program.code), Some(version));
    }
}

#[test]
fn unused_arguments_stay_and_defaults_are_constants() {
    takes_and_gives(
        "keeps_unused",
        &["x: f32[]", "unused: i32[2]"],
        &["result: f32[]"],
    );
}

#[test]
fn leaves_are_named_by_parameter_and_path() {
    takes_and_gives(
        "structures",
        &[
            "params['b']: f32[3]",
            "params['w']: f32[2,3]",
            "pair.left: i32[]",
            "settings.gain: f32[]",
            "settings.bias: f32[]",
            "rest[0]: u8[4]",
            "rest[1]: bool[]",
        ],
        &[
            "result['a'].left: i32[]",
            "result['list'][0]: f32[2,3]",
            "result['list'][1][0]: u8[4]",
            "result['list'][1][1]: f32[]",
            "result['settings'].gain: f32[]",
            "result['settings'].bias: f32[3]",
            "result['z']: f32[3]",
        ],
    );
}

#[test]
fn donation_is_kept_leaf_by_leaf() {
    let inputs = [
        "state['u']: f32[4,4] donated",
        "state['v']: f32[4,4] donated",
        "step: f32[]",
    ];
    let outputs = [
        "result[0]['u']: f32[4,4]",
        "result[0]['v']: f32[4,4]",
        "result[1]: f32[]",
    ];
    for name in ["update_in_place", "give_away_by_name"] {
        takes_and_gives(name, &inputs, &outputs);
    }
    let kept = inputs.map(|input| input.trim_end_matches(" donated"));
    takes_and_gives("update", &kept, &outputs);
}

/// Whether the code, as it is shipped, says that a result takes the memory of an argument.
fn holds_alias(program: &LoweredProgram) -> bool {
    let name = b"tf.aliasing_output";
    program.code.windows(name.len()).any(|bytes| bytes == name)
}

#[test]
fn what_rust_gives_away_is_donated_where_a_result_can_take_it() {
    takes_and_gives(
        "moves",
        &["x: f32[4]", "y: f32[4] donated", "count: i32[]"],
        &["result: f32[4]"],
    );
    for program in lowered("moves") {
        assert!(holds_alias(&program));
    }
    for program in lowered("affine") {
        assert!(!holds_alias(&program));
    }
}

#[test]
fn rust_gives_away_by_leaf() {
    let outputs = [
        "result[0]['u']: f32[4,4]",
        "result[0]['v']: f32[4,4]",
        "result[1]: f32[]",
    ];
    takes_and_gives(
        "one leaf",
        &[
            "state['u']: f32[4,4]",
            "state['v']: f32[4,4] donated",
            "step: f32[]",
        ],
        &outputs,
    );
    takes_and_gives(
        "both say",
        &[
            "state['u']: f32[4,4] donated",
            "state['v']: f32[4,4] donated",
            "step: f32[] donated",
        ],
        &outputs,
    );
}

#[test]
fn static_arguments_are_constants() {
    takes_and_gives("powers", &["x: f32[3]"], &["result: f32[3]"]);
}

#[test]
fn keys_are_their_data() {
    takes_and_gives(
        "next_key",
        &["key: u32[2]"],
        &["result[0]: u32[2]", "result[1]: f32[3]"],
    );
    takes_and_gives(
        "number",
        &["x: f32[3]", "unused: i32[]"],
        &["result: f32[3]"],
    );
    takes_and_gives("many keys", &["x: u32[5,4]"], &["result: u32[5,4]"]);
}

#[test]
fn what_is_no_tuple_is_one_argument() {
    takes_and_gives(
        "total",
        &["values[0]: f32[]", "values[1]: f32[]"],
        &["result: f32[]"],
    );
}

#[test]
fn example_arguments_may_be_a_value() {
    takes_and_gives(
        "value",
        &["x: f32[2]", "unused: f32[2]"],
        &["result: f32[2]"],
    );
}

#[test]
fn a_python_number_takes_the_declared_type() {
    takes_and_gives(
        "declared number",
        &["x: f32[3]", "unused: i8[]"],
        &["result: f32[3]"],
    );
}

#[test]
fn methods_partials_and_callable_objects_are_functions() {
    for name in ["model.apply", "Model.negated", "model"] {
        takes_and_gives(name, &["x: f32[3,3]"], &["result: f32[3,3]"]);
    }
    takes_and_gives("partial", &["x: f32[3,3]"], &["result: f32[3]"]);
    takes_and_gives("nothing", &[], &["result: i32[3]"]);
}

#[test]
fn small_element_types_are_carried() {
    takes_and_gives(
        "small_types",
        &["x: f32[4]"],
        &[
            "result[0]: f8_e4m3fn[4]",
            "result[1]: i4[4]",
            "result[2]: bool[4]",
            "result[3]: bf16[4]",
        ],
    );
}

#[test]
fn every_element_type_can_be_declared() {
    for &dtype in DType::ALL {
        for found in lowered(dtype.name()) {
            assert_eq!(found.input_types()[0].dtype(), dtype);
            assert_eq!(found.output_types(), found.input_types());
            assert_eq!(found.record.x64, dtype.needs_x64());
        }
    }
}

#[test]
fn each_program_has_modules_of_its_own_setting() {
    for dtype in ["f64", "f32", "i64", "i32"] {
        let argument = format!("x: {dtype}[3]");
        let result = format!("result: {dtype}[3]");
        takes_and_gives(&format!("width {dtype}"), &[&argument], &[&result]);
    }
}

#[test]
fn code_that_turns_x64_on_has_it_unless_the_user_says_no() {
    for interpreter in interpreters() {
        let shifted = program("turns_on_x64:shifted", &[("x", F32, &[3])]);
        let refused = ProgramRequest {
            x64_explicit: true,
            ..shifted.clone()
        };
        let other = program("programs:reports_width", &[("x", F32, &[3])]);
        let found = lower_each(&interpreter, &[shifted.clone(), other, shifted]);
        let found: Vec<_> = found.into_iter().map(Result::unwrap).collect();
        let x64: Vec<_> = found.iter().map(|program| program.record.x64).collect();
        assert_eq!(x64, [true, false, true]);
        assert_eq!(found[0].output_types()[0].to_string(), "f64[3]");
        let found = lower_each(&interpreter, &[refused]).remove(0).unwrap();
        assert!(!found.record.x64);
    }
}

#[test]
fn custom_calls_that_need_a_handler_are_listed() {
    for (name, calls) in [
        ("cholesky", ["lapack_spotrf_ffi"].as_slice()),
        ("pivoted", &["lapack_sgeqp3_ffi", "lapack_sorgqr_ffi"]),
        ("foreign", &["my_kernel"]),
        // Nor are there any of LAPACK in a portable program.
        ("portable", &[]),
        // XLA does these itself.
        ("shuffled", &[]),
    ] {
        for program in lowered(name) {
            assert_eq!(program.record.custom_calls, calls, "{name}");
        }
    }
}

/// The platforms of a program with the custom calls on each.
fn calls_by_platform(program: &LoweredProgram) -> Vec<(&str, Vec<&str>)> {
    let record = &program.record;
    let first = (record.platform.as_str(), &record.custom_calls);
    let others = record.other_platforms.iter();
    let others = others.map(|other| (other.platform.as_str(), &other.custom_calls));
    std::iter::once(first)
        .chain(others)
        .map(|(platform, calls)| (platform, calls.iter().map(String::as_str).collect()))
        .collect()
}

#[test]
fn a_program_is_lowered_for_each_platform_without_its_devices() {
    for program in lowered("everywhere") {
        let none = Vec::new();
        assert_eq!(
            calls_by_platform(&program),
            ["cpu", "cuda", "rocm", "tpu"].map(|platform| (platform, none.clone()))
        );
    }
}

#[test]
fn gpus_get_no_custom_call_that_only_python_has_a_handler_for() {
    for program in lowered("factored on GPUs") {
        let [cpu, cuda, rocm] = calls_by_platform(&program).try_into().unwrap();
        assert!(cpu.1.contains(&"lapack_spotrf_ffi"), "{cpu:?}");
        assert_eq!([cuda, rocm], [("cuda", vec![]), ("rocm", vec![])]);
    }
    // JAX has a kernel for its random numbers on GPUs.
    for program in lowered("shuffled on GPUs") {
        assert_eq!(
            calls_by_platform(&program),
            [("cuda", vec![]), ("rocm", vec![])]
        );
    }
    for program in lowered("foreign on GPUs") {
        assert_eq!(calls_by_platform(&program), [("cuda", vec!["my_kernel"])]);
    }
}

#[test]
fn checks_of_equinox_give_nan() {
    takes_and_gives("checked", &["x: f32[2]"], &["result: f32[2]"]);
}

#[test]
fn the_same_sources_give_the_same_bytes_in_any_folder() {
    for interpreter in interpreters() {
        let programs = [
            program(
                "programs:affine",
                &[("x", F32, &[8, 4]), ("scale", F32, &[])],
            ),
            with_example("programs:structures", "programs:structures_args"),
            with_example("programs:update_in_place", "programs:update_args"),
            with_example("programs:next_key", "programs:key_args"),
            program("programs:cholesky", &[("x", F64, &[3, 3])]),
        ];
        let digests = |root: &Path| {
            let output = tempfile::tempdir().unwrap();
            let all = lower_in(root, &interpreter, &programs, output.path()).unwrap();
            let records = all
                .programs
                .into_iter()
                .zip(&programs)
                .map(|(lowered, request)| {
                    lowered.record("f".to_owned(), request, Declared::default())
                });
            records.collect::<Vec<_>>()
        };
        let folder = tempfile::tempdir().unwrap();
        let elsewhere = folder.path().join("a longer name").join("below");
        std::fs::create_dir_all(elsewhere.join("python")).unwrap();
        std::fs::copy(python("programs.py"), elsewhere.join("python/programs.py")).unwrap();
        assert_eq!(digests(&package()), digests(&elsewhere));
    }
}

#[test]
fn places_are_kept_where_they_are_asked_for() {
    for interpreter in interpreters() {
        let holds_name = |debug_info| {
            let output = tempfile::tempdir().unwrap();
            let all = lower_all(&Job {
                python: &interpreter,
                package_root: &package(),
                python_path: &[python("")],
                output: output.path(),
                debug_info,
                programs: &[program("programs:doubled", &[("x", F32, &[2])])],
            });
            assert_eq!(all.unwrap().programs.len(), 1);
            let file = output.path().read_dir().unwrap().next().unwrap().unwrap();
            let code = std::fs::read(file.path()).unwrap();
            code.windows(11).any(|bytes| bytes == b"programs.py")
        };
        assert!(!holds_name(false));
        assert!(holds_name(true));
    }
}
