//! With real JAX, as old and as new as there is.

#[path = "../../../tests/interpreters/mod.rs"]
mod interpreters;
mod process;
mod programs;
mod reads;
mod refusals;

use std::path::{Path, PathBuf};

use cyxla_artifact::{
    ArrayType, DType, Declared, Engine, Linalg, LoweredProgram, Manifest, Platform, WeightsIn,
};

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use super::{
    Argument, Failure, FailureKind, Job, LowerError, LoweredAll, ProgramRequest, ask, lower_all,
    needs_x64,
};
use crate::protocol::Lowered;
use interpreters::interpreters;

/// One of the interpreters, for what doesn't depend on the version of JAX.
fn interpreter() -> Option<PathBuf> {
    interpreters().into_iter().next()
}

/// `cyxla-build/tests`, which stands for the package of a user.
fn package() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

/// A path below the folder of the Python modules.
fn python(path: &str) -> PathBuf {
    package().join("python").join(path)
}

/// The line of `file` that has `text`, from 1.
fn line_of(file: &str, text: &str) -> u32 {
    let source = std::fs::read_to_string(python(file)).unwrap();
    let line = source.lines().position(|line| line.contains(text)).unwrap();
    u32::try_from(line + 1).unwrap()
}

fn program(target: &str, arguments: &[(&str, DType, &[usize])]) -> ProgramRequest {
    let arguments: Vec<_> = arguments
        .iter()
        .map(|(name, dtype, shape)| Argument::new(*name, ArrayType::new(*dtype, shape).unwrap()))
        .collect();
    ProgramRequest {
        target: target.to_owned(),
        platforms: vec![Platform::Cpu],
        x64: needs_x64(&arguments),
        x64_explicit: false,
        arguments: Some(arguments),
        example_args: None,
        bind: Vec::new(),
        weights_from: Some(WeightsIn::DEFAULT_THRESHOLD),
        weights: WeightsIn::default(),
        custom_calls: Vec::new(),
        linalg: Linalg::default(),
        stablehlo_version: None,
        engine: Engine::default(),
    }
}

fn with_example(target: &str, example_args: &str) -> ProgramRequest {
    ProgramRequest {
        arguments: None,
        example_args: Some(example_args.to_owned()),
        ..program(target, &[])
    }
}

/// Lowers programs of a package at `root` whose modules lie in its folder `python`.
fn lower_in(
    root: &Path,
    interpreter: &Path,
    programs: &[ProgramRequest],
    output: &Path,
) -> Result<LoweredAll, LowerError> {
    lower_all(&Job {
        python: interpreter,
        package_root: root,
        python_path: &[root.join("python")],
        output,
        debug_info: false,
        programs,
    })
}

/// What came of one program.
type Outcome = Result<LoweredProgram, Failure>;

/// What came of each program, by its name here: those that need no process of their own, lowered in one.
fn outcomes(interpreter: &Path) -> BTreeMap<&'static str, Outcome> {
    static DONE: Mutex<BTreeMap<PathBuf, BTreeMap<&'static str, Outcome>>> =
        Mutex::new(BTreeMap::new());
    let mut done = DONE.lock().unwrap_or_else(PoisonError::into_inner);
    let outcomes = done.entry(interpreter.to_owned()).or_insert_with(|| {
        let requests = [programs::requests(), refusals::requests()].concat();
        let (names, requests): (Vec<_>, Vec<_>) = requests.into_iter().unzip();
        names
            .into_iter()
            .zip(lower_each(interpreter, &requests))
            .collect()
    });
    outcomes.clone()
}

/// What comes of programs in a process of their own.
fn lower_each(interpreter: &Path, programs: &[ProgramRequest]) -> Vec<Outcome> {
    let output = tempfile::tempdir().unwrap();
    let answer = ask(&Job {
        python: interpreter,
        package_root: &package(),
        python_path: &[python("")],
        output: output.path(),
        debug_info: false,
        programs,
    });
    let answer = answer.unwrap_or_else(|error| panic!("{error}"));
    let outcomes = answer.programs.into_iter().zip(programs);
    outcomes
        .map(|(outcome, request)| outcome.map(|lowered| loaded(lowered, request, output.path())))
        .collect()
}

fn loaded(lowered: Lowered, request: &ProgramRequest, output: &Path) -> LoweredProgram {
    let record = lowered.record("f".to_owned(), request, Declared::default());
    Manifest::load(output, &record).unwrap()
}

/// Asserts that a failure is of a kind, at a line of a file, and that its whole text holds all `parts`.
#[track_caller]
fn assert_tells(failure: &Failure, kind: FailureKind, place: Option<(&str, &str)>, parts: &[&str]) {
    let text = failure.to_string();
    assert_eq!(failure.kind, kind, "{text}");
    let found = failure
        .location
        .as_ref()
        .map(|location| (location.file.clone(), location.line));
    let expected = place.map(|(file, line)| (python(file), line_of(file, line)));
    assert_eq!(found, expected, "{text}");
    for part in parts {
        assert!(text.contains(part), "no {part:?} in:\n{text}");
    }
    assert!(!text.contains("site-packages/jax/"), "{text}");
    assert!(!text.contains("cyxla_lower"), "{text}");
}
