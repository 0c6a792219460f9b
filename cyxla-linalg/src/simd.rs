//! Vector kernels over contiguous slices, compiled for each level of the instruction set and chosen at run time.

use num_complex::Complex;
use pulp::{Simd, WithSimd};

use crate::element::{Element, Real};

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
    T::dot_conj::<FUSED>(&x[..n], &y[..n])
}

/// [`crate::element::Number::dot_conj`] of real numbers.
#[inline(always)]
pub(crate) fn dot_real<R: Real, const FUSED: bool>(x: &[R], y: &[R]) -> R {
    let (xs, x_rest) = x.as_chunks::<LANES>();
    let (ys, y_rest) = y.as_chunks::<LANES>();
    let mut rest = R::ZERO;
    for (&x, &y) in x_rest.iter().zip(y_rest) {
        rest = x.mul_add::<FUSED>(y, rest);
    }
    if xs.is_empty() {
        return rest;
    }
    let mut partial = [R::ZERO; LANES];
    for (x, y) in xs.iter().zip(ys) {
        for lane in 0..LANES {
            partial[lane] = x[lane].mul_add::<FUSED>(y[lane], partial[lane]);
        }
    }
    rest + total(partial)
}

/// The sum of the lanes.
#[inline(always)]
fn total<R: Real, const COUNT: usize>(mut partial: [R; COUNT]) -> R {
    let mut width = COUNT / 2;
    while width > 0 {
        for lane in 0..width {
            partial[lane] += partial[lane + width];
        }
        width /= 2;
    }
    partial[0]
}

/// Real and imaginary parts that a complex dot product takes at a time.
const PARTS: usize = 8;

/// The parts with real and imaginary ones exchanged.
#[inline(always)]
fn exchanged<R: Real>(x: &[R; PARTS]) -> [R; PARTS] {
    std::array::from_fn(|part| x[part ^ 1])
}

/// [`crate::element::Number::dot_conj`] of complex numbers, given as their parts.
#[inline(always)]
pub(crate) fn dot_conj_complex<R: Real, const FUSED: bool>(x: &[R], y: &[R]) -> Complex<R> {
    // (x̄ y).re is x.re y.re + x.im y.im, (x̄ y).im is x.re y.im − x.im y.re.
    let (xs, x_rest) = x.as_chunks::<PARTS>();
    let (ys, y_rest) = y.as_chunks::<PARTS>();
    let mut straight = [R::ZERO; PARTS];
    let mut crossed = [R::ZERO; PARTS];
    for (x, y) in xs.iter().zip(ys) {
        let exchanged = exchanged(y);
        for part in 0..PARTS {
            straight[part] = x[part].mul_add::<FUSED>(y[part], straight[part]);
            crossed[part] = x[part].mul_add::<FUSED>(exchanged[part], crossed[part]);
        }
    }
    for part in (1..PARTS).step_by(2) {
        crossed[part] = -crossed[part];
    }
    let mut sum = Complex::new(total(straight), total(crossed));
    for (x, y) in x_rest
        .as_chunks::<2>()
        .0
        .iter()
        .zip(y_rest.as_chunks::<2>().0)
    {
        sum.re = x[1].mul_add::<FUSED>(y[1], x[0].mul_add::<FUSED>(y[0], sum.re));
        sum.im = x[0].mul_add::<FUSED>(y[1], (-x[1]).mul_add::<FUSED>(y[0], sum.im));
    }
    sum
}

/// `x *= a`.
#[inline(always)]
pub(crate) fn scale<T: Element>(a: T, x: &mut [T]) {
    for x in x {
        *x *= a;
    }
}
