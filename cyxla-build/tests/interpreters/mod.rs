//! Where the tests of the lowering find real JAX.

use std::path::PathBuf;

/// An interpreter for each version of JAX that can run here.
pub(crate) fn interpreters() -> Vec<PathBuf> {
    let environments = cyxla_test_environment::JAX.map(cyxla_test_environment::jax);
    environments
        .iter()
        .flatten()
        .map(|environment| environment.interpreter().to_owned())
        .collect()
}
