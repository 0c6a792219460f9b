//! Singular values of a real upper bidiagonal matrix by the implicit QR algorithm.
//!
//! Demmel & Kahan, Accurate singular values of bidiagonal matrices, SIAM J. Sci. Stat. Comput. 11 (1990): small singular values
//! to full relative precision, by sweeps without a shift where a shift would cost their digits.

use crate::columns::Columns;
use crate::element::{Element, Number, Real};
use crate::rotation::{rotate, rotation};
use crate::window::Window;

/// Steps along the diagonal, per squared size, before the algorithm gives up: LAPACK's bound.
const STEPS: usize = 6;

/// The singular vectors that are turned along: `u` by what acts on the rows of the matrix, `v` on the columns.
pub(crate) struct Vectors<'a, T> {
    pub(crate) u: Columns<'a, T>,
    pub(crate) v: Columns<'a, T>,
}

impl<T: Element> Vectors<'_, T> {
    /// Turns columns k and k + 1 of the window on the side of its columns.
    #[inline(always)]
    fn turn_columns(&mut self, window: Window, k: usize, c: T::Real, s: T::Real) {
        let side = if window.forward {
            &mut self.v
        } else {
            &mut self.u
        };
        turn(side, window, k, c, s);
    }

    /// Turns columns k and k + 1 of the window on the side of its rows.
    #[inline(always)]
    fn turn_rows(&mut self, window: Window, k: usize, c: T::Real, s: T::Real) {
        let side = if window.forward {
            &mut self.u
        } else {
            &mut self.v
        };
        turn(side, window, k, c, s);
    }
}

#[inline(always)]
fn turn<T: Element>(side: &mut Columns<'_, T>, window: Window, k: usize, c: T::Real, s: T::Real) {
    let (p, q) = (window.row(k), window.row(k + 1));
    if window.forward {
        let (x, y) = side.two(p, q);
        rotate(c, s, x, y);
    } else {
        let (y, x) = side.two(q, p);
        rotate(c, s, x, y);
    }
}

/// Diagonalises the matrix with `d` on its diagonal and `e` above it: `d` becomes the singular values, none negative, in no
/// order.
///
/// Returns the count of elements of `e` that didn't vanish; zero is success.
#[inline(always)]
pub(crate) fn diagonalize<T: Element>(
    d: &mut [T::Real],
    e: &mut [T::Real],
    mut vectors: Option<Vectors<'_, T>>,
) -> usize {
    let n = d.len();
    let e = &mut e[..n.saturating_sub(1)];
    let ten = T::Real::from_f64(10.0);
    let tolerance = ten * T::Real::EPSILON;
    let size = T::Real::from_f64(count_as_f64(n));
    let tiniest = size * size * T::Real::from_f64(6.0) * T::Real::SAFE_MINIMUM;
    let negligible = absolute_threshold(d, e, tolerance, size, tiniest);

    let mut steps = STEPS * n * n;
    let mut last = n.saturating_sub(1);
    let mut window = Window {
        first: 0,
        last: 0,
        forward: true,
    };
    while last > 0 {
        if e[last - 1].magnitude() <= negligible {
            e[last - 1] = T::Real::ZERO;
            last -= 1;
            continue;
        }
        let mut first = last - 1;
        while first > 0 && e[first - 1].magnitude() > negligible {
            first -= 1;
        }
        if first > 0 {
            e[first - 1] = T::Real::ZERO;
        }
        // The direction is kept while the block shrinks: turning about would undo what converged.
        if first >= window.last || last < window.first || window.last == 0 {
            window.forward = d[first].magnitude() >= d[last].magnitude();
        }
        window = Window {
            first,
            last,
            forward: window.forward,
        };
        let Some(least) = deflate(d, e, window, tolerance) else {
            continue;
        };
        if steps < window.count() {
            return e.iter().filter(|&&e| e != T::Real::ZERO).count();
        }
        steps -= window.count();
        let shift = choose_shift(d, e, window, least, tolerance, size);
        if shift == T::Real::ZERO {
            sweep_without_shift(d, e, window, vectors.as_mut());
        } else {
            sweep(d, e, window, shift, vectors.as_mut());
        }
    }
    for (k, d) in d.iter_mut().enumerate() {
        if *d < T::Real::ZERO {
            *d = -*d;
            if let Some(vectors) = &mut vectors {
                for x in vectors.v.column_mut(k) {
                    *x = -*x;
                }
            }
        }
    }
    0
}

#[allow(
    clippy::cast_precision_loss,
    reason = "sizes of matrices are far below 2⁵³"
)]
#[inline(always)]
fn count_as_f64(n: usize) -> f64 {
    n as f64
}

/// Below what an element of `e` changes no singular value beyond the tolerance, from a lower bound of the smallest one.
#[inline(always)]
fn absolute_threshold<R: Real>(d: &[R], e: &[R], tolerance: R, size: R, tiniest: R) -> R {
    let Some(&head) = d.first() else {
        return tiniest;
    };
    let mut mu = head.magnitude();
    let mut least = mu;
    for (&d, &e) in d[1..].iter().zip(e) {
        if least == R::ZERO {
            break;
        }
        mu = d.magnitude() * (mu / (mu + e.magnitude()));
        least = if mu < least { mu } else { least };
    }
    let relative = tolerance * (least / size.root());
    if relative > tiniest {
        relative
    } else {
        tiniest
    }
}

/// Removes what is negligible in the window; None if something was, else a lower bound of its smallest singular value.
#[inline(always)]
fn deflate<R: Real>(d: &[R], e: &mut [R], window: Window, tolerance: R) -> Option<R> {
    let count = window.count();
    let end = window.between(count - 1);
    if e[end].magnitude() <= tolerance * d[window.row(count)].magnitude() {
        e[end] = R::ZERO;
        return None;
    }
    let mut mu = d[window.row(0)].magnitude();
    let mut least = mu;
    for k in 0..count {
        let b = window.between(k);
        let beside = e[b].magnitude();
        if beside <= tolerance * mu {
            e[b] = R::ZERO;
            return None;
        }
        mu = d[window.row(k + 1)].magnitude() * (mu / (mu + beside));
        least = if mu < least { mu } else { least };
    }
    Some(least)
}

/// The shift of the next sweep; zero where one would harm the small singular values.
#[inline(always)]
fn choose_shift<R: Real>(d: &[R], e: &[R], window: Window, least: R, tolerance: R, size: R) -> R {
    let count = window.count();
    let mut largest = R::ZERO;
    for k in 0..=count {
        let x = d[window.row(k)].magnitude();
        largest = if x > largest { x } else { largest };
        if k < count {
            let x = e[window.between(k)].magnitude();
            largest = if x > largest { x } else { largest };
        }
    }
    let hundredth = R::from_f64(0.01) * tolerance;
    let bound = if R::EPSILON > hundredth {
        R::EPSILON
    } else {
        hundredth
    };
    if size * tolerance * (least / largest) <= bound {
        return R::ZERO;
    }
    let shift = smallest_of_pair(
        d[window.row(count - 1)],
        e[window.between(count - 1)],
        d[window.row(count)],
    );
    let head = d[window.row(0)].magnitude();
    if head > R::ZERO {
        let ratio = shift / head;
        if ratio * ratio < R::EPSILON {
            return R::ZERO;
        }
    }
    shift
}

/// The smaller singular value of `[[f, g], [0, h]]`, without cancellation (Demmel & Kahan, §3).
#[inline(always)]
fn smallest_of_pair<R: Real>(f: R, g: R, h: R) -> R {
    let (f, g, h) = (f.magnitude(), g.magnitude(), h.magnitude());
    let (small, big) = if f < h { (f, h) } else { (h, f) };
    if small == R::ZERO {
        return R::ZERO;
    }
    let sum = R::ONE + small / big;
    let difference = (big - small) / big;
    if g < big {
        let ratio = g / big;
        let square = ratio * ratio;
        let two = R::ONE + R::ONE;
        return small
            * (two / ((sum * sum + square).root() + (difference * difference + square).root()));
    }
    let ratio = big / g;
    if ratio == R::ZERO {
        return small * big / g;
    }
    let (x, y) = (sum * ratio, difference * ratio);
    let half = R::ONE / ((R::ONE + x * x).root() + (R::ONE + y * y).root());
    let value = (small * half) * ratio;
    value + value
}

#[inline(always)]
fn sweep<T: Element>(
    d: &mut [T::Real],
    e: &mut [T::Real],
    window: Window,
    shift: T::Real,
    mut vectors: Option<&mut Vectors<'_, T>>,
) {
    let count = window.count();
    let head = d[window.row(0)];
    let mut f = (head.magnitude() - shift) * (T::Real::ONE.with_sign_of(head) + shift / head);
    let mut g = e[window.between(0)];
    for k in 0..count {
        let (p, q, b) = (window.row(k), window.row(k + 1), window.between(k));
        let (c, s, r) = rotation(f, g);
        if k > 0 {
            e[window.between(k - 1)] = r;
        }
        f = c * d[p] + s * e[b];
        e[b] = c * e[b] - s * d[p];
        g = s * d[q];
        d[q] *= c;
        let (c2, s2, r) = rotation(f, g);
        d[p] = r;
        f = c2 * e[b] + s2 * d[q];
        d[q] = c2 * d[q] - s2 * e[b];
        if k + 1 < count {
            let next = window.between(k + 1);
            g = s2 * e[next];
            e[next] *= c2;
        }
        if let Some(vectors) = vectors.as_mut() {
            vectors.turn_columns(window, k, c, s);
            vectors.turn_rows(window, k, c2, s2);
        }
    }
    e[window.between(count - 1)] = f;
}

#[inline(always)]
fn sweep_without_shift<T: Element>(
    d: &mut [T::Real],
    e: &mut [T::Real],
    window: Window,
    mut vectors: Option<&mut Vectors<'_, T>>,
) {
    let count = window.count();
    let (mut c, mut c2, mut s2) = (T::Real::ONE, T::Real::ONE, T::Real::ZERO);
    for k in 0..count {
        let (p, q, b) = (window.row(k), window.row(k + 1), window.between(k));
        let (cosine, s, r) = rotation(d[p] * c, e[b]);
        c = cosine;
        if k > 0 {
            e[window.between(k - 1)] = s2 * r;
        }
        (c2, s2, d[p]) = rotation(c2 * r, d[q] * s);
        if let Some(vectors) = vectors.as_mut() {
            vectors.turn_columns(window, k, c, s);
            vectors.turn_rows(window, k, c2, s2);
        }
    }
    let end = window.row(count);
    let rest = d[end] * c;
    d[end] = rest * c2;
    e[window.between(count - 1)] = rest * s2;
}
