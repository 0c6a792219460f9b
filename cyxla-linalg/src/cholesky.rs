//! Cholesky factors: potrf.

use faer::MatMut;
use faer::reborrow::ReborrowMut;

use crate::element::{Element, Number, Real};
use crate::matrix::{column, column_mut, subtract_product, subtract_product_lower, view_mut};
use crate::options::{Diagonal, Op, Side, Triangle};
use crate::simd::{Kernel, dot_conj, vectorised};
use crate::triangular::solve;

/// Up to this size a matrix is decomposed directly, above it is split in two and most of the work is a matrix product.
const BLOCK: usize = 32;

/// Overwrites the given triangle of the `n × n` matrix `a` with its Cholesky factor: L of `L Lᴴ` or U of `Uᴴ U` (LAPACK's
/// `potrf`).
///
/// Answers LAPACK's info: zero, or the number (from one) of the leading minor that is not positive definite, NaN included.
/// What the other triangle holds afterwards is undefined.
pub(crate) fn potrf<T: Element>(triangle: Triangle, n: usize, a: &mut [T]) -> i32 {
    if n == 0 {
        return 0;
    }
    match factor(triangle, view_mut(a, n, n, n)) {
        Ok(()) => 0,
        Err(minor) => i32::try_from(minor + 1).unwrap_or(i32::MAX),
    }
}

fn factor<T: Element>(triangle: Triangle, a: MatMut<'_, T>) -> Result<(), usize> {
    let n = a.nrows();
    // A column of 32 elements of 16 bytes does not fit into the registers.
    let block = if size_of::<T>() > 8 { BLOCK / 2 } else { BLOCK };
    if n <= block {
        return vectorised(Block { triangle, a });
    }
    let half = (n / 2).next_multiple_of(block / 2);
    let (mut a11, mut a12, mut a21, mut a22) = a.split_at_mut(half, half);
    factor(triangle, a11.rb_mut())?;
    match triangle {
        Triangle::Lower => {
            let l11 = a11.as_ref();
            solve(
                Side::Right,
                triangle,
                Op::Adjoint,
                Diagonal::Stored,
                l11,
                a21.rb_mut(),
            );
            let l21 = a21.as_ref();
            subtract_product_lower(a22.rb_mut(), (Op::None, l21), (Op::Adjoint, l21));
        }
        Triangle::Upper => {
            let u11 = a11.as_ref();
            solve(
                Side::Left,
                triangle,
                Op::Adjoint,
                Diagonal::Stored,
                u11,
                a12.rb_mut(),
            );
            let u12 = a12.as_ref();
            subtract_product(a22.rb_mut(), (Op::Adjoint, u12), (Op::None, u12));
        }
    }
    factor(triangle, a22).map_err(|minor| half + minor)
}

struct Block<'a, T> {
    triangle: Triangle,
    a: MatMut<'a, T>,
}

impl<T: Element> Kernel for Block<'_, T> {
    type Output = Result<(), usize>;

    #[inline(always)]
    fn run<const FUSED: bool>(self) -> Result<(), usize> {
        match (self.triangle, self.a.nrows()) {
            (Triangle::Lower, ..=4) => lower::<T, FUSED, 4>(self.a),
            (Triangle::Lower, ..=8) => lower::<T, FUSED, 8>(self.a),
            (Triangle::Lower, ..=16) => lower::<T, FUSED, 16>(self.a),
            (Triangle::Lower, _) => lower::<T, FUSED, BLOCK>(self.a),
            (Triangle::Upper, _) => upper::<T, FUSED>(self.a),
        }
    }
}

/// Decomposes in a copy of fixed size: its columns are whole vectors that stay in registers.
#[inline(always)]
fn lower<T: Element, const FUSED: bool, const SIZE: usize>(
    mut a: MatMut<'_, T>,
) -> Result<(), usize> {
    let n = a.nrows().min(SIZE);
    let mut l = [[T::ZERO; SIZE]; SIZE];
    for (j, copy) in l.iter_mut().enumerate().take(n) {
        copy[j..n].copy_from_slice(&column(a.as_ref(), j)[j..n]);
    }
    let mut result = Ok(());
    for j in 0..n {
        let (done, rest) = l.split_at_mut(j);
        let Some(target) = rest.first_mut() else {
            break;
        };
        let mut sums = *target;
        for column in done.iter() {
            let factor = -column[j].conj();
            for row in 0..SIZE {
                sums[row] = column[row].mul_add::<FUSED>(factor, sums[row]);
            }
        }
        let square = sums[j].re();
        // NaN is not positive either.
        let positive = square > T::Real::ZERO;
        if !positive {
            result = Err(j);
            break;
        }
        let root = square.root();
        let inverse = T::Real::ONE / root;
        for sum in &mut sums {
            *sum = sum.scale(inverse);
        }
        sums[j] = T::from_re(root);
        *target = sums;
    }
    for (j, copy) in l.iter().enumerate().take(n) {
        column_mut(a.rb_mut(), j)[j..n].copy_from_slice(&copy[j..n]);
    }
    result
}

#[inline(always)]
fn upper<T: Element, const FUSED: bool>(mut a: MatMut<'_, T>) -> Result<(), usize> {
    for j in 0..a.nrows() {
        let (left, right) = a.rb_mut().split_at_col_mut(j);
        let target = column_mut(right, 0);
        for i in 0..j {
            let done = column(left.as_ref(), i);
            let sum = target[i] - dot_conj::<T, FUSED>(&done[..i], &target[..i]);
            target[i] = sum.scale(T::Real::ONE / done[i].re());
        }
        let square = target[j].re() - dot_conj::<T, FUSED>(&target[..j], &target[..j]).re();
        let positive = square > T::Real::ZERO;
        if !positive {
            return Err(j);
        }
        target[j] = T::from_re(square.root());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{
        Numbers, Tested, Wide, assert_as_exact_as_lapack, distance, for_each_type, random, sizes,
    };

    /// Hermitian, and positive definite since its diagonal dominates.
    fn definite<T: Tested>(n: usize) -> Vec<T> {
        let mut a = random::<T>(n, n * n);
        for j in 0..n {
            a[j * n + j] = T::from_re(T::Real::from_f64(2.0 * n as f64));
            for i in j + 1..n {
                a[i * n + j] = a[j * n + i].conj();
            }
        }
        a
    }

    fn lower_factor<T: Tested>() {
        for n in sizes() {
            let a = definite::<T>(n);
            let mut l = a.clone();
            assert_eq!(potrf(Triangle::Lower, n, &mut l), 0);
            let (a, l) = (Wide::new(n, n, &a), Wide::new(n, n, &l).lower(false));
            let residual = distance(&l, &l.adjoint(), &a) / a.norm();
            assert_as_exact_as_lapack::<T>("potrf", n, residual);
        }
    }

    #[test]
    fn the_lower_factor_is_as_exact_as_that_of_lapack() {
        for_each_type!(lower_factor);
    }

    fn upper_factor<T: Tested>() {
        for n in sizes() {
            let a = definite::<T>(n);
            let mut u = a.clone();
            assert_eq!(potrf(Triangle::Upper, n, &mut u), 0);
            let (a, u) = (Wide::new(n, n, &a), Wide::new(n, n, &u).upper(n));
            let residual = distance(&u.adjoint(), &u, &a) / a.norm();
            assert_as_exact_as_lapack::<T>("potrf", n, residual);
        }
    }

    #[test]
    fn the_upper_factor_is_as_exact_as_the_lower_one_of_lapack() {
        for_each_type!(upper_factor);
    }

    fn first_bad_minor<T: Tested>() {
        for n in [1, 2, 5, 16, 33, 100] {
            for bad in [0, n / 2, n - 1] {
                for triangle in [Triangle::Lower, Triangle::Upper] {
                    for value in [-1.0, 0.0, f64::NAN, f64::NEG_INFINITY] {
                        let mut a = vec![T::ZERO; n * n];
                        for i in 0..n {
                            a[i * n + i] = T::ONE;
                        }
                        a[bad * n + bad] = T::from_re(T::Real::from_f64(value));
                        assert_eq!(potrf(triangle, n, &mut a), i32::try_from(bad + 1).unwrap());
                    }
                }
            }
        }
    }

    #[test]
    fn info_is_the_number_of_the_first_minor_that_is_not_positive_definite() {
        for_each_type!(first_bad_minor);
    }

    fn other_triangle<T: Tested>() {
        for n in [3, 20, 70] {
            for triangle in [Triangle::Lower, Triangle::Upper] {
                let mut clean = definite::<T>(n);
                let mut marked = clean.clone();
                for j in 0..n {
                    for i in 0..n {
                        if (triangle == Triangle::Lower && i < j)
                            || (triangle == Triangle::Upper && i > j)
                        {
                            marked[j * n + i] = T::from_re(T::Real::from_f64(f64::NAN));
                        }
                    }
                }
                assert_eq!(potrf(triangle, n, &mut clean), 0);
                assert_eq!(potrf(triangle, n, &mut marked), 0);
                for j in 0..n {
                    for i in 0..n {
                        if (triangle == Triangle::Lower && i >= j)
                            || (triangle == Triangle::Upper && i <= j)
                        {
                            assert_eq!(clean[j * n + i], marked[j * n + i]);
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn the_other_triangle_is_not_looked_at() {
        for_each_type!(other_triangle);
    }

    fn wild<T: Tested>() {
        for n in [0, 1, 2, 3, 7, 16, 33, 65] {
            for seed in 0..20 {
                let mut numbers = Numbers::new(seed);
                let mut a: Vec<T> = (0..n * n).map(|_| numbers.wild()).collect();
                let triangle = if seed % 2 == 0 {
                    Triangle::Lower
                } else {
                    Triangle::Upper
                };
                let info = potrf(triangle, n, &mut a);
                assert!((0..=i32::try_from(n).unwrap()).contains(&info));
            }
        }
    }

    #[test]
    fn numbers_out_of_the_ordinary_end_in_an_info() {
        for_each_type!(wild);
    }
}
