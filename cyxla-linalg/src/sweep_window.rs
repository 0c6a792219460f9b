//! How the sweeps of the QR algorithms reach the large parts of their matrices: late, for many reflectors at a time.
//!
//! A sweep chases its bulge through a window of some steps, within which each reflector acts at once. What they do to the rows
//! right of the window and to the columns above it waits until the window is done, and is then done to a strip that stays in the
//! cache. Rows are turned to columns for it: their elements are a column apart from each other, so that each would be fetched
//! alone.

use std::ops::Range;

use crate::columns::Columns;
use crate::element::Element;

/// Steps of a sweep whose reflectors wait for each other.
pub(crate) const WINDOW: usize = 32;

/// Columns that are transposed at a time.
pub(crate) const LANES: usize = 16;

/// Rows that columns are cut to.
pub(crate) const STRIP: usize = 64;

/// Rows that the reflectors of a window change: each one up to three.
const ROWS: usize = WINDOW + 2;

/// Rows of some columns of a matrix, as columns of [`LANES`] elements.
#[derive(Clone, Copy)]
pub(crate) struct RowsAsColumns<T> {
    elements: [T; ROWS * LANES],
}

impl<T: Element> RowsAsColumns<T> {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Self {
            elements: [T::ZERO; ROWS * LANES],
        }
    }

    /// Takes rows `rows`, at most two more than a window has steps, of columns `columns`, of at most as many as there are lanes.
    #[inline(always)]
    pub(crate) fn take(&mut self, a: &Columns<'_, T>, rows: Range<usize>, columns: Range<usize>) {
        for (lane, column) in columns.enumerate() {
            let column = &a.column(column)[rows.clone()];
            for (row, &x) in self.elements.chunks_exact_mut(LANES).zip(column) {
                row[lane] = x;
            }
        }
    }

    #[inline(always)]
    pub(crate) fn columns(&mut self) -> Columns<'_, T> {
        Columns::new(&mut self.elements, LANES)
    }

    /// Puts back what [`take`](Self::take) took.
    #[inline(always)]
    pub(crate) fn put(&self, a: &mut Columns<'_, T>, rows: Range<usize>, columns: Range<usize>) {
        for (lane, column) in columns.enumerate() {
            let column = &mut a.column_mut(column)[rows.clone()];
            for (x, row) in column.iter_mut().zip(self.elements.chunks_exact(LANES)) {
                *x = row[lane];
            }
        }
    }
}
