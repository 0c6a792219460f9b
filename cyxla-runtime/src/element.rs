//! The Rust types of single elements.

use std::fmt;

use cyxla_artifact::DType;
pub use half::{bf16 as BF16, f16 as F16};
pub use num_complex::Complex;

use crate::array::Array;
pub use crate::minifloat::{
    F8E3M4, F8E4M3, F8E4M3B11FNUZ, F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ, F8E8M0FNU,
};

/// The type of one array element: what JAX calls a dtype.
///
/// Sealed: XLA fixes the list.
pub trait Element: Array<Elem = Self> {
    /// The element type by its name in JAX.
    const DTYPE: DType;
}

macro_rules! small_integers {
    ($($name:ident, $repr:ident, $min:literal, $max:literal, $doc:literal;)*) => {$(
        #[doc = $doc]
        ///
        /// On the host it takes a byte of its own.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
        #[repr(transparent)]
        pub struct $name($repr);

        impl $name {
            /// The smallest value.
            pub const MIN: Self = Self($min);
            /// The largest value.
            pub const MAX: Self = Self($max);

            /// The value, if it fits.
            pub const fn new(value: $repr) -> Option<Self> {
                match value {
                    $min..=$max => Some(Self(value)),
                    _ => None,
                }
            }

            /// The value.
            pub const fn get(self) -> $repr {
                self.0
            }
        }

        impl From<$name> for $repr {
            fn from(value: $name) -> $repr {
                value.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.0, f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&self.0, f)
            }
        }
    )*};
}

small_integers! {
    I4, i8, -8, 7, "`int4`: an integer from -8 to 7.";
    U4, u8, 0, 15, "`uint4`: an integer from 0 to 15.";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_integers_know_their_range() {
        assert_eq!(I4::new(-8), Some(I4::MIN));
        assert_eq!((I4::new(8), I4::new(-9)), (None, None));
        assert_eq!(U4::new(15), Some(U4::MAX));
        assert_eq!(U4::new(16), None);
    }
}
