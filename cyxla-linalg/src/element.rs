//! The four element types of LAPACK as one.

use std::fmt::Debug;
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use bytemuck::cast_slice;
use faer::traits::{ComplexField, RealField};
use num_complex::Complex;

use crate::simd;

/// f32, f64, c64 or c128: what a LAPACK routine is generic over.
pub(crate) trait Element: Number<Real: Real> {}

impl<T: Number<Real: Real>> Element for T {}

/// The arithmetic of [`Element`], apart from it since a type of numbers and its real type are bounded by each other.
pub(crate) trait Number:
    ComplexField
    + Copy
    + Debug
    + Default
    + PartialEq
    + Send
    + Sync
    + 'static
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
    + DivAssign
{
    /// Zero.
    const ZERO: Self;
    /// One.
    const ONE: Self;

    /// The number with real part `re` and, for a complex type, imaginary part `im`.
    fn from_parts(re: Self::Real, im: Self::Real) -> Self;
    /// The real part.
    fn re(self) -> Self::Real;
    /// The imaginary part; zero for a real type.
    fn im(self) -> Self::Real;
    /// The complex conjugate.
    fn conj(self) -> Self;
    /// The product with a real number.
    fn scale(self, factor: Self::Real) -> Self;
    /// `self * a + b`, each product and sum fused where `FUSED`: right for processors that have the instruction, slow
    /// elsewhere.
    fn mul_add<const FUSED: bool>(self, a: Self, b: Self) -> Self;

    /// `Σ conj(x) y` on vectors of one length.
    fn dot_conj<const FUSED: bool>(x: &[Self], y: &[Self]) -> Self;

    /// The number `re` of this type.
    fn from_re(re: Self::Real) -> Self;
    /// LAPACK's cheap modulus, |re| + |im|: what pivots are chosen by.
    fn abs1(self) -> Self::Real;
}

/// f32 or f64.
pub(crate) trait Real: Number<Real = Self> + RealField + PartialOrd {
    /// Half the distance from one to the next number: LAPACK's `lamch('E')`.
    const EPSILON: Self;
    /// The smallest number whose reciprocal is finite: LAPACK's `lamch('S')`.
    const SAFE_MINIMUM: Self;

    /// The absolute value.
    fn magnitude(self) -> Self;
    /// The square root, NaN for a negative number.
    fn root(self) -> Self;
    /// `√(self² + other²)` without overflow on the way: LAPACK's `lapy2`.
    fn hypotenuse(self, other: Self) -> Self;
    /// The magnitude of `self` with the sign of `sign`.
    fn with_sign_of(self, sign: Self) -> Self;
    /// The nearest number to `value`.
    fn from_f64(value: f64) -> Self;
}

macro_rules! real {
    ($($real:ident),*) => { $(
        impl Number for $real {
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;

            #[inline(always)]
            fn from_parts(re: Self, _im: Self) -> Self {
                re
            }

            #[inline(always)]
            fn from_re(re: Self) -> Self {
                re
            }

            #[inline(always)]
            fn abs1(self) -> Self {
                self.abs()
            }

            #[inline(always)]
            fn re(self) -> Self {
                self
            }

            #[inline(always)]
            fn im(self) -> Self {
                0.0
            }

            #[inline(always)]
            fn conj(self) -> Self {
                self
            }

            #[inline(always)]
            fn scale(self, factor: Self) -> Self {
                self * factor
            }

            #[inline(always)]
            fn mul_add<const FUSED: bool>(self, a: Self, b: Self) -> Self {
                if FUSED { $real::mul_add(self, a, b) } else { self * a + b }
            }

            #[inline(always)]
            fn dot_conj<const FUSED: bool>(x: &[Self], y: &[Self]) -> Self {
                simd::dot_real::<Self, FUSED>(x, y)
            }
        }

        impl Real for $real {
            const EPSILON: Self = $real::EPSILON / 2.0;
            const SAFE_MINIMUM: Self = $real::MIN_POSITIVE;

            #[inline(always)]
            fn magnitude(self) -> Self {
                self.abs()
            }

            #[inline(always)]
            fn root(self) -> Self {
                self.sqrt()
            }

            #[inline(always)]
            fn hypotenuse(self, other: Self) -> Self {
                self.hypot(other)
            }

            #[inline(always)]
            fn with_sign_of(self, sign: Self) -> Self {
                self.copysign(sign)
            }

            #[inline(always)]
            #[allow(
                clippy::cast_possible_truncation,
                reason = "the nearest number is what is asked for"
            )]
            fn from_f64(value: f64) -> Self {
                value as $real
            }
        }

        impl Number for Complex<$real> {
            const ZERO: Self = Complex::new(0.0, 0.0);
            const ONE: Self = Complex::new(1.0, 0.0);

            #[inline(always)]
            fn from_parts(re: $real, im: $real) -> Self {
                Complex::new(re, im)
            }

            #[inline(always)]
            fn from_re(re: $real) -> Self {
                Complex::new(re, 0.0)
            }

            #[inline(always)]
            fn abs1(self) -> $real {
                self.re.abs() + self.im.abs()
            }

            #[inline(always)]
            fn re(self) -> $real {
                self.re
            }

            #[inline(always)]
            fn im(self) -> $real {
                self.im
            }

            #[inline(always)]
            fn conj(self) -> Self {
                Complex::new(self.re, -self.im)
            }

            #[inline(always)]
            fn scale(self, factor: $real) -> Self {
                Complex::new(self.re * factor, self.im * factor)
            }

            #[inline(always)]
            fn mul_add<const FUSED: bool>(self, a: Self, b: Self) -> Self {
                if FUSED {
                    Complex::new(
                        $real::mul_add(self.re, a.re, $real::mul_add(-self.im, a.im, b.re)),
                        $real::mul_add(self.re, a.im, $real::mul_add(self.im, a.re, b.im)),
                    )
                } else {
                    Complex::new(
                        self.re * a.re - self.im * a.im + b.re,
                        self.re * a.im + self.im * a.re + b.im,
                    )
                }
            }

            #[inline(always)]
            fn dot_conj<const FUSED: bool>(x: &[Self], y: &[Self]) -> Self {
                simd::dot_conj_complex::<$real, FUSED>(cast_slice(x), cast_slice(y))
            }
        }
    )* };
}

real!(f32, f64);
