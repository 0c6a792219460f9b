use std::ops::{Deref, DerefMut, Index, IndexMut};

use crate::element::Element;

/// An argument of a call with elements `T` and `N` axes.
///
/// It is a slice of its elements, and is indexed by one number for each axis:
///
/// ```
/// # use cyxla_ffi::Array;
/// fn trace(matrix: Array<'_, f32, 2>) -> f32 {
///     let [rows, columns] = matrix.dims();
///     (0..rows.min(columns)).map(|i| matrix[[i, i]]).sum()
/// }
///
/// fn norm(x: Array<'_, f32, 1>) -> f32 {
///     x.iter().map(|x| x * x).sum::<f32>().sqrt()
/// }
/// ```
///
/// # Shape
/// Row major: the last axis is that of neighbours.
#[derive(Clone, Copy, Debug)]
pub struct Array<'a, T, const N: usize> {
    elements: &'a [T],
    dims: [usize; N],
}

impl<'a, T: Element, const N: usize> Array<'a, T, N> {
    /// Elements with their axes; the product of the latter is the number of the former.
    pub(crate) fn new(elements: &'a [T], dims: [usize; N]) -> Self {
        Self { elements, dims }
    }

    /// The length of each axis, outermost first.
    pub fn dims(&self) -> [usize; N] {
        self.dims
    }

    /// All elements, row major.
    pub fn as_slice(&self) -> &'a [T] {
        self.elements
    }

    /// The rows: slices along the last axis. An array without axes is one row.
    pub fn rows(
        &self,
    ) -> impl DoubleEndedIterator<Item = &'a [T]> + ExactSizeIterator + use<'a, T, N> {
        let (elements, (rows, columns)) = (self.elements, rows_of(self.dims));
        (0..rows).map(move |row| &elements[row * columns..][..columns])
    }
}

impl<T, const N: usize> Deref for Array<'_, T, N> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        self.elements
    }
}

/// # Panics
/// An index is not below the length of its axis.
impl<T, const N: usize> Index<[usize; N]> for Array<'_, T, N> {
    type Output = T;

    #[track_caller]
    fn index(&self, index: [usize; N]) -> &T {
        &self.elements[offset(self.dims, index)]
    }
}

/// A result of a call with elements `T` and `N` axes, to be filled.
///
/// It is a slice of its elements, and is indexed by one number for each axis, as [`Array`].
///
/// ```
/// # use cyxla_ffi::ArrayMut;
/// fn identity(mut matrix: ArrayMut<'_, f32, 2>) {
///     matrix.fill(0.0);
///     let [rows, columns] = matrix.dims();
///     for i in 0..rows.min(columns) {
///         matrix[[i, i]] = 1.0;
///     }
/// }
/// ```
///
/// # Shape
/// Row major: the last axis is that of neighbours. Until they are written, the elements hold anything.
#[derive(Debug)]
pub struct ArrayMut<'a, T, const N: usize> {
    elements: &'a mut [T],
    dims: [usize; N],
}

impl<'a, T: Element, const N: usize> ArrayMut<'a, T, N> {
    /// Elements with their axes; the product of the latter is the number of the former.
    pub(crate) fn new(elements: &'a mut [T], dims: [usize; N]) -> Self {
        Self { elements, dims }
    }

    /// The length of each axis, outermost first.
    pub fn dims(&self) -> [usize; N] {
        self.dims
    }

    /// All elements, row major.
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        self.elements
    }

    /// All elements, row major, for as long as the call lasts.
    pub fn into_slice(self) -> &'a mut [T] {
        self.elements
    }

    /// The rows: slices along the last axis. An array without axes is one row.
    pub fn rows_mut(&mut self) -> impl Iterator<Item = &mut [T]> + use<'_, T, N> {
        let (rows, columns) = rows_of(self.dims);
        let mut rest = &mut *self.elements;
        (0..rows).map(move |_| {
            let row;
            (row, rest) = std::mem::take(&mut rest).split_at_mut(columns);
            row
        })
    }
}

impl<T, const N: usize> Deref for ArrayMut<'_, T, N> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        self.elements
    }
}

impl<T, const N: usize> DerefMut for ArrayMut<'_, T, N> {
    fn deref_mut(&mut self) -> &mut [T] {
        self.elements
    }
}

/// # Panics
/// An index is not below the length of its axis.
impl<T, const N: usize> Index<[usize; N]> for ArrayMut<'_, T, N> {
    type Output = T;

    #[track_caller]
    fn index(&self, index: [usize; N]) -> &T {
        &self.elements[offset(self.dims, index)]
    }
}

/// # Panics
/// An index is not below the length of its axis.
impl<T, const N: usize> IndexMut<[usize; N]> for ArrayMut<'_, T, N> {
    #[track_caller]
    fn index_mut(&mut self, index: [usize; N]) -> &mut T {
        &mut self.elements[offset(self.dims, index)]
    }
}

/// Number of rows, and of elements in each.
fn rows_of<const N: usize>(dims: [usize; N]) -> (usize, usize) {
    match dims.split_last() {
        None => (1, 1),
        Some((&columns, outer)) => (outer.iter().product(), columns),
    }
}

#[track_caller]
fn offset<const N: usize>(dims: [usize; N], index: [usize; N]) -> usize {
    let mut offset = 0;
    for (&i, &length) in index.iter().zip(&dims) {
        assert!(
            i < length,
            "the index {index:?} is outside of an array of {dims:?}"
        );
        offset = offset * length + i;
    }
    offset
}
