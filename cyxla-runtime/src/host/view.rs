use std::fmt;

use cyxla_artifact::ArrayType;

use super::HostArrayError;
use crate::array::{Array, bytes_of};

/// A borrowed host array with its type.
///
/// ```
/// use cyxla_runtime::HostView;
///
/// let view = HostView::of(&[[1_i32, 2, 3], [4, 5, 6]]);
/// assert_eq!(view.array_type().to_string(), "i32[2,3]");
/// assert_eq!(view.bytes().len(), 24);
/// ```
///
/// # Shape
/// Row major, elements in the byte order of the host.
#[derive(Clone, Copy)]
pub struct HostView<'a> {
    array_type: &'a ArrayType,
    bytes: &'a [u8],
}

impl<'a> HostView<'a> {
    /// A view of `bytes` as an array of type `array_type`.
    ///
    /// # Errors
    /// There are not exactly [`ArrayType::nbytes`] bytes, or a byte of a `bool` array is neither 0 nor 1.
    pub fn new(array_type: &'a ArrayType, bytes: &'a [u8]) -> Result<Self, HostArrayError> {
        let view = Self { array_type, bytes };
        if bytes.len() != array_type.nbytes() {
            return Err(HostArrayError::Bytes {
                array_type: Box::new(*array_type),
                found: bytes.len(),
            });
        }
        match bytes.iter().find(|byte| !array_type.dtype().holds(**byte)) {
            Some(&byte) => Err(HostArrayError::Element {
                array_type: Box::new(*array_type),
                byte,
            }),
            None => Ok(view),
        }
    }

    /// A view of `bytes` as an array of type `array_type`.
    ///
    /// # Safety
    /// They are exactly the elements of such an array, all of them valid.
    pub(crate) unsafe fn new_unchecked(array_type: &'a ArrayType, bytes: &'a [u8]) -> Self {
        debug_assert_eq!(array_type.nbytes(), bytes.len());
        Self { array_type, bytes }
    }

    /// A view of a nested Rust array: `f32`, `[[f32; 4]; 8]`.
    pub fn of<A: Array>(array: &'a A) -> Self {
        Self {
            array_type: &A::TYPE,
            bytes: bytes_of(array),
        }
    }

    /// Element type and shape.
    pub fn array_type(&self) -> &'a ArrayType {
        self.array_type
    }

    /// The elements.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }
}

impl fmt::Debug for HostView<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HostView({})", self.array_type)
    }
}

#[cfg(test)]
mod tests {
    use cyxla_artifact::DType;

    use super::*;

    #[test]
    fn a_view_needs_exactly_its_bytes() {
        let pair = ArrayType::new(DType::F32, &[2]).unwrap();
        assert!(HostView::new(&pair, &[0; 8]).is_ok());
        assert!(HostView::new(&pair, &[0; 7]).is_err());
        assert!(HostView::new(&pair, &[0; 12]).is_err());
    }

    #[test]
    fn a_view_refuses_bytes_that_are_no_element() {
        let flags = ArrayType::new(DType::Bool, &[3]).unwrap();
        assert!(HostView::new(&flags, &[0, 1, 1]).is_ok());
        assert!(HostView::new(&flags, &[0, 2, 1]).is_err());
        let nibbles = ArrayType::new(DType::I4, &[2]).unwrap();
        assert!(HostView::new(&nibbles, &[0xF8, 7]).is_ok());
        assert!(HostView::new(&nibbles, &[8, 0]).is_err());
    }
}
