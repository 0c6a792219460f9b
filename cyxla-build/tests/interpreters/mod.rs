//! Where the tests of the lowering find real JAX.

use std::path::PathBuf;

/// The interpreters that the environment variable `CYXLA_TEST_PYTHON` names, as many as in a PATH.
pub(crate) fn interpreters() -> Vec<PathBuf> {
    let named = std::env::var_os("CYXLA_TEST_PYTHON").unwrap_or_default();
    let found: Vec<_> = std::env::split_paths(&named)
        .filter(|path| path.is_file())
        .collect();
    if found.is_empty() {
        eprintln!("the lowering is NOT tested: CYXLA_TEST_PYTHON names no Python with JAX");
    }
    found
}
