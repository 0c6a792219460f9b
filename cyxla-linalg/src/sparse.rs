//! Products of sparse matrices: CSR times dense.

use num_complex::Complex;

/// An element type of sparse products: those of LAPACK, and integers, which wrap.
pub(crate) trait Entry: Copy {
    /// Zero.
    const ZERO: Self;

    /// `self + a b`
    fn plus_product(self, a: Self, b: Self) -> Self;
}

macro_rules! entry {
    ($($float:ident),*; $($integer:ident),*) => {
        $(
            impl Entry for $float {
                const ZERO: Self = 0.0;

                fn plus_product(self, a: Self, b: Self) -> Self {
                    self + a * b
                }
            }

            impl Entry for Complex<$float> {
                const ZERO: Self = Complex::new(0.0, 0.0);

                fn plus_product(self, a: Self, b: Self) -> Self {
                    self + a * b
                }
            }
        )*
        $(
            impl Entry for $integer {
                const ZERO: Self = 0;

                fn plus_product(self, a: Self, b: Self) -> Self {
                    self.wrapping_add(a.wrapping_mul(b))
                }
            }
        )*
    };
}

entry!(f32, f64; i32, i64);

/// A sparse matrix by rows: entry k has the value `values[k]` and is in column `columns[k]`; those of row r are numbered from
/// `starts[r]` up to `starts[r + 1]`.
pub(crate) struct Csr<'a, T, I> {
    pub(crate) values: &'a [T],
    pub(crate) columns: &'a [I],
    pub(crate) starts: &'a [I],
}

/// Sets `out` to the product of `a` and `dense`, both of these row-major with `width` elements in a row.
///
/// JAX pads sparse matrices with entries outside of the matrix: they are left out, and numbers of entries that there aren't
/// too.
pub(crate) fn csr_times_dense<T: Entry, I: Copy + TryInto<usize>>(
    a: &Csr<'_, T, I>,
    dense: &[T],
    width: usize,
    out: &mut [T],
) {
    out.fill(T::ZERO);
    if width == 0 {
        return;
    }
    let entries = a.values.len().min(a.columns.len());
    let clamped = |start: I| start.try_into().map_or(0, |start| start.min(entries));
    for (row, starts) in out.chunks_exact_mut(width).zip(a.starts.windows(2)) {
        let (start, end) = (clamped(starts[0]), clamped(starts[1]));
        for k in start..end {
            let column: usize = a.columns[k].try_into().unwrap_or(usize::MAX);
            let Some(source) = column
                .checked_mul(width)
                .and_then(|begin| dense.get(begin..begin.checked_add(width)?))
            else {
                continue;
            };
            for (sum, &factor) in row.iter_mut().zip(source) {
                *sum = sum.plus_product(a.values[k], factor);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_sums_of_the_rows_that_they_name() {
        // ((1, 0, 2), (0, 0, 0), (0, 3, 0)) times ((1, 2), (3, 4), (5, 6))
        let a = Csr {
            values: &[1, 2, 3],
            columns: &[0_i32, 2, 1],
            starts: &[0, 2, 2, 3],
        };
        let mut out = [7; 6];
        csr_times_dense(&a, &[1, 2, 3, 4, 5, 6], 2, &mut out);
        assert_eq!(out, [11, 14, 0, 0, 9, 12]);
    }

    #[test]
    fn entries_outside_of_the_matrix_are_left_out() {
        let a = Csr {
            values: &[1.0, 2.0, 9.0],
            columns: &[0_i64, 5, -1],
            starts: &[0, 3, 99],
        };
        let mut out = [0.0; 2];
        csr_times_dense(&a, &[4.0_f32], 1, &mut out);
        assert_eq!(out, [4.0, 0.0]);
    }
}
