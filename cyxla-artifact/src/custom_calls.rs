//! Whose job a custom call is: XLA's, that of the crate `cyxla-linalg`, or a user's.
//!
//! These lists are the only ones: the build script sends them to Python, the run time asks them, and tests compare them with
//! what `cyxla-linalg` serves and with what JAX lowers to.

/// A row of LAPACK has four names: one letter per element type, and a routine that is named otherwise for complex types.
macro_rules! lapack {
    ($($real:literal $complex:literal)*; $($name:literal)*) => {
        &[
            $(
                concat!("lapack_s", $real, "_ffi"),
                concat!("lapack_d", $real, "_ffi"),
                concat!("lapack_c", $complex, "_ffi"),
                concat!("lapack_z", $complex, "_ffi"),
            )*
            $($name,)*
        ]
    };
}

/// The custom calls that JAX's CPU lowering of `jnp.linalg`, `jax.lax.linalg`, `jax.scipy.linalg` and
/// `jax.experimental.sparse` makes, and that the crate `cyxla-linalg` has handlers for. Programs may make them without
/// naming them.
///
/// Source: `register_cpu_gpu_lowering` and its callers in jax/_src/lax/linalg.py, jax/experimental/sparse/_lowerings.py.
pub const LINALG_CALLS: &[&str] = lapack![
    "potrf" "potrf"
    "getrf" "getrf"
    "geqrf" "geqrf"
    "orgqr" "ungqr"
    "ormqr" "unmqr"
    "geqp3" "geqp3"
    "trsm" "trsm"
    "gtsv" "gtsv"
    "gesdd" "gesdd"
    "gesvd" "gesvd"
    "syevd" "heevd"
    "geev" "geev"
    "gees" "gees"
    "gehrd" "gehrd"
    "sytrd" "hetrd";
    "tridiagonal_solve_perturbed_ffi"
    "cpu_csr_sparse_dense_ffi"
];

/// The custom calls that XLA replaces by code of its own on every platform: no handler is ever looked up.
pub const XLA_CALLS: &[&str] = &[
    "AllocateBuffer",
    "ApproxTopK",
    "Eigh",
    "LayoutConstraint",
    "MoveToDevice",
    "MoveToHost",
    "ProductOfElementaryHouseholderReflectors",
    "Qr",
    "SPMDFullToShardShape",
    "SPMDShardToFullShape",
    "Sharding",
    "TopK",
    "annotate_device_placement",
];

/// What the names of further calls begin with that XLA, or its reading of StableHLO, replaces: `mhlo.topk`, `chlo.erf`.
pub const XLA_CALL_PREFIXES: &[&str] = &["chlo.", "mhlo.", "sdy.", "stablehlo.", "xla.sdy."];

/// Whether XLA replaces the custom call `target` by code of its own.
///
/// ```
/// assert!(cyxla_artifact::is_xla_call("ApproxTopK") && cyxla_artifact::is_xla_call("mhlo.topk"));
/// assert!(!cyxla_artifact::is_xla_call("lapack_spotrf_ffi"));
/// ```
pub fn is_xla_call(target: &str) -> bool {
    XLA_CALLS.contains(&target)
        || XLA_CALL_PREFIXES
            .iter()
            .any(|prefix| target.starts_with(prefix))
}
