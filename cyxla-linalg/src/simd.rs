//! Vector kernels over contiguous slices, compiled for each level of the instruction set and chosen at run time.
//!
//! An algorithm that uses them is itself run through [`pulp::Arch::dispatch`], with its loops inlined into that call: one
//! choice per matrix, not per column. `FUSED` says whether the level has a fused multiply-add.

use crate::element::Element;

/// Partial sums that a dot product is split into, to keep the pipelines of the processor busy.
const LANES: usize = 16;

/// `y += a x`, on the length that both have.
#[inline(always)]
pub(crate) fn axpy<T: Element, const FUSED: bool>(a: T, x: &[T], y: &mut [T]) {
    for (y, &x) in y.iter_mut().zip(x) {
        *y = x.mul_add::<FUSED>(a, *y);
    }
}

/// `Σ conj(x) y`, on the length that both have.
#[inline(always)]
pub(crate) fn dot_conj<T: Element, const FUSED: bool>(x: &[T], y: &[T]) -> T {
    let n = x.len().min(y.len());
    let (x, y) = (&x[..n], &y[..n]);
    let (xs, x_rest) = x.as_chunks::<LANES>();
    let (ys, y_rest) = y.as_chunks::<LANES>();
    let mut partial = [T::ZERO; LANES];
    for (x, y) in xs.iter().zip(ys) {
        for lane in 0..LANES {
            partial[lane] = x[lane].conj().mul_add::<FUSED>(y[lane], partial[lane]);
        }
    }
    let mut sum = T::ZERO;
    for (&x, &y) in x_rest.iter().zip(y_rest) {
        sum = x.conj().mul_add::<FUSED>(y, sum);
    }
    let mut width = LANES / 2;
    while width > 0 {
        for lane in 0..width {
            partial[lane] += partial[lane + width];
        }
        width /= 2;
    }
    sum + partial[0]
}

/// `x *= a`.
#[inline(always)]
pub(crate) fn scale<T: Element>(a: T, x: &mut [T]) {
    for x in x {
        *x *= a;
    }
}
