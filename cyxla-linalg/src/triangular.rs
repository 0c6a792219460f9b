//! Triangular systems: trsm.

use faer::linalg::matmul::matmul_with_conj;
use faer::reborrow::{IntoConst, ReborrowMut};
use faer::{Accum, Conj, MatMut, MatRef, Par};

use crate::element::Element;
use crate::matrix::{apply, column, column_mut, view, view_mut};
use crate::options::{Diagonal, Op, Side, Triangle};
use crate::range::{is_finite, quotient};
use crate::simd::{Kernel, axpy, vectorised};

/// Up to this size a triangle is solved directly, above it is split in two and most of the work is a matrix product.
const BLOCK: usize = 32;

/// Up to this size a triangle is packed into less memory.
const SMALL: usize = 8;

/// Overwrites `y` (`rows × cols`) with the X of `op(A) X = Y` or `X op(A) = Y`, A triangular (LAPACK's, or BLAS's, `trsm`).
///
/// As with BLAS, an exactly singular A gives infinities and NaN, not an error.
pub(crate) fn trsm<T: Element>(
    side: Side,
    triangle: Triangle,
    op: Op,
    diagonal: Diagonal,
    (rows, cols): (usize, usize),
    a: &[T],
    y: &mut [T],
) {
    let size = if side == Side::Left { rows } else { cols };
    if rows == 0 || cols == 0 {
        return;
    }
    solve(
        side,
        triangle,
        op,
        diagonal,
        view(a, size, size, size),
        view_mut(y, rows, cols, rows),
    );
}

/// [`trsm`] on parts of matrices. The columns of `y` are contiguous.
pub(crate) fn solve<T: Element>(
    side: Side,
    triangle: Triangle,
    op: Op,
    diagonal: Diagonal,
    a: MatRef<'_, T>,
    y: MatMut<'_, T>,
) {
    // X A = Y is Aᵀ Xᵀ = Yᵀ: the recursion knows only matrices on the left, `side` says how y lies.
    let (mut a, conj) = apply(op, a);
    let mut lower = (triangle == Triangle::Lower) == (op == Op::None);
    if side == Side::Right {
        a = a.transpose();
        lower = !lower;
    }
    let system = System {
        side,
        lower,
        conj,
        unit: diagonal == Diagonal::Unit,
    };
    system.solve(a, y);
}

#[derive(Clone, Copy)]
struct System {
    side: Side,
    lower: bool,
    conj: Conj,
    unit: bool,
}

impl System {
    fn solve<T: Element>(self, a: MatRef<'_, T>, mut y: MatMut<'_, T>) {
        let size = a.nrows();
        if size <= BLOCK {
            vectorised(Block { system: self, a, y });
            return;
        }
        let half = (size / 2).next_multiple_of(BLOCK / 2);
        let (a11, a12, a21, a22) = a.split_at(half, half);
        let (mut first, mut second) = if self.side == Side::Left {
            y.rb_mut().split_at_row_mut(half)
        } else {
            y.rb_mut().split_at_col_mut(half)
        };
        if self.lower {
            self.solve(a11, first.rb_mut());
            self.eliminate(a21, second.rb_mut(), first.rb_mut());
            self.solve(a22, second);
        } else {
            self.solve(a22, second.rb_mut());
            self.eliminate(a12, first.rb_mut(), second);
            self.solve(a11, first);
        }
    }

    /// `y -= a x`, or for matrices on the right `y -= x aᵀ`.
    fn eliminate<T: Element>(self, a: MatRef<'_, T>, y: MatMut<'_, T>, x: MatMut<'_, T>) {
        let minus = -T::ONE;
        let x = x.into_const();
        if self.side == Side::Left {
            matmul_with_conj(y, Accum::Add, a, self.conj, x, Conj::No, minus, Par::Seq);
        } else {
            matmul_with_conj(
                y,
                Accum::Add,
                x,
                Conj::No,
                a.transpose(),
                self.conj,
                minus,
                Par::Seq,
            );
        }
    }
}

struct Block<'a, T> {
    system: System,
    a: MatRef<'a, T>,
    y: MatMut<'a, T>,
}

/// A triangle in the order in which its unknowns are found: unknown t needs those before it, times `coefficients[t][..t]`.
struct Triangular<T, const SIZE: usize> {
    size: usize,
    coefficients: [[T; SIZE]; SIZE],
    diagonal: [T; SIZE],
    inverse: [T; SIZE],
    /// Whether each number in `inverse` is finite, so that to multiply with it is to divide.
    invertible: bool,
}

impl<T: Element, const SIZE: usize> Triangular<T, SIZE> {
    #[inline(always)]
    fn new(system: System, a: MatRef<'_, T>) -> Self {
        let size = a.nrows().min(SIZE);
        let mut packed = Self {
            size,
            coefficients: [[T::ZERO; SIZE]; SIZE],
            diagonal: [T::ONE; SIZE],
            inverse: [T::ONE; SIZE],
            invertible: true,
        };
        let conjugated = |x: T| {
            if system.conj == Conj::Yes {
                x.conj()
            } else {
                x
            }
        };
        for t in 0..size {
            let row = system.unknown(t, size);
            for s in 0..t {
                packed.coefficients[t][s] = -conjugated(a[(row, system.unknown(s, size))]);
            }
            if !system.unit {
                packed.diagonal[t] = conjugated(a[(row, row)]);
                packed.inverse[t] = quotient(T::ONE, packed.diagonal[t]);
                packed.invertible &= is_finite(packed.inverse[t].abs1());
            }
        }
        packed
    }

    #[inline(always)]
    fn divide(&self, x: T, t: usize) -> T {
        if self.invertible {
            x * self.inverse[t]
        } else {
            quotient(x, self.diagonal[t])
        }
    }
}

impl System {
    #[inline(always)]
    fn unknown(self, t: usize, size: usize) -> usize {
        if self.lower { t } else { size - 1 - t }
    }

    /// Solves for `WIDTH` right-hand sides at a time, transposed so that each unknown of all of them is one vector.
    #[inline(always)]
    fn solve_strips<T: Element, const FUSED: bool, const SIZE: usize, const WIDTH: usize>(
        self,
        triangle: &Triangular<T, SIZE>,
        mut y: MatMut<'_, T>,
    ) {
        let size = triangle.size;
        let count = if self.side == Side::Left {
            y.ncols()
        } else {
            y.nrows()
        };
        let mut strip = [[T::ZERO; WIDTH]; SIZE];
        for start in (0..count).step_by(WIDTH) {
            let width = WIDTH.min(count - start);
            if self.side == Side::Left {
                for lane in 0..width {
                    let values = column(y.as_ref(), start + lane);
                    for (t, unknown) in strip.iter_mut().enumerate().take(size) {
                        unknown[lane] = values[self.unknown(t, size)];
                    }
                }
            } else {
                for (t, unknown) in strip.iter_mut().enumerate().take(size) {
                    let values = column(y.as_ref(), self.unknown(t, size));
                    unknown[..width].copy_from_slice(&values[start..start + width]);
                }
            }
            for t in 0..size {
                let (known, rest) = strip.split_at_mut(t);
                let Some(unknown) = rest.first_mut() else {
                    break;
                };
                let mut sum = *unknown;
                for (known, &factor) in known.iter().zip(&triangle.coefficients[t]) {
                    for lane in 0..WIDTH {
                        sum[lane] = known[lane].mul_add::<FUSED>(factor, sum[lane]);
                    }
                }
                if !self.unit {
                    for lane in &mut sum {
                        *lane = triangle.divide(*lane, t);
                    }
                }
                *unknown = sum;
            }
            if self.side == Side::Left {
                for lane in 0..width {
                    let values = column_mut(y.rb_mut(), start + lane);
                    for (t, unknown) in strip.iter().enumerate().take(size) {
                        values[self.unknown(t, size)] = unknown[lane];
                    }
                }
            } else {
                for (t, unknown) in strip.iter().enumerate().take(size) {
                    let values = column_mut(y.rb_mut(), self.unknown(t, size));
                    values[start..start + width].copy_from_slice(&unknown[..width]);
                }
            }
        }
    }

    /// Solves for one right-hand side after the other, where A has contiguous columns and is used as it lies.
    #[inline(always)]
    fn solve_columns<T: Element, const FUSED: bool>(self, a: MatRef<'_, T>, mut y: MatMut<'_, T>) {
        let size = a.nrows();
        for j in 0..y.ncols() {
            let x = column_mut(y.rb_mut(), j);
            for t in 0..size {
                let k = self.unknown(t, size);
                let factors = column(a, k);
                if !self.unit {
                    x[k] = quotient(x[k], factors[k]);
                }
                let minus = -x[k];
                if self.lower {
                    axpy::<T, FUSED>(minus, &factors[k + 1..], &mut x[k + 1..]);
                } else {
                    axpy::<T, FUSED>(minus, &factors[..k], &mut x[..k]);
                }
            }
        }
    }
}

impl<T: Element> Kernel for Block<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        let Self { system, a, y } = self;
        let count = if system.side == Side::Left {
            y.ncols()
        } else {
            y.nrows()
        };
        let direct = system.side == Side::Left && system.conj == Conj::No && a.row_stride() == 1;
        if direct && count <= 2 {
            system.solve_columns::<T, FUSED>(a, y);
            return;
        }
        // Small systems in small memory: to clear more would take longer than to solve them.
        if a.nrows() <= SMALL {
            let triangle = Triangular::<T, SMALL>::new(system, a);
            system.solve_strips::<T, FUSED, SMALL, 8>(&triangle, y);
            return;
        }
        let triangle = Triangular::<T, BLOCK>::new(system, a);
        if count <= 8 {
            system.solve_strips::<T, FUSED, BLOCK, 8>(&triangle, y);
        } else if size_of::<T>() <= 8 {
            system.solve_strips::<T, FUSED, BLOCK, 32>(&triangle, y);
        } else {
            system.solve_strips::<T, FUSED, BLOCK, 16>(&triangle, y);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::Real;
    use crate::testing::{
        Numbers, Tested, Wide, assert_as_exact_as_lapack, distance, for_each_type, random, sizes,
    };

    const SIDES: [Side; 2] = [Side::Left, Side::Right];
    const TRIANGLES: [Triangle; 2] = [Triangle::Lower, Triangle::Upper];
    const OPS: [Op; 3] = [Op::None, Op::Transpose, Op::Adjoint];
    const DIAGONALS: [Diagonal; 2] = [Diagonal::Stored, Diagonal::Unit];

    fn well_conditioned<T: Tested>(n: usize) -> Vec<T> {
        let mut a = random::<T>(n, n * n);
        for i in 0..n {
            a[i * n + i] += T::from_re(T::Real::from_f64(2.0));
        }
        a
    }

    fn as_exact<T: Tested>() {
        for n in sizes() {
            let (a, y) = (well_conditioned::<T>(n), random::<T>(n + 1, n * n));
            let mut x = y.clone();
            let choice = (Side::Left, Triangle::Lower, Op::None, Diagonal::Stored);
            trsm(choice.0, choice.1, choice.2, choice.3, (n, n), &a, &mut x);
            let (a, x, y) = (
                Wide::new(n, n, &a).lower(false),
                Wide::new(n, n, &x),
                Wide::new(n, n, &y),
            );
            let residual = distance(&a, &x, &y) / (a.norm() * x.norm());
            assert_as_exact_as_lapack::<T>("trsm", n, residual);
        }
    }

    #[test]
    fn solutions_are_as_exact_as_those_of_blas() {
        for_each_type!(as_exact);
    }

    fn every_choice<T: Tested>() {
        for (size, others) in [
            (1, 1),
            (2, 3),
            (5, 1),
            (7, 9),
            (32, 20),
            (33, 2),
            (70, 40),
            (100, 1),
        ] {
            // Off the diagonal small, so that unit triangles are well conditioned too.
            let shrink = T::Real::from_f64(0.5 / size as f64);
            let mut a: Vec<T> = random::<T>(1, size * size)
                .iter()
                .map(|x| x.scale(shrink))
                .collect();
            for i in 0..size {
                a[i * size + i] += T::ONE;
            }
            for side in SIDES {
                let (rows, cols) = if side == Side::Left {
                    (size, others)
                } else {
                    (others, size)
                };
                let y = random::<T>(2, rows * cols);
                for triangle in TRIANGLES {
                    for op in OPS {
                        for diagonal in DIAGONALS {
                            let mut x = y.clone();
                            trsm(side, triangle, op, diagonal, (rows, cols), &a, &mut x);
                            let whole = Wide::new(size, size, &a);
                            let unit = diagonal == Diagonal::Unit;
                            let part = match triangle {
                                Triangle::Lower => whole.lower(unit),
                                Triangle::Upper => whole.transpose().lower(unit).transpose(),
                            };
                            let a = match op {
                                Op::None => part,
                                Op::Transpose => part.transpose(),
                                Op::Adjoint => part.adjoint(),
                            };
                            let (x, y) = (Wide::new(rows, cols, &x), Wide::new(rows, cols, &y));
                            let difference = if side == Side::Left {
                                distance(&a, &x, &y)
                            } else {
                                distance(&x, &a, &y)
                            };
                            let bound = 10.0 * T::unit_roundoff() * a.norm() * x.norm();
                            assert!(
                                difference <= bound,
                                "{difference:e} > {bound:e}: {side:?} {triangle:?} {op:?} {diagonal:?} {size} {others}"
                            );
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn every_side_triangle_op_and_diagonal_solves_its_equation() {
        for_each_type!(every_choice);
    }

    #[test]
    fn a_tiny_diagonal_divides_without_overflow() {
        // The reciprocal of the diagonal is infinite, the quotient is not.
        let tiny = f64::MIN_POSITIVE / 8.0;
        for others in [1, 3, 20] {
            let mut y = vec![tiny; others];
            trsm(
                Side::Left,
                Triangle::Lower,
                Op::None,
                Diagonal::Stored,
                (1, others),
                &[tiny],
                &mut y,
            );
            assert!(y.iter().all(|&x| x == 1.0));
        }
    }

    #[test]
    fn unknowns_before_an_infinite_one_stay_finite() {
        // Row 2 divides by zero; row 1 doesn't depend on it.
        for others in [1, 3, 20] {
            let a = [1.0, 0.0, 0.0, 0.0];
            let mut y = vec![1.0; 2 * others];
            trsm(
                Side::Left,
                Triangle::Lower,
                Op::None,
                Diagonal::Stored,
                (2, others),
                &a,
                &mut y,
            );
            assert!(y.chunks(2).all(|x| x[0] == 1.0 && x[1] == f64::INFINITY));
        }
    }

    fn wild<T: Tested>() {
        for seed in 0..40 {
            let mut numbers = Numbers::new(seed);
            for (size, others) in [(1, 1), (4, 5), (33, 40)] {
                let a: Vec<T> = (0..size * size).map(|_| numbers.wild()).collect();
                let mut y: Vec<T> = (0..size * others).map(|_| numbers.wild()).collect();
                let side = SIDES[seed % 2];
                let shape = if side == Side::Left {
                    (size, others)
                } else {
                    (others, size)
                };
                trsm(
                    side,
                    TRIANGLES[seed / 2 % 2],
                    OPS[seed % 3],
                    DIAGONALS[seed / 3 % 2],
                    shape,
                    &a,
                    &mut y,
                );
            }
        }
    }

    #[test]
    fn numbers_out_of_the_ordinary_end() {
        for_each_type!(wild);
    }

    #[test]
    fn no_right_hand_sides_are_no_work() {
        trsm::<f32>(
            Side::Left,
            Triangle::Lower,
            Op::None,
            Diagonal::Stored,
            (1, 0),
            &[2.0],
            &mut [],
        );
        trsm::<f32>(
            Side::Left,
            Triangle::Lower,
            Op::None,
            Diagonal::Stored,
            (0, 3),
            &[],
            &mut [],
        );
    }
}
