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

fn found(interpreter: &Path) -> Found {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/linalg/targets.py");
    let output = Command::new(interpreter)
        .arg("-B")
        .arg(script)
        .env("JAX_PLATFORMS", "cpu")
        .stderr(Stdio::inherit())
        .output()
        .unwrap();
    assert!(output.status.success());
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn every_public_function_calls_only_what_has_a_handler() {
    let interpreter = cyxla_test_environment::main().interpreter();
    let found = found(interpreter);
    assert_eq!(found.problems, [""; 0], "JAX {}", found.jax);
    let unknown: Vec<_> = found
        .targets
        .iter()
        .filter(|(target, _)| !is_xla_call(target) && !LINALG_CALLS.contains(&target.as_str()))
        .collect();
    assert!(unknown.is_empty(), "JAX {}: {unknown:?}", found.jax);
    // And the list has nothing that nobody calls.
    let uncalled: Vec<_> = LINALG_CALLS
        .iter()
        .filter(|target| !found.targets.contains_key(**target))
        .collect();
    assert!(uncalled.is_empty(), "JAX {}: {uncalled:?}", found.jax);
    assert!(found.lowered > 1000, "only {}", found.lowered);
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
