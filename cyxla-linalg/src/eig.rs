//! geev: eigenvalues and eigenvectors of a square matrix.

use faer::dyn_stack::{MemStack, StackReq};
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use num_complex::Complex;

use crate::balance::Balance;
use crate::columns::Columns;
use crate::element::{Element, Number};
use crate::hessenberg;
use crate::householder::apply_reflectors;
use crate::range::{is_finite, largest_part, scaling};
use crate::schur::{Triangularize, clear_below_subdiagonal, spaced};
use crate::schur_vectors::{SchurForm, Widen, normalize};
use crate::scratch::zeros;
use crate::simd::{Kernel, vectorised};

/// An element type whose matrices [`geev`] decomposes.
pub(crate) trait Decompose: Triangularize + Widen {}

impl<T: Triangularize + Widen> Decompose for T {}

macro_rules! widen {
    ($($real:ident)*) => { $(
        impl Widen for $real {
            type Complex = Complex<$real>;

            #[inline(always)]
            fn widen(self) -> Complex<$real> {
                Complex::new(self, 0.0)
            }

            #[inline(always)]
            fn times(self, other: Complex<$real>) -> Complex<$real> {
                Complex::new(self * other.re, self * other.im)
            }

            #[inline(always)]
            fn parts(value: Complex<$real>) -> (Self, Self) {
                (value.re, value.im)
            }

            #[inline(always)]
            fn join(first: Self, second: Self) -> Complex<$real> {
                Complex::new(first, second)
            }
        }

        impl Widen for Complex<$real> {
            type Complex = Self;

            #[inline(always)]
            fn widen(self) -> Self {
                self
            }

            #[inline(always)]
            fn times(self, other: Self) -> Self {
                self * other
            }

            #[inline(always)]
            fn parts(value: Self) -> (Self, Self) {
                (value, Complex::new(0.0, 0.0))
            }

            #[inline(always)]
            fn join(first: Self, _second: Self) -> Self {
                first
            }
        }
    )* };
}

widen!(f32 f64);

/// What [`geev`] needs beside its arguments for matrices of `n` rows.
pub(crate) fn scratch<T: Decompose>(n: usize) -> StackReq {
    StackReq::all_of(&[
        StackReq::new::<T>(n * spaced(n)).array(4),
        StackReq::new::<T>(n).array(2),
        StackReq::new::<T::Complex>(n),
        StackReq::new::<T::Real>(n).array(2),
        StackReq::new::<usize>(n),
    ])
}

/// The eigenvalues of the column-major matrix `a` of `n` rows, and where asked for its left and right eigenvectors as the
/// columns of `vl` and `vr`: `vlᴴ A = Λ vlᴴ`, `A vr = vr Λ`.
///
/// `wr` gets the eigenvalues of a complex matrix; `wr` and `wi` the parts of those of a real one, of a pair of conjugates that
/// above the axis first. Vectors have norm one, complex ones a largest element that is real. Returns LAPACK's info: zero, −4 for a
/// matrix with NaN or infinity in it, or the number of the row, from one, below which eigenvalues were found.
#[allow(clippy::too_many_arguments, reason = "LAPACK's own")]
pub(crate) fn geev<T: Decompose>(
    n: usize,
    a: &[T],
    wr: &mut [T],
    wi: &mut [T],
    vl: Option<&mut [T::Complex]>,
    vr: Option<&mut [T::Complex]>,
    stack: &mut MemStack,
) -> i32 {
    let a = &a[..n * n];
    let largest = largest_part(a);
    if !is_finite(largest) {
        return -4;
    }
    if n == 0 {
        return 0;
    }
    let factor = scaling(largest).unwrap_or(T::Real::ONE);
    let info = vectorised(Form {
        n,
        a,
        wr,
        wi,
        vl,
        vr,
        factor,
        stack,
    });
    i32::try_from(info).unwrap_or(i32::MAX)
}

struct Form<'a, T: Decompose> {
    n: usize,
    a: &'a [T],
    wr: &'a mut [T],
    wi: &'a mut [T],
    vl: Option<&'a mut [T::Complex]>,
    vr: Option<&'a mut [T::Complex]>,
    factor: T::Real,
    stack: &'a mut MemStack,
}

impl<T: Decompose> Kernel for Form<'_, T> {
    type Output = usize;

    #[inline(always)]
    fn run<const FUSED: bool>(self) -> usize {
        let Self {
            n,
            a,
            wr,
            wi,
            vl,
            vr,
            factor,
            stack,
        } = self;
        let stride = spaced(n);
        let (mut h, stack) = zeros::<T>(stack, n * stride);
        let (mut z, stack) = zeros::<T>(stack, n * stride);
        let (mut x, stack) = zeros::<T>(stack, n * stride);
        let (mut v, stack) = zeros::<T>(stack, n * stride);
        let (mut tau, stack) = zeros::<T>(stack, n);
        let (mut work, stack) = zeros::<T>(stack, n);
        let (mut vector, stack) = zeros::<T::Complex>(stack, n);
        let (mut factors, stack) = zeros::<T::Real>(stack, n);
        let (mut sizes, stack) = zeros::<T::Real>(stack, n);
        let (mut places, _) = stack.make_with(n, |i| i);
        let mut h = Columns::with_stride(&mut h, n, stride);
        let mut q = Columns::with_stride(&mut z, n, stride);
        for j in 0..n {
            for (h, &a) in h.column_mut(j).iter_mut().zip(&a[j * n..]) {
                *h = a.scale(factor);
            }
        }
        let balance = Balance::of::<T, FUSED>(&mut h, &mut factors, &mut places);
        let (low, high) = (balance.low, balance.high);
        let tau = &mut tau[..n - 1];
        hessenberg::reduce::<T, FUSED>(low, high, &mut h, tau, &mut work);
        let wanted = vl.is_some() || vr.is_some();
        if wanted {
            q.set_identity(n);
            apply_reflectors::<T, FUSED>(&h, tau, 1, &mut q, n, true);
        }
        clear_below_subdiagonal(&mut h);
        let (wr, wi) = (&mut wr[..n], &mut wi[..if T::IS_REAL { n } else { 0 }]);
        let vectors = wanted.then(|| q.reborrow());
        let info = T::triangularize::<FUSED>(low, high, wanted, &mut h, vectors, wr, wi);
        if wanted && info == 0 {
            let schur = SchurForm::new(&h, &mut sizes);
            for (target, left) in [(vl, true), (vr, false)] {
                let Some(target) = target else { continue };
                let mut x = Columns::with_stride(&mut x, n, stride);
                let mut k = 0;
                while k < n {
                    let imaginary = wi.get(k).copied().unwrap_or(T::ZERO);
                    let pair = imaginary != T::ZERO;
                    let eigenvalue = T::join(wr[k], imaginary);
                    if left {
                        schur.left_vector(k, eigenvalue, &mut vector);
                    } else {
                        schur.right_vector(k, eigenvalue, &mut vector);
                    }
                    for (i, &value) in vector.iter().enumerate() {
                        let (first, second) = T::parts(value);
                        x.set(i, k, first);
                        if pair {
                            x.set(i, k + 1, second);
                        }
                    }
                    k += if pair { 2 } else { 1 };
                }
                product(&q, &x, &mut v, stride);
                let v = Columns::with_stride(&mut v, n, stride);
                write_vectors(&v, wi, &balance, left, target);
            }
        }
        let back = T::Real::ONE / factor;
        for w in wr.iter_mut().chain(wi) {
            *w = w.scale(back);
        }
        info
    }
}

/// `v = q x`.
fn product<T: Element>(q: &Columns<'_, T>, x: &Columns<'_, T>, v: &mut [T], stride: usize) {
    let n = q.rows();
    matmul(
        MatMut::from_column_major_slice_with_stride_mut(v, n, n, stride),
        Accum::Replace,
        MatRef::from_column_major_slice_with_stride(q.elements(), n, n, stride),
        MatRef::from_column_major_slice_with_stride(x.elements(), n, n, stride),
        T::ONE,
        Par::Seq,
    );
}

/// Writes the vectors that are held in `v`, for a real type each pair of conjugates in two columns.
#[inline(always)]
fn write_vectors<T: Decompose>(
    v: &Columns<'_, T>,
    wi: &[T],
    balance: &Balance<'_, T::Real>,
    left: bool,
    target: &mut [T::Complex],
) {
    let n = v.rows();
    let mut k = 0;
    while k < n {
        let pair = wi.get(k).is_some_and(|&imaginary| imaginary != T::ZERO);
        let (column, rest) = target[k * n..].split_at_mut(n);
        for (i, x) in column.iter_mut().enumerate() {
            *x = T::join(v.at(i, k), if pair { v.at(i, k + 1) } else { T::ZERO });
        }
        balance.undo(column, left);
        // Real vectors stay as they are but for the length.
        normalize(column, pair || !T::IS_REAL);
        if pair {
            for (conjugate, &x) in rest.iter_mut().zip(column.iter()) {
                *conjugate = Number::conj(x);
            }
        }
        k += if pair { 2 } else { 1 };
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
    use crate::range::modulus;
    use crate::scratch::with_scratch;
    use crate::testing::{
        Numbers, Tested, Wide, assert_as_exact_as_lapack, for_each_type, random,
        residual_of_eigenvectors, sizes,
    };

    struct Decomposed<T: Decompose> {
        info: i32,
        w: Vec<T::Complex>,
        vl: Vec<T::Complex>,
        vr: Vec<T::Complex>,
    }

    fn decompose<T: Decompose>(n: usize, a: &[T]) -> Decomposed<T> {
        let (mut wr, mut wi) = (vec![T::ZERO; n], vec![T::ZERO; n]);
        let (mut vl, mut vr) = (vec![T::Complex::ZERO; n * n], vec![T::Complex::ZERO; n * n]);
        let info = with_scratch(scratch::<T>(n), |stack| {
            geev(n, a, &mut wr, &mut wi, Some(&mut vl), Some(&mut vr), stack)
        });
        let w = wr
            .iter()
            .zip(&wi)
            .map(|(&re, &im)| T::join(re, im))
            .collect();
        Decomposed { info, w, vl, vr }
    }

    /// Checks how vectors are normalised, and answers the residuals of right and left ones.
    fn residuals<T>(n: usize, a: &[T]) -> [f64; 2]
    where
        T: Tested + Decompose<Complex: Tested>,
    {
        let Decomposed { info, w, vl, vr } = decompose(n, a);
        assert_eq!(info, 0);
        let bound = 8.0 * (n as f64).sqrt() * T::unit_roundoff();
        for vector in vl.chunks_exact(n).chain(vr.chunks_exact(n)) {
            let norm = Wide::new(n, 1, vector).norm();
            assert!((norm - 1.0).abs() <= bound, "norm {norm}");
            if vector.iter().any(|x| x.im() != T::Real::ZERO) {
                let real = |x: &T::Complex| x.im() == T::Real::ZERO;
                let sizes = vector.iter().map(|x| (x.wide().norm(), real(x)));
                let largest = sizes.clone().map(|(size, _)| size).fold(0.0, f64::max);
                let near = (1.0 - bound) * largest;
                assert!(sizes.into_iter().any(|(size, real)| real && size >= near));
            }
        }
        for (k, pair) in w.windows(2).enumerate() {
            if T::IS_REAL && pair[0].im() > T::Real::ZERO {
                assert_eq!(pair[1], Number::conj(pair[0]));
                for vectors in [&vl, &vr] {
                    let (first, second) = vectors[k * n..][..2 * n].split_at(n);
                    assert!(
                        first
                            .iter()
                            .zip(second)
                            .all(|(&x, &y)| y == Number::conj(x))
                    );
                }
            }
        }
        let a = Wide::new(n, n, a);
        let w = Wide::new(n, 1, &w);
        let conjugate = Wide::from_fn(n, 1, |i, j| w.at(i, j).conj());
        [
            residual_of_eigenvectors(&a, &Wide::new(n, n, &vr), &w),
            residual_of_eigenvectors(&a.adjoint(), &Wide::new(n, n, &vl), &conjugate),
        ]
    }

    fn random_matrices<T>()
    where
        T: Tested + Decompose<Complex: Tested>,
    {
        for n in sizes() {
            let [right, left] = residuals::<T>(n, &random(2 * n, n * n));
            assert_as_exact_as_lapack::<T>("geev-right", n, right);
            assert_as_exact_as_lapack::<T>("geev-left", n, left);
        }
    }

    #[test]
    fn eigenvectors_are_as_exact_as_those_of_lapack() {
        for_each_type!(random_matrices);
    }

    fn matrix<T: Tested>(n: usize, value: impl Fn(usize, usize) -> f64) -> Vec<T> {
        (0..n * n)
            .map(|k| T::from_re(T::Real::from_f64(value(k % n, k / n))))
            .collect()
    }

    /// The distance of each expected eigenvalue from the nearest one found.
    fn distances<C: Tested>(found: &[C], expected: &[Complex<f64>]) -> Vec<f64> {
        let nearest = |e: &Complex<f64>| {
            found
                .iter()
                .map(|w| (w.wide() - e).norm())
                .fold(f64::INFINITY, f64::min)
        };
        expected.iter().map(nearest).collect()
    }

    fn companion<T>()
    where
        T: Tested + Decompose<Complex: Tested>,
    {
        // (x − 1)(x − 2)(x − 3)(x − 4) = x⁴ − 10 x³ + 35 x² − 50 x + 24
        let top = [10.0, -35.0, 50.0, -24.0];
        let a = matrix::<T>(4, |i, j| {
            if i == 0 {
                top[j]
            } else {
                f64::from(u8::from(i == j + 1))
            }
        });
        let expected = [1.0, 2.0, 3.0, 4.0].map(|x| Complex::new(x, 0.0));
        for distance in distances(&decompose(4, &a).w, &expected) {
            assert!(distance <= 1e3 * T::unit_roundoff(), "{distance}");
        }
    }

    #[test]
    fn eigenvalues_of_a_companion_matrix_are_the_roots() {
        for_each_type!(companion);
    }

    fn cyclic<T>()
    where
        T: Tested + Decompose<Complex: Tested>,
    {
        for n in [2, 3, 8, 31] {
            let a = matrix::<T>(n, |i, j| f64::from(u8::from(i == (j + 1) % n)));
            let turn = 2.0 * std::f64::consts::PI / n as f64;
            let expected: Vec<_> = (0..n)
                .map(|k| Complex::from_polar(1.0, turn * k as f64))
                .collect();
            for distance in distances(&decompose(n, &a).w, &expected) {
                assert!(
                    distance <= 40.0 * T::unit_roundoff() * n as f64,
                    "{distance}"
                );
            }
        }
    }

    #[test]
    fn eigenvalues_of_a_cyclic_shift_are_the_roots_of_one() {
        for_each_type!(cyclic);
    }

    fn special<T>()
    where
        T: Tested + Decompose<Complex: Tested>,
    {
        for n in [1, 2, 5, 30] {
            let number = |holds: bool| f64::from(u8::from(holds));
            let matrices = [
                matrix::<T>(n, |_, _| 0.0),
                matrix::<T>(n, |i, j| number(i == j)),
                matrix::<T>(n, |i, j| number(j == i + 1)),
                matrix::<T>(n, |i, j| number(i == j + 1) + 3.0 * number(i == j)),
                matrix::<T>(n, |_, _| 1.0),
                matrix::<T>(n, |i, j| i as f64 - j as f64),
                matrix::<T>(n, |i, j| if i <= j { 1.0 + i as f64 } else { 0.0 }),
            ];
            for (number, a) in matrices.iter().enumerate() {
                let [right, left] = residuals(n, a);
                let bound = 40.0 * n as f64 * T::unit_roundoff();
                assert!(
                    right <= bound && left <= bound,
                    "{number}, {n}: {right} {left}"
                );
            }
        }
    }

    #[test]
    fn identity_defective_and_singular_matrices_have_vectors() {
        for_each_type!(special);
    }

    fn zero<T: Tested + Decompose>() {
        let n = 4;
        let found = decompose::<T>(n, &[T::ZERO; 16]);
        assert_eq!(found.info, 0);
        assert!(found.w.iter().all(|&w| w == T::Complex::ZERO));
        for (k, x) in found.vr.iter().enumerate() {
            let expected = if k % n == k / n {
                T::Complex::ONE
            } else {
                T::Complex::ZERO
            };
            assert_eq!(*x, expected);
        }
    }

    #[test]
    fn vectors_of_zero_are_those_of_the_identity() {
        for_each_type!(zero);
    }

    fn unbalanced<T>()
    where
        T: Tested + Decompose<Complex: Tested>,
    {
        // D A D⁻¹ for D of powers of two has the eigenvalues of A, and balanced, their digits.
        let n = 6;
        let a = random::<T>(n, n * n);
        let expected: Vec<_> = decompose(n, &a).w.iter().map(|w| w.wide()).collect();
        let mut scaled = a;
        for (k, x) in scaled.iter_mut().enumerate() {
            let by = 2.0_f64.powi(6 * (k as i32 % n as i32 - k as i32 / n as i32));
            *x = x.scale(T::Real::from_f64(by));
        }
        for distance in distances(&decompose(n, &scaled).w, &expected) {
            assert!(distance <= 200.0 * T::unit_roundoff(), "{distance}");
        }
    }

    #[test]
    fn badly_scaled_matrices_are_balanced() {
        for_each_type!(unbalanced);
    }

    fn permuted<T: Tested + Decompose>() {
        // Triangular but for the order of its rows and columns: the diagonal is exact.
        let n = 7;
        let place = |i: usize| (3 * i + 2) % n;
        let a = matrix::<T>(n, |i, j| match place(i).cmp(&place(j)) {
            std::cmp::Ordering::Less => 1e3,
            std::cmp::Ordering::Equal => 0.5 + place(i) as f64,
            std::cmp::Ordering::Greater => 0.0,
        });
        let mut found: Vec<f64> = decompose(n, &a)
            .w
            .iter()
            .map(|w| T::from_re(w.re()).wide().re)
            .collect();
        found.sort_by(f64::total_cmp);
        assert_eq!(found, (0..n).map(|i| 0.5 + i as f64).collect::<Vec<_>>());
    }

    #[test]
    fn eigenvalues_that_stand_alone_are_exact() {
        for_each_type!(permuted);
    }

    fn extremes<T: Tested + Decompose>() {
        let n = 9;
        let a = random::<T>(n, n * n);
        let expected = decompose(n, &a);
        let tiny = T::Real::SAFE_MINIMUM;
        for size in [tiny, T::Real::ONE / tiny / T::Real::from_f64(64.0)] {
            let scaled: Vec<T> = a.iter().map(|x| x.scale(size)).collect();
            let found = decompose(n, &scaled);
            assert_eq!(found.info, 0);
            for (w, expected) in found.w.iter().zip(&expected.w) {
                let error = modulus(w.scale(T::Real::ONE / size) - *expected);
                assert!(
                    error <= T::Real::from_f64(1e3) * T::Real::EPSILON,
                    "{error:?}"
                );
            }
        }
    }

    #[test]
    fn matrices_at_the_ends_of_the_range_keep_their_eigenvalues() {
        for_each_type!(extremes);
    }

    fn not_finite<T: Tested + Decompose>() {
        for value in [f64::NAN, f64::INFINITY] {
            for n in [1, 2, 5, 40] {
                let mut a = random::<T>(n, n * n);
                a[0] = T::from_re(T::Real::from_f64(value));
                assert_eq!(decompose(n, &a).info, -4);
            }
        }
    }

    #[test]
    fn a_matrix_that_is_not_finite_is_a_wrong_argument() {
        for_each_type!(not_finite);
    }

    fn values_alone<T: Tested + Decompose>() {
        let n = 20;
        let a = random::<T>(n, n * n);
        let expected = decompose(n, &a).w;
        let (mut wr, mut wi) = (vec![T::ZERO; n], vec![T::ZERO; n]);
        let info = with_scratch(scratch::<T>(n), |stack| {
            geev(n, &a, &mut wr, &mut wi, None, None, stack)
        });
        assert_eq!(info, 0);
        for expected in expected {
            let nearest = wr
                .iter()
                .zip(&wi)
                .map(|(&re, &im)| modulus(T::join(re, im) - expected))
                .fold(T::Real::ONE, |x, y| if x < y { x } else { y });
            assert!(
                nearest <= T::Real::from_f64(1e3) * T::Real::EPSILON,
                "{nearest:?}"
            );
        }
    }

    #[test]
    fn eigenvalues_without_vectors_are_the_same() {
        for_each_type!(values_alone);
    }

    fn wild<T: Tested + Decompose>() {
        for n in [1, 2, 3, 4, 8, 20] {
            for seed in 0..20 {
                let mut numbers = Numbers::new(seed);
                let a: Vec<T> = (0..n * n).map(|_| numbers.wild()).collect();
                decompose(n, &a);
                let finite: Vec<T> = a
                    .iter()
                    .map(|x| if is_finite(x.abs1()) { *x } else { T::ONE })
                    .collect();
                let found = decompose(n, &finite);
                assert_eq!(found.info, 0);
                assert!(
                    found
                        .vr
                        .iter()
                        .chain(&found.vl)
                        .all(|x| is_finite(x.abs1()))
                );
            }
        }
    }

    #[test]
    fn numbers_out_of_the_ordinary_end_in_vectors() {
        for_each_type!(wild);
    }

    #[test]
    fn an_empty_matrix_has_no_eigenvalues() {
        assert_eq!(decompose::<f32>(0, &[]).info, 0);
    }
}
