//! Nested arrays and flat slices of their elements, the same memory.

use super::HostArrayError;
use crate::array::Array;
use crate::element::Element;

/// The nested array that a slice of its elements is, row major; without a copy.
///
/// ```
/// let numbers = vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
/// let matrix: &[[f64; 3]; 2] = cyxla_runtime::from_slice(&numbers)?;
/// assert_eq!(matrix[1], [4.0, 5.0, 6.0]);
/// # Ok::<(), cyxla_runtime::HostArrayError>(())
/// ```
///
/// # Errors
/// [`HostArrayError::Elements`]: the array has another number of elements.
pub fn from_slice<A: Array>(elements: &[A::Elem]) -> Result<&A, HostArrayError> {
    check::<A>(elements)?;
    // SAFETY: an `A` is its elements one behind the other, and that many are there.
    Ok(unsafe { &*elements.as_ptr().cast() })
}

/// As [`from_slice`], to be written too.
///
/// ```
/// let mut numbers = [0; 6];
/// let matrix: &mut [[i32; 3]; 2] = cyxla_runtime::from_slice_mut(&mut numbers)?;
/// matrix[1][0] = 7;
/// assert_eq!(numbers, [0, 0, 0, 7, 0, 0]);
/// # Ok::<(), cyxla_runtime::HostArrayError>(())
/// ```
///
/// # Errors
/// [`HostArrayError::Elements`]: the array has another number of elements.
pub fn from_slice_mut<A: Array>(elements: &mut [A::Elem]) -> Result<&mut A, HostArrayError> {
    check::<A>(elements)?;
    // SAFETY: an `A` is its elements one behind the other, and that many are there; the borrow is exclusive.
    Ok(unsafe { &mut *elements.as_mut_ptr().cast() })
}

fn check<A: Array>(elements: &[A::Elem]) -> Result<(), HostArrayError> {
    if elements.len() == const { A::TYPE.size() } {
        return Ok(());
    }
    Err(HostArrayError::Elements {
        array_type: Box::new(A::TYPE),
        found: elements.len(),
    })
}

/// The elements of a nested array, row major; without a copy.
///
/// ```
/// let matrix = [[1, 2, 3], [4, 5, 6]];
/// assert_eq!(cyxla_runtime::as_slice(&matrix), [1, 2, 3, 4, 5, 6]);
/// ```
pub fn as_slice<A: Array>(array: &A) -> &[A::Elem] {
    let elements = std::ptr::from_ref(array).cast();
    // SAFETY: an `A` is its elements one behind the other, as many as its type says.
    unsafe { std::slice::from_raw_parts(elements, const { A::TYPE.size() }) }
}

/// As [`as_slice`], to be written too.
///
/// ```
/// let mut matrix = [[1, 2, 3], [4, 5, 6]];
/// cyxla_runtime::as_mut_slice(&mut matrix).reverse();
/// assert_eq!(matrix, [[6, 5, 4], [3, 2, 1]]);
/// ```
pub fn as_mut_slice<A: Array>(array: &mut A) -> &mut [A::Elem] {
    let elements = std::ptr::from_mut(array).cast();
    // SAFETY: an `A` is its elements one behind the other, as many as its type says; the borrow is exclusive.
    unsafe { std::slice::from_raw_parts_mut(elements, const { A::TYPE.size() }) }
}

/// The bytes of elements.
pub(super) fn bytes_of_slice<E: Element>(elements: &[E]) -> &[u8] {
    // SAFETY: elements are plain data without padding.
    unsafe { std::slice::from_raw_parts(elements.as_ptr().cast(), size_of_val(elements)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::{BF16, Complex};

    #[test]
    fn slices_and_nested_arrays_are_the_same_memory() {
        let elements = [1u16, 2, 3, 4, 5, 6, 7];
        // At an odd element, so that it is aligned to two bytes at most.
        let array: &[[u16; 2]; 3] = from_slice(&elements[1..]).unwrap();
        assert_eq!(array, &[[2, 3], [4, 5], [6, 7]]);
        assert_eq!(as_slice(array).as_ptr_range(), elements[1..].as_ptr_range());
    }

    #[test]
    fn slices_of_another_length_are_refused() {
        assert!(from_slice::<[[u8; 2]; 3]>(&[0; 5]).is_err());
        assert!(from_slice::<[[u8; 2]; 3]>(&[0; 7]).is_err());
        assert!(from_slice_mut::<[[u8; 2]; 3]>(&mut [0; 12]).is_err());
        assert!(from_slice::<u8>(&[]).is_err());
        assert!(from_slice::<[[u8; 0]; 3]>(&[0]).is_err());
    }

    #[test]
    fn scalars_are_slices_of_one_element() {
        assert_eq!(from_slice::<bool>(&[true]), Ok(&true));
        assert_eq!(as_slice(&BF16::ONE), [BF16::ONE]);
        let mut number = Complex::new(1.0f64, 2.0);
        as_mut_slice(&mut number)[0].im = 3.0;
        assert_eq!(number, Complex::new(1.0, 3.0));
    }

    #[test]
    fn empty_slices_are_arrays_without_elements() {
        assert_eq!(from_slice::<[[f32; 0]; 3]>(&[]), Ok(&[[]; 3]));
        assert_eq!(from_slice_mut::<[[f32; 3]; 0]>(&mut []), Ok(&mut []));
        assert!(as_slice(&[[0.0f32; 3]; 0]).is_empty());
        assert!(as_mut_slice(&mut [[0.0f32; 0]; 3]).is_empty());
    }

    #[test]
    fn writes_go_to_the_same_memory() {
        let mut elements = [0; 4];
        from_slice_mut::<[[i64; 2]; 2]>(&mut elements).unwrap()[1] = [5, 6];
        let mut array = [[1i64, 2], [3, 4]];
        as_mut_slice(&mut array).copy_from_slice(&elements);
        assert_eq!(array, [[0, 0], [5, 6]]);
    }
}
