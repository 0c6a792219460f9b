//! Column-major matrices inside slices, and their product.

use faer::linalg::matmul::{matmul_with_conj, triangular};
use faer::{Accum, Conj, MatMut, MatRef, Par};

use crate::element::Element;
use crate::options::Op;

/// The `rows × cols` matrix at the start of `slice`, whose columns start `stride` elements apart.
#[inline]
pub(crate) fn view<T: Element>(
    slice: &[T],
    rows: usize,
    cols: usize,
    stride: usize,
) -> MatRef<'_, T> {
    MatRef::from_column_major_slice_with_stride(slice, rows, cols, stride)
}

/// [`view`], to write.
#[inline]
pub(crate) fn view_mut<T: Element>(
    slice: &mut [T],
    rows: usize,
    cols: usize,
    stride: usize,
) -> MatMut<'_, T> {
    MatMut::from_column_major_slice_with_stride_mut(slice, rows, cols, stride)
}

/// `op(a)`.
#[inline]
pub(crate) fn apply<T: Element>(op: Op, a: MatRef<'_, T>) -> (MatRef<'_, T>, Conj) {
    match op {
        Op::None => (a, Conj::No),
        Op::Transpose => (a.transpose(), Conj::No),
        Op::Adjoint => (a.transpose(), Conj::Yes),
    }
}

/// `c -= op(a) op(b)`.
pub(crate) fn subtract_product<T: Element>(
    c: MatMut<'_, T>,
    (op_a, a): (Op, MatRef<'_, T>),
    (op_b, b): (Op, MatRef<'_, T>),
) {
    let (a, conj_a) = apply(op_a, a);
    let (b, conj_b) = apply(op_b, b);
    matmul_with_conj(c, Accum::Add, a, conj_a, b, conj_b, -T::ONE, Par::Seq);
}

/// `c = op(a) op(b)`.
pub(crate) fn set_product<T: Element>(
    c: MatMut<'_, T>,
    (op_a, a): (Op, MatRef<'_, T>),
    (op_b, b): (Op, MatRef<'_, T>),
) {
    let (a, conj_a) = apply(op_a, a);
    let (b, conj_b) = apply(op_b, b);
    matmul_with_conj(c, Accum::Replace, a, conj_a, b, conj_b, T::ONE, Par::Seq);
}

/// The lower triangle of `c -= op(a) op(b)`.
pub(crate) fn subtract_product_lower<T: Element>(
    c: MatMut<'_, T>,
    (op_a, a): (Op, MatRef<'_, T>),
    (op_b, b): (Op, MatRef<'_, T>),
) {
    let (a, conj_a) = apply(op_a, a);
    let (b, conj_b) = apply(op_b, b);
    triangular::matmul_with_conj(
        c,
        triangular::BlockStructure::TriangularLower,
        Accum::Add,
        a,
        triangular::BlockStructure::Rectangular,
        conj_a,
        b,
        triangular::BlockStructure::Rectangular,
        conj_b,
        -T::ONE,
        Par::Seq,
    );
}

/// Column `j` of a matrix whose columns are contiguous; empty for any other.
#[inline(always)]
pub(crate) fn column<T: Element>(a: MatRef<'_, T>, j: usize) -> &[T] {
    a.col(j)
        .try_as_col_major()
        .map_or(&[], |column| column.as_slice())
}

/// [`column`], to write.
#[inline(always)]
pub(crate) fn column_mut<T: Element>(a: MatMut<'_, T>, j: usize) -> &mut [T] {
    a.col_mut(j)
        .try_as_col_major_mut()
        .map_or(&mut [], |column| column.as_slice_mut())
}
