//! What a handler expects of the arrays and attributes of its call.

use cyxla_ffi::{AnyArray, Error};

use crate::options::{Diagonal, Side, Triangle};

/// A batch of matrices: the last two axes are rows and columns, those before them the batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Matrices {
    pub(crate) count: usize,
    pub(crate) rows: usize,
    pub(crate) cols: usize,
}

impl Matrices {
    /// The matrices in an argument that errors call `name`.
    pub(crate) fn of(name: &str, array: &AnyArray<'_>) -> Result<Self, Error> {
        let &[ref batch @ .., rows, cols] = array.dims() else {
            return Err(Error::invalid_argument(format_args!(
                "{name} has {} axes, but a matrix has two or more",
                array.dims().len()
            )));
        };
        let mut batch = batch.iter();
        let count = batch.try_fold(1_usize, |count, &length| count.checked_mul(length));
        match count {
            Some(count) if fits([count, rows, cols]) => Ok(Self { count, rows, cols }),
            _ => Err(too_large(name, rows, cols)),
        }
    }

    /// [`Matrices::of`], which have as many rows as columns.
    pub(crate) fn square(name: &str, array: &AnyArray<'_>) -> Result<Self, Error> {
        let matrices = Self::of(name, array)?;
        if matrices.rows == matrices.cols {
            return Ok(matrices);
        }
        Err(Error::invalid_argument(format_args!(
            "{name} has matrices of {} rows and {} columns, but takes square ones",
            matrices.rows, matrices.cols
        )))
    }

    /// Elements of one matrix.
    pub(crate) fn size(self) -> usize {
        self.rows * self.cols
    }

    /// The smaller of rows and columns.
    pub(crate) fn rank(self) -> usize {
        self.rows.min(self.cols)
    }
}

/// More elements than arrays and working memory have together.
const MOST_ELEMENTS: usize = isize::MAX.unsigned_abs() >> 12;

/// Whether all products of these sizes are small enough to be a number of elements. One of zero makes an array of none of any
/// others, which are multiplied all the same.
pub(crate) fn fits(sizes: [usize; 3]) -> bool {
    let mut sizes = sizes.into_iter();
    let most = sizes.try_fold(1_usize, |most, size| most.checked_mul(size.max(1)));
    most.is_some_and(|most| most <= MOST_ELEMENTS)
}

/// A matrix, or a batch of it, that is larger than memory.
#[cold]
pub(crate) fn too_large(name: &str, rows: usize, cols: usize) -> Error {
    Error::invalid_argument(format_args!(
        "{name} has matrices of {rows} rows and {cols} columns, or a batch of them, that don't fit into memory"
    ))
}

/// How many elements each of `count` members has of an array of `len`.
pub(crate) fn share(name: &str, len: usize, count: usize) -> Result<usize, Error> {
    if count == 0 {
        return Ok(0);
    }
    if len.is_multiple_of(count) {
        return Ok(len / count);
    }
    Err(Error::invalid_argument(format_args!(
        "{name} has {len} elements, which are no equal share for each of {count} matrices"
    )))
}

/// Checks that an array has as many elements as it must.
pub(crate) fn expect_len(name: &str, len: usize, expected: usize) -> Result<(), Error> {
    if len == expected {
        return Ok(());
    }
    Err(Error::invalid_argument(format_args!(
        "{name} has {len} elements, but {expected} belong to the other arrays of the call"
    )))
}

/// The attribute `uplo`.
pub(crate) fn triangle(letter: u8) -> Result<Triangle, Error> {
    match letter {
        b'L' => Ok(Triangle::Lower),
        b'U' => Ok(Triangle::Upper),
        _ => Err(unknown("uplo", letter, "`L` or `U`")),
    }
}

/// The attribute `side`.
pub(crate) fn side(letter: u8) -> Result<Side, Error> {
    match letter {
        b'L' => Ok(Side::Left),
        b'R' => Ok(Side::Right),
        _ => Err(unknown("side", letter, "`L` or `R`")),
    }
}

/// The attribute `diag`.
pub(crate) fn diagonal(letter: u8) -> Result<Diagonal, Error> {
    match letter {
        b'N' => Ok(Diagonal::Stored),
        b'U' => Ok(Diagonal::Unit),
        _ => Err(unknown("diag", letter, "`N` or `U`")),
    }
}

/// An attribute of one character that is none of those it can be.
pub(crate) fn unknown(name: &str, letter: u8, known: &str) -> Error {
    Error::invalid_argument(format_args!(
        "the attribute {name} is `{}`, but can be {known}",
        letter.escape_ascii()
    ))
}
