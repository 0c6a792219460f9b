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
