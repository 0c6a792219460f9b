//! The case runner, on small cases for each of its outcomes.

#![allow(clippy::unwrap_used, reason = "a test")]

use std::path::Path;
use std::process::{Command, Output};

use cyxla_tests::cases::{Outcome, Row};

fn run(arguments: &[&str]) -> (Output, Vec<Row>) {
    let json = tempfile::NamedTempFile::new().unwrap();
    let plugins = cyxla_test_environment::plugins();
    let output = Command::new(env!("CARGO_BIN_EXE_cases"))
        .arg("--python")
        .arg(cyxla_test_environment::main().interpreter())
        .arg("--plugin")
        .arg(&plugins[0])
        .arg("--json")
        .arg(json.path())
        .args(arguments)
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")))
        .output()
        .unwrap();
    let rows = serde_json::from_slice(&std::fs::read(json.path()).unwrap()).unwrap();
    (output, rows)
}

#[test]
fn a_case_that_agrees_is_ok_and_timed() {
    let (output, rows) = run(&["cases", "agrees"]);
    assert!(output.status.success(), "{output:?}");
    let [row] = &rows[..] else { panic!("{rows:?}") };
    assert_eq!(
        (row.outcome, row.difference),
        (Outcome::Ok, Some(0.0)),
        "{row:?}"
    );
    assert_eq!((row.arguments, row.results), (Some(2), Some(3)));
    for seconds in [
        row.lower_seconds,
        row.compile_seconds,
        row.load_seconds,
        row.call_seconds,
    ] {
        assert!(seconds.is_some_and(|seconds| seconds > 0.0), "{row:?}");
    }
}

#[test]
fn each_bad_case_is_a_row() {
    let names = ["calls_back", "differs", "kills", "raises"];
    let (output, rows) = run(&[&["cases"][..], &names].concat());
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let outcomes: Vec<_> = rows
        .iter()
        .map(|row| (row.name.as_str(), row.outcome))
        .collect();
    let expected = [
        ("calls_back", Outcome::NotExportable),
        ("differs", Outcome::Differs),
        ("kills", Outcome::Fails),
        ("raises", Outcome::Fails),
    ];
    assert_eq!(outcomes, expected, "{rows:?}");
    let reasons: Vec<_> = rows.iter().map(|row| row.reason.as_str()).collect();
    assert!(reasons[0].contains("pure_callback"), "{reasons:?}");
    assert!(reasons[1].starts_with("result[1] by "), "{reasons:?}");
    assert!(
        reasons[2].starts_with("killed by signal 9 while JAX evaluated it"),
        "{reasons:?}"
    );
    assert_eq!(reasons[3], "JAX itself fails: ValueError: no answer");
}

#[test]
fn a_case_that_hangs_is_ended() {
    let (output, rows) = run(&["--time-limit", "3", "cases", "hangs"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert_eq!(rows[0].reason, "not done after 3 s, while JAX evaluated it");
}
