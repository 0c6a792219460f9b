//! `lower`, as a tool calls it: in the current folder, which is that of this package.

mod interpreters;

use std::path::Path;

use cyxla_artifact::{ArrayType, DType, Digest, LoweredProgram, StableHloVersion};
use cyxla_build::{Argument, Error, FailureKind, LowerError, LowerRequest, lower};
use interpreters::interpreters;

/// A request for a function of `tests/python/programs.py` with one argument `x`.
fn request(python: &Path, function: &str, x: ArrayType) -> LowerRequest {
    let mut request = LowerRequest::new(format!("programs:{function}"));
    request.arguments = Some(vec![Argument::new("x", x)]);
    request.python_path = vec!["tests/python".into()];
    request.python = Some(python.to_owned());
    request
}

fn types(program: &LoweredProgram) -> (Vec<String>, Vec<String>) {
    let words = |types: Vec<ArrayType>| types.iter().map(ToString::to_string).collect();
    (words(program.input_types()), words(program.output_types()))
}

#[test]
fn a_program_comes_with_its_code_and_record() {
    for python in interpreters() {
        let program = lower(&request(
            &python,
            "Model.negated",
            ArrayType::scalar(DType::F32).in_array(4).in_array(8),
        ))
        .unwrap();
        assert_eq!(
            types(&program),
            (vec!["f32[8,4]".into()], vec!["f32[8,4]".into()])
        );
        let record = &program.record;
        assert_eq!(
            (record.name.as_str(), record.target.as_str()),
            ("negated", "programs:Model.negated")
        );
        assert_eq!((program.platform(), record.x64), ("cpu", false));
        assert_eq!(record.code.sha256, Digest::of(&program.code));
        assert_eq!(
            StableHloVersion::of_bytecode(&program.code),
            Some(record.stablehlo_version)
        );
        assert_eq!(
            record.location.as_ref().unwrap().file,
            "tests/python/programs.py"
        );
    }
}

#[test]
fn x64_is_on_exactly_when_an_argument_needs_it() {
    for python in interpreters() {
        for dtype in [DType::F32, DType::F64] {
            let program = lower(&request(
                &python,
                "doubled",
                ArrayType::scalar(dtype).in_array(2),
            ))
            .unwrap();
            assert_eq!(program.record.x64, dtype == DType::F64);
            assert_eq!(program.output_types(), program.input_types());
        }
    }
}

#[test]
fn example_arguments_give_the_types() {
    for python in interpreters() {
        let mut request = request(&python, "powers", ArrayType::scalar(DType::F32));
        request.arguments = None;
        request.example_args = Some("programs:powers_args".to_owned());
        let program = lower(&request).unwrap();
        assert_eq!(
            types(&program),
            (vec!["f32[3]".into()], vec!["f32[3]".into()])
        );
    }
}

#[test]
fn a_program_that_can_not_be_lowered_is_an_error_of_a_kind() {
    for python in interpreters() {
        let error = lower(&request(&python, "doubld", ArrayType::scalar(DType::F32))).unwrap_err();
        let Error::Lower(LowerError::Programs(failures)) = &error else {
            panic!("{error}");
        };
        assert_eq!(failures[0].failure.kind, FailureKind::FunctionMissing);
        assert_eq!(failures[0].targets, ["programs:doubld"]);
        let text = error.to_string();
        assert!(
            text.starts_with("can't lower `programs:doubld`: the Python module `programs`"),
            "{text}"
        );
        assert!(
            text.contains("\n  help: did you mean `programs:doubled`?"),
            "{text}"
        );
    }
}
