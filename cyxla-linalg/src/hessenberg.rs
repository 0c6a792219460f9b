//! gehrd: a square matrix to Hessenberg form, `A = Q H Qᴴ`.

use faer::dyn_stack::StackReq;

use crate::columns::Columns;
use crate::element::{Element, Number};
use crate::householder::{reflect, reflector};
use crate::scratch::{with_scratch, zeros};
use crate::simd::{Kernel, axpy, axpy4, vectorised};

/// Overwrites the column-major matrix `a` of `n` rows with H on and above the subdiagonal and the tails of the reflectors below
/// it; `tau` gets their n − 1 factors (LAPACK's `gehrd`).
///
/// Outside of rows and columns `low..=high` the matrix is upper triangular already.
pub(crate) fn gehrd<T: Element>(n: usize, low: usize, high: usize, a: &mut [T], tau: &mut [T]) {
    let a = &mut a[..n * n];
    vectorised(Form {
        n,
        low,
        high,
        a,
        tau,
    });
}

struct Form<'a, T> {
    n: usize,
    low: usize,
    high: usize,
    a: &'a mut [T],
    tau: &'a mut [T],
}

impl<T: Element> Kernel for Form<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        let Self {
            n,
            low,
            high,
            a,
            tau,
        } = self;
        let mut a = Columns::new(a, n);
        with_scratch(StackReq::new::<T>(n), |stack| {
            let (mut work, _) = zeros::<T>(stack, n);
            reduce::<T, FUSED>(low, high, &mut a, tau, &mut work);
        });
    }
}

/// Reduces rows and columns `low..=high` of `a`, outside of which the matrix is upper triangular already.
///
/// H is left on and above the subdiagonal, the tail of reflector i below row i + 1 of column i; `tau` gets n − 1 factors, zero
/// for columns that need no reflector: LAPACK's `gehrd`. `work` has as many elements as the matrix rows.
#[inline(always)]
pub(crate) fn reduce<T: Element, const FUSED: bool>(
    low: usize,
    high: usize,
    a: &mut Columns<'_, T>,
    tau: &mut [T],
    work: &mut [T],
) {
    let n = a.rows();
    tau.fill(T::ZERO);
    for i in low..high {
        let (head, tail) = a.column_mut(i)[i + 1..=high].split_at_mut(1);
        let (beta, factor) = reflector::<T, FUSED>(head[0], tail);
        tau[i] = factor;
        if factor != T::ZERO {
            head[0] = T::ONE;
            let (left, mut right) = a.split(i + 1);
            let v = &left.column(i)[i + 1..=high];
            let product = &mut work[..=high];
            multiply::<T, FUSED>(&right, v, product);
            for j in 0..n - i - 1 {
                let column = right.column_mut(j);
                if let Some(&x) = v.get(j) {
                    axpy::<T, FUSED>(-(factor * Number::conj(x)), product, column);
                }
                reflect::<T, FUSED>(&v[1..], Number::conj(factor), &mut column[i + 1..=high]);
            }
        }
        a.set(i + 1, i, T::from_re(beta));
    }
}

/// `product = A v`, on the rows of `product`.
#[inline(always)]
fn multiply<T: Element, const FUSED: bool>(a: &Columns<'_, T>, v: &[T], product: &mut [T]) {
    product.fill(T::ZERO);
    let (fours, rest) = v.as_chunks::<4>();
    for (k, &four) in fours.iter().enumerate() {
        let j = 4 * k;
        let columns = [
            a.column(j),
            a.column(j + 1),
            a.column(j + 2),
            a.column(j + 3),
        ];
        axpy4::<T, FUSED>(four, columns, product);
    }
    for (j, &x) in (4 * fours.len()..).zip(rest) {
        axpy::<T, FUSED>(x, a.column(j), product);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reflectors::orgqr;
    use crate::testing::{
        Numbers, Tested, Wide, assert_as_exact_as_lapack, distance, for_each_type, random,
        residual_of_basis, sizes,
    };

    /// Q as JAX makes it: from the part of the reflectors below the first row.
    fn basis<T: Tested>(n: usize, reduced: &[T], tau: &[T]) -> Wide {
        let size = n - 1;
        let mut q: Vec<T> = (0..size * size)
            .map(|k| reduced[k / size * n + k % size + 1])
            .collect();
        orgqr(size, size, &mut q, tau);
        let q = Wide::new(size, size, &q);
        let one = Wide::identity(n);
        Wide::from_fn(n, n, |i, j| {
            if i > 0 && j > 0 {
                q.at(i - 1, j - 1)
            } else {
                one.at(i, j)
            }
        })
    }

    fn random_matrices<T: Tested>() {
        for n in sizes() {
            let a = random::<T>(2 * n, n * n);
            let (mut reduced, mut tau) = (a.clone(), vec![T::ZERO; n - 1]);
            gehrd(n, 0, n - 1, &mut reduced, &mut tau);
            let q = basis(n, &reduced, &tau);
            for k in 1..n {
                assert_eq!(
                    reduced[(k - 1) * n + k].im(),
                    T::ZERO.re(),
                    "the subdiagonal is real"
                );
            }
            let all = Wide::new(n, n, &reduced);
            let h = Wide::from_fn(
                n,
                n,
                |i, j| if i > j + 1 { 0.0.into() } else { all.at(i, j) },
            );
            assert_as_exact_as_lapack::<T>(
                "gehrd",
                n,
                residual_of_basis(&Wide::new(n, n, &a), &q, &h),
            );
            let orthogonal = distance(&q.adjoint(), &q, &Wide::identity(n));
            assert_as_exact_as_lapack::<T>("gehrd-orthogonal", n, orthogonal);
        }
    }

    #[test]
    fn hessenberg_forms_are_as_exact_as_those_of_lapack() {
        for_each_type!(random_matrices);
    }

    #[test]
    fn reflectors_are_scaled_as_those_of_lapack() {
        // The column (3, 4) below the diagonal: β = −5, τ = 8/5, v = 4 / (3 + 5).
        let mut a = [0.0, 3.0, 4.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        let mut tau = [0.0; 2];
        gehrd::<f64>(3, 0, 2, &mut a, &mut tau);
        assert_eq!((a[1], a[2], tau), (-5.0, 0.5, [1.6, 0.0]));
    }

    #[test]
    fn rows_outside_of_the_range_need_no_reflectors() {
        let n = 6;
        let mut a = random::<f64>(n, n * n);
        for j in 0..n {
            for i in j + 1..n {
                if !(2..=4).contains(&i) || j < 2 {
                    a[j * n + i] = 0.0;
                }
            }
        }
        let (mut part, mut tau) = (a.clone(), [9.0; 5]);
        gehrd(n, 2, 4, &mut part, &mut tau);
        let (mut whole, mut all) = (a, [0.0; 5]);
        gehrd(n, 0, n - 1, &mut whole, &mut all);
        assert_eq!((part, tau), (whole, all));
    }

    fn wild<T: Tested>() {
        for n in [1, 2, 3, 10, 40] {
            for seed in 0..10 {
                let mut numbers = Numbers::new(seed);
                let mut a: Vec<T> = (0..n * n).map(|_| numbers.wild()).collect();
                gehrd(n, 0, n - 1, &mut a, &mut vec![T::ZERO; n - 1]);
            }
        }
    }

    #[test]
    fn numbers_out_of_the_ordinary_end() {
        for_each_type!(wild);
    }
}
