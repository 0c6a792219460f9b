//! QR factors with column pivoting: geqp3.

use crate::element::{Element, Number, Real};
use crate::householder::{reflect, reflector};
use crate::range::{modulus, norm};
use crate::scratch::with_scratch;
use crate::simd::{Kernel, vectorised};
use faer::dyn_stack::StackReq;

/// Overwrites the `rows × cols` matrix `a` with R and reflectors of `A P = Q R`, as geqrf does, where the columns are chosen
/// so that the diagonal of R falls in magnitude (LAPACK's `geqp3`).
///
/// `order` holds a zero for each column that may be moved; the others are first moved to the front. Afterwards it says,
/// counting from one, which column of A each column of `A P` is.
pub(crate) fn geqp3<T: Element>(
    rows: usize,
    cols: usize,
    a: &mut [T],
    order: &mut [i32],
    tau: &mut [T],
) {
    let order = &mut order[..cols];
    let a = &mut a[..rows * cols];
    if rows == 0 {
        for (number, entry) in (1..).zip(order) {
            *entry = number;
        }
        return;
    }
    let fixed = move_fixed(rows, a, order);
    let need = StackReq::new::<T::Real>(cols).array(2);
    with_scratch(need, |stack| {
        let (mut current, stack) = stack.make_with(cols, |_| T::Real::ZERO);
        let (mut exact, _) = stack.make_with(cols, |_| T::Real::ZERO);
        let tau = &mut tau[..rows.min(cols)];
        vectorised(Factor {
            rows,
            fixed,
            a,
            order,
            tau,
            current: &mut current,
            exact: &mut exact,
        });
    });
}

/// Moves the columns that `order` names to the front, and numbers all in their new order. Answers how many these are.
fn move_fixed<T: Element>(rows: usize, a: &mut [T], order: &mut [i32]) -> usize {
    let mut fixed = 0;
    for j in 0..order.len() {
        let number = i32::try_from(j + 1).unwrap_or(i32::MAX);
        if order[j] == 0 {
            order[j] = number;
            continue;
        }
        if j != fixed {
            swap_columns(rows, a, fixed, j);
            order[j] = order[fixed];
        }
        order[fixed] = number;
        fixed += 1;
    }
    fixed
}

#[inline(always)]
fn swap_columns<T: Element>(rows: usize, a: &mut [T], first: usize, second: usize) {
    let (left, right) = a.split_at_mut(second * rows);
    left[first * rows..][..rows].swap_with_slice(&mut right[..rows]);
}

struct Factor<'a, T: Element> {
    rows: usize,
    fixed: usize,
    a: &'a mut [T],
    order: &'a mut [i32],
    tau: &'a mut [T],
    /// The norm of each column below the rows that are done, brought forward from step to step.
    current: &'a mut [T::Real],
    /// That norm when it was last summed up.
    exact: &'a mut [T::Real],
}

impl<T: Element> Kernel for Factor<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        let Self {
            rows,
            fixed,
            a,
            order,
            tau,
            current,
            exact,
        } = self;
        for step in 0..tau.len() {
            if step == fixed {
                for ((column, current), exact) in a
                    .chunks_exact(rows)
                    .zip(&mut *current)
                    .zip(&mut *exact)
                    .skip(fixed)
                {
                    *current = norm::<T, FUSED>(&column[fixed..]);
                    *exact = *current;
                }
            }
            if step >= fixed {
                let pivot = step + largest(&current[step..]);
                if pivot != step {
                    swap_columns(rows, a, step, pivot);
                    order.swap(step, pivot);
                    current[pivot] = current[step];
                    exact[pivot] = exact[step];
                }
            }
            let (left, right) = a.split_at_mut((step + 1) * rows);
            let Some((head, tail)) = left[step * rows + step..].split_first_mut() else {
                break;
            };
            let (beta, factor) = reflector::<T, FUSED>(*head, tail);
            *head = T::from_re(beta);
            tau[step] = factor;
            for (j, column) in (step + 1..).zip(right.chunks_exact_mut(rows)) {
                reflect::<T, FUSED>(tail, factor.conj(), &mut column[step..]);
                if step >= fixed && current[j] != T::Real::ZERO {
                    bring_forward::<T, FUSED>(&column[step..], &mut current[j], &mut exact[j]);
                }
            }
        }
    }
}

/// Takes the first element of `column` out of its norm, unless what is left would be rounding errors: then it is summed up
/// anew (LAPACK Working Note 176).
#[inline(always)]
fn bring_forward<T: Element, const FUSED: bool>(
    column: &[T],
    current: &mut T::Real,
    exact: &mut T::Real,
) {
    let Some((&first, rest)) = column.split_first() else {
        return;
    };
    let ratio = modulus(first) / *current;
    let left = T::Real::ONE - ratio * ratio;
    let left = if left < T::Real::ZERO {
        T::Real::ZERO
    } else {
        left
    };
    let since = *current / *exact;
    if left * since * since <= T::Real::EPSILON.root() {
        *current = norm::<T, FUSED>(rest);
        *exact = *current;
    } else {
        *current *= left.root();
    }
}

/// The first of the largest numbers; one of NaN is never larger.
#[inline(always)]
fn largest<R: Real>(x: &[R]) -> usize {
    let mut best = 0;
    for (i, &value) in x.iter().enumerate() {
        if value > x[best] {
            best = i;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reflectors::orgqr;
    use crate::testing::{
        Numbers, Tested, Wide, assert_as_exact_as_lapack, distance, for_each_type, random, sizes,
    };

    fn permuted<T: Copy>(rows: usize, a: &[T], order: &[i32]) -> Vec<T> {
        let start = |number: i32| rows * usize::try_from(number - 1).unwrap();
        order
            .iter()
            .flat_map(|&number| a[start(number)..][..rows].to_vec())
            .collect()
    }

    fn factors<T: Tested>() {
        for n in sizes() {
            let (rows, cols) = (n + n / 2, n);
            let a = random::<T>(rows + cols, rows * cols);
            let mut qr = a.clone();
            let (mut tau, mut order) = (vec![T::ZERO; cols], vec![0; cols]);
            geqp3(rows, cols, &mut qr, &mut order, &mut tau);
            let diagonal: Vec<_> = (0..cols).map(|j| qr[j * rows + j].abs1()).collect();
            let slack = T::Real::from_f64(1.0 + 1e-3);
            assert!(
                diagonal.windows(2).all(|pair| pair[1] <= pair[0] * slack),
                "{diagonal:?}"
            );
            let mut q = qr.clone();
            orgqr(rows, cols, &mut q, &tau);
            let a = Wide::new(rows, cols, &permuted(rows, &a, &order));
            let (q, r) = (
                Wide::new(rows, cols, &q),
                Wide::new(rows, cols, &qr).upper(cols),
            );
            assert_as_exact_as_lapack::<T>("geqp3", n, distance(&q, &r, &a) / a.norm());
        }
    }

    #[test]
    fn factors_are_as_exact_as_those_of_lapack_and_the_diagonal_falls() {
        for_each_type!(factors);
    }

    #[test]
    fn columns_are_numbered_from_one_by_falling_norm() {
        let mut a = [1.0, 0.0, 0.0, 3.0, 2.0, 0.0];
        let (mut order, mut tau) = ([0; 3], [0.0; 2]);
        geqp3::<f64>(2, 3, &mut a, &mut order, &mut tau);
        assert_eq!(order, [2, 3, 1]);
    }

    #[test]
    fn columns_that_are_named_stay_in_front() {
        let mut a = random::<f64>(1, 12);
        let (mut order, mut tau) = ([0, 0, 1, 0], [0.0; 3]);
        geqp3(3, 4, &mut a, &mut order, &mut tau);
        assert_eq!(order[0], 3);
    }

    fn wild<T: Tested>() {
        for (rows, cols) in [(1, 1), (2, 5), (5, 2), (20, 30), (30, 20)] {
            for seed in 0..20 {
                let mut numbers = Numbers::new(seed);
                let mut a: Vec<T> = (0..rows * cols).map(|_| numbers.wild()).collect();
                let (mut order, mut tau) = (vec![0; cols], vec![T::ZERO; rows.min(cols)]);
                geqp3(rows, cols, &mut a, &mut order, &mut tau);
                order.sort_unstable();
                assert!((1..).zip(&order).all(|(number, &entry)| number == entry));
            }
        }
    }

    #[test]
    fn numbers_out_of_the_ordinary_end_in_a_permutation() {
        for_each_type!(wild);
    }
}
