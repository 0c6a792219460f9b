//! Numbers near the ends of the range of floating point: norms, quotients and scalings that don't leave it on the way.

use crate::element::{Element, Number, Real};
use crate::simd::dot_conj;

/// The largest |re| or |im| of the elements: infinite or NaN if one is.
#[inline(always)]
pub(crate) fn largest_part<T: Element>(x: &[T]) -> T::Real {
    let mut largest = T::Real::ZERO;
    let mut invalid = T::Real::ZERO;
    for &x in x {
        let (re, im) = (x.re().magnitude(), x.im().magnitude());
        let part = if re > im { re } else { im };
        // A comparison with NaN is false: the product keeps what the comparison loses.
        invalid += (re + im) * T::Real::ZERO;
        largest = if part > largest { part } else { largest };
    }
    largest + invalid
}

/// Whether a number is neither infinite nor NaN.
#[inline(always)]
pub(crate) fn is_finite<R: Real>(x: R) -> bool {
    x * R::ZERO == R::ZERO
}

/// The 2-norm, as LAPACK's `nrm2`: without overflow or underflow of the squares.
#[inline(always)]
pub(crate) fn norm<T: Element, const FUSED: bool>(x: &[T]) -> T::Real {
    let square = dot_conj::<T, FUSED>(x, x).re();
    let least = T::Real::SAFE_MINIMUM / (T::Real::EPSILON * T::Real::EPSILON);
    if square >= least && is_finite(square) {
        return square.root();
    }
    let largest = largest_part(x);
    if largest == T::Real::ZERO || !is_finite(largest) {
        return largest;
    }
    let mut square = T::Real::ZERO;
    for &x in x {
        let (re, im) = (x.re() / largest, x.im() / largest);
        square += re * re + im * im;
    }
    square.root() * largest
}

/// `√(x² + y²)`: quick where the squares are far from the ends of the range.
#[inline(always)]
pub(crate) fn hypotenuse<R: Real>(x: R, y: R) -> R {
    let square = x * x + y * y;
    let least = R::SAFE_MINIMUM / (R::EPSILON * R::EPSILON);
    if square >= least && is_finite(square) {
        square.root()
    } else {
        x.hypotenuse(y)
    }
}

/// `|x|` of a complex number.
#[inline(always)]
pub(crate) fn modulus<T: Element>(x: T) -> T::Real {
    if T::IS_REAL {
        x.re().magnitude()
    } else {
        hypotenuse(x.re(), x.im())
    }
}

/// `x / y`; a complex quotient is scaled so that `|y|²` is in range.
#[inline(always)]
pub(crate) fn quotient<T: Element>(x: T, y: T) -> T {
    if T::IS_REAL {
        return x / y;
    }
    let (re, im) = (y.re().magnitude(), y.im().magnitude());
    let largest = if re > im { re } else { im };
    let scaled = T::from_parts(y.re() / largest, y.im() / largest);
    let square = scaled.re() * scaled.re() + scaled.im() * scaled.im();
    let conjugate = T::from_parts(scaled.re() / square, -scaled.im() / square);
    let numerator = T::from_parts(x.re() / largest, x.im() / largest);
    numerator * conjugate
}

/// The power of two by which a matrix is multiplied before it is decomposed, where its largest part is outside of what
/// squares and sums can hold; None where no scaling is needed.
///
/// LAPACK's drivers scale to the same bounds, √(safe minimum)/eps and its reciprocal; a power of two rounds nothing.
#[inline(always)]
pub(crate) fn scaling<R: Real>(largest: R) -> Option<R> {
    let least = (R::SAFE_MINIMUM / R::EPSILON).root();
    scaling_between(largest, least, R::ONE / least)
}

/// [`scaling`] such that the largest part is about one: for divide and conquer, which makes products of more numbers.
#[inline(always)]
pub(crate) fn scaling_to_one<R: Real>(largest: R) -> Option<R> {
    let two = R::ONE + R::ONE;
    scaling_between(largest, R::ONE / two, two)
}

#[inline(always)]
fn scaling_between<R: Real>(largest: R, least: R, most: R) -> Option<R> {
    if largest == R::ZERO || (largest >= least && largest <= most) {
        return None;
    }
    let two = R::ONE + R::ONE;
    let half = R::ONE / two;
    let mut factor = R::ONE;
    let mut size = largest;
    // The reciprocal of the factor, by which the results are multiplied, must be a normal number too.
    while size < least && factor < R::ONE / (two * R::SAFE_MINIMUM) {
        factor *= two;
        size *= two;
    }
    while size > most && factor > two * R::SAFE_MINIMUM {
        factor *= half;
        size *= half;
    }
    Some(factor)
}
