//! Elementary reflectors as LAPACK has them: `H = I − τ v vᴴ` with `v₀ = 1`.

use crate::columns::Columns;
use crate::element::{Element, Number, Real};
use crate::range::{hypotenuse, norm, quotient};
use crate::simd::{axpy, dot_conj, scale};

/// The reflector with `Hᴴ (alpha, x) = (β, 0)`, β real: returns β and τ, and leaves `v₁…` in `x` (LAPACK's `larfg`).
#[inline(always)]
pub(crate) fn reflector<T: Element, const FUSED: bool>(alpha: T, x: &mut [T]) -> (T::Real, T) {
    let mut alpha = alpha;
    let mut length = norm::<T, FUSED>(x);
    if length == T::Real::ZERO && alpha.im() == T::Real::ZERO {
        return (alpha.re(), T::ZERO);
    }
    let signed = |alpha: T, length: T::Real| {
        -hypotenuse(hypotenuse(alpha.re(), alpha.im()), length).with_sign_of(alpha.re())
    };
    let mut beta = signed(alpha, length);
    let least = T::Real::SAFE_MINIMUM / T::Real::EPSILON;
    let mut shrunk = 0;
    // β so small that its reciprocal and τ would lose digits; the bound is for NaN.
    while beta.magnitude() < least && shrunk < 20 {
        scale(T::from_re(T::Real::ONE / least), x);
        alpha = alpha.scale(T::Real::ONE / least);
        length = norm::<T, FUSED>(x);
        beta = signed(alpha, length);
        shrunk += 1;
    }
    let tau = T::from_parts((beta - alpha.re()) / beta, -alpha.im() / beta);
    scale(quotient(T::ONE, alpha - T::from_re(beta)), x);
    for _ in 0..shrunk {
        beta *= least;
    }
    (beta, tau)
}

/// `x ← x − factor v (vᴴ x)` for `v = (1, tail)`: H for `factor = τ`, Hᴴ for its conjugate.
#[inline(always)]
pub(crate) fn reflect<T: Element, const FUSED: bool>(tail: &[T], factor: T, x: &mut [T]) {
    let Some((head, rest)) = x.split_first_mut() else {
        return;
    };
    let product = factor * (*head + dot_conj::<T, FUSED>(tail, rest));
    *head -= product;
    axpy::<T, FUSED>(-product, tail, rest);
}

/// `Q ← H₀ H₁ … Q` for the reflectors whose tails are below row `offset + i` of column i of `tails`; the first `columns`
/// columns of Q. Where `identity`, column j of Q is that of the identity up to where the reflectors reach it.
#[inline(always)]
pub(crate) fn apply_reflectors<T: Element, const FUSED: bool>(
    tails: &Columns<'_, T>,
    taus: &[T],
    offset: usize,
    q: &mut Columns<'_, T>,
    columns: usize,
    identity: bool,
) {
    for (i, &tau) in taus.iter().enumerate().rev() {
        if tau == T::ZERO {
            continue;
        }
        let row = offset + i;
        let tail = &tails.column(i)[row + 1..];
        // A reflector changes no column of the identity left of its first row.
        for j in if identity { row } else { 0 }..columns {
            reflect::<T, FUSED>(tail, tau, &mut q.column_mut(j)[row..]);
        }
    }
}
