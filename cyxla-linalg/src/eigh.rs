//! syevd and heevd: eigenvalues and eigenvectors of a Hermitian matrix.

use faer::dyn_stack::{MemStack, StackReq};
use faer::linalg::evd::{
    ComputeEigenvectors, SelfAdjointEvdParams, self_adjoint_evd, self_adjoint_evd_scratch,
};
use faer::{Auto, Par, diag::DiagMut};

use crate::columns::Columns;
use crate::element::{Element, Number};
use crate::householder::apply_reflectors;
use crate::options::Triangle;
use crate::range::{is_finite, largest_part, scaling, scaling_to_one};
use crate::scratch::zeros;
use crate::simd::{Kernel, vectorised};
use crate::symmetric_qr::diagonalize;
use crate::tridiagonal::reduce;

/// The size from which faer's blocked reduction and divide and conquer are quicker than the QR algorithm; that turns complex
/// eigenvectors at twice the cost.
const fn large_from<T: Element>() -> usize {
    if T::IS_REAL { 160 } else { 96 }
}

fn params<T: Element>() -> faer::Spec<SelfAdjointEvdParams, T> {
    faer::Spec::new(Auto::<T>::auto())
}

/// What [`eigh`] needs beside its arguments for matrices of `n` rows.
pub(crate) fn scratch<T: Element>(n: usize) -> StackReq {
    let own = StackReq::all_of(&[
        StackReq::new::<T>(n * n),
        StackReq::new::<T::Real>(if T::IS_REAL { 0 } else { n * n }),
        StackReq::new::<T>(n).array(2),
        StackReq::new::<T::Real>(n).array(2),
        StackReq::new::<usize>(n),
    ]);
    if n < large_from::<T>() {
        return own;
    }
    let faer = self_adjoint_evd_scratch::<T>(n, ComputeEigenvectors::Yes, Par::Seq, params::<T>());
    own.or(StackReq::new::<T>(n * n)
        .and(StackReq::new::<T>(n))
        .and(faer))
}

/// Replaces the Hermitian matrix of which `a` holds one triangle, column-major with `n` rows, by its eigenvectors, and writes
/// the eigenvalues to `w`, ascending.
///
/// Returns LAPACK's info: zero, or how many elements beside the diagonal didn't vanish. A matrix that isn't finite has none
/// that do.
pub(crate) fn eigh<T: Element>(
    triangle: Triangle,
    n: usize,
    a: &mut [T],
    w: &mut [T::Real],
    stack: &mut MemStack,
) -> i32 {
    let a = &mut a[..n * n];
    let w = &mut w[..n];
    let mut columns = Columns::new(a, n);
    if triangle == Triangle::Upper {
        for j in 0..n {
            for i in j + 1..n {
                columns.set(i, j, Number::conj(columns.at(j, i)));
            }
        }
    }
    let mut largest = T::Real::ZERO;
    let mut invalid = T::Real::ZERO;
    for j in 0..n {
        let part = largest_part(&columns.column(j)[j..]);
        // No comparison with NaN holds: the sum keeps it.
        invalid += part * T::Real::ZERO;
        largest = if part > largest { part } else { largest };
    }
    if !is_finite(largest + invalid) {
        return i32::try_from(n).unwrap_or(i32::MAX);
    }
    let is_large = n >= large_from::<T>();
    let factor = if is_large {
        scaling_to_one(largest)
    } else {
        scaling(largest)
    };
    if let Some(factor) = factor {
        for x in a.iter_mut() {
            *x = x.scale(factor);
        }
    }
    let info = if is_large {
        large(n, a, w, stack)
    } else {
        vectorised(Small { n, a, w, stack })
    };
    if let Some(factor) = factor {
        for w in w.iter_mut() {
            *w /= factor;
        }
    }
    info
}

struct Small<'a, T: Element> {
    n: usize,
    a: &'a mut [T],
    w: &'a mut [T::Real],
    stack: &'a mut MemStack,
}

impl<T: Element> Kernel for Small<'_, T> {
    type Output = i32;

    #[inline(always)]
    fn run<const FUSED: bool>(self) -> i32 {
        let Self { n, a, w, stack } = self;
        let (mut z, stack) = zeros::<T>(stack, n * n);
        let (mut turned, stack) = zeros::<T::Real>(stack, if T::IS_REAL { 0 } else { n * n });
        let (mut tau, stack) = stack.make_with(n, |_| T::ZERO);
        let (mut work, stack) = stack.make_with(n, |_| T::ZERO);
        let (mut d, stack) = stack.make_with(n, |_| T::Real::ZERO);
        let (mut e, stack) = stack.make_with(n, |_| T::Real::ZERO);
        let (mut order, _) = stack.make_with(n, |i| i);
        let mut a = Columns::new(a, n);
        let mut z = Columns::new(&mut z, n);
        reduce::<T, FUSED>(Triangle::Lower, &mut a, &mut d, &mut e, &mut tau, &mut work);
        let taus = &tau[..n.saturating_sub(1)];
        let info = if T::IS_REAL {
            z.set_identity(n);
            apply_reflectors::<T, FUSED>(&a, taus, 1, &mut z, n, true);
            diagonalize(&mut d, &mut e, Some(z.reborrow()))
        } else {
            // The vectors of the tridiagonal matrix are real: half the work.
            let mut turned = Columns::new(&mut turned, n);
            turned.set_identity(n);
            let info = diagonalize(&mut d, &mut e, Some(turned.reborrow()));
            z.widen(&turned, n);
            apply_reflectors::<T, FUSED>(&a, taus, 1, &mut z, n, false);
            info
        };
        sort_by(&mut order, |i, j| d[i] < d[j]);
        for (j, &from) in order.iter().enumerate() {
            w[j] = d[from];
            a.column_mut(j).copy_from_slice(z.column(from));
        }
        i32::try_from(info).unwrap_or(i32::MAX)
    }
}

/// Sorts `order` such that `before` holds from each to the next; a few rows: by insertion.
#[inline(always)]
pub(crate) fn sort_by(order: &mut [usize], before: impl Fn(usize, usize) -> bool) {
    for end in 1..order.len() {
        let mut at = end;
        while at > 0 && before(order[at], order[at - 1]) {
            order.swap(at, at - 1);
            at -= 1;
        }
    }
}

fn large<T: Element>(n: usize, a: &mut [T], w: &mut [T::Real], stack: &mut MemStack) -> i32 {
    let (given, stack) = stack.make_with(n * n, |i| a[i]);
    let (mut s, stack) = stack.make_with(n, |_| T::ZERO);
    let given = faer::MatRef::from_column_major_slice(&given, n, n);
    let vectors = faer::MatMut::from_column_major_slice_mut(a, n, n);
    let values = DiagMut::from_slice_mut(&mut s);
    match self_adjoint_evd(given, values, Some(vectors), Par::Seq, stack, params::<T>()) {
        Ok(()) => {
            for (w, s) in w.iter_mut().zip(s.iter()) {
                *w = s.re();
            }
            0
        }
        Err(_) => i32::try_from(n).unwrap_or(i32::MAX),
    }
}

#[cfg(test)]
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_precision_loss,
    reason = "sizes of matrices are small"
)]
mod tests {
    use super::*;
    use crate::element::Real;
    use crate::scratch::with_scratch;
    use crate::testing::{
        Numbers, Tested, Wide, assert_as_exact_as_lapack, distance, for_each_type, hermitian,
        residual_of_eigenvectors, sizes,
    };

    fn decompose<T: Tested>(triangle: Triangle, n: usize, a: &mut [T]) -> (i32, Vec<T::Real>) {
        let mut w = vec![T::Real::ZERO; n];
        let info = with_scratch(scratch::<T>(n), |stack| eigh(triangle, n, a, &mut w, stack));
        (info, w)
    }

    /// Checks the decomposition of a matrix, and answers the residual and the distance of the vectors from orthogonality.
    fn residuals<T: Tested>(triangle: Triangle, n: usize, a: &[T]) -> [f64; 2] {
        let mut v = a.to_vec();
        let (info, w) = decompose(triangle, n, &mut v);
        assert_eq!(info, 0);
        assert!(w.is_sorted(), "eigenvalues ascend: {w:?}");
        let w: Vec<_> = w.iter().map(|&w| T::from_re(w)).collect();
        let v = Wide::new(n, n, &v);
        let residual = residual_of_eigenvectors(&Wide::new(n, n, a), &v, &Wide::new(n, 1, &w));
        [residual, distance(&v.adjoint(), &v, &Wide::identity(n))]
    }

    fn random_matrices<T: Tested>() {
        for n in sizes() {
            for triangle in [Triangle::Lower, Triangle::Upper] {
                let [residual, orthogonal] = residuals::<T>(triangle, n, &hermitian(n, n));
                assert_as_exact_as_lapack::<T>("syevd", n, residual);
                assert_as_exact_as_lapack::<T>("syevd-orthogonal", n, orthogonal);
            }
        }
    }

    #[test]
    fn eigenvectors_are_as_exact_as_those_of_lapack() {
        for_each_type!(random_matrices);
    }

    fn large_matrices<T: Tested>() {
        let n = 200;
        let bound = 40.0 * 200.0_f64.sqrt() * T::unit_roundoff();
        for triangle in [Triangle::Lower, Triangle::Upper] {
            let [residual, orthogonal] = residuals::<T>(triangle, n, &hermitian(n, n));
            assert!(
                residual <= bound && orthogonal <= n as f64 * bound,
                "{residual} {orthogonal}"
            );
        }
    }

    #[test]
    fn large_matrices_are_decomposed_by_divide_and_conquer() {
        for_each_type!(large_matrices);
    }

    fn toeplitz<T: Tested>() {
        for n in [1, 2, 3, 10, 64, 127, 200] {
            let value = |i: usize, j: usize| match i.abs_diff(j) {
                0 => 2.0,
                1 => -1.0,
                _ => 0.0,
            };
            let mut a: Vec<T> = (0..n * n)
                .map(|k| T::from_re(T::Real::from_f64(value(k % n, k / n))))
                .collect();
            let (info, w) = decompose(Triangle::Lower, n, &mut a);
            assert_eq!(info, 0);
            for (k, &w) in (1..).zip(&w) {
                let angle = std::f64::consts::PI * f64::from(k) / (n as f64 + 1.0);
                let error = (T::from_re(w).wide().re - (2.0 - 2.0 * angle.cos())).abs();
                assert!(
                    error <= 30.0 * T::unit_roundoff() * (n as f64).sqrt(),
                    "{k} of {n}: {error}"
                );
            }
        }
    }

    #[test]
    fn second_differences_have_the_eigenvalues_of_the_sine_transform() {
        for_each_type!(toeplitz);
    }

    fn one_triangle<T: Tested>() {
        let n = 9;
        let a = hermitian::<T>(n, n);
        let (_, expected) = decompose(Triangle::Lower, n, &mut a.clone());
        for triangle in [Triangle::Lower, Triangle::Upper] {
            let mut half = a.clone();
            for j in 0..n {
                for i in 0..n {
                    if (i > j) != (triangle == Triangle::Lower) && i != j {
                        half[j * n + i] = T::from_re(T::Real::from_f64(f64::NAN));
                    }
                }
            }
            let (info, w) = decompose(triangle, n, &mut half);
            assert_eq!(info, 0);
            for (w, expected) in w.iter().zip(&expected) {
                let error = (*w - *expected).magnitude();
                assert!(error <= T::Real::from_f64(40.0) * T::Real::EPSILON);
            }
        }
    }

    #[test]
    fn only_the_triangle_that_is_named_is_read() {
        for_each_type!(one_triangle);
    }

    fn special<T: Tested>() {
        let real = |x: f64| T::from_re(T::Real::from_f64(x));
        for n in [1, 2, 5, 30, 200] {
            let diagonal = |value: &dyn Fn(usize) -> f64| -> Vec<T> {
                let at = |k: usize| if k % n == k / n { value(k % n) } else { 0.0 };
                (0..n * n).map(|k| real(at(k))).collect()
            };
            let (info, w) = decompose(Triangle::Lower, n, &mut diagonal(&|_| 0.0));
            assert_eq!((info, w), (0, vec![T::Real::ZERO; n]), "zero");
            let (info, w) = decompose(Triangle::Upper, n, &mut diagonal(&|_| 1.0));
            assert_eq!((info, w), (0, vec![T::Real::ONE; n]), "identity");
            let mut falling = diagonal(&|i| -(i as f64));
            let (info, w) = decompose(Triangle::Upper, n, &mut falling);
            let ascending = (0..n).rev().map(|i| T::Real::from_f64(-(i as f64)));
            assert_eq!(info, 0);
            for (w, expected) in w.into_iter().zip(ascending) {
                let bound = T::Real::from_f64(8.0 * n as f64) * T::Real::EPSILON;
                assert!((w - expected).magnitude() <= bound, "a diagonal");
            }
            let ones = vec![T::ONE; n * n];
            let [residual, orthogonal] = residuals(Triangle::Lower, n, &ones);
            let bound = 20.0 * n as f64 * T::unit_roundoff();
            assert!(residual <= bound && orthogonal <= bound, "rank one");
        }
    }

    #[test]
    fn zero_identity_diagonal_and_rank_one_are_decomposed() {
        for_each_type!(special);
    }

    fn extremes<T: Tested>() {
        for n in [2, 7, 40, 200] {
            let a = hermitian::<T>(n, n);
            let (_, expected) = decompose(Triangle::Lower, n, &mut a.clone());
            let tiny = T::Real::SAFE_MINIMUM;
            for size in [tiny, T::Real::ONE / tiny / T::Real::from_f64(1024.0)] {
                let mut scaled: Vec<T> = a.iter().map(|x| x.scale(size)).collect();
                let (info, w) = decompose(Triangle::Lower, n, &mut scaled);
                assert_eq!(info, 0);
                for (w, expected) in w.iter().zip(&expected) {
                    let error = (*w / size - *expected).magnitude();
                    // Numbers near the smallest have a fixed distance, eps of the size.
                    let bound = T::Real::from_f64(40.0 * n as f64) * T::Real::EPSILON;
                    assert!(error <= bound, "{n}: {error:?}");
                }
            }
        }
    }

    #[test]
    fn matrices_at_the_ends_of_the_range_keep_their_eigenvalues() {
        for_each_type!(extremes);
    }

    fn not_finite<T: Tested>() {
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            for n in [1, 3, 50, 200] {
                let mut a = hermitian::<T>(n, n);
                a[n - 1] = T::from_re(T::Real::from_f64(value));
                assert_ne!(decompose(Triangle::Lower, n, &mut a).0, 0);
            }
        }
    }

    #[test]
    fn a_matrix_that_is_not_finite_has_no_eigenvalues() {
        for_each_type!(not_finite);
    }

    fn wild<T: Tested>() {
        for n in [1, 2, 3, 8, 20] {
            for seed in 0..20 {
                let mut numbers = Numbers::new(seed);
                let mut a: Vec<T> = (0..n * n).map(|_| numbers.wild()).collect();
                let info = decompose(Triangle::Upper, n, &mut a).0;
                assert!((0..=i32::try_from(n).unwrap()).contains(&info));
            }
        }
    }

    #[test]
    fn numbers_out_of_the_ordinary_end() {
        for_each_type!(wild);
    }

    #[test]
    fn an_empty_matrix_has_no_eigenvalues() {
        assert_eq!(decompose::<f64>(Triangle::Lower, 0, &mut []), (0, vec![]));
    }
}
