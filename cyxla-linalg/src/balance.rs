//! Balancing of a matrix before its eigenvalues are looked for: LAPACK's `gebal` and `gebak`.
//!
//! Parlett & Reinsch, Balancing a matrix for calculation of eigenvalues and eigenvectors, Numer. Math. 13 (1969), with 2-norms as
//! James, Langou & Lowery (On matrix balancing and eigenvector computation, 2014) recommend.

use crate::columns::Columns;
use crate::element::{Element, Real};
use crate::range::{is_finite, modulus, norm};

/// What was done to a matrix: rows and columns outside of `low..=high` are triangular.
pub(crate) struct Balance<'a, R> {
    /// The first row of the part that isn't triangular.
    pub(crate) low: usize,
    /// Its last row.
    pub(crate) high: usize,
    /// By what each column was multiplied and each row divided: powers of two.
    factors: &'a mut [R],
    /// With which row and column each one outside of `low..=high` changed places.
    places: &'a mut [usize],
}

impl<'a, R: Real> Balance<'a, R> {
    /// Balances `a`: eigenvalues that stand alone are moved to its corners, rows and columns of the rest scaled to like norms.
    /// `factors` and `places` have as many elements as `a` rows, of which there is at least one.
    #[inline(always)]
    pub(crate) fn of<T: Element<Real = R>, const FUSED: bool>(
        a: &mut Columns<'_, T>,
        factors: &'a mut [R],
        places: &'a mut [usize],
    ) -> Self {
        factors.fill(R::ONE);
        let mut balance = Balance {
            low: 0,
            high: a.rows() - 1,
            factors,
            places,
        };
        balance.permute(a);
        balance.scale::<T, FUSED>(a);
        balance
    }

    #[inline(always)]
    fn permute<T: Element<Real = R>>(&mut self, a: &mut Columns<'_, T>) {
        // Rows that are zero beside the diagonal go down.
        'rows: while self.high > 0 {
            for i in (0..=self.high).rev() {
                if (0..=self.high).all(|j| j == i || a.at(i, j) == T::ZERO) {
                    exchange(a, i, self.high);
                    self.places[self.high] = i;
                    self.high -= 1;
                    continue 'rows;
                }
            }
            break;
        }
        // Columns that are zero beside the diagonal go left.
        'columns: while self.low < self.high {
            for j in self.low..=self.high {
                if (self.low..=self.high).all(|i| i == j || a.at(i, j) == T::ZERO) {
                    exchange(a, j, self.low);
                    self.places[self.low] = j;
                    self.low += 1;
                    continue 'columns;
                }
            }
            break;
        }
    }

    #[inline(always)]
    fn scale<T: Element<Real = R>, const FUSED: bool>(&mut self, a: &mut Columns<'_, T>) {
        let n = a.rows();
        let (low, high) = (self.low, self.high);
        let two = R::ONE + R::ONE;
        let most = R::EPSILON / (two * R::SAFE_MINIMUM);
        let least = R::ONE / most;
        let larger = |x: R, y: R| if x > y { x } else { y };
        let mut changed = true;
        while changed {
            changed = false;
            for i in low..=high {
                let mut column = norm::<T, FUSED>(&a.column(i)[low..=high]);
                let mut square = R::ZERO;
                let mut largest = R::ZERO;
                for j in low..=high {
                    largest = larger(largest, modulus(a.at(i, j)));
                }
                if largest > R::ZERO {
                    for j in low..=high {
                        let part = modulus(a.at(i, j)) / largest;
                        square += part * part;
                    }
                }
                let mut row = largest * square.root();
                if column == R::ZERO || row == R::ZERO || !is_finite(column + row) {
                    continue;
                }
                let before = column + row;
                let mut factor = R::ONE;
                while column < row / two
                    && larger(factor, column) < most / two
                    && row > least * two
                    && factor * self.factors[i] < most / two
                {
                    factor *= two;
                    column *= two;
                    row /= two;
                }
                while column / two >= row
                    && row < most / two
                    && column > least * two
                    && factor * self.factors[i] > least * two
                {
                    factor /= two;
                    column /= two;
                    row *= two;
                }
                if factor == R::ONE || column + row >= R::from_f64(0.95) * before {
                    continue;
                }
                self.factors[i] *= factor;
                for x in &mut a.column_mut(i)[..=high] {
                    *x = x.scale(factor);
                }
                for j in low..n {
                    a.set(i, j, a.at(i, j).scale(R::ONE / factor));
                }
                changed = true;
            }
        }
    }

    /// Makes right eigenvectors of the balanced matrix those of the given one; left ones where `left`.
    #[inline(always)]
    pub(crate) fn undo<T: Element<Real = R>>(&self, column: &mut [T], left: bool) {
        let scaled = self.low..=self.high;
        for (x, &factor) in column[scaled.clone()].iter_mut().zip(&self.factors[scaled]) {
            *x = x.scale(if left { R::ONE / factor } else { factor });
        }
        for i in (0..self.low).rev().chain(self.high + 1..column.len()) {
            column.swap(i, self.places[i]);
        }
    }
}

/// Exchanges rows `i` and `k` and columns `i` and `k`.
#[inline(always)]
fn exchange<T: Element>(a: &mut Columns<'_, T>, i: usize, k: usize) {
    if i == k {
        return;
    }
    let (left, right) = a.two(i.min(k), i.max(k));
    left.swap_with_slice(right);
    for j in 0..a.rows() {
        a.column_mut(j).swap(i, k);
    }
}
