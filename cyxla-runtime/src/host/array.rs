use std::fmt;

use cyxla_artifact::ArrayType;

use super::slice::bytes_of_slice;
use super::{Host, HostArrayError, HostMemory, HostView};
use crate::array::Array;
use crate::element::Element;

/// An owned host array with its type, which is known at run time only; aligned to 64 bytes.
///
/// Where the compiler knows the type, [`Host`] is the array; `HostArray::from` and `Host::try_from` turn one into the
/// other without a copy.
///
/// # Shape
/// Row major, elements in the byte order of the host.
pub struct HostArray {
    array_type: ArrayType,
    memory: HostMemory,
}

impl HostArray {
    /// An array of zeros; of `0` bytes, which for `float8_e8m0fnu` means 2⁻¹²⁷.
    pub fn zeros(array_type: ArrayType) -> Self {
        Self {
            array_type,
            memory: HostMemory::zeroed(array_type.nbytes()),
        }
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
        if elements.len() != array_type.size() {
            return Err(HostArrayError::Elements {
                array_type: Box::new(array_type),
                found: elements.len(),
            });
        }
        Ok(Self {
            array_type,
            memory: HostMemory::copy_of(bytes_of_slice(elements)),
        })
    }

    /// The array of type `array_type` in `memory`.
    ///
    /// # Safety
    /// The memory holds exactly the elements of such an array, all of them valid.
    pub(crate) unsafe fn from_memory(array_type: ArrayType, memory: HostMemory) -> Self {
        debug_assert_eq!(array_type.nbytes(), memory.len());
        Self { array_type, memory }
    }

    /// Element type and shape.
    pub fn array_type(&self) -> &ArrayType {
        &self.array_type
    }

    /// The elements.
    pub fn bytes(&self) -> &[u8] {
        self.memory.bytes()
    }

    /// A view of the whole.
    pub fn view(&self) -> HostView<'_> {
        // SAFETY: the bytes of such an array are its elements.
        unsafe { HostView::new_unchecked(&self.array_type, self.bytes()) }
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
        let elements = self.memory.as_ptr().cast::<E>().as_ptr();
        // SAFETY: aligned to 64 bytes, of `size()` elements of this very type, all of them valid: they came from a
        // typed array, a checked view, a program's result, or are zeros.
        Some(unsafe { std::slice::from_raw_parts(elements, self.array_type.size()) })
    }
}

/// Copies.
impl From<HostView<'_>> for HostArray {
    fn from(view: HostView<'_>) -> Self {
        Self {
            array_type: *view.array_type(),
            memory: HostMemory::copy_of(view.bytes()),
        }
    }
}

/// Takes the memory over.
impl<A: Array> From<Host<A>> for HostArray {
    fn from(array: Host<A>) -> Self {
        Self {
            array_type: A::TYPE,
            memory: array.into_memory(),
        }
    }
}

/// Takes the memory over, if the array is of that type.
impl<A: Array> TryFrom<HostArray> for Host<A> {
    type Error = HostArrayError;

    fn try_from(array: HostArray) -> Result<Self, HostArrayError> {
        if array.array_type != A::TYPE {
            return Err(HostArrayError::Other {
                array_type: Box::new(A::TYPE),
                found: Box::new(array.array_type),
            });
        }
        // SAFETY: it holds an array of the type.
        Ok(unsafe { Self::from_memory(array.memory) })
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
    use crate::host::ALIGNMENT;

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
    fn slices_must_match_their_shape() {
        assert!(HostArray::from_slice(&[1i32, 2, 3, 4, 5, 6], &[2, 3]).is_ok());
        assert!(HostArray::from_slice(&[1i32, 2, 3, 4, 5], &[2, 3]).is_err());
    }

    #[test]
    fn typed_and_untyped_arrays_share_their_memory() {
        let typed = Host::from_array(&[[1i32, 2, 3], [4, 5, 6]]);
        let start = typed.as_slice().as_ptr().cast::<u8>();
        let untyped = HostArray::from(typed);
        assert_eq!(untyped.array_type().to_string(), "i32[2,3]");
        assert_eq!(untyped.bytes().as_ptr(), start);
        let typed: Host<[[i32; 3]; 2]> = untyped.try_into().unwrap();
        assert_eq!(typed.as_slice().as_ptr().cast::<u8>(), start);
        assert_eq!(*typed, [[1, 2, 3], [4, 5, 6]]);
    }

    #[test]
    fn an_array_of_another_type_is_refused_with_both_types() {
        let untyped = HostArray::from_array(&[[1i32, 2, 3], [4, 5, 6]]);
        let error = Host::<[[i32; 2]; 3]>::try_from(untyped).unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("an array of type i32[2,3] is no i32[3,2]\n  help: "),
            "{error}"
        );
    }
}
