//! Plane rotations.

use crate::element::{Element, Real};
use crate::range::is_finite;

/// Cosine, sine and length `r` with `c f + s g = r` and `c g − s f = 0`; `r` has the sign of `f`.
#[inline(always)]
pub(crate) fn rotation<R: Real>(f: R, g: R) -> (R, R, R) {
    if g == R::ZERO {
        return (R::ONE, R::ZERO, f);
    }
    if f == R::ZERO {
        return (R::ZERO, R::ONE, g);
    }
    let square = f * f + g * g;
    let least = R::SAFE_MINIMUM / (R::EPSILON * R::EPSILON);
    let length = if square >= least && is_finite(square) {
        square.root()
    } else {
        f.hypotenuse(g)
    };
    let r = length.with_sign_of(f);
    (f / r, g / r, r)
}

/// `(x, y) ← (c x + s y, c y − s x)`, element by element.
#[inline(always)]
pub(crate) fn rotate<T: Element>(c: T::Real, s: T::Real, x: &mut [T], y: &mut [T]) {
    for (x, y) in x.iter_mut().zip(y) {
        let (a, b) = (*x, *y);
        *x = a.scale(c) + b.scale(s);
        *y = b.scale(c) - a.scale(s);
    }
}
