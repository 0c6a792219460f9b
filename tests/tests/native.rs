//! Programs as machine code: without a plugin, and every kind of step beside JAX.

#![allow(clippy::unwrap_used, reason = "a test")]

use std::path::Path;
use std::process::Command;

use cyxla::{Buffer, RunsOn, U4};
use cyxla_tests::calls::programs::{Body, X, tiny};
use cyxla_tests::cases::{Outcome, Row};

/// That there is machine code of it is a condition of the build.
#[cyxla::program("calls:tiny", engine = "native")]
fn native(x: &[f32; 2]) -> cyxla::Result<[f32; 2]>;

#[cyxla::program("calls:tiny", engine = "native")]
fn made(x: &[f32; 2]) -> cyxla::Result<Buffer<[f32; 2]>>;

#[cyxla::program("calls:tiny", engine = "native", donate = [x])]
fn moved(x: Buffer<[f32; 2]>) -> cyxla::Result<Buffer<[f32; 2]>>;

#[cyxla::program("calls:tiny", engine = "pjrt")]
fn on_plugin(x: &[f32; 2]) -> cyxla::Result<[f32; 2]>;

#[cyxla::program("elements:identity")]
fn nibbles(x: &[U4; 3]) -> cyxla::Result<[U4; 3]>;

/// Arrays of which one in eight is aligned as machine code needs it.
#[repr(C, align(64))]
struct Apart([[f32; 2]; 9]);

fn expected(x: [f32; 2]) -> [f32; 2] {
    x.map(|x| 2.0 * x.sin())
}

fn is_close(found: [f32; 2], expected: [f32; 2]) -> bool {
    let pairs = found.iter().zip(expected);
    pairs
        .into_iter()
        .all(|(found, expected)| (found - expected).abs() < 1e-6)
}

#[test]
fn machine_code_runs_without_a_plugin() {
    assert!(is_close(native(&X).unwrap(), expected(X)));
    assert_eq!(native::program().engine().unwrap(), RunsOn::Native);
    assert!(!native::program().images().is_empty());
    let statistics = native::program().statistics().unwrap();
    assert_eq!((statistics.loaded, statistics.compiled), (1, 0));
    assert!(!cyxla::is_initialized());
}

#[test]
fn an_argument_may_lie_anywhere() {
    let places = Apart(std::array::from_fn(|index| {
        let x = f32::from(u8::try_from(index).unwrap());
        [x, -0.5 * x]
    }));
    for x in &places.0 {
        assert!(is_close(native(x).unwrap(), expected(*x)));
    }
}

#[test]
fn threads_call_at_once_with_memory_of_their_own() {
    let expected = Body::SOME.step().unwrap();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..1000 {
                    assert_eq!(Body::SOME.step().unwrap(), expected);
                }
            });
        }
    });
}

#[test]
fn a_prepared_call_reads_and_writes_in_place() {
    let mut call = native::prepare().unwrap();
    assert_eq!(*call.outputs(), [0.0; 2]);
    for x in [X, [0.0, -3.0]] {
        *call.inputs() = x;
        assert!(is_close(*call.run().unwrap(), expected(x)));
    }
    assert!(!cyxla::is_initialized());
}

#[test]
fn a_started_call_is_done_at_once() {
    let pending = native::start(&X).unwrap();
    assert!(pending.is_ready());
    assert!(is_close(pending.wait().unwrap(), expected(X)));
}

#[test]
fn a_state_of_machine_code_stays_in_its_memory() {
    let mut state = made(&X).unwrap();
    assert!(state.client().is_none());
    let start = std::ptr::from_ref(state.view().unwrap());
    let mut values = expected(X);
    for _ in 0..3 {
        state = moved(state).unwrap();
        values = expected(values);
        assert!(std::ptr::eq(state.view().unwrap(), start));
    }
    assert!(is_close(*state.to_host().unwrap(), values));
    assert!(!cyxla::is_initialized());
}

#[test]
fn what_runs_a_program_is_told_with_the_reason() {
    assert_eq!(tiny::program().engine().unwrap().to_string(), "native");
    let engine = on_plugin::program().engine().unwrap().to_string();
    assert_eq!(engine, "pjrt (the program was built for it)");
    let engine = nibbles::program().engine().unwrap().to_string();
    assert_eq!(engine, "pjrt (it has arrays of uint4)");
    assert!(!cyxla::is_initialized());
}

#[test]
fn every_kind_of_step_does_what_it_does_in_jax() {
    let json = tempfile::NamedTempFile::new().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_cases"))
        .args(["--engine", "native", "--python"])
        .arg(cyxla_test_environment::main().interpreter())
        .arg("--json")
        .arg(json.path())
        .arg("cases/steps")
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")))
        .output()
        .unwrap();
    let rows: Vec<Row> = serde_json::from_slice(&std::fs::read(json.path()).unwrap()).unwrap();
    let bad: Vec<_> = rows
        .iter()
        .filter(|row| row.outcome != Outcome::Ok)
        .collect();
    assert!(bad.is_empty() && rows.len() == 9, "{bad:?} {output:?}");
}
