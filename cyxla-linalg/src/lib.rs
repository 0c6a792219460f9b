//! The LAPACK custom calls of JAX's CPU lowering, in pure Rust.
//!
//! JAX lowers `jnp.linalg`, `jax.lax.linalg` and `jax.scipy.linalg` to custom calls with names like `lapack_spotrf_ffi`:
//! `s`, `d`, `c`, `z` for f32, f64, c64, c128, then the routine of LAPACK. The numerics are one function per routine, generic
//! over [`element::Element`], on column-major slices, with the conventions of LAPACK: info numbers, pivots that count from
//! one, reflectors `I − τ v vᴴ`.
//!
//! | file | routines |
//! |---|---|
//! | `cholesky.rs` | potrf |
//! | `lu.rs` | getrf |
//! | `qr.rs`, `reflectors.rs`, `pivoted_qr.rs` | geqrf; orgqr/ungqr, ormqr/unmqr; geqp3 |
//! | `triangular.rs` | trsm |
//! | `tridiagonal_solve.rs` | gtsv, the perturbed solve |
//! | `sparse.rs` | CSR times dense |
//!
//! The source of names, buffers and attributes is jax/_src/lax/linalg.py; that of the semantics, jaxlib/cpu/lapack_kernels.h.

#![forbid(unsafe_code)]

mod cholesky;
mod columns;
mod element;
mod householder;
mod lu;
mod matrix;
mod options;
mod pivoted_qr;
mod qr;
mod range;
mod reflectors;
mod scratch;
mod simd;
mod sparse;
#[cfg(test)]
mod testing;
mod triangular;
mod tridiagonal_solve;
