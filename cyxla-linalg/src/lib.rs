//! The LAPACK custom calls of JAX's CPU lowering, in pure Rust.
//!
//! JAX lowers `jnp.linalg`, `jax.lax.linalg` and `jax.scipy.linalg` to custom calls with names like `lapack_spotrf_ffi`:
//! `s`, `d`, `c`, `z` for f32, f64, c64, c128, then the routine of LAPACK. The numerics are one function per routine, generic
//! over `element::Element`, on column-major slices, with the conventions of LAPACK: info numbers, pivots that count from
//! one, reflectors `I − τ v vᴴ`.
//!
//! | file | routines |
//! |---|---|
//! | `cholesky.rs` | potrf |
//! | `lu.rs` | getrf |
//! | `qr.rs`, `reflectors.rs`, `pivoted_qr.rs` | geqrf; orgqr/ungqr, ormqr/unmqr; geqp3 |
//! | `triangular.rs` | trsm |
//! | `svd.rs`, `bidiagonal_qr.rs` | gesdd, gesvd |
//! | `eigh.rs`, `symmetric_qr.rs`, `tridiagonal.rs` | syevd/heevd; sytrd/hetrd |
//! | `schur.rs`, `francis.rs`, `complex_qr.rs`, `sweep_window.rs`, `hessenberg.rs` | gees; gehrd |
//! | `eig.rs`, `balance.rs`, `schur_vectors.rs` | geev |
//! | `tridiagonal_solve.rs` | gtsv, the perturbed solve |
//! | `sparse.rs` | CSR times dense |
//!
//! `handlers/` takes the frames of calls apart, `batch.rs` walks the matrices of a batch, a large one over the
//! threads of `pool.rs`, and [`targets`] has the names.
//!
//! The source of names, buffers and attributes is jax/_src/lax/linalg.py; that of the semantics, jaxlib/cpu/lapack_kernels.h.

#![forbid(unsafe_code)]
#![allow(
    clippy::inline_always,
    reason = "only what is inlined into a kernel is compiled for its level of the instruction set"
)]
#![allow(
    clippy::many_single_char_names,
    clippy::similar_names,
    reason = "the names of LAPACK's papers: a, b, x, y, q, r, u, v"
)]
#![cfg_attr(
    test,
    allow(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
        reason = "the sizes and numbers of tests are small"
    )
)]

mod balance;
mod batch;
mod bidiagonal_qr;
mod cholesky;
mod columns;
mod complex_qr;
mod eig;
mod eigh;
mod element;
mod francis;
mod handlers;
mod hessenberg;
mod householder;
mod lu;
mod matrix;
mod options;
mod pivoted_qr;
mod pool;
mod qr;
mod range;
mod reflectors;
mod rotation;
mod schur;
mod schur_vectors;
mod scratch;
mod shapes;
mod simd;
mod sparse;
mod svd;
mod sweep_window;
mod symmetric_qr;
mod targets;
#[cfg(test)]
mod testing;
mod triangular;
mod tridiagonal;
mod tridiagonal_solve;
mod window;

pub use targets::{Target, targets};
