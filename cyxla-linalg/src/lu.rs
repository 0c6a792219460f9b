//! LU factors with partial pivoting: getrf.

use faer::reborrow::{IntoConst, ReborrowMut};

use crate::element::Element;
use crate::matrix::{subtract_product, view, view_mut};
use crate::options::{Diagonal, Op, Side, Triangle};
use crate::range::{is_finite, quotient};
use crate::simd::{Kernel, axpy, axpy4, scale, vectorised};
use crate::triangular::solve;

/// Up to this many columns are decomposed directly, more are split in two and most of the work is a matrix product.
const BLOCK: usize = 16;

/// Overwrites the `rows × cols` matrix `a` with L and U of `P A = L U`, L with ones on the diagonal (LAPACK's `getrf`).
///
/// `pivots` gets min(rows, cols) row numbers, from one: row i was exchanged with row `pivots[i]`, in this order. Answers
/// LAPACK's info: zero, or the number (from one) of the first diagonal element of U that is exactly zero; the factors are
/// complete all the same.
pub(crate) fn getrf<T: Element>(rows: usize, cols: usize, a: &mut [T], pivots: &mut [i32]) -> i32 {
    let count = rows.min(cols);
    if count == 0 {
        return 0;
    }
    let (square, rest) = a[..rows * cols].split_at_mut(rows * count);
    let pivots = &mut pivots[..count];
    let singular = factor(square, rows, count, 0, pivots);
    exchange(rest, rows, 0, pivots);
    eliminate(square, rest, rows, (0, count));
    singular.map_or(0, to_number)
}

/// LAPACK counts from one, in 32 bits.
fn to_number(index: usize) -> i32 {
    i32::try_from(index + 1).unwrap_or(i32::MAX)
}

/// Decomposes rows `top..` of `cols` columns, and puts its exchanges, as numbers of whole rows, into `pivots`.
///
/// Answers the index of the first column, of those of `a`, whose pivot is zero.
fn factor<T: Element>(
    a: &mut [T],
    stride: usize,
    cols: usize,
    top: usize,
    pivots: &mut [i32],
) -> Option<usize> {
    if cols <= BLOCK {
        return vectorised(Panel {
            a,
            stride,
            cols,
            top,
            pivots,
        });
    }
    let half = (cols / 2).next_multiple_of(BLOCK / 2);
    let (left, right) = a.split_at_mut(half * stride);
    let (left_pivots, right_pivots) = pivots.split_at_mut(half);
    let first = factor(left, stride, half, top, left_pivots);
    exchange(right, stride, top, left_pivots);
    eliminate(left, right, stride, (top, top + half));
    let second = factor(right, stride, cols - half, top + half, right_pivots);
    exchange(left, stride, top + half, right_pivots);
    first.or(second.map(|column| column + half))
}

/// Exchanges rows `top`, `top + 1`, … of every column with those that `pivots` numbers.
fn exchange<T: Element>(a: &mut [T], stride: usize, top: usize, pivots: &[i32]) {
    for column in a.chunks_exact_mut(stride) {
        for (row, &pivot) in (top..).zip(pivots) {
            let pivot = usize::try_from(pivot).map_or(row, |pivot| pivot.saturating_sub(1));
            if pivot != row {
                column.swap(row, pivot);
            }
        }
    }
}

/// Given the decomposed columns `left`, whose triangle is in rows `top..middle`, brings the columns `right` to where they are
/// decomposed next: `U₁₂ = L₁₁⁻¹ A₁₂`, `A₂₂ -= L₂₁ U₁₂`.
fn eliminate<T: Element>(
    left: &[T],
    right: &mut [T],
    stride: usize,
    (top, middle): (usize, usize),
) {
    let cols = right.len() / stride;
    let size = middle - top;
    if cols == 0 || size == 0 {
        return;
    }
    let left = view(left, stride, size, stride).subrows(top, stride - top);
    let (l11, l21) = left.split_at_row(size);
    let right = view_mut(right, stride, cols, stride).subrows_mut(top, stride - top);
    let (mut u12, a22) = right.split_at_row_mut(size);
    solve(
        Side::Left,
        Triangle::Lower,
        Op::None,
        Diagonal::Unit,
        l11,
        u12.rb_mut(),
    );
    if a22.nrows() > 0 {
        subtract_product(a22, (Op::None, l21), (Op::None, u12.into_const()));
    }
}

struct Panel<'a, T> {
    a: &'a mut [T],
    stride: usize,
    cols: usize,
    top: usize,
    pivots: &'a mut [i32],
}

impl<T: Element> Kernel for Panel<'_, T> {
    type Output = Option<usize>;

    #[inline(always)]
    fn run<const FUSED: bool>(self) -> Option<usize> {
        let Self {
            a,
            stride,
            cols,
            top,
            pivots,
        } = self;
        let mut singular = None;
        for j in 0..cols {
            let (done, rest) = a.split_at_mut(j * stride);
            let column = &mut rest[..stride];
            for (i, &pivot) in (top..).zip(&pivots[..j]) {
                let pivot = usize::try_from(pivot).map_or(i, |pivot| pivot.saturating_sub(1));
                column.swap(i, pivot);
            }
            subtract_done::<T, FUSED>(done, stride, top, j, column);

            let diagonal = top + j;
            let below = &mut column[diagonal..];
            let pivot = largest(below);
            pivots[j] = to_number(diagonal + pivot);
            let value = below[pivot];
            if value == T::ZERO {
                singular = singular.or(Some(j));
                continue;
            }
            if pivot != 0 {
                below.swap(0, pivot);
                for column in done.chunks_exact_mut(stride) {
                    column.swap(diagonal, diagonal + pivot);
                }
            }
            let inverse = quotient(T::ONE, value);
            if is_finite(inverse.abs1()) {
                scale(inverse, &mut below[1..]);
            } else {
                for x in &mut below[1..] {
                    *x = quotient(*x, value);
                }
            }
        }
        singular
    }
}

/// Solves with the unit triangle of the first `count` columns, in rows `top..`, and subtracts what it eliminates.
#[inline(always)]
fn subtract_done<T: Element, const FUSED: bool>(
    done: &[T],
    stride: usize,
    top: usize,
    count: usize,
    column: &mut [T],
) {
    let at = |k: usize| &done[k * stride..][..stride];
    let whole = count - count % 4;
    for k in (0..whole).step_by(4) {
        let row = top + k;
        let columns = [at(k), at(k + 1), at(k + 2), at(k + 3)];
        for first in 0..3 {
            for second in first + 1..4 {
                let product = columns[first][row + second] * column[row + first];
                column[row + second] -= product;
            }
        }
        let factors = [
            -column[row],
            -column[row + 1],
            -column[row + 2],
            -column[row + 3],
        ];
        axpy4::<T, FUSED>(
            factors,
            columns.map(|column| &column[row + 4..]),
            &mut column[row + 4..],
        );
    }
    for k in whole..count {
        let row = top + k;
        axpy::<T, FUSED>(-column[row], &at(k)[row + 1..], &mut column[row + 1..]);
    }
}

/// The first of the elements that are largest by [`Number::abs1`]; one of NaN is never larger.
#[inline(always)]
fn largest<T: Element>(x: &[T]) -> usize {
    let mut best = 0;
    let mut size = x[0].abs1();
    for (i, x) in x.iter().enumerate().skip(1) {
        let next = x.abs1();
        if next > size {
            best = i;
            size = next;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::Real;
    use crate::testing::{
        Numbers, Tested, Wide, assert_as_exact_as_lapack, distance, for_each_type, random, sizes,
    };

    fn exchanged<T: Copy>(rows: usize, a: &[T], pivots: &[i32]) -> Vec<T> {
        let mut a = a.to_vec();
        for column in a.chunks_exact_mut(rows) {
            for (i, &pivot) in pivots.iter().enumerate() {
                column.swap(i, usize::try_from(pivot - 1).unwrap());
            }
        }
        a
    }

    fn residual<T: Tested>(measure: &str, n: usize, rows: usize, cols: usize) {
        let a = random::<T>(rows + cols, rows * cols);
        let count = rows.min(cols);
        let mut lu = a.clone();
        let mut pivots = vec![0; count];
        assert_eq!(getrf(rows, cols, &mut lu, &mut pivots), 0);
        let a = Wide::new(rows, cols, &exchanged(rows, &a, &pivots));
        let lu = Wide::new(rows, cols, &lu);
        let l = lu.columns(count).lower(true);
        assert!(
            l.elements.iter().all(|x| x.re.abs() + x.im.abs() <= 2.0),
            "pivots are largest"
        );
        let residual = distance(&l, &lu.upper(count), &a) / a.norm();
        assert_as_exact_as_lapack::<T>(measure, n, residual);
    }

    fn factors<T: Tested>() {
        for n in sizes() {
            residual::<T>("getrf", n, n, n);
            residual::<T>("getrf-tall", n, n + n / 2, n);
            residual::<T>("getrf-wide", n, n, n + n / 2);
        }
    }

    #[test]
    fn factors_are_as_exact_as_those_of_lapack() {
        for_each_type!(factors);
    }

    #[test]
    fn pivots_count_from_one_and_name_rows_of_the_exchanged_matrix() {
        // Rows (1, 3, 0), (2, 1, 0), (4, 4, 1). The third is the first pivot, and leaves (−1, −1/2) and (2, −1/4) of the
        // others; the latter, now the third, is the second pivot and leaves −1/2 − 1/8.
        let mut a = [1.0, 2.0, 4.0, 3.0, 1.0, 4.0, 0.0, 0.0, 1.0];
        let mut pivots = [0; 3];
        assert_eq!(getrf(3, 3, &mut a, &mut pivots), 0);
        assert_eq!(pivots, [3, 3, 3]);
        assert_eq!(a, [4.0, 0.25, 0.5, 4.0, 2.0, -0.5, 1.0, -0.25, -0.625]);
    }

    fn singular<T: Tested>() {
        for n in [1, 2, 7, 20, 50] {
            for zero in [0, n / 2, n - 1] {
                let mut a = random::<T>(n, n * n);
                a[zero * n..(zero + 1) * n].fill(T::ZERO);
                let mut pivots = vec![0; n];
                let number = i32::try_from(zero + 1).unwrap();
                assert_eq!(
                    getrf(n, n, &mut a, &mut pivots),
                    number,
                    "column {zero} of {n}"
                );
                assert!(
                    a.iter().all(|x| x.abs1() < T::Real::from_f64(1e3)),
                    "the rest is done"
                );
            }
        }
    }

    #[test]
    fn info_is_the_number_of_the_first_zero_pivot_and_the_factors_are_complete() {
        for_each_type!(singular);
    }

    fn wild<T: Tested>() {
        for rows in [1, 2, 3, 16, 17, 40] {
            for cols in [1, 3, 17, 40] {
                for seed in 0..10 {
                    let mut numbers = Numbers::new(seed);
                    let mut a: Vec<T> = (0..rows * cols).map(|_| numbers.wild()).collect();
                    let count = rows.min(cols);
                    let mut pivots = vec![0; count];
                    let info = getrf(rows, cols, &mut a, &mut pivots);
                    assert!((0..=i32::try_from(count).unwrap()).contains(&info));
                    for (i, &pivot) in (1..).zip(&pivots) {
                        assert!((i..=i32::try_from(rows).unwrap()).contains(&pivot));
                    }
                }
            }
        }
    }

    #[test]
    fn numbers_out_of_the_ordinary_end_in_valid_pivots() {
        for_each_type!(wild);
    }

    #[test]
    fn an_empty_matrix_has_no_pivots() {
        assert_eq!(getrf::<f32>(0, 3, &mut [], &mut []), 0);
        assert_eq!(getrf::<f32>(3, 0, &mut [], &mut []), 0);
    }
}
