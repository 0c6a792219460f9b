//! Vector kernels over contiguous slices, compiled for each level of the instruction set and chosen at run time.

use pulp::{Simd, WithSimd};

use crate::element::Element;

/// Partial sums that a dot product is split into, to keep the pipelines of the processor busy.
const LANES: usize = 16;

/// An algorithm that runs at the best level of the instruction set that the processor has.
///
/// `run` and the loops that it calls are marked `#[inline(always)]`: only what is inlined into the call is compiled for that
/// level.
pub(crate) trait Kernel {
    /// What the algorithm answers.
    type Output;

    /// The algorithm. `FUSED` says whether the level has a fused multiply-add.
    fn run<const FUSED: bool>(self) -> Self::Output;
}

struct AtLevel<K>(K);

impl<K: Kernel> WithSimd for AtLevel<K> {
    type Output = K::Output;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> K::Output {
        const HAS_FUSED: bool = cfg!(any(
            target_arch = "x86",
            target_arch = "x86_64",
            target_arch = "aarch64"
        ));
        if HAS_FUSED && !S::IS_SCALAR {
            self.0.run::<true>()
        } else {
            self.0.run::<false>()
        }
    }
}

/// Runs `kernel` at the best level of the instruction set that the processor has.
#[inline]
pub(crate) fn vectorised<K: Kernel>(kernel: K) -> K::Output {
    pulp::Arch::new().dispatch(AtLevel(kernel))
}

/// `y += a x`, on the length that both have.
#[inline(always)]
pub(crate) fn axpy<T: Element, const FUSED: bool>(a: T, x: &[T], y: &mut [T]) {
    for (y, &x) in y.iter_mut().zip(x) {
        *y = x.mul_add::<FUSED>(a, *y);
    }
}

/// `y += Σ c[k] x[k]`: four steps of [`axpy`] in one pass over `y`, to whose length the `x` are cut.
#[inline(always)]
pub(crate) fn axpy4<T: Element, const FUSED: bool>(c: [T; 4], x: [&[T]; 4], y: &mut [T]) {
    let n = y.len();
    let [x0, x1, x2, x3] = x.map(|x| &x[..n]);
    for i in 0..n {
        let first = x0[i].mul_add::<FUSED>(c[0], y[i]);
        let second = x1[i].mul_add::<FUSED>(c[1], first);
        let third = x2[i].mul_add::<FUSED>(c[2], second);
        y[i] = x3[i].mul_add::<FUSED>(c[3], third);
    }
}

/// `Σ conj(x) y`, on the length that both have.
#[inline(always)]
pub(crate) fn dot_conj<T: Element, const FUSED: bool>(x: &[T], y: &[T]) -> T {
    let n = x.len().min(y.len());
    let (xs, x_rest) = x[..n].as_chunks::<LANES>();
    let (ys, y_rest) = y[..n].as_chunks::<LANES>();
    let mut rest = T::ZERO;
    for (&x, &y) in x_rest.iter().zip(y_rest) {
        rest = x.conj().mul_add::<FUSED>(y, rest);
    }
    if xs.is_empty() {
        return rest;
    }
    let mut partial = [T::ZERO; LANES];
    for (x, y) in xs.iter().zip(ys) {
        for lane in 0..LANES {
            partial[lane] = x[lane].conj().mul_add::<FUSED>(y[lane], partial[lane]);
        }
    }
    let mut width = LANES / 2;
    while width > 0 {
        for lane in 0..width {
            partial[lane] += partial[lane + width];
        }
        width /= 2;
    }
    rest + partial[0]
}

/// `x *= a`.
#[inline(always)]
pub(crate) fn scale<T: Element>(a: T, x: &mut [T]) {
    for x in x {
        *x *= a;
    }
}
