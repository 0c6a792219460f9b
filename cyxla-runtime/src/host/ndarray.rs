//! Nested arrays and the views of `ndarray`, the same memory.

use ::ndarray::{ArrayRef, ArrayView, ArrayViewD, ArrayViewMut, Dimension, Ix0};
use cyxla_artifact::ArrayType;

use super::slice::bytes_of_slice;
use super::{Host, HostArray, HostArrayError, HostMemory};
use crate::array::Array;
use crate::element::Element;

/// An [`Array`] whose number of axes has a dimension type in `ndarray`. All arrays are; it needs the feature `ndarray`.
///
/// ```
/// use cyxla_runtime::NdArray;
/// use cyxla_runtime::ndarray::{Ix2, IxDyn};
///
/// fn has_dim<A: NdArray<Dim = D>, D>() {}
/// has_dim::<[[f32; 4]; 8], Ix2>();
/// has_dim::<[[[[[[[f32; 1]; 2]; 3]; 4]; 5]; 6]; 7], IxDyn>();
/// ```
pub trait NdArray: Array {
    /// `Ix0` to `Ix6`; `IxDyn` with more axes.
    type Dim: Dimension;
}

impl<E: Element> NdArray for E {
    type Dim = Ix0;
}

impl<A: NdArray, const N: usize> NdArray for [A; N] {
    type Dim = <A::Dim as Dimension>::Larger;
}

fn dim<A: NdArray>() -> A::Dim {
    let array_type = A::TYPE;
    let mut dim = A::Dim::zeros(array_type.shape().len());
    dim.slice_mut().copy_from_slice(array_type.shape());
    dim
}

/// A view of a nested array, without a copy; with the feature `ndarray`.
///
/// ```
/// let matrix = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];
/// let view = cyxla_runtime::as_ndarray(&matrix);
/// assert_eq!(view.shape(), [2, 3]);
/// assert_eq!(view.column(2).sum(), 9.0);
/// ```
///
/// # Shape
/// That of the array, in standard layout: row major, one element behind the other.
pub fn as_ndarray<A: NdArray>(array: &A) -> ArrayView<'_, A::Elem, A::Dim> {
    let elements = std::ptr::from_ref(array).cast();
    // SAFETY: an `A` is its elements one behind the other, row major, as many as its shape says, and they are borrowed
    // as long as the view lives. An array type has at most `isize::MAX` bytes, counted without the axes of length 0.
    unsafe { ArrayView::from_shape_ptr(dim::<A>(), elements) }
}

/// As [`as_ndarray`], to be written too.
///
/// ```
/// let mut matrix = [[1, 2, 3], [4, 5, 6]];
/// cyxla_runtime::as_mut_ndarray(&mut matrix).column_mut(1).fill(0);
/// assert_eq!(matrix, [[1, 0, 3], [4, 0, 6]]);
/// ```
pub fn as_mut_ndarray<A: NdArray>(array: &mut A) -> ArrayViewMut<'_, A::Elem, A::Dim> {
    let elements = std::ptr::from_mut(array).cast();
    // SAFETY: as for `as_ndarray`; the borrow is exclusive.
    unsafe { ArrayViewMut::from_shape_ptr(dim::<A>(), elements) }
}

/// The nested array that an array or a view of `ndarray` is, without a copy; with the feature `ndarray`.
///
/// ```
/// use cyxla_runtime::ndarray::Array2;
///
/// let ones = Array2::<f32>::ones([2, 3]);
/// let matrix: &[[f32; 3]; 2] = cyxla_runtime::from_ndarray(&ones)?;
/// assert_eq!(matrix, &[[1.0; 3]; 2]);
/// # Ok::<(), cyxla_runtime::HostArrayError>(())
/// ```
///
/// # Errors
/// - [`HostArrayError::Other`]: it has another shape.
/// - [`HostArrayError::Strides`]: it is not in standard layout. [`Host::from_ndarray`] copies any layout.
pub fn from_ndarray<A: Array, D: Dimension>(
    array: &ArrayRef<A::Elem, D>,
) -> Result<&A, HostArrayError> {
    check_shape::<A, D>(array)?;
    match array.as_slice() {
        Some(elements) => super::from_slice(elements),
        None => Err(strides::<A, D>(array)),
    }
}

/// As [`from_ndarray`], to be written too.
///
/// ```
/// use cyxla_runtime::ndarray::Array1;
///
/// let mut zeros = Array1::<i32>::zeros(3);
/// let vector: &mut [i32; 3] = cyxla_runtime::from_ndarray_mut(&mut zeros)?;
/// vector[1] = 5;
/// assert_eq!(zeros[1], 5);
/// # Ok::<(), cyxla_runtime::HostArrayError>(())
/// ```
///
/// # Errors
/// As [`from_ndarray`].
pub fn from_ndarray_mut<A: Array, D: Dimension>(
    array: &mut ArrayRef<A::Elem, D>,
) -> Result<&mut A, HostArrayError> {
    check_shape::<A, D>(array)?;
    if !array.is_standard_layout() {
        return Err(strides::<A, D>(array));
    }
    super::from_slice_mut(array.as_slice_mut().unwrap_or_default())
}

fn check_shape<A: Array, D: Dimension>(array: &ArrayRef<A::Elem, D>) -> Result<(), HostArrayError> {
    let found = ArrayType::new(A::Elem::DTYPE, array.shape())?;
    if found == A::TYPE {
        return Ok(());
    }
    Err(HostArrayError::Other {
        array_type: Box::new(A::TYPE),
        found: Box::new(found),
    })
}

fn strides<A: Array, D: Dimension>(array: &ArrayRef<A::Elem, D>) -> HostArrayError {
    HostArrayError::Strides {
        array_type: Box::new(A::TYPE),
        strides: array.strides().to_vec(),
    }
}

impl<A: Array> Host<A> {
    /// A copy of an array or a view of `ndarray`, whatever its layout; with the feature `ndarray`.
    ///
    /// ```
    /// use cyxla_runtime::Host;
    /// use cyxla_runtime::ndarray::array;
    ///
    /// let matrix = array![[1, 2, 3], [4, 5, 6]];
    /// let transposed = Host::<[[i32; 2]; 3]>::from_ndarray(&matrix.t())?;
    /// assert_eq!(*transposed, [[1, 4], [2, 5], [3, 6]]);
    /// # Ok::<(), cyxla_runtime::HostArrayError>(())
    /// ```
    ///
    /// # Errors
    /// [`HostArrayError::Other`]: it has another shape.
    pub fn from_ndarray<D: Dimension>(
        array: &ArrayRef<A::Elem, D>,
    ) -> Result<Self, HostArrayError> {
        check_shape::<A, D>(array)?;
        // SAFETY: the shapes are the same.
        Ok(unsafe { Self::from_memory(copy(array)) })
    }
}

/// A copy of the elements, row major.
fn copy<E: Element, D: Dimension>(array: &ArrayRef<E, D>) -> HostMemory {
    if let Some(elements) = array.as_slice() {
        return HostMemory::copy_of(bytes_of_slice(elements));
    }
    let mut memory = HostMemory::uninit(array.len() * size_of::<E>());
    for (slot, element) in memory.elements().iter_mut().zip(array) {
        slot.write(*element);
    }
    // SAFETY: filled, since `ndarray` gives each of its `len()` elements.
    unsafe { memory.filled() }
}

impl<A: NdArray> Host<A> {
    /// A view for `ndarray`, without a copy; with the feature `ndarray`.
    pub fn as_ndarray(&self) -> ArrayView<'_, A::Elem, A::Dim> {
        as_ndarray::<A>(self)
    }

    /// A view for `ndarray`, to be written too; with the feature `ndarray`.
    ///
    /// ```
    /// use cyxla_runtime::Host;
    ///
    /// let mut grid = Host::<[[f32; 3]; 2]>::zeros();
    /// grid.as_mut_ndarray().row_mut(1).fill(2.0);
    /// assert_eq!(*grid, [[0.0; 3], [2.0; 3]]);
    /// ```
    pub fn as_mut_ndarray(&mut self) -> ArrayViewMut<'_, A::Elem, A::Dim> {
        as_mut_ndarray::<A>(self)
    }
}

impl HostArray {
    /// A copy of an array or a view of `ndarray`, whatever its layout; with the feature `ndarray`.
    ///
    /// # Errors
    /// The shape is none that cyxla carries.
    pub fn from_ndarray<E: Element, D: Dimension>(
        array: &ArrayRef<E, D>,
    ) -> Result<Self, HostArrayError> {
        let array_type = ArrayType::new(E::DTYPE, array.shape())?;
        // SAFETY: the elements of the array, which has this type.
        Ok(unsafe { Self::from_memory(array_type, copy(array)) })
    }

    /// A view for `ndarray`, without a copy; none if the elements are of another type. With the feature `ndarray`.
    ///
    /// ```
    /// use cyxla_runtime::HostArray;
    /// use cyxla_runtime::ndarray::array;
    ///
    /// let matrix = array![[1, 2, 3], [4, 5, 6]];
    /// let transposed = HostArray::from_ndarray(&matrix.t())?;
    /// assert_eq!(transposed.array_type().to_string(), "i32[3,2]");
    /// assert_eq!(transposed.as_ndarray::<i32>().unwrap(), matrix.t().into_dyn());
    /// # Ok::<(), cyxla_runtime::HostArrayError>(())
    /// ```
    pub fn as_ndarray<E: Element>(&self) -> Option<ArrayViewD<'_, E>> {
        let elements = self.as_slice()?;
        ArrayView::from_shape(self.array_type().shape(), elements).ok()
    }
}

#[cfg(test)]
mod tests {
    use ::ndarray::{Array1, Array2, Array3, ArrayD, IxDyn, ShapeBuilder, arr0, array, s};

    use super::*;
    use crate::element::{BF16, Complex};

    #[test]
    fn views_have_the_shape_and_the_elements() {
        let nested = [[[1, 2], [3, 4], [5, 6]], [[7, 8], [9, 10], [11, 12]]];
        let view = as_ndarray(&nested);
        assert_eq!(view.shape(), [2, 3, 2]);
        assert_eq!(view[[1, 0, 1]], 8);
        assert_eq!(view.as_ptr(), &raw const nested[0][0][0]);
        assert!(view.is_standard_layout());
    }

    #[test]
    fn scalars_have_no_axis() {
        assert_eq!(as_ndarray(&BF16::ONE), arr0(BF16::ONE));
        assert_eq!(from_ndarray::<f64, _>(&arr0(2.5)), Ok(&2.5));
        let mut number = 1u8;
        as_mut_ndarray(&mut number).fill(7);
        assert_eq!(number, 7);
    }

    #[test]
    fn views_without_elements_keep_their_shape() {
        assert_eq!(as_ndarray(&[[0.0f32; 3]; 0]).shape(), [0, 3]);
        assert_eq!(as_mut_ndarray(&mut [[0.0f32; 0]; 3]).shape(), [3, 0]);
        assert_eq!(Host::<[[bool; 0]; 2]>::zeros().as_ndarray().shape(), [2, 0]);
        let empty = Array2::<f32>::zeros([3, 0]);
        assert_eq!(from_ndarray(&empty), Ok(&[[0.0f32; 0]; 3]));
        assert!(from_ndarray::<[[f32; 3]; 0], _>(&empty).is_err());
        assert!(Host::<[[f32; 0]; 3]>::from_ndarray(&empty.t().t()).is_ok());
    }

    #[test]
    fn more_than_six_axes_are_counted_at_run_time() {
        type Seven = [[[[[[[u8; 3]; 1]; 2]; 1]; 1]; 2]; 1];
        let host =
            Host::<Seven>::from_fn(|index| u8::try_from(index.iter().sum::<usize>()).unwrap());
        let view = host.as_ndarray();
        assert_eq!(view.shape(), [1, 2, 1, 1, 2, 1, 3]);
        assert_eq!(view[IxDyn(&[0, 1, 0, 0, 1, 0, 2])], 4);
        assert_eq!(from_ndarray::<Seven, _>(&view), Ok(&*host));
    }

    #[test]
    fn arrays_are_used_in_place() {
        let mut owned = Array2::from_shape_fn([2, 3], |(i, j)| 10 * i as u64 + j as u64);
        let start = owned.as_ptr();
        let nested: &[[u64; 3]; 2] = from_ndarray(&owned).unwrap();
        assert_eq!(nested, &[[0, 1, 2], [10, 11, 12]]);
        assert_eq!(&raw const nested[0][0], start);
        let nested: &mut [[u64; 3]; 2] = from_ndarray_mut(&mut owned).unwrap();
        nested[1] = [7, 8, 9];
        assert_eq!(owned, array![[0, 1, 2], [7, 8, 9]]);
    }

    #[test]
    fn views_and_dynamic_dimensions_are_taken_too() {
        let owned = ArrayD::<Complex<f32>>::zeros(IxDyn(&[4, 2]));
        assert!(from_ndarray::<[[Complex<f32>; 2]; 4], _>(&owned).is_ok());
        assert!(from_ndarray::<[[Complex<f32>; 2]; 4], _>(&owned.view()).is_ok());
        let numbers = array![[1, 2], [3, 4], [5, 6]];
        assert_eq!(
            from_ndarray(&numbers.slice(s![1.., ..])),
            Ok(&[[3, 4], [5, 6]])
        );
    }

    #[test]
    fn an_array_of_another_shape_is_refused_with_both_shapes() {
        let error = from_ndarray::<[[f32; 3]; 2], _>(&Array2::zeros([3, 2])).unwrap_err();
        assert_eq!(
            error.to_string(),
            "an array of type f32[3,2] is no f32[2,3]\n  help: ask for it as `[[f32; 2]; 3]`, or give an array of shape \
             [2, 3]"
        );
        assert!(from_ndarray::<[f32; 6], _>(&Array2::zeros([3, 2])).is_err());
        assert!(from_ndarray_mut::<[f32; 6], _>(&mut Array1::zeros(5)).is_err());
        assert!(Host::<[f32; 6]>::from_ndarray(&Array1::zeros(7)).is_err());
    }

    #[test]
    fn an_array_that_is_not_row_major_is_refused_with_its_strides() {
        let mut columns = Array2::<f32>::zeros([2, 3].f());
        let text = "an ndarray of shape [2, 3] with strides [1, 2] can't be used as f32[2,3] in place: it is not row major\
                    \n  help: ";
        let error = from_ndarray::<[[f32; 3]; 2], _>(&columns).unwrap_err();
        assert!(error.to_string().starts_with(text), "{error}");
        let error = from_ndarray_mut::<[[f32; 3]; 2], _>(&mut columns).unwrap_err();
        assert!(error.to_string().starts_with(text), "{error}");
        let reversed = array![1, 2, 3];
        assert!(from_ndarray::<[i32; 3], _>(&reversed.slice(s![..;-1])).is_err());
    }

    #[test]
    fn arrays_of_types_known_at_run_time_are_viewed_by_their_element_type() {
        let host = HostArray::from_slice(&[1i16, 2, 3, 4, 5, 6], &[2, 3]).unwrap();
        assert_eq!(
            host.as_ndarray::<i16>().unwrap(),
            array![[1, 2, 3], [4, 5, 6]].into_dyn()
        );
        assert!(host.as_ndarray::<u16>().is_none());
        let empty = HostArray::from_ndarray(&Array2::<bool>::default([0, 3])).unwrap();
        assert_eq!(empty.as_ndarray::<bool>().unwrap().shape(), [0, 3]);
        assert!(HostArray::from_ndarray(&ArrayD::<u8>::zeros(IxDyn(&[1; 17]))).is_err());
    }

    #[test]
    fn copies_are_row_major_from_any_layout() {
        let numbers = Array3::from_shape_fn([2, 3, 2], |(i, j, k)| (i, j, k));
        let numbers = numbers.map(|&(i, j, k)| i32::try_from(100 * i + 10 * j + k).unwrap());
        let expected = [
            [[0, 100], [10, 110], [20, 120]],
            [[1, 101], [11, 111], [21, 121]],
        ];
        let turned = numbers.view().permuted_axes([2, 1, 0]);
        assert_eq!(
            *Host::<[[[i32; 2]; 3]; 2]>::from_ndarray(&turned).unwrap(),
            expected
        );
        let reversed = array![1, 2, 3];
        let reversed = reversed.slice(s![..;-1]);
        assert_eq!(
            *Host::<[i32; 3]>::from_ndarray(&reversed).unwrap(),
            [3, 2, 1]
        );
    }
}
