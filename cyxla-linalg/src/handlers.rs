//! The custom calls: they take a frame apart, check it, and give each matrix of the batch to its routine.
//!
//! Matrices are column major, with the batch outside: that is the layout that JAX asks XLA for.

pub(crate) mod cholesky;
pub(crate) mod eig;
pub(crate) mod eigh;
pub(crate) mod hessenberg;
pub(crate) mod lu;
pub(crate) mod qr;
pub(crate) mod schur;
pub(crate) mod sparse;
pub(crate) mod svd;
pub(crate) mod triangular;
pub(crate) mod tridiagonal;
pub(crate) mod tridiagonal_solve;

use crate::element::Element;

/// An element type of both LAPACK and custom calls.
pub(crate) trait Lapack: Element + cyxla_ffi::Element {}

impl<T: Element + cyxla_ffi::Element> Lapack for T {}

/// An estimate of the operations on numbers of type `T`, in those on real ones: a complex product and sum take four.
#[allow(clippy::cast_precision_loss, reason = "an estimate")]
pub(crate) fn cost<T: Element>(factor: f64, sizes: [usize; 3]) -> f64 {
    let operations = sizes
        .iter()
        .fold(factor, |product, &size| product * size as f64);
    if T::IS_REAL {
        operations
    } else {
        4.0 * operations
    }
}
