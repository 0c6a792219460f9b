//! Eigenvectors of a matrix in Schur form, by substitution.
//!
//! A diagonal element that nearly equals the eigenvalue is replaced by the smallest number that the precision tells from zero, and
//! a vector that grows beyond the range is scaled: a defective matrix has vectors too.

use crate::columns::Columns;
use crate::element::{Element, Number, Real};
use crate::range::{largest_part, modulus, quotient};

/// An element type with the complex type of its eigenvectors.
pub(crate) trait Widen: Element {
    /// The complex type of the same precision.
    type Complex: Element<Real = Self::Real>;

    /// The same number.
    fn widen(self) -> Self::Complex;
    /// The product.
    fn times(self, other: Self::Complex) -> Self::Complex;
    /// What holds a complex number: its parts for a real type; itself, and zero, for a complex type.
    fn parts(value: Self::Complex) -> (Self, Self);
    /// The number that [`Widen::parts`] took apart.
    fn join(first: Self, second: Self) -> Self::Complex;
}

/// A Schur form and the size of its columns above the diagonal.
pub(crate) struct SchurForm<'a, T: Element> {
    t: &'a Columns<'a, T>,
    sizes: &'a [T::Real],
    tiny: T::Real,
    big: T::Real,
}

impl<'a, T: Widen> SchurForm<'a, T> {
    /// `sizes` is for the sizes of the columns.
    #[inline(always)]
    pub(crate) fn new(t: &'a Columns<'a, T>, sizes: &'a mut [T::Real]) -> Self {
        for (j, size) in sizes.iter_mut().enumerate() {
            let mut sum = T::Real::ZERO;
            for &x in &t.column(j)[..j] {
                sum += x.abs1();
            }
            *size = if sum > T::Real::ONE {
                sum
            } else {
                T::Real::ONE
            };
        }
        let tiny = T::Real::SAFE_MINIMUM / (T::Real::EPSILON * T::Real::EPSILON);
        Self {
            t,
            sizes,
            tiny,
            big: T::Real::ONE / tiny,
        }
    }

    /// Whether rows `row` and `row + 1` are a 2 × 2 block.
    #[inline(always)]
    fn is_block(&self, row: usize) -> bool {
        row + 1 < self.t.rows() && self.t.at(row + 1, row) != T::ZERO
    }

    /// The smallest divisor for an eigenvalue.
    #[inline(always)]
    fn smallest(&self, eigenvalue: T::Complex) -> T::Real {
        let smallest = (T::Real::EPSILON + T::Real::EPSILON) * eigenvalue.abs1();
        if smallest > self.tiny {
            smallest
        } else {
            self.tiny
        }
    }

    /// Writes to `x` a right eigenvector for the eigenvalue on row `k`; where that is the first row of a 2 × 2 block, for the one
    /// above the real axis. The largest part of `x` is one.
    #[inline(always)]
    pub(crate) fn right_vector(&self, k: usize, eigenvalue: T::Complex, x: &mut [T::Complex]) {
        let complex = <T::Complex as Number>::from_parts;
        let (zero, one) = (T::Real::ZERO, T::Real::ONE);
        let last = if self.is_block(k) { k + 1 } else { k };
        x.fill(T::Complex::ZERO);
        x[k] = T::Complex::ONE;
        if last > k {
            let (above, below) = (self.t.at(k, last).re(), self.t.at(last, k).re());
            let imaginary = eigenvalue.im();
            if above.magnitude() >= below.magnitude() {
                x[last] = complex(zero, imaginary / above);
            } else {
                x[k] = complex(-imaginary / below, zero);
                x[last] = complex(zero, one);
            }
        }
        for j in k..=last {
            self.eliminate(x, j, k);
        }
        let smallest = self.smallest(eigenvalue);
        let mut rest = k;
        while rest > 0 {
            let row = rest - 1;
            if row > 0 && self.is_block(row - 1) {
                let rhs = [x[row - 1], x[row]];
                let matrix = self.block(row - 1, eigenvalue, false);
                let solution = self.solve_pair(matrix, rhs, smallest, x);
                [x[row - 1], x[row]] = solution;
                self.limit(x, row - 1);
                self.limit(x, row);
                self.eliminate(x, row - 1, row - 1);
                self.eliminate(x, row, row - 1);
                rest -= 2;
            } else {
                let divisor = self.t.at(row, row).widen() - eigenvalue;
                x[row] = self.divide(divisor, x[row], smallest, x);
                self.limit(x, row);
                self.eliminate(x, row, row);
                rest -= 1;
            }
        }
        normalize_part(x);
    }

    /// Writes to `x` a left eigenvector, as [`SchurForm::right_vector`] a right one: `xᴴ T = λ xᴴ`.
    #[inline(always)]
    pub(crate) fn left_vector(&self, k: usize, eigenvalue: T::Complex, x: &mut [T::Complex]) {
        let complex = <T::Complex as Number>::from_parts;
        let (zero, one) = (T::Real::ZERO, T::Real::ONE);
        let n = self.t.rows();
        let last = if self.is_block(k) { k + 1 } else { k };
        x.fill(T::Complex::ZERO);
        x[k] = T::Complex::ONE;
        if last > k {
            let (above, below) = (self.t.at(k, last).re(), self.t.at(last, k).re());
            let imaginary = eigenvalue.im();
            if above.magnitude() >= below.magnitude() {
                x[k] = complex(imaginary / above, zero);
                x[last] = complex(zero, one);
            } else {
                x[last] = complex(zero, -imaginary / below);
            }
        }
        let smallest = self.smallest(eigenvalue);
        let mut row = last + 1;
        while row < n {
            self.limit_all(x, k, row);
            if self.is_block(row) {
                self.limit_all(x, k, row + 1);
                let rhs = [
                    self.combine(x, row, k, row),
                    self.combine(x, row + 1, k, row),
                ];
                let matrix = self.block(row, eigenvalue, true);
                let solution = self.solve_pair(matrix, rhs, smallest, x);
                [x[row], x[row + 1]] = solution;
                row += 2;
            } else {
                let rhs = self.combine(x, row, k, row);
                let divisor = Number::conj(self.t.at(row, row).widen() - eigenvalue);
                x[row] = self.divide(divisor, rhs, smallest, x);
                row += 1;
            }
        }
        normalize_part(x);
    }

    /// `x[..rows] −= x[column] T[..rows, column]`.
    #[inline(always)]
    fn eliminate(&self, x: &mut [T::Complex], column: usize, rows: usize) {
        let by = -x[column];
        for (x, &t) in x[..rows].iter_mut().zip(self.t.column(column)) {
            *x += t.times(by);
        }
    }

    /// `−Σ conj(T[i, column]) x[i]` over rows `from..until`.
    #[inline(always)]
    fn combine(&self, x: &[T::Complex], column: usize, from: usize, until: usize) -> T::Complex {
        let mut sum = T::Complex::ZERO;
        for (&t, &x) in self.t.column(column)[from..until]
            .iter()
            .zip(&x[from..until])
        {
            sum -= Number::conj(t).times(x);
        }
        sum
    }

    /// The 2 × 2 block at `row` less the eigenvalue, by rows; its adjoint for left vectors.
    #[inline(always)]
    fn block(&self, row: usize, eigenvalue: T::Complex, adjoint: bool) -> [[T::Complex; 2]; 2] {
        let at = |i: usize, j: usize| self.t.at(row + i, row + j).widen();
        let (a, d) = (at(0, 0) - eigenvalue, at(1, 1) - eigenvalue);
        if adjoint {
            let conj = Number::conj;
            [[conj(a), conj(at(1, 0))], [conj(at(0, 1)), conj(d)]]
        } else {
            [[a, at(0, 1)], [at(1, 0), d]]
        }
    }

    /// `rhs / divisor`; the vector is scaled first where the quotient would be too large.
    #[inline(always)]
    fn divide(
        &self,
        divisor: T::Complex,
        rhs: T::Complex,
        smallest: T::Real,
        x: &mut [T::Complex],
    ) -> T::Complex {
        let mut divisor = divisor;
        if divisor.abs1() < smallest {
            divisor = T::Complex::from_re(smallest);
        }
        let mut rhs = rhs;
        let size = rhs.abs1();
        if size > self.big * minimum(divisor.abs1(), T::Real::ONE) {
            rhs = rhs.scale(T::Real::ONE / size);
            scale_all(x, T::Real::ONE / size);
        }
        quotient(rhs, divisor)
    }

    /// Solves two equations by elimination with complete pivoting; scales the vector first where the solution would be too large.
    #[inline(always)]
    fn solve_pair(
        &self,
        matrix: [[T::Complex; 2]; 2],
        rhs: [T::Complex; 2],
        smallest: T::Real,
        x: &mut [T::Complex],
    ) -> [T::Complex; 2] {
        let (mut p, mut q) = (0, 0);
        for i in 0..2 {
            for j in 0..2 {
                if matrix[i][j].abs1() > matrix[p][q].abs1() {
                    (p, q) = (i, j);
                }
            }
        }
        let raise = |value: T::Complex| {
            if value.abs1() < smallest {
                T::Complex::from_re(smallest)
            } else {
                value
            }
        };
        let pivot = raise(matrix[p][q]);
        let factor = quotient(matrix[1 - p][q], pivot);
        let rest = raise(matrix[1 - p][1 - q] - factor * matrix[p][1 - q]);
        let mut rhs = rhs;
        let size = rhs[0].abs1() + rhs[1].abs1();
        if size > self.big * minimum(minimum(rest.abs1(), pivot.abs1()), T::Real::ONE) {
            let by = T::Real::ONE / size;
            rhs = rhs.map(|x| x.scale(by));
            scale_all(x, by);
        }
        let mut solution = [T::Complex::ZERO; 2];
        solution[1 - q] = quotient(rhs[1 - p] - factor * rhs[p], rest);
        solution[q] = quotient(rhs[p] - matrix[p][1 - q] * solution[1 - q], pivot);
        solution
    }

    /// Scales the vector such that its element `k` times a column stays in range.
    #[inline(always)]
    fn limit(&self, x: &mut [T::Complex], k: usize) {
        let size = x[k].abs1();
        if size > self.big / self.sizes[k] {
            scale_all(x, T::Real::ONE / size);
        }
    }

    /// Scales the vector such that its elements from `from` times column `k` stay in range.
    #[inline(always)]
    fn limit_all(&self, x: &mut [T::Complex], from: usize, k: usize) {
        let largest = largest_part(&x[from..k]);
        if largest > self.big / self.sizes[k] {
            scale_all(x, T::Real::ONE / largest);
        }
    }
}

#[inline(always)]
fn minimum<R: Real>(x: R, y: R) -> R {
    if x < y { x } else { y }
}

#[inline(always)]
fn scale_all<T: Element>(x: &mut [T], factor: T::Real) {
    for x in x {
        *x = x.scale(factor);
    }
}

/// Scales such that the largest part is one.
#[inline(always)]
fn normalize_part<T: Element>(x: &mut [T]) {
    let largest = largest_part(x);
    if largest > T::Real::ZERO {
        scale_all(x, T::Real::ONE / largest);
    }
}

/// Makes the 2-norm one and, where `turn`, the largest element real.
#[inline(always)]
pub(crate) fn normalize<T: Element>(x: &mut [T], turn: bool) {
    normalize_part(x);
    let mut square = T::Real::ZERO;
    let mut largest = (T::Real::ZERO, 0);
    for (i, x) in x.iter().enumerate() {
        let size = x.re() * x.re() + x.im() * x.im();
        square += size;
        if size > largest.0 {
            largest = (size, i);
        }
    }
    if square == T::Real::ZERO {
        return;
    }
    scale_all(x, T::Real::ONE / square.root());
    if turn {
        let at = largest.1;
        let length = modulus(x[at]);
        let by = Number::conj(x[at]).scale(T::Real::ONE / length);
        for x in x.iter_mut() {
            *x *= by;
        }
        x[at] = T::from_re(x[at].re());
    }
}
