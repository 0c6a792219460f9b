//! Eigenvalues of a real symmetric tridiagonal matrix by the implicit QR algorithm.
//!
//! Golub & Van Loan, Matrix Computations, §8.3: Wilkinson's shift, a chase from the end with the larger diagonal element, so
//! that graded matrices keep their small eigenvalues.

use crate::columns::Columns;
use crate::element::{Element, Number, Real};
use crate::range::hypotenuse;
use crate::rotation::{rotate, rotation};
use crate::window::Window;

/// Sweeps per eigenvalue before the algorithm gives up: LAPACK's bound.
const SWEEPS: usize = 30;

/// Diagonalises: `d` becomes the eigenvalues, in no order, and the columns of `z` are turned along.
///
/// Returns the count of elements of `e` that didn't vanish; zero is success.
#[inline(always)]
pub(crate) fn diagonalize<T: Element>(
    d: &mut [T::Real],
    e: &mut [T::Real],
    mut z: Option<Columns<'_, T>>,
) -> usize {
    let n = d.len();
    let e = &mut e[..n.saturating_sub(1)];
    let mut sweeps = SWEEPS * n;
    let mut last = n.saturating_sub(1);
    while last > 0 {
        if is_negligible(d, e, last - 1) {
            e[last - 1] = T::Real::ZERO;
            last -= 1;
            continue;
        }
        let mut first = last - 1;
        while first > 0 && !is_negligible(d, e, first - 1) {
            first -= 1;
        }
        if first > 0 {
            e[first - 1] = T::Real::ZERO;
        }
        if sweeps == 0 {
            return e.iter().filter(|&&e| e != T::Real::ZERO).count();
        }
        sweeps -= 1;
        if last - first == 1 {
            split_pair(d, e, first, z.as_mut());
        } else {
            let forward = d[first].magnitude() >= d[last].magnitude();
            sweep(
                d,
                e,
                Window {
                    first,
                    last,
                    forward,
                },
                z.as_mut(),
            );
        }
    }
    0
}

#[inline(always)]
fn is_negligible<R: Real>(d: &[R], e: &[R], k: usize) -> bool {
    let size = e[k].magnitude();
    size <= R::SAFE_MINIMUM
        || size <= R::EPSILON * (d[k].magnitude().root() * d[k + 1].magnitude().root())
}

/// Makes rows `k` and `k + 1`, which are coupled to no other, diagonal by one rotation (Jacobi's).
#[inline(always)]
fn split_pair<T: Element>(
    d: &mut [T::Real],
    e: &mut [T::Real],
    k: usize,
    z: Option<&mut Columns<'_, T>>,
) {
    let two = T::Real::ONE + T::Real::ONE;
    let theta = (d[k + 1] - d[k]) / (two * e[k]);
    let t =
        T::Real::ONE.with_sign_of(theta) / (theta.magnitude() + hypotenuse(theta, T::Real::ONE));
    let c = T::Real::ONE / hypotenuse(t, T::Real::ONE);
    let change = t * e[k];
    d[k] -= change;
    d[k + 1] += change;
    e[k] = T::Real::ZERO;
    if let Some(z) = z {
        let (x, y) = z.two(k, k + 1);
        rotate(c, -(t * c), x, y);
    }
}

/// One QR sweep over the window.
#[inline(always)]
fn sweep<T: Element>(
    d: &mut [T::Real],
    e: &mut [T::Real],
    window: Window,
    mut z: Option<&mut Columns<'_, T>>,
) {
    let two = T::Real::ONE + T::Real::ONE;
    let count = window.last - window.first;
    let (end, before) = (window.row(count), window.row(count - 1));
    let off = e[window.between(count - 1)];
    let delta = (d[before] - d[end]) / (two * off);
    let shift = d[end] - off / (delta + hypotenuse(delta, T::Real::ONE).with_sign_of(delta));
    let mut f = d[window.row(0)] - shift;
    let mut g = e[window.between(0)];
    for k in 0..count {
        let (c, s, r) = rotation(f, g);
        let (p, q, b) = (window.row(k), window.row(k + 1), window.between(k));
        if k > 0 {
            e[window.between(k - 1)] = r;
        }
        let t = (d[q] - d[p]) * s + two * c * e[b];
        let change = s * t;
        d[p] += change;
        d[q] -= change;
        e[b] = c * t - e[b];
        if k + 1 < count {
            let next = window.between(k + 1);
            f = e[b];
            g = s * e[next];
            e[next] *= c;
        }
        if let Some(z) = z.as_mut() {
            if window.forward {
                let (x, y) = z.two(p, q);
                rotate(c, s, x, y);
            } else {
                let (y, x) = z.two(q, p);
                rotate(c, s, x, y);
            }
        }
    }
}
