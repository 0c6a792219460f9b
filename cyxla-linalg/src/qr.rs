//! QR factors: geqrf.

use crate::element::Element;
use crate::householder::{reflect, reflector};
use crate::matrix::view_mut;
use crate::options::Op;
use crate::reflectors::{BLOCK, block, block_scratch};
use crate::scratch::with_scratch;
use crate::simd::{Kernel, vectorised};

/// Overwrites the `rows × cols` matrix `a` with R in its upper triangle and reflectors `H = I − τ v vᴴ` below, whose product
/// is Q; `tau` gets the min(rows, cols) τ (LAPACK's `geqrf`). The diagonal of R is real.
pub(crate) fn geqrf<T: Element>(rows: usize, cols: usize, a: &mut [T], tau: &mut [T]) {
    let count = rows.min(cols);
    let tau = &mut tau[..count];
    let a = &mut a[..rows * cols];
    if count <= BLOCK {
        vectorised(Panel {
            rows,
            first: 0,
            a,
            tau,
        });
        return;
    }
    with_scratch(block_scratch::<T>(rows, cols), |stack| {
        for first in (0..count).step_by(BLOCK) {
            let width = BLOCK.min(count - first);
            let (left, right) = a.split_at_mut((first + width) * rows);
            let panel = &mut left[first * rows..];
            let tau = &mut tau[first..first + width];
            vectorised(Panel {
                rows,
                first,
                a: panel,
                tau,
            });
            if right.is_empty() {
                break;
            }
            let (block, stack) = block(panel, rows, first, tau, stack);
            let rest = view_mut(right, rows, cols - first - width, rows);
            block.apply_left(Op::Adjoint, rest.subrows_mut(first, rows - first), stack);
        }
    });
}

/// Columns of `rows` elements, decomposed from row `first` on, one reflector at a time (LAPACK's `geqr2`).
struct Panel<'a, T> {
    rows: usize,
    first: usize,
    a: &'a mut [T],
    tau: &'a mut [T],
}

impl<T: Element> Kernel for Panel<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        let Self {
            rows,
            first,
            a,
            tau,
        } = self;
        for (j, tau) in tau.iter_mut().enumerate() {
            let row = first + j;
            let (left, right) = a.split_at_mut((j + 1) * rows);
            let Some((head, tail)) = left[j * rows + row..].split_first_mut() else {
                break;
            };
            let (beta, factor) = reflector::<T, FUSED>(*head, tail);
            *head = T::from_re(beta);
            *tau = factor;
            for column in right.chunks_exact_mut(rows) {
                reflect::<T, FUSED>(tail, factor.conj(), &mut column[row..]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::{Number, Real};
    use crate::reflectors::orgqr;
    use crate::testing::{
        Numbers, Tested, Wide, assert_as_exact_as_lapack, distance, for_each_type, random, sizes,
    };

    fn residual<T: Tested>(measure: &str, n: usize, rows: usize, cols: usize) {
        let a = random::<T>(rows + cols, rows * cols);
        let count = rows.min(cols);
        let mut qr = a.clone();
        let mut tau = vec![T::ZERO; count];
        geqrf(rows, cols, &mut qr, &mut tau);
        for i in 0..count {
            assert_eq!(
                qr[i * rows + i].im(),
                T::Real::ZERO,
                "the diagonal of R is real"
            );
        }
        let mut q = qr[..rows * count].to_vec();
        orgqr(rows, count, &mut q, &tau);
        let (a, qr, q) = (
            Wide::new(rows, cols, &a),
            Wide::new(rows, cols, &qr),
            Wide::new(rows, count, &q),
        );
        let residual = distance(&q, &qr.upper(count), &a) / a.norm();
        assert_as_exact_as_lapack::<T>(measure, n, residual);
        let orthogonal = distance(&q.adjoint(), &q, &Wide::identity(count));
        assert_as_exact_as_lapack::<T>(&format!("{measure}-orthogonal"), n, orthogonal);
    }

    fn factors<T: Tested>() {
        for n in sizes() {
            residual::<T>("geqrf", n, n, n);
            residual::<T>("geqrf-tall", n, n + n / 2, n);
            residual::<T>("geqrf-wide", n, n, n + n / 2);
        }
    }

    #[test]
    fn factors_are_as_exact_as_those_of_lapack() {
        for_each_type!(factors);
    }

    #[test]
    fn reflectors_are_scaled_as_those_of_lapack() {
        // (3, 4) has norm 5: β = −5, τ = (β − 3) / β = 8/5, v = 4 / (3 − β) = 1/2.
        let mut a = [3.0, 4.0];
        let mut tau = [0.0];
        geqrf::<f64>(2, 1, &mut a, &mut tau);
        assert_eq!((a, tau), ([-5.0, 0.5], [1.6]));
    }

    fn extremes<T: Tested>() {
        // The squares of these numbers are outside of the range of the type.
        for size in [
            T::Real::SAFE_MINIMUM,
            T::Real::ONE / T::Real::SAFE_MINIMUM / T::Real::from_f64(64.0),
        ] {
            let (rows, cols) = (7, 5);
            let a: Vec<T> = random::<T>(3, rows * cols)
                .iter()
                .map(|x| x.scale(size))
                .collect();
            let mut qr = a.clone();
            let mut tau = vec![T::ZERO; cols];
            geqrf(rows, cols, &mut qr, &mut tau);
            let mut q = qr.clone();
            orgqr(rows, cols, &mut q, &tau);
            let q = Wide::new(rows, cols, &q);
            let orthogonal = distance(&q.adjoint(), &q, &Wide::identity(cols));
            assert!(orthogonal <= 40.0 * T::unit_roundoff(), "{orthogonal:e}");
        }
    }

    #[test]
    fn q_is_orthogonal_at_the_ends_of_the_range() {
        for_each_type!(extremes);
    }

    fn wild<T: Tested>() {
        for (rows, cols) in [(1, 1), (2, 5), (5, 2), (40, 40), (70, 35), (35, 70)] {
            for seed in 0..10 {
                let mut numbers = Numbers::new(seed);
                let mut a: Vec<T> = (0..rows * cols).map(|_| numbers.wild()).collect();
                let count = rows.min(cols);
                let mut tau = vec![T::ZERO; count];
                geqrf(rows, cols, &mut a, &mut tau);
                orgqr(rows, count, &mut a[..rows * count], &tau);
            }
        }
    }

    #[test]
    fn numbers_out_of_the_ordinary_end() {
        for_each_type!(wild);
    }

    #[test]
    fn empty_matrices_have_no_reflectors() {
        geqrf::<f32>(0, 3, &mut [], &mut []);
        geqrf::<f32>(3, 0, &mut [], &mut []);
        orgqr::<f32>(0, 0, &mut [], &[]);
    }
}
