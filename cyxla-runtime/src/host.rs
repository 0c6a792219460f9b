//! Host arrays whose type is known at run time only.

use std::alloc::Layout;
use std::fmt;
use std::mem::MaybeUninit;
use std::ptr::NonNull;

use cyxla_artifact::{ArrayType, ArrayTypeError};

use crate::array::{Array, bytes_of};
use crate::element::Element;

/// Alignment at which a plugin can use host memory in place, in bytes.
pub(crate) const ALIGNMENT: usize = 64;

/// Memory that is no array of the type asked for.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HostArrayError {
    /// Another number of bytes.
    #[error(
        "{found} bytes are no {array_type}, which has {}\n  help: give exactly the elements of the array, row major",
        .array_type.nbytes()
    )]
    Bytes {
        /// The type asked for.
        array_type: Box<ArrayType>,
        /// Number of bytes given.
        found: usize,
    },
    /// A byte that no element of the type has.
    #[error(
        "the byte {byte:#04x} is no part of a {array_type}\n  help: `bool` is 0 or 1, 4-bit integers take a byte \
         of their own and keep to their range"
    )]
    Element {
        /// The type asked for.
        array_type: Box<ArrayType>,
        /// The first such byte.
        byte: u8,
    },
    /// No such array type.
    #[error(transparent)]
    Type(#[from] ArrayTypeError),
}

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

/// Of no size, at the alignment of a [`HostArray`]; for the address of an empty one.
#[repr(align(64))]
struct Aligned;

const _: () = assert!(align_of::<Aligned>() == ALIGNMENT);

/// An owned host array with its type, aligned to 64 bytes.
///
/// # Shape
/// Row major, elements in the byte order of the host.
pub struct HostArray {
    array_type: ArrayType,
    bytes: NonNull<u8>,
}

// SAFETY: owns plain bytes that nothing else points to.
unsafe impl Send for HostArray {}
// SAFETY: shared access only reads.
unsafe impl Sync for HostArray {}

impl HostArray {
    /// An array of zeros; of `0` bytes, which for `float8_e8m0fnu` means 2⁻¹²⁷.
    pub fn zeros(array_type: ArrayType) -> Self {
        let layout = Self::layout(&array_type);
        let bytes = if layout.size() == 0 {
            NonNull::<Aligned>::dangling().cast()
        } else {
            // SAFETY: the size is not 0.
            let bytes = unsafe { std::alloc::alloc_zeroed(layout) };
            NonNull::new(bytes).unwrap_or_else(|| std::alloc::handle_alloc_error(layout))
        };
        Self { array_type, bytes }
    }

    /// A copy of a nested Rust array.
    pub fn from_array<A: Array>(array: &A) -> Self {
        HostView::of(array).into()
    }

    /// A copy of `elements` with the axes `shape`.
    ///
    /// # Errors
    /// The shape is none that cyxla carries, or needs another number of elements.
    pub fn from_slice<E: Element>(elements: &[E], shape: &[usize]) -> Result<Self, HostArrayError> {
        let array_type = ArrayType::new(E::DTYPE, shape)?;
        let found = size_of_val(elements);
        if found != array_type.nbytes() {
            return Err(HostArrayError::Bytes {
                array_type: Box::new(array_type),
                found,
            });
        }
        let mut copy = Self::zeros(array_type);
        // SAFETY: elements are plain data without padding.
        let bytes = unsafe { std::slice::from_raw_parts(elements.as_ptr().cast::<u8>(), found) };
        copy.bytes_mut().copy_from_slice(bytes);
        Ok(copy)
    }

    fn layout(array_type: &ArrayType) -> Layout {
        // An `ArrayType` has at most `isize::MAX` bytes; only the last 63 of these can't be rounded up.
        let layout = Layout::from_size_align(array_type.nbytes(), ALIGNMENT);
        layout.unwrap_or_else(|_| std::alloc::handle_alloc_error(Layout::new::<u8>()))
    }

    /// Element type and shape.
    pub fn array_type(&self) -> &ArrayType {
        &self.array_type
    }

    /// The elements.
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: that many bytes are ours and were initialised by `zeros`.
        unsafe { std::slice::from_raw_parts(self.bytes.as_ptr(), self.array_type.nbytes()) }
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: that many bytes are ours and were initialised by `zeros`; the borrow is exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.bytes.as_ptr(), self.array_type.nbytes()) }
    }

    /// The memory of the elements, to be filled by a program's result.
    pub(crate) fn slot(&mut self) -> &mut [MaybeUninit<u8>] {
        let bytes = self.bytes_mut();
        // SAFETY: the crate's only writer, `Executable::call_into`, leaves every byte initialised.
        unsafe { &mut *(std::ptr::from_mut(bytes) as *mut [MaybeUninit<u8>]) }
    }

    /// A view of the whole.
    pub fn view(&self) -> HostView<'_> {
        HostView {
            array_type: &self.array_type,
            bytes: self.bytes(),
        }
    }

    /// The elements as a slice of `E`, row major; none if they are of another type.
    ///
    /// ```
    /// use cyxla_runtime::HostArray;
    ///
    /// let array = HostArray::from_array(&[[1.0f32, 2.0], [3.0, 4.0]]);
    /// assert_eq!(array.as_slice::<f32>(), Some(&[1.0, 2.0, 3.0, 4.0][..]));
    /// assert_eq!(array.as_slice::<i32>(), None);
    /// ```
    pub fn as_slice<E: Element>(&self) -> Option<&[E]> {
        if E::DTYPE != self.array_type.dtype() {
            return None;
        }
        let elements = self.bytes.cast::<E>().as_ptr();
        // SAFETY: aligned to 64 bytes, of `size()` elements of this very type, all of them valid: they came from a
        // typed array, a checked view, a program's result, or are zeros.
        Some(unsafe { std::slice::from_raw_parts(elements, self.array_type.size()) })
    }
}

impl Drop for HostArray {
    fn drop(&mut self) {
        let layout = Self::layout(&self.array_type);
        if layout.size() > 0 {
            // SAFETY: allocated by `zeros` with this layout.
            unsafe { std::alloc::dealloc(self.bytes.as_ptr(), layout) }
        }
    }
}

impl From<HostView<'_>> for HostArray {
    fn from(view: HostView<'_>) -> Self {
        let mut copy = Self::zeros(*view.array_type);
        copy.bytes_mut().copy_from_slice(view.bytes);
        copy
    }
}

impl Clone for HostArray {
    fn clone(&self) -> Self {
        self.view().into()
    }
}

impl fmt::Debug for HostArray {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HostArray({})", self.array_type)
    }
}

#[cfg(test)]
mod tests {
    use cyxla_artifact::DType;

    use super::*;

    #[test]
    fn arrays_are_aligned_also_when_empty() {
        for shape in [&[3][..], &[0], &[4, 0, 2]] {
            let array = HostArray::zeros(ArrayType::new(DType::I16, shape).unwrap());
            assert_eq!(array.bytes().as_ptr().align_offset(ALIGNMENT), 0);
            assert_eq!(
                array.as_slice::<i16>().unwrap().len(),
                array.array_type().size()
            );
        }
    }

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

    #[test]
    fn slices_must_match_their_shape() {
        assert!(HostArray::from_slice(&[1i32, 2, 3, 4, 5, 6], &[2, 3]).is_ok());
        assert!(HostArray::from_slice(&[1i32, 2, 3, 4, 5], &[2, 3]).is_err());
    }
}
