use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{DType, Text};

/// The most axes that an [`ArrayType`] has.
pub const MAX_RANK: usize = 16;

/// The type of an array: element type and shape, row major.
///
/// The array types of Rust are nested arrays: `f32` is `f32[]`, `[[f32; 4]; 8]` is `f32[8,4]`.
///
/// ```
/// use cyxla_artifact::{ArrayType, DType};
///
/// let matrix = ArrayType::new(DType::F32, &[8, 4])?;
/// assert_eq!((matrix.size(), matrix.nbytes()), (32, 128));
/// assert_eq!(matrix.to_string(), "f32[8,4]");
/// assert_eq!(matrix.rust().to_string(), "[[f32; 4]; 8]");
/// # Ok::<(), cyxla_artifact::ArrayTypeError>(())
/// ```
///
/// Source: `jax.core.ShapedArray`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ArrayType {
    dtype: DType,
    // Unused axes are 0, so that equality can be derived.
    axes: [usize; MAX_RANK],
    rank: usize,
}

/// A shape that no array in memory can have.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ArrayTypeError {
    /// More axes than [`MAX_RANK`].
    #[error("an array of {rank} axes: cyxla carries at most {MAX_RANK}")]
    Rank {
        /// Number of axes.
        rank: usize,
    },
    /// More bytes than an address can count.
    #[error("an array of shape {shape:?} does not fit into memory")]
    TooLarge {
        /// Length of each axis.
        shape: Vec<usize>,
    },
}

impl ArrayType {
    /// The type of arrays with the axes `shape`, outermost first.
    ///
    /// # Errors
    /// More than [`MAX_RANK`] axes, or more than `isize::MAX` bytes.
    pub fn new(dtype: DType, shape: &[usize]) -> Result<Self, ArrayTypeError> {
        if shape.len() > MAX_RANK {
            return Err(ArrayTypeError::Rank { rank: shape.len() });
        }
        // Zeros are left out of the product, so that the size of every part fits too.
        let bytes = shape
            .iter()
            .filter(|&&n| n > 0)
            .try_fold(dtype.size(), |bytes, &n| bytes.checked_mul(n));
        if bytes.is_none_or(|bytes| isize::try_from(bytes).is_err()) {
            return Err(ArrayTypeError::TooLarge {
                shape: shape.to_vec(),
            });
        }
        let mut axes = [0; MAX_RANK];
        axes[..shape.len()].copy_from_slice(shape);
        Ok(Self {
            dtype,
            axes,
            rank: shape.len(),
        })
    }

    /// The type of single elements, rank 0.
    pub const fn scalar(dtype: DType) -> Self {
        Self {
            dtype,
            axes: [0; MAX_RANK],
            rank: 0,
        }
    }

    /// The type of `[A; n]`, where this is the type of `A`: a new outermost axis.
    ///
    /// # Panics
    /// With more than [`MAX_RANK`] axes, or more bytes than an address can count; in a constant, this stops the compiler.
    pub const fn in_array(self, n: usize) -> Self {
        assert!(
            self.rank < MAX_RANK,
            "cyxla carries arrays of at most 16 axes"
        );
        let mut axes = [0; MAX_RANK];
        axes[0] = n;
        let mut bytes = self.dtype.size();
        let mut i = 0;
        while i <= self.rank {
            if i > 0 {
                axes[i] = self.axes[i - 1];
            }
            // Zeros are left out of the product, as in `new`.
            let factor = if axes[i] > 0 { axes[i] } else { 1 };
            bytes = match bytes.checked_mul(factor) {
                Some(bytes) if bytes <= isize::MAX.unsigned_abs() => bytes,
                _ => panic!("the array does not fit into memory"),
            };
            i += 1;
        }
        Self {
            dtype: self.dtype,
            axes,
            rank: self.rank + 1,
        }
    }

    /// The type of the elements.
    pub const fn dtype(&self) -> DType {
        self.dtype
    }

    /// The length of each axis, outermost first.
    pub const fn shape(&self) -> &[usize] {
        self.axes.split_at(self.rank).0
    }

    /// Number of elements; 1 for a scalar.
    pub const fn size(&self) -> usize {
        let mut size = 1;
        let mut i = 0;
        while i < self.rank {
            size *= self.axes[i];
            i += 1;
        }
        size
    }

    /// Bytes in host memory: elements times [`DType::size`].
    pub const fn nbytes(&self) -> usize {
        self.size() * self.dtype.size()
    }

    /// Whether two types are the same; for constants, where `==` can't be used.
    pub const fn is(&self, other: &ArrayType) -> bool {
        let mut same = self.dtype.is(other.dtype) && self.rank == other.rank;
        let mut i = 0;
        while i < MAX_RANK {
            same = same && self.axes[i] == other.axes[i];
            i += 1;
        }
        same
    }

    /// The type in JAX's notation, `f32[8,4]`; for constants, where `to_string` can't be used.
    pub const fn text(&self) -> Text {
        let mut text = Text::new().str(self.dtype.short()).str("[");
        let mut i = 0;
        while i < self.rank {
            text = if i > 0 { text.str(",") } else { text };
            text = text.number(self.axes[i]);
            i += 1;
        }
        text.str("]")
    }

    /// The type in Rust's notation, `[[f32; 4]; 8]`; for constants, where `to_string` can't be used.
    pub const fn rust_text(&self) -> Text {
        let mut text = Text::new();
        let mut i = 0;
        while i < self.rank {
            text = text.str("[");
            i += 1;
        }
        text = text.str(self.dtype.rust());
        while i > 0 {
            i -= 1;
            text = text.str("; ").number(self.axes[i]).str("]");
        }
        text
    }

    /// Prints the type in Rust's notation: `[[f32; 4]; 8]`.
    pub const fn rust(&self) -> RustType<'_> {
        RustType(self)
    }
}

/// Prints an [`ArrayType`] in Rust's notation; made by [`ArrayType::rust`].
#[derive(Clone, Copy, Debug)]
pub struct RustType<'a>(&'a ArrayType);

impl fmt::Display for RustType<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.0.rust_text().as_str())
    }
}

/// Prints the type in JAX's notation: `f32[8,4]`.
impl fmt::Display for ArrayType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.text().as_str())
    }
}

impl fmt::Debug for ArrayType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[derive(Serialize, Deserialize)]
#[serde(rename = "ArrayType", deny_unknown_fields)]
struct Fields {
    dtype: DType,
    shape: Vec<usize>,
}

/// As `{"dtype": "float32", "shape": [8, 4]}`.
impl Serialize for ArrayType {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Fields {
            dtype: self.dtype,
            shape: self.shape().to_vec(),
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for ArrayType {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let fields = Fields::deserialize(deserializer)?;
        Self::new(fields.dtype, &fields.shape).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_arrays_add_axes_outside() {
        const MATRIX: ArrayType = ArrayType::scalar(DType::F32).in_array(4).in_array(8);
        assert_eq!(MATRIX.shape(), [8, 4]);
        assert_eq!(MATRIX, ArrayType::new(DType::F32, &[8, 4]).unwrap());
    }

    #[test]
    fn a_scalar_has_one_element_and_no_axes() {
        let scalar = ArrayType::scalar(DType::C128);
        assert_eq!(
            (scalar.size(), scalar.nbytes(), scalar.shape().len()),
            (1, 16, 0)
        );
        assert_eq!(scalar.to_string(), "c128[]");
        assert_eq!(scalar.rust().to_string(), "cyxla::Complex<f64>");
    }

    #[test]
    fn an_axis_of_length_zero_leaves_no_bytes() {
        let empty = ArrayType::new(DType::F64, &[3, 0]).unwrap();
        assert_eq!(empty.nbytes(), 0);
        assert_eq!(empty.rust().to_string(), "[[f64; 0]; 3]");
    }

    #[test]
    fn axes_of_equal_product_differ() {
        let wide = ArrayType::new(DType::F32, &[4, 8]).unwrap();
        let tall = ArrayType::new(DType::F32, &[8, 4]).unwrap();
        assert!(!wide.is(&tall));
        assert_ne!(wide, tall);
    }

    #[test]
    fn shapes_that_overflow_are_refused() {
        let shape = [usize::MAX / 2, 4, 0];
        assert_eq!(
            ArrayType::new(DType::F32, &shape),
            Err(ArrayTypeError::TooLarge {
                shape: shape.to_vec()
            })
        );
        assert_eq!(
            ArrayType::new(DType::F32, &[1; 17]),
            Err(ArrayTypeError::Rank { rank: 17 })
        );
    }

    #[test]
    #[should_panic(expected = "does not fit into memory")]
    fn nested_arrays_that_overflow_are_refused_even_if_empty() {
        let _ = ArrayType::scalar(DType::F32)
            .in_array(0)
            .in_array(usize::MAX);
    }

    #[test]
    fn json_is_read_back_and_checked() {
        let matrix = ArrayType::new(DType::BF16, &[2, 3]).unwrap();
        let json = serde_json::to_string(&matrix).unwrap();
        assert_eq!(json, r#"{"dtype":"bfloat16","shape":[2,3]}"#);
        assert_eq!(serde_json::from_str::<ArrayType>(&json).unwrap(), matrix);
        let hostile = r#"{"dtype":"int8","shape":[4294967296,4294967296,4294967296]}"#;
        assert!(serde_json::from_str::<ArrayType>(hostile).is_err());
    }
}
