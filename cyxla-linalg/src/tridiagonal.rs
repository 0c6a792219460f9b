//! sytrd and hetrd: a Hermitian matrix to real tridiagonal form, `A = Q T Qᴴ`.

use crate::columns::Columns;
use crate::element::{Element, Number, Real};
use crate::householder::reflector;
use crate::options::Triangle;
use crate::simd::{axpy, dot_conj};

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
                a.set(n - 1, n - 1, T::from_re(d[n - 1]));
            }
            for i in 0..n.saturating_sub(1) {
                a.set(i, i, T::from_re(d[i]));
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
