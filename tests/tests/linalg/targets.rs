//! Every custom call of JAX's linear algebra has a handler, or is one of XLA's own.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Command, Stdio};

use cyxla_artifact::{LINALG_CALLS, is_xla_call};
use serde::Deserialize;

/// What `targets.py` says.
#[derive(Deserialize)]
struct Found {
    jax: String,
    problems: Vec<String>,
    /// The targets, each with a case that takes it.
    targets: BTreeMap<String, String>,
    lowered: usize,
}

/// Lowers everything for these element types, or for all if there are none here.
fn found(interpreter: &Path, dtypes: &[&str]) -> Found {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/linalg/targets.py");
    let output = Command::new(interpreter)
        .arg("-B")
        .arg(script)
        .args(dtypes)
        .env("JAX_PLATFORMS", "cpu")
        .stderr(Stdio::inherit())
        .output()
        .unwrap();
    assert!(output.status.success());
    serde_json::from_slice(&output.stdout).unwrap()
}

impl Found {
    #[track_caller]
    fn assert_handled(&self) {
        assert_eq!(self.problems, [""; 0], "JAX {}", self.jax);
        let unknown: Vec<_> = self
            .targets
            .iter()
            .filter(|(target, _)| !is_xla_call(target) && !LINALG_CALLS.contains(&target.as_str()))
            .collect();
        assert!(unknown.is_empty(), "JAX {}: {unknown:?}", self.jax);
    }
}

#[test]
fn every_public_function_calls_only_what_has_a_handler() {
    let found = found(cyxla_test_environment::main().interpreter(), &[]);
    found.assert_handled();
    // And the list has nothing that nobody calls.
    let uncalled: Vec<_> = LINALG_CALLS
        .iter()
        .filter(|target| !found.targets.contains_key(**target))
        .collect();
    assert!(uncalled.is_empty(), "JAX {}: {uncalled:?}", found.jax);
    assert!(found.lowered > 1000, "only {}", found.lowered);
}

/// Of each routine, the names for single and for double precision differ by a letter: one real and one complex type show all.
fn every_public_function_of(version: &str) {
    let Some(environment) = cyxla_test_environment::jax(version) else {
        return;
    };
    let found = found(environment.interpreter(), &["float32", "complex64"]);
    assert_eq!(found.jax, version);
    found.assert_handled();
    assert!(found.lowered > 1000, "only {}", found.lowered);
}

#[test]
fn every_public_function_of_jax_0_6_calls_only_what_has_a_handler() {
    every_public_function_of("0.6.2");
}

#[test]
fn every_public_function_of_jax_0_8_calls_only_what_has_a_handler() {
    every_public_function_of("0.8.3");
}

#[test]
fn every_public_function_of_jax_0_12_calls_only_what_has_a_handler() {
    every_public_function_of("0.12.0.1");
}

#[test]
fn the_build_knows_exactly_what_has_a_handler() {
    let served: BTreeSet<_> = cyxla_linalg::targets()
        .iter()
        .map(|(name, _)| *name)
        .collect();
    let listed: BTreeSet<_> = LINALG_CALLS.iter().copied().collect();
    assert_eq!(served, listed);
}
