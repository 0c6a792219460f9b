use num_complex::Complex;

use super::*;
use crate::element::Real;
use crate::scratch::with_scratch;
use crate::testing::{
    Numbers, Tested, Wide, assert_as_exact_as_lapack, distance, for_each_type, random, sizes,
};

struct Decomposed<T: Element> {
    info: i32,
    s: Vec<T::Real>,
    u: Vec<T>,
    vh: Vec<T>,
}

fn decompose<T: Tested>(want: Want, m: usize, n: usize, a: &[T]) -> Decomposed<T> {
    let k = m.min(n);
    let (left, right) = match want {
        Want::All => (m, n),
        Want::Economy => (k, k),
        Want::Values => (0, 0),
    };
    let mut s = vec![T::Real::ZERO; k];
    let (mut u, mut vh) = (vec![T::ZERO; m * left], vec![T::ZERO; right * n]);
    let info = with_scratch(scratch::<T>(m, n, want), |stack| {
        svd(want, m, n, a, &mut s, &mut u, &mut vh, stack)
    });
    Decomposed { info, s, u, vh }
}

fn real<T: Tested>(value: f64) -> T {
    T::from_re(T::Real::from_f64(value))
}

/// The distances of U S Vᴴ from the matrix, and of U and V from orthogonality.
fn residuals<T: Tested>(want: Want, m: usize, n: usize, a: &[T]) -> [f64; 3] {
    let Decomposed { info, s, u, vh } = decompose(want, m, n, a);
    assert_eq!(info, 0);
    assert!(
        s.is_sorted_by(|x, y| x >= y),
        "singular values descend: {s:?}"
    );
    assert!(s.iter().all(|&s| s >= T::Real::ZERO));
    let k = m.min(n);
    let (left, right) = if want == Want::All { (m, n) } else { (k, k) };
    let (u, vh) = (Wide::new(m, left, &u), Wide::new(right, n, &vh));
    let scaled = Wide::from_fn(m, k, |i, j| u.at(i, j) * T::from_re(s[j]).wide());
    let rows = Wide::from_fn(k, n, |i, j| vh.at(i, j));
    let a = Wide::new(m, n, a);
    [
        distance(&scaled, &rows, &a) / a.norm(),
        distance(&u.adjoint(), &u, &Wide::identity(left)),
        distance(&vh, &vh.adjoint(), &Wide::identity(right)),
    ]
}

fn random_matrices<T: Tested>() {
    for n in sizes() {
        let more = n + n / 2;
        for (measure, rows, cols) in [
            ("gesdd", n, n),
            ("gesdd-tall", more, n),
            ("gesdd-wide", n, more),
        ] {
            let a = random::<T>(rows + cols, rows * cols);
            for want in [Want::All, Want::Economy] {
                let [residual, left, right] = residuals(want, rows, cols, &a);
                assert_as_exact_as_lapack::<T>(measure, n, residual);
                if want == Want::All {
                    assert_as_exact_as_lapack::<T>(&format!("{measure}-left"), n, left);
                    assert_as_exact_as_lapack::<T>(&format!("{measure}-right"), n, right);
                }
            }
        }
    }
}

#[test]
fn singular_vectors_are_as_exact_as_those_of_lapack() {
    for_each_type!(random_matrices);
}

fn shapes<T: Tested>() {
    for (m, n) in [
        (1, 9),
        (9, 1),
        (50, 3),
        (3, 50),
        (200, 150),
        (150, 200),
        (400, 130),
    ] {
        let a = random::<T>(m + n, m * n);
        for want in [Want::All, Want::Economy] {
            let [residual, left, right] = residuals(want, m, n, &a);
            let bound = 40.0 * (m.max(n) as f64).sqrt() * T::unit_roundoff();
            let size = m.max(n) as f64;
            assert!(residual <= bound, "{m} × {n}: {residual}");
            assert!(
                left <= size * bound && right <= size * bound,
                "{left} {right}"
            );
        }
    }
}

#[test]
fn tall_wide_and_large_matrices_are_decomposed() {
    for_each_type!(shapes);
}

fn values_alone<T: Tested>() {
    for (m, n) in [(1, 1), (5, 3), (3, 5), (40, 40), (90, 20), (200, 170)] {
        let a = random::<T>(m + n, m * n);
        let with = decompose(Want::Economy, m, n, &a).s;
        let without = decompose(Want::Values, m, n, &a);
        assert_eq!(without.info, 0);
        for (x, y) in with.iter().zip(&without.s) {
            let bound = T::Real::from_f64(10.0 * (m + n) as f64) * T::Real::EPSILON;
            assert!((*x - *y).magnitude() <= bound * with[0]);
        }
    }
}

#[test]
fn values_without_vectors_are_the_same() {
    for_each_type!(values_alone);
}

fn known<T: Tested>() {
    // min(i, j), counted from one, has the eigenvalues 1 / (4 sin²((2k − 1) π / (4n + 2))), all positive.
    for n in [1, 2, 5, 30, 127, 180] {
        let a: Vec<T> = (0..n * n)
            .map(|k| real((k % n).min(k / n) as f64 + 1.0))
            .collect();
        let s = decompose(Want::All, n, n, &a).s;
        let size = n as f64;
        for (k, &s) in (1..).zip(&s) {
            let angle = (2.0 * f64::from(k) - 1.0) * std::f64::consts::PI / (4.0 * size + 2.0);
            let expected = 0.25 / (angle.sin() * angle.sin());
            let error = (T::from_re(s).wide().re - expected).abs();
            assert!(
                error <= 10.0 * size * size * T::unit_roundoff(),
                "{k} of {n}: {error}"
            );
        }
    }
}

#[test]
fn a_matrix_of_known_spectrum_has_it() {
    for_each_type!(known);
}

fn special<T: Tested>() {
    for (m, n) in [(1, 1), (4, 4), (6, 3), (3, 6), (150, 140)] {
        let k = m.min(n);
        let zero = decompose(Want::All, m, n, &vec![T::ZERO; m * n]);
        assert_eq!((zero.info, zero.s), (0, vec![T::Real::ZERO; k]));
        let ones = vec![T::ONE; m * n];
        let [residual, left, right] = residuals(Want::All, m, n, &ones);
        let bound = 20.0 * (m.max(n) as f64) * T::unit_roundoff();
        assert!(
            residual <= bound && left <= bound && right <= bound,
            "rank one"
        );
    }
    // Each a tenth of the one before: all digits of the small ones too.
    let n = 6;
    let graded: Vec<T> = (0..n * n)
        .map(|k| {
            if k % n == k / n {
                real(0.1_f64.powi(3 * (k / n) as i32))
            } else {
                T::ZERO
            }
        })
        .collect();
    let s = decompose(Want::Values, n, n, &graded).s;
    let expected = (0..n).map(|i| graded[i * n + i].re());
    assert!(
        s.iter().zip(expected).all(|(&s, expected)| s == expected),
        "{s:?}"
    );
}

#[test]
fn zero_rank_one_and_graded_matrices_are_decomposed() {
    for_each_type!(special);
}

fn bidiagonal<T: Tested>() {
    // [[1, 1e6], [0, 1]]: the product is the determinant, 1, so the smaller one is the reciprocal of the larger.
    let s = decompose(Want::Values, 2, 2, &[T::ONE, T::ZERO, real(1e6), T::ONE]).s;
    let product = s[0] * s[1];
    assert!((product - T::Real::ONE).magnitude() <= T::Real::from_f64(8.0) * T::Real::EPSILON);
}

#[test]
fn the_small_singular_value_of_a_bidiagonal_matrix_keeps_its_digits() {
    for_each_type!(bidiagonal);
}

fn extremes<T: Tested>() {
    for (m, n) in [(3, 3), (20, 7), (7, 20), (150, 150)] {
        let a = random::<T>(m + n, m * n);
        let expected = decompose(Want::Values, m, n, &a).s;
        let tiny = T::Real::SAFE_MINIMUM;
        for size in [tiny, T::Real::ONE / tiny / T::Real::from_f64(1024.0)] {
            let scaled: Vec<T> = a.iter().map(|x| x.scale(size)).collect();
            let found = decompose(Want::Values, m, n, &scaled);
            assert_eq!(found.info, 0);
            for (s, expected) in found.s.iter().zip(&expected) {
                let error = (*s / size - *expected).magnitude();
                let bound = T::Real::from_f64(20.0 * (m + n) as f64) * T::Real::EPSILON;
                assert!(error <= bound, "{error:?}");
            }
        }
    }
}

#[test]
fn matrices_at_the_ends_of_the_range_keep_their_singular_values() {
    for_each_type!(extremes);
}

fn not_finite<T: Tested>() {
    for value in [f64::NAN, f64::INFINITY] {
        for (m, n) in [(1, 1), (3, 5), (200, 200)] {
            let mut a = random::<T>(m, m * n);
            a[m * n - 1] =
                T::from_parts(T::Real::ZERO, T::Real::from_f64(value)) + real::<T>(value);
            assert_eq!(decompose(Want::All, m, n, &a).info, -4);
        }
    }
}

#[test]
fn a_matrix_that_is_not_finite_is_a_wrong_argument() {
    for_each_type!(not_finite);
}

fn wild<T: Tested>() {
    for (m, n) in [(1, 1), (2, 2), (3, 7), (7, 3), (20, 20), (40, 10)] {
        for seed in 0..20 {
            let mut numbers = Numbers::new(seed);
            let a: Vec<T> = (0..m * n).map(|_| numbers.wild()).collect();
            decompose(Want::All, m, n, &a);
            // Without the numbers that end it at once.
            let finite: Vec<T> = a
                .iter()
                .map(|x| if is_finite(x.abs1()) { *x } else { T::ONE })
                .collect();
            assert_eq!(decompose(Want::All, m, n, &finite).info, 0);
        }
    }
}

#[test]
fn numbers_out_of_the_ordinary_end() {
    for_each_type!(wild);
}

#[test]
fn empty_matrices_have_no_singular_values() {
    assert_eq!(decompose::<f32>(Want::Values, 0, 3, &[]).info, 0);
    let tall = decompose::<Complex<f64>>(Want::All, 2, 0, &[]);
    assert_eq!(tall.info, 0);
    assert_eq!(
        Wide::new(2, 2, &tall.u).elements,
        Wide::identity(2).elements
    );
}
