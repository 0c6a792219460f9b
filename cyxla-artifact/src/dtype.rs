use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

macro_rules! dtypes {
    ($($variant:ident: $name:literal, $short:literal, $rust:literal, $size:literal, $doc:literal;)*) => {
        /// The type of an array's elements, by the names of JAX.
        ///
        /// Source: `jax.numpy` scalar types, `PJRT_Buffer_Type`.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[non_exhaustive]
        pub enum DType {
            $(#[doc = $doc] $variant,)*
        }

        impl DType {
            /// Every element type, in the order of declaration.
            pub const ALL: &'static [DType] = &[$(DType::$variant,)*];

            /// The name in JAX and NumPy: `float32`.
            pub const fn name(self) -> &'static str {
                match self { $(DType::$variant => $name,)* }
            }

            /// The name in a printed array type: `f32`.
            pub const fn short(self) -> &'static str {
                match self { $(DType::$variant => $short,)* }
            }

            /// The Rust type of one element, as a user of the `cyxla` crate writes it: `f32`, `cyxla::BF16`.
            pub const fn rust(self) -> &'static str {
                match self { $(DType::$variant => $rust,)* }
            }

            /// Bytes that one element takes in host memory. An `int4` takes a whole byte.
            pub const fn size(self) -> usize {
                match self { $(DType::$variant => $size,)* }
            }
        }
    };
}

dtypes! {
    Bool: "bool", "bool", "bool", 1, "A truth value, one byte, 0 or 1. XLA's `PRED`.";
    I4: "int4", "i4", "cyxla::I4", 1, "A signed 4-bit integer, in a byte of its own on the host.";
    I8: "int8", "i8", "i8", 1, "A signed 8-bit integer.";
    I16: "int16", "i16", "i16", 2, "A signed 16-bit integer.";
    I32: "int32", "i32", "i32", 4, "A signed 32-bit integer.";
    I64: "int64", "i64", "i64", 8, "A signed 64-bit integer.";
    U4: "uint4", "u4", "cyxla::U4", 1, "An unsigned 4-bit integer, in a byte of its own on the host.";
    U8: "uint8", "u8", "u8", 1, "An unsigned 8-bit integer.";
    U16: "uint16", "u16", "u16", 2, "An unsigned 16-bit integer.";
    U32: "uint32", "u32", "u32", 4, "An unsigned 32-bit integer.";
    U64: "uint64", "u64", "u64", 8, "An unsigned 64-bit integer.";
    F8E3M4: "float8_e3m4", "f8_e3m4", "cyxla::F8E3M4", 1, "8 bits: 3 of exponent, 4 of mantissa, IEEE-like.";
    F8E4M3: "float8_e4m3", "f8_e4m3", "cyxla::F8E4M3", 1, "8 bits: 4 of exponent, 3 of mantissa, IEEE-like.";
    F8E4M3FN: "float8_e4m3fn", "f8_e4m3fn", "cyxla::F8E4M3FN", 1, "8 bits: 4 of exponent, 3 of mantissa, no infinities.";
    F8E4M3FNUZ: "float8_e4m3fnuz", "f8_e4m3fnuz", "cyxla::F8E4M3FNUZ", 1, "8 bits: 4 of exponent, 3 of mantissa, no infinities, no negative zero.";
    F8E4M3B11FNUZ: "float8_e4m3b11fnuz", "f8_e4m3b11fnuz", "cyxla::F8E4M3B11FNUZ", 1, "8 bits: 4 of exponent with bias 11, 3 of mantissa, no infinities, no negative zero.";
    F8E5M2: "float8_e5m2", "f8_e5m2", "cyxla::F8E5M2", 1, "8 bits: 5 of exponent, 2 of mantissa, IEEE-like.";
    F8E5M2FNUZ: "float8_e5m2fnuz", "f8_e5m2fnuz", "cyxla::F8E5M2FNUZ", 1, "8 bits: 5 of exponent, 2 of mantissa, no infinities, no negative zero.";
    F8E8M0FNU: "float8_e8m0fnu", "f8_e8m0fnu", "cyxla::F8E8M0FNU", 1, "8 bits of exponent: powers of two only, unsigned, no zero.";
    BF16: "bfloat16", "bf16", "cyxla::BF16", 2, "The upper 16 bits of a `float32`.";
    F16: "float16", "f16", "cyxla::F16", 2, "IEEE 754 half precision.";
    F32: "float32", "f32", "f32", 4, "IEEE 754 single precision.";
    F64: "float64", "f64", "f64", 8, "IEEE 754 double precision.";
    C64: "complex64", "c64", "cyxla::Complex<f32>", 8, "Two `float32`: real, imaginary.";
    C128: "complex128", "c128", "cyxla::Complex<f64>", 16, "Two `float64`: real, imaginary.";
}

impl DType {
    /// Whether JAX has this type only with `jax_enable_x64`.
    pub const fn needs_x64(self) -> bool {
        matches!(self, DType::I64 | DType::U64 | DType::F64 | DType::C128)
    }

    /// Whether `byte` can be part of an element on the host: truth values are 0 or 1, 4-bit integers keep to their
    /// range.
    pub const fn holds(self, byte: u8) -> bool {
        match self {
            DType::Bool => byte <= 1,
            DType::U4 => byte < 16,
            DType::I4 => byte < 8 || byte >= 0xF8,
            _ => true,
        }
    }

    /// Whether two types are the same; for constants, where `==` can't be used.
    pub const fn is(self, other: DType) -> bool {
        self as u8 == other as u8
    }
}

/// Prints the short name: `f32`.
impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.short())
    }
}

/// A name that is no element type of JAX, or one that cyxla doesn't carry.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{name}` is no element type that cyxla carries")]
pub struct UnknownDType {
    /// The name that was met.
    pub name: String,
}

/// Reads the JAX name: `float32`.
impl FromStr for DType {
    type Err = UnknownDType;

    fn from_str(name: &str) -> Result<Self, UnknownDType> {
        let found = DType::ALL.iter().find(|dtype| dtype.name() == name);
        found.copied().ok_or_else(|| UnknownDType {
            name: name.to_owned(),
        })
    }
}

impl Serialize for DType {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for DType {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        name.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for &dtype in DType::ALL {
            assert_eq!(dtype.name().parse(), Ok(dtype));
        }
    }

    #[test]
    fn an_unknown_name_is_named() {
        let error = "float24".parse::<DType>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "`float24` is no element type that cyxla carries"
        );
    }

    #[test]
    fn exactly_the_64_bit_kinds_need_x64() {
        let names: Vec<_> = DType::ALL
            .iter()
            .filter(|dtype| dtype.needs_x64())
            .map(|dtype| dtype.name())
            .collect();
        assert_eq!(names, ["int64", "uint64", "float64", "complex128"]);
    }
}
