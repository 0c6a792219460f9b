//! gehrd: a square matrix to Hessenberg form, `A = Q H Qᴴ`.

use crate::columns::Columns;
use crate::element::{Element, Number};
use crate::householder::{reflect, reflector};
use crate::simd::{axpy, axpy4};

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
