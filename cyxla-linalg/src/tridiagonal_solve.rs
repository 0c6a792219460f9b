//! Tridiagonal systems: gtsv, and the solve that perturbs what is singular.

use faer::dyn_stack::StackReq;

use crate::element::{Element, Number, Real};
use crate::range::{modulus, quotient};
use crate::scratch::{with_scratch, zeros};

/// Overwrites the columns of `b` (`n × count`) with the X of `T X = B` (LAPACK's `gtsv`, elimination with row exchanges).
///
/// `lower` and `upper` are the n−1 elements beside the diagonal `d`; all three are overwritten. Answers LAPACK's info: zero,
/// or the number (from one) of the first zero pivot, and then X isn't found.
pub(crate) fn gtsv<T: Element>(
    lower: &mut [T],
    d: &mut [T],
    upper: &mut [T],
    b: &mut [T],
    count: usize,
) -> i32 {
    let n = d.len();
    if n == 0 {
        return 0;
    }
    let singular = |row: usize| i32::try_from(row + 1).unwrap_or(i32::MAX);
    for i in 0..n - 1 {
        let next = i + 1;
        if !T::IS_REAL && lower[i] == T::ZERO && d[i] != T::ZERO {
            continue;
        }
        if d[i].abs1() >= lower[i].abs1() {
            if d[i] == T::ZERO {
                return singular(i);
            }
            let factor = quotient(lower[i], d[i]);
            d[next] -= factor * upper[i];
            for column in b.chunks_exact_mut(n).take(count) {
                let above = column[i];
                column[next] -= factor * above;
            }
            // What is done with an element of `lower` is over: it holds the second diagonal above from here on.
            lower[i] = T::ZERO;
        } else {
            let factor = quotient(d[i], lower[i]);
            d[i] = lower[i];
            let diagonal = d[next];
            d[next] = upper[i] - factor * diagonal;
            upper[i] = diagonal;
            if next < n - 1 {
                lower[i] = upper[next];
                upper[next] = -factor * lower[i];
            }
            for column in b.chunks_exact_mut(n).take(count) {
                let above = column[i];
                column[i] = column[next];
                column[next] = above - factor * column[i];
            }
        }
    }
    if d[n - 1] == T::ZERO {
        return singular(n - 1);
    }
    for column in b.chunks_exact_mut(n).take(count) {
        column[n - 1] = quotient(column[n - 1], d[n - 1]);
        if n > 1 {
            column[n - 2] = quotient(column[n - 2] - upper[n - 2] * column[n - 1], d[n - 2]);
        }
        for i in (0..n.saturating_sub(2)).rev() {
            let rest = column[i] - upper[i] * column[i + 1] - lower[i] * column[i + 2];
            column[i] = quotient(rest, d[i]);
        }
    }
    0
}

/// Sets the columns of `x` (`n × count`) to those of `T X = B`, where T may be singular: pivots that would make the solution
/// overflow are moved away from zero by about ε·max|U| (LAPACK's `lagtf` and `lagts`, as jaxlib has them in
/// tridiagonal_solve_perturbed.h).
///
/// `lower[0]` and `upper[n − 1]` are not looked at.
pub(crate) fn solve_perturbed<T: Element>(
    (lower, d, upper): (&[T], &[T], &[T]),
    b: &[T],
    x: &mut [T],
    count: usize,
) {
    let n = d.len();
    if n == 0 || count == 0 {
        return;
    }
    x.copy_from_slice(b);
    let need = StackReq::new::<T>(n).array(3);
    with_scratch(need, |stack| {
        let (mut diagonal, stack) = zeros::<T>(stack, n);
        let (mut first, stack) = zeros::<T>(stack, n);
        let (mut second, _) = zeros::<T>(stack, n);
        let mut factored = Upper {
            d: &mut diagonal,
            first: &mut first,
            second: &mut second,
        };
        let largest = factored.eliminate((lower, d, upper), x, count);
        factored.substitute(largest, x, count);
    });
}

/// The triangle U of a tridiagonal matrix: its diagonal and the two above.
struct Upper<'a, T> {
    d: &'a mut [T],
    first: &'a mut [T],
    second: &'a mut [T],
}

impl<T: Element> Upper<'_, T> {
    /// Fills the triangle and does to `x` what is done to the rows. Answers max|U|.
    fn eliminate(
        &mut self,
        (lower, d, upper): (&[T], &[T], &[T]),
        x: &mut [T],
        count: usize,
    ) -> T::Real {
        let n = d.len();
        let above = |k: usize| if k + 1 < n { upper[k] } else { T::ZERO };
        self.d[0] = d[0];
        self.first[0] = above(0);
        let mut size = modulus(self.d[0]) + modulus(self.first[0]);
        for k in 0..n - 1 {
            let next = k + 1;
            let below = lower[next];
            let next_size = modulus(below) + modulus(d[next]) + modulus(above(next));
            self.d[next] = d[next];
            self.first[next] = above(next);
            if below == T::ZERO {
                size = next_size;
                continue;
            }
            // Rows are compared by how large their first element is beside the row's others.
            let weight = if self.d[k] == T::ZERO {
                T::Real::ZERO
            } else {
                modulus(self.d[k]) / size
            };
            if modulus(below) / next_size <= weight {
                let factor = quotient(below, self.d[k]);
                self.d[next] -= factor * self.first[k];
                for column in x.chunks_exact_mut(n).take(count) {
                    let other = column[k];
                    column[next] -= factor * other;
                }
                size = next_size;
            } else {
                let factor = quotient(self.d[k], below);
                self.d[next] = self.first[k] - factor * d[next];
                self.d[k] = below;
                self.first[k] = d[next];
                self.second[k] = above(next);
                self.first[next] = -factor * above(next);
                for column in x.chunks_exact_mut(n).take(count) {
                    column.swap(k, next);
                    let other = column[k];
                    column[next] -= factor * other;
                }
                size = modulus(self.d[next]) + modulus(self.first[next]);
            }
        }
        let parts = self.d.iter().chain(&*self.first).chain(&*self.second);
        parts.fold(T::Real::ZERO, |largest, &part| {
            let part = modulus(part);
            if part > largest { part } else { largest }
        })
    }

    fn substitute(&self, largest: T::Real, x: &mut [T], count: usize) {
        let n = self.d.len();
        let epsilon = T::Real::EPSILON + T::Real::EPSILON;
        for k in (0..n).rev() {
            let mut most = T::Real::ZERO;
            for column in x.chunks_exact_mut(n).take(count) {
                if k + 1 < n {
                    let next = column[k + 1];
                    column[k] -= self.first[k] * next;
                }
                if k + 2 < n {
                    let next = column[k + 2];
                    column[k] -= self.second[k] * next;
                }
                let size = modulus(column[k]);
                most = if size > most { size } else { most };
            }
            let (pivot, factor) = safe_pivot(self.d[k], most, epsilon * largest);
            for column in x.chunks_exact_mut(n).take(count) {
                column[k] = quotient(column[k].scale(factor), pivot);
            }
        }
    }
}

/// A pivot that numbers up to `most` can be divided by, and the factor by which they are multiplied first.
fn safe_pivot<T: Element>(pivot: T, most: T::Real, perturbation: T::Real) -> (T, T::Real) {
    let least = T::Real::SAFE_MINIMUM;
    let most_inverse = T::Real::ONE / least;
    let perturbation = if perturbation > least {
        perturbation
    } else {
        least
    };
    let mut step = perturbation.with_sign_of(pivot.re());
    let mut pivot = pivot;
    // Each step doubles, so that the pivot reaches one if nothing else ends this; NaN ends it at once.
    while modulus(pivot) < T::Real::ONE {
        let size = modulus(pivot);
        if size < least {
            if size != T::Real::ZERO && most * least <= size {
                return (pivot.scale(most_inverse), most_inverse);
            }
        } else if most <= size * most_inverse {
            break;
        }
        pivot += T::from_re(step);
        step += step;
    }
    (pivot, T::Real::ONE)
}

#[cfg(test)]
mod tests {
    use num_complex::Complex;

    use super::*;
    use crate::testing::{
        Numbers, Tested, Wide, assert_as_exact_as_lapack, distance, for_each_type, random, sizes,
    };

    fn dense<T: Tested>(lower: &[T], d: &[T], upper: &[T]) -> Wide {
        Wide::from_fn(d.len(), d.len(), |i, j| {
            if i == j {
                d[i].wide()
            } else if i == j + 1 {
                lower[i].wide()
            } else if j == i + 1 {
                upper[i].wide()
            } else {
                Complex::new(0.0, 0.0)
            }
        })
    }

    fn as_exact<T: Tested>() {
        for n in sizes() {
            let [lower, d, upper] = [0, 1, 2].map(|i| random::<T>(n + i, n));
            let b = random::<T>(n + 3, 2 * n);
            let t = dense(&lower, &d, &upper);
            let mut x = b.clone();
            let (mut l, mut d, mut u) = (lower.clone(), d, upper);
            assert_eq!(gtsv(&mut l[1..], &mut d, &mut u[..n - 1], &mut x, 2), 0);
            let (x, b) = (Wide::new(n, 2, &x), Wide::new(n, 2, &b));
            let residual = distance(&t, &x, &b) / (t.norm() * x.norm());
            assert_as_exact_as_lapack::<T>("gtsv", n, residual);
        }
    }

    #[test]
    fn solutions_are_as_exact_as_those_of_lapack() {
        for_each_type!(as_exact);
    }

    #[test]
    fn info_is_the_number_of_the_first_zero_pivot() {
        let mut b = [1.0, 1.0];
        assert_eq!(gtsv(&mut [0.0], &mut [0.0, 1.0], &mut [1.0], &mut b, 1), 1);
        assert_eq!(gtsv(&mut [2.0], &mut [1.0, 2.0], &mut [1.0], &mut b, 1), 2);
        assert_eq!(gtsv::<f64>(&mut [], &mut [], &mut [], &mut [], 1), 0);
    }

    fn perturbed_as_exact<T: Tested>() {
        for n in sizes() {
            let [lower, d, upper] = [0, 1, 2].map(|i| random::<T>(n + i, n));
            let b = random::<T>(n + 3, 2 * n);
            let t = dense(&lower, &d, &upper);
            let mut x = vec![T::ZERO; 2 * n];
            solve_perturbed((&lower, &d, &upper), &b, &mut x, 2);
            let (x, b) = (Wide::new(n, 2, &x), Wide::new(n, 2, &b));
            let residual = distance(&t, &x, &b) / (t.norm() * x.norm());
            assert_as_exact_as_lapack::<T>("gtsv", n, residual);
        }
    }

    #[test]
    fn a_regular_matrix_is_solved_as_by_gtsv() {
        for_each_type!(perturbed_as_exact);
    }

    fn inverse_iteration<T: Tested>() {
        // The matrix with 2 on the diagonal and −1 beside it, less its eigenvalue 2 − 2 cos(π/(n+1)), is singular; the
        // solution for almost any right-hand side is its eigenvector sin(iπ/(n+1)).
        let n = 20;
        let angle = std::f64::consts::PI / (n as f64 + 1.0);
        let d = vec![T::from_re(T::Real::from_f64(2.0 * angle.cos())); n];
        let side = vec![-T::ONE; n];
        let b = vec![T::ONE; n];
        let mut x = vec![T::ZERO; n];
        solve_perturbed((&side, &d, &side), &b, &mut x, 1);
        let x: Vec<f64> = x.iter().map(|x| x.wide().re).collect();
        let norm = x.iter().map(|x| x * x).sum::<f64>().sqrt();
        assert!(norm > 1e3, "the matrix is singular");
        let expected =
            |i: usize| ((i as f64 + 1.0) * angle).sin() * (2.0 / (n as f64 + 1.0)).sqrt();
        for (i, x) in x.iter().enumerate() {
            let difference = (x.abs() / norm - expected(i)).abs();
            assert!(difference < 2000.0 * T::unit_roundoff(), "{difference:e}");
        }
    }

    #[test]
    fn a_singular_matrix_gives_its_null_vector() {
        for_each_type!(inverse_iteration);
    }

    #[test]
    fn a_zero_matrix_gives_finite_numbers() {
        let zero = [0.0_f32; 4];
        let mut x = [0.0; 4];
        solve_perturbed((&zero, &zero, &zero), &[1.0; 4], &mut x, 1);
        assert!(x.iter().all(|x| x.is_finite()), "{x:?}");
    }

    fn wild<T: Tested>() {
        for n in [1, 2, 3, 10, 40] {
            for seed in 0..100 {
                let mut numbers = Numbers::new(seed);
                let mut vector =
                    |count: usize| -> Vec<T> { (0..count).map(|_| numbers.wild()).collect() };
                let (mut lower, mut d, mut upper, mut b) =
                    (vector(n), vector(n), vector(n), vector(2 * n));
                let mut x = b.clone();
                solve_perturbed((&lower, &d, &upper), &b, &mut x, 2);
                gtsv(&mut lower[1..], &mut d, &mut upper[..n - 1], &mut b, 2);
            }
        }
    }

    #[test]
    fn numbers_out_of_the_ordinary_end() {
        for_each_type!(wild);
    }
}
