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
const LANES: usize = 16;

/// Rows that columns are cut to.
const STRIP: usize = 64;

/// Rows that the reflectors of a window change: each one up to three.
const ROWS: usize = WINDOW + 2;

/// Hands rows `rows`, at most two more than a window has steps, of `columns` to `reflect` as columns of a few elements, and takes
/// back what becomes of them.
#[inline(always)]
pub(crate) fn for_rows_as_columns<T: Element>(
    a: &mut Columns<'_, T>,
    rows: &Range<usize>,
    columns: Range<usize>,
    mut reflect: impl FnMut(&mut Columns<'_, T>, Range<usize>),
) {
    let mut elements = [T::ZERO; ROWS * LANES];
    for first in columns.clone().step_by(LANES) {
        let count = LANES.min(columns.end - first);
        for lane in 0..count {
            let column = &a.column(first + lane)[rows.clone()];
            for (row, &x) in elements.chunks_exact_mut(LANES).zip(column) {
                row[lane] = x;
            }
        }
        reflect(&mut Columns::new(&mut elements, LANES), 0..LANES);
        for lane in 0..count {
            let column = &mut a.column_mut(first + lane)[rows.clone()];
            for (x, row) in column.iter_mut().zip(elements.chunks_exact(LANES)) {
                *x = row[lane];
            }
        }
    }
}

/// Hands `rows` to `reflect`, a strip at a time.
#[inline(always)]
pub(crate) fn for_strips(rows: Range<usize>, mut reflect: impl FnMut(Range<usize>)) {
    for first in rows.clone().step_by(STRIP) {
        reflect(first..rows.end.min(first + STRIP));
    }
}
