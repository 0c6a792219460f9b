//! sytrd and hetrd: a Hermitian matrix to real tridiagonal form, `A = Q T Qᴴ`.

use faer::dyn_stack::StackReq;

use crate::columns::Columns;
use crate::element::{Element, Number};
use crate::householder::reflector;
use crate::options::Triangle;
use crate::scratch::{with_scratch, zeros};
use crate::simd::{Kernel, axpy, dot_conj, vectorised};

/// [`reduce`] for a column-major matrix `a` of as many rows as `d` has elements (LAPACK's `sytrd` and `hetrd`).
pub(crate) fn sytrd<T: Element>(
    triangle: Triangle,
    a: &mut [T],
    d: &mut [T::Real],
    e: &mut [T::Real],
    tau: &mut [T],
) {
    vectorised(Form {
        triangle,
        a,
        d,
        e,
        tau,
    });
}

struct Form<'a, T: Element> {
    triangle: Triangle,
    a: &'a mut [T],
    d: &'a mut [T::Real],
    e: &'a mut [T::Real],
    tau: &'a mut [T],
}

impl<T: Element> Kernel for Form<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        let Self {
            triangle,
            a,
            d,
            e,
            tau,
        } = self;
        let n = d.len();
        let mut a = Columns::new(a, n);
        with_scratch(StackReq::new::<T>(n), |stack| {
            let (mut work, _) = zeros::<T>(stack, n);
            reduce::<T, FUSED>(triangle, &mut a, d, e, tau, &mut work);
        });
    }
}

/// Reduces the matrix that is given by one triangle of `a`.
///
/// `d` gets the diagonal of T, `e` the numbers beside it; the triangle holds the reflectors: LAPACK's `sytrd`/`hetrd`. For the
/// lower triangle `Q = H₀ H₁ …` with the tail of `Hᵢ` below row i + 1 of column i; for the upper one `Q = … H₁ H₀`, the tail of
/// `Hᵢ` above row i of column i + 1. `work` has as many elements as the matrix rows.
#[inline(always)]
pub(crate) fn reduce<T: Element, const FUSED: bool>(
    triangle: Triangle,
    a: &mut Columns<'_, T>,
    d: &mut [T::Real],
    e: &mut [T::Real],
    tau: &mut [T],
    work: &mut [T],
) {
    let n = a.rows();
    match triangle {
        Triangle::Lower => {
            for i in 0..n.saturating_sub(1) {
                d[i] = a.at(i, i).re();
                let (head, tail) = a.column_mut(i)[i + 1..].split_at_mut(1);
                (e[i], tau[i]) = reflector::<T, FUSED>(head[0], tail);
                if tau[i] != T::ZERO {
                    head[0] = T::ONE;
                    let (left, right) = a.split(i + 1);
                    update_lower::<T, FUSED>(
                        right.below(i + 1),
                        &left.column(i)[i + 1..],
                        tau[i],
                        &mut work[..n - i - 1],
                    );
                }
                a.set(i + 1, i, T::from_re(e[i]));
            }
            if n > 0 {
                d[n - 1] = a.at(n - 1, n - 1).re();
            }
            for (i, &d) in d.iter().enumerate() {
                a.set(i, i, T::from_re(d));
            }
        }
        Triangle::Upper => {
            for i in (0..n.saturating_sub(1)).rev() {
                d[i + 1] = a.at(i + 1, i + 1).re();
                let (tail, head) = a.column_mut(i + 1)[..=i].split_at_mut(i);
                (e[i], tau[i]) = reflector::<T, FUSED>(head[0], tail);
                if tau[i] != T::ZERO {
                    head[0] = T::ONE;
                    let (left, right) = a.split(i + 1);
                    update_upper::<T, FUSED>(left, &right.column(0)[..=i], tau[i], &mut work[..=i]);
                }
                a.set(i, i + 1, T::from_re(e[i]));
                a.set(i + 1, i + 1, T::from_re(d[i + 1]));
            }
            if n > 0 {
                d[0] = a.at(0, 0).re();
                a.set(0, 0, T::from_re(d[0]));
            }
        }
    }
}

/// `w = τ A v − ½ |τ|² (vᴴ A v) v`, of which `Hᴴ A H = A − v wᴴ − w vᴴ`, from `product` = A v.
#[inline(always)]
fn finish_product<T: Element, const FUSED: bool>(product: &mut [T], v: &[T], tau: T) {
    for p in product.iter_mut() {
        *p *= tau;
    }
    let half = T::Real::ONE / (T::Real::ONE + T::Real::ONE);
    let factor = -(tau * dot_conj::<T, FUSED>(product, v)).scale(half);
    axpy::<T, FUSED>(factor, v, product);
}

/// `A ← Hᴴ A H` on the lower triangle of the columns of `a`, for `H = I − τ v vᴴ`.
#[inline(always)]
fn update_lower<T: Element, const FUSED: bool>(
    mut a: Columns<'_, T>,
    v: &[T],
    tau: T,
    w: &mut [T],
) {
    let n = v.len();
    w.fill(T::ZERO);
    for j in 0..n {
        let column = &a.column(j)[j..n];
        let mirrored = dot_conj::<T, FUSED>(&column[1..], &v[j + 1..]);
        w[j] += v[j].scale(column[0].re()) + mirrored;
        axpy::<T, FUSED>(v[j], &column[1..], &mut w[j + 1..]);
    }
    finish_product::<T, FUSED>(w, v, tau);
    for j in 0..n {
        let column = &mut a.column_mut(j)[j..n];
        axpy2::<T, FUSED>(-w[j].conj(), &v[j..], -v[j].conj(), &w[j..], column);
    }
}

/// `A ← Hᴴ A H` on the upper triangle of the columns of `a`, for `H = I − τ v vᴴ`.
#[inline(always)]
fn update_upper<T: Element, const FUSED: bool>(
    mut a: Columns<'_, T>,
    v: &[T],
    tau: T,
    w: &mut [T],
) {
    let n = v.len();
    w.fill(T::ZERO);
    for j in 0..n {
        let column = &a.column(j)[..=j];
        let mirrored = dot_conj::<T, FUSED>(&column[..j], &v[..j]);
        w[j] += v[j].scale(column[j].re()) + mirrored;
        axpy::<T, FUSED>(v[j], &column[..j], &mut w[..j]);
    }
    finish_product::<T, FUSED>(w, v, tau);
    for j in 0..n {
        let column = &mut a.column_mut(j)[..=j];
        axpy2::<T, FUSED>(-w[j].conj(), &v[..=j], -v[j].conj(), &w[..=j], column);
    }
}

/// `z += a x + b y`.
#[inline(always)]
fn axpy2<T: Element, const FUSED: bool>(a: T, x: &[T], b: T, y: &[T], z: &mut [T]) {
    for ((z, &x), &y) in z.iter_mut().zip(x).zip(y) {
        *z = y.mul_add::<FUSED>(b, x.mul_add::<FUSED>(a, *z));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{
        Numbers, Tested, Wide, assert_as_exact_as_lapack, distance, for_each_type, hermitian,
        residual_of_basis, sizes,
    };

    /// Q, one reflector after the other: `H₀ H₁ …` for the lower triangle, `… H₁ H₀` for the upper one.
    fn basis<T: Tested>(triangle: Triangle, n: usize, reduced: &[T], tau: &[T]) -> Wide {
        let mut q = Wide::identity(n);
        let order: Vec<usize> = match triangle {
            Triangle::Lower => (0..n - 1).collect(),
            Triangle::Upper => (0..n - 1).rev().collect(),
        };
        for i in order {
            let v = Wide::from_fn(n, 1, |row, _| match triangle {
                Triangle::Lower if row == i + 1 => 1.0.into(),
                Triangle::Lower if row > i + 1 => reduced[i * n + row].wide(),
                Triangle::Upper if row == i => 1.0.into(),
                Triangle::Upper if row < i => reduced[(i + 1) * n + row].wide(),
                _ => 0.0.into(),
            });
            let tau = tau[i].wide();
            let product = |row: usize| {
                (0..n)
                    .map(|k| q.at(row, k) * v.at(k, 0))
                    .sum::<num_complex::Complex<f64>>()
            };
            q = Wide::from_fn(n, n, |row, col| {
                q.at(row, col) - tau * product(row) * v.at(col, 0).conj()
            });
        }
        q
    }

    fn random_matrices<T: Tested>() {
        for n in sizes().filter(|n| n % 5 < 2 || *n < 10) {
            for triangle in [Triangle::Lower, Triangle::Upper] {
                let a = hermitian::<T>(n, n);
                let mut reduced = a.clone();
                let mut d = vec![T::Real::ZERO; n];
                let (mut e, mut tau) = (vec![T::Real::ZERO; n - 1], vec![T::ZERO; n - 1]);
                sytrd(triangle, &mut reduced, &mut d, &mut e, &mut tau);
                let q = basis(triangle, n, &reduced, &tau);
                let number = |x: T::Real| T::from_re(x).wide();
                let t = Wide::from_fn(n, n, |i, j| match i.abs_diff(j) {
                    0 => number(d[i]),
                    1 => number(e[i.min(j)]),
                    _ => 0.0.into(),
                });
                let residual = residual_of_basis(&Wide::new(n, n, &a), &q, &t);
                assert_as_exact_as_lapack::<T>("sytrd", n, residual);
                let orthogonal = distance(&q.adjoint(), &q, &Wide::identity(n));
                assert_as_exact_as_lapack::<T>("sytrd-orthogonal", n, orthogonal);
                for i in 0..n {
                    assert_eq!(
                        reduced[i * n + i],
                        T::from_re(d[i]),
                        "T is in the triangle too"
                    );
                }
            }
        }
    }

    #[test]
    fn tridiagonal_forms_are_as_exact_as_those_of_lapack() {
        for_each_type!(random_matrices);
    }

    #[test]
    fn reflectors_are_scaled_as_those_of_lapack() {
        // The column (3, 4) beside the diagonal: e = −5, τ = 8/5, v = 4 / (3 + 5); for the upper triangle from below.
        for (triangle, column, tail) in [
            (Triangle::Lower, [0, 1, 2], 2),
            (Triangle::Upper, [8, 7, 6], 6),
        ] {
            let mut a = [0.0; 9];
            (a[column[1]], a[column[2]]) = (3.0, 4.0);
            let (mut d, mut e, mut tau) = ([9.0; 3], [9.0; 2], [9.0; 2]);
            sytrd::<f64>(triangle, &mut a, &mut d, &mut e, &mut tau);
            let first = usize::from(triangle == Triangle::Upper);
            assert_eq!((e[first], tau[first], a[tail]), (-5.0, 1.6, 0.5));
            assert_eq!((d, e[1 - first], tau[1 - first]), ([0.0; 3], 0.0, 0.0));
        }
    }

    fn wild<T: Tested>() {
        for n in [1, 2, 3, 10, 40] {
            for seed in 0..10 {
                let mut numbers = Numbers::new(seed);
                let mut a: Vec<T> = (0..n * n).map(|_| numbers.wild()).collect();
                let mut d = vec![T::Real::ZERO; n];
                let (mut e, mut tau) = (vec![T::Real::ZERO; n - 1], vec![T::ZERO; n - 1]);
                for triangle in [Triangle::Lower, Triangle::Upper] {
                    sytrd(triangle, &mut a, &mut d, &mut e, &mut tau);
                }
            }
        }
    }

    #[test]
    fn numbers_out_of_the_ordinary_end() {
        for_each_type!(wild);
    }
}
