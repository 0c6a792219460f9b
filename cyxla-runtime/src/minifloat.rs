//! The 8-bit floating-point types of JAX.
//!
//! Values and rounding are those of `ml_dtypes`: to the nearest, ties to the even code; what is too large becomes an
//! infinity where the type has one, else NaN. The one difference: subnormal `f32` are rounded to the nearest
//! [`F8E8M0FNU`] too.

use std::fmt;

/// How the bits of an 8-bit float are read.
#[derive(Clone, Copy)]
struct Format {
    mantissa_bits: u32,
    bias: i32,
    /// The largest code of a finite magnitude.
    max: u8,
    /// The code of positive infinity, if there is one.
    infinity: Option<u8>,
    /// The code of NaN with the sign bit clear.
    nan: u8,
    /// Whether the upper bit is a sign that every value can have; `fnuz` types have no negative zero, their NaN lies
    /// there.
    sign: Sign,
}

#[derive(Clone, Copy, PartialEq)]
enum Sign {
    Full,
    NoNegativeZero,
    /// Powers of two only: no sign, no zero, no mantissa.
    Unsigned,
}

impl Format {
    /// The magnitude of a code without its sign, as if no code were special.
    fn magnitude(self, code: u32) -> f64 {
        let exponent = (code >> self.mantissa_bits).cast_signed();
        let mantissa = f64::from(code & ((1 << self.mantissa_bits) - 1));
        let unit = 2f64.powi(-self.mantissa_bits.cast_signed());
        if exponent == 0 && self.sign != Sign::Unsigned {
            mantissa * unit * 2f64.powi(1 - self.bias)
        } else {
            (1.0 + mantissa * unit) * 2f64.powi(exponent - self.bias)
        }
    }

    fn decode(self, bits: u8) -> f32 {
        let (negative, code) = match self.sign {
            Sign::Unsigned => (false, bits),
            _ => (bits & 0x80 != 0, bits & 0x7F),
        };
        let fnuz_nan = self.sign == Sign::NoNegativeZero && bits == 0x80;
        let magnitude = if fnuz_nan {
            f64::NAN
        } else if code <= self.max {
            self.magnitude(u32::from(code))
        } else if self.infinity == Some(code) {
            f64::INFINITY
        } else {
            f64::NAN
        };
        #[expect(
            clippy::cast_possible_truncation,
            reason = "every 8-bit float is a float32, in E8M0 a subnormal one"
        )]
        let magnitude = magnitude as f32;
        if negative { -magnitude } else { magnitude }
    }

    fn encode(self, value: f32) -> u8 {
        let negative = value.is_sign_negative();
        let sign = if negative && self.sign == Sign::Full {
            0x80
        } else {
            0
        };
        let beyond = self
            .infinity
            .map_or_else(|| self.nan(negative), |infinity| infinity | sign);
        if value.is_nan() {
            return self.nan(negative);
        }
        if self.sign == Sign::Unsigned && (negative || value == 0.0) {
            return self.nan;
        }
        let magnitude = f64::from(value.abs());
        let nearest = self.nearest(magnitude);
        match u8::try_from(nearest) {
            Ok(code) if code <= self.max => {
                let negative_zero = code == 0 && self.sign != Sign::Full;
                if negative && !negative_zero {
                    code | 0x80
                } else {
                    code
                }
            }
            _ => beyond,
        }
    }

    fn nan(self, negative: bool) -> u8 {
        match self.sign {
            Sign::Full if negative => self.nan | 0x80,
            _ => self.nan,
        }
    }

    /// The code whose magnitude is the nearest; one above `max` stands for all that is too large.
    fn nearest(self, magnitude: f64) -> u32 {
        let too_large = u32::from(self.max) + 1;
        // Magnitudes rise with the codes.
        let (mut low, mut high) = (0, too_large);
        while high - low > 1 {
            let middle = u32::midpoint(low, high);
            if self.magnitude(middle) <= magnitude {
                low = middle;
            } else {
                high = middle;
            }
        }
        let (below, above) = (self.magnitude(low), self.magnitude(high));
        let half = f64::midpoint(below, above);
        let tie_goes_up = low % 2 == 1 || self.sign == Sign::Unsigned;
        if magnitude > half || (magnitude == half && tie_goes_up) {
            high
        } else {
            low
        }
    }
}

macro_rules! minifloats {
    ($($name:ident, $doc:literal, $format:expr;)*) => {$(
        #[doc = $doc]
        ///
        /// One byte; any byte is a value. Compared and printed as the `f32` of the same value.
        #[derive(Clone, Copy, Default)]
        #[repr(transparent)]
        pub struct $name(u8);

        impl $name {
            const FORMAT: Format = $format;

            /// The value with these bits.
            pub const fn from_bits(bits: u8) -> Self {
                Self(bits)
            }

            /// The bits of this value.
            pub const fn to_bits(self) -> u8 {
                self.0
            }

            /// The nearest value, ties to the even code.
            pub fn from_f32(value: f32) -> Self {
                Self(Self::FORMAT.encode(value))
            }

            /// The same value as `f32`: exact.
            pub fn to_f32(self) -> f32 {
                Self::FORMAT.decode(self.0)
            }
        }

        // SAFETY: one byte, of which any is a value.
        unsafe impl cyxla_ffi::Element for $name {
            const DTYPE: cyxla_artifact::DType = cyxla_artifact::DType::$name;
        }

        impl From<$name> for f32 {
            fn from(value: $name) -> f32 {
                value.to_f32()
            }
        }

        impl PartialEq for $name {
            fn eq(&self, other: &Self) -> bool {
                self.to_f32() == other.to_f32()
            }
        }

        impl PartialOrd for $name {
            fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
                self.to_f32().partial_cmp(&other.to_f32())
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.to_f32(), f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&self.to_f32(), f)
            }
        }
    )*};
}

minifloats! {
    F8E3M4, "`float8_e3m4`: 3 bits of exponent, 4 of mantissa, IEEE-like.",
        Format { mantissa_bits: 4, bias: 3, max: 0x6F, infinity: Some(0x70), nan: 0x78, sign: Sign::Full };
    F8E4M3, "`float8_e4m3`: 4 bits of exponent, 3 of mantissa, IEEE-like.",
        Format { mantissa_bits: 3, bias: 7, max: 0x77, infinity: Some(0x78), nan: 0x7C, sign: Sign::Full };
    F8E4M3FN, "`float8_e4m3fn`: 4 bits of exponent, 3 of mantissa, no infinities.",
        Format { mantissa_bits: 3, bias: 7, max: 0x7E, infinity: None, nan: 0x7F, sign: Sign::Full };
    F8E4M3FNUZ, "`float8_e4m3fnuz`: 4 bits of exponent, 3 of mantissa, no infinities, no negative zero.",
        Format { mantissa_bits: 3, bias: 8, max: 0x7F, infinity: None, nan: 0x80, sign: Sign::NoNegativeZero };
    F8E4M3B11FNUZ, "`float8_e4m3b11fnuz`: 4 bits of exponent with bias 11, 3 of mantissa, no infinities, no negative zero.",
        Format { mantissa_bits: 3, bias: 11, max: 0x7F, infinity: None, nan: 0x80, sign: Sign::NoNegativeZero };
    F8E5M2, "`float8_e5m2`: 5 bits of exponent, 2 of mantissa, IEEE-like.",
        Format { mantissa_bits: 2, bias: 15, max: 0x7B, infinity: Some(0x7C), nan: 0x7E, sign: Sign::Full };
    F8E5M2FNUZ, "`float8_e5m2fnuz`: 5 bits of exponent, 2 of mantissa, no infinities, no negative zero.",
        Format { mantissa_bits: 2, bias: 16, max: 0x7F, infinity: None, nan: 0x80, sign: Sign::NoNegativeZero };
    F8E8M0FNU, "`float8_e8m0fnu`: 8 bits of exponent: the powers of two from 2⁻¹²⁷ to 2¹²⁷ and NaN; ties round up.",
        Format { mantissa_bits: 0, bias: 127, max: 0xFE, infinity: None, nan: 0xFF, sign: Sign::Unsigned };
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line a type: its name, the 256 values by code, then pairs of a value and its code; written by
    /// `minifloat.py` with `ml_dtypes`. All `f32` are hexadecimal bits.
    const REFERENCE: &str = include_str!("minifloat.txt");

    fn bits(hexadecimal: &str) -> u32 {
        u32::from_str_radix(hexadecimal, 16).unwrap()
    }

    fn check(name: &str, decode: impl Fn(u8) -> f32, encode: impl Fn(f32) -> u8) {
        let line = REFERENCE
            .lines()
            .find(|line| line.starts_with(&format!("{name} ")))
            .unwrap();
        let mut words = line.split(' ').skip(1);
        for code in 0..=255 {
            let expected = f32::from_bits(bits(words.next().unwrap()));
            let found = decode(code);
            let equal =
                found.to_bits() == expected.to_bits() || (found.is_nan() && expected.is_nan());
            assert!(equal, "{name} {code:#x}: {found:e} is not {expected:e}");
        }
        let mut pairs = 0;
        for pair in words {
            let (value, code) = pair.split_once(':').unwrap();
            let value = f32::from_bits(bits(value));
            assert_eq!(u32::from(encode(value)), bits(code), "{name} of {value:e}");
            pairs += 1;
        }
        assert!(pairs > 500, "{name} has {pairs} pairs");
    }

    macro_rules! same_as_ml_dtypes {
        ($($test:ident, $name:ident;)*) => {$(
            #[test]
            fn $test() {
                check(stringify!($name), |code| $name::from_bits(code).to_f32(), |value| $name::from_f32(value).to_bits());
            }
        )*};
    }

    same_as_ml_dtypes! {
        e3m4_is_that_of_ml_dtypes, F8E3M4;
        e4m3_is_that_of_ml_dtypes, F8E4M3;
        e4m3fn_is_that_of_ml_dtypes, F8E4M3FN;
        e4m3fnuz_is_that_of_ml_dtypes, F8E4M3FNUZ;
        e4m3b11fnuz_is_that_of_ml_dtypes, F8E4M3B11FNUZ;
        e5m2_is_that_of_ml_dtypes, F8E5M2;
        e5m2fnuz_is_that_of_ml_dtypes, F8E5M2FNUZ;
        e8m0fnu_is_that_of_ml_dtypes, F8E8M0FNU;
    }

    #[test]
    fn values_are_compared_as_numbers() {
        assert!(F8E4M3FN::from_f32(-1.0) < F8E4M3FN::from_f32(0.5));
        assert_ne!(F8E4M3FN::from_bits(0x7F), F8E4M3FN::from_bits(0x7F));
        assert_eq!(F8E5M2::from_f32(1.5).to_string(), "1.5");
    }
}
