//! A primal-dual interior-point method: Newton's method on the optimality conditions of a nonlinear program.
//!
//! Minimise `f(z)` where `c(z) = 0` and `g(z) ≥ 0`. With slacks `s`, multipliers `y` and `w`, and the Lagrangian
//! `f + y·c - w·g`, each step solves the linearised conditions with `s w = μ`, for a barrier parameter `μ` that falls to
//! zero.
//!
//! Source: Nocedal and Wright, Numerical Optimization, 2nd edition, chapter 19; Wächter and Biegler, On the implementation
//! of an interior-point filter line-search algorithm, Math. Program. 106 (2006), for the barrier and the regularisation.

#![expect(
    clippy::many_single_char_names,
    reason = "they are those of the literature"
)]

use std::fmt;

use nalgebra::{Cholesky, DMatrix, DVector};

/// What the method needs to know of a program: values and derivatives, all dense.
pub trait NonlinearProgram {
    /// Why a value may be missing.
    type Error;

    /// f.
    fn objective(&self, z: &DVector<f64>) -> Result<f64, Self::Error>;

    /// The gradient of f.
    fn gradient(&self, z: &DVector<f64>) -> Result<DVector<f64>, Self::Error>;

    /// c and g.
    fn constraints(&self, z: &DVector<f64>) -> Result<[DVector<f64>; 2], Self::Error>;

    /// The Jacobians of c and g, one row per constraint.
    fn jacobians(&self, z: &DVector<f64>) -> Result<[DMatrix<f64>; 2], Self::Error>;

    /// The Hessian of the Lagrangian `f + y·c - w·g` by z.
    fn hessian(
        &self,
        z: &DVector<f64>,
        y: &DVector<f64>,
        w: &DVector<f64>,
    ) -> Result<DMatrix<f64>, Self::Error>;
}

/// The optimality conditions hold to this much.
pub const TOLERANCE: f64 = 1e-8;

/// Steps after which the method gives up; a program of this size takes ten to thirty.
const MAX_STEPS: usize = 150;

/// Barrier parameter at the start, and the least slack.
const FIRST_BARRIER: f64 = 1.0;
const LEAST_SLACK: f64 = 1.0;

/// The weight of the equalities in the test of curvature.
const CURVATURE_WEIGHT: f64 = 1e4;

/// A step may end above the merit of the last one, as long as it is below that of one of so many before.
const MEMORY: usize = 4;

/// Where the method stands, before each step and at the end.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Steps done.
    pub steps: usize,
    /// f.
    pub objective: f64,
    /// The largest violation of an optimality condition.
    pub residual: f64,
    /// The largest violation of a constraint.
    pub violation: f64,
    /// μ.
    pub barrier: f64,
}

/// An optimum.
#[derive(Clone, Debug)]
pub struct Solution {
    /// The point.
    pub z: DVector<f64>,
    /// The multipliers of the equalities.
    pub y: DVector<f64>,
    /// The multipliers of the inequalities.
    pub w: DVector<f64>,
    /// How it went.
    pub progress: Progress,
}

/// No optimum was found.
#[derive(Debug)]
pub enum Failure<E> {
    /// A value or derivative is missing.
    Program(E),
    /// The linearised conditions have no solution: the constraints contradict each other near here.
    Singular(Progress),
    /// The last step was too short, or there were too many.
    Stalled(Progress),
}

impl<E: fmt::Display> fmt::Display for Failure<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (what, progress) = match self {
            Self::Program(error) => return error.fmt(f),
            Self::Singular(progress) => ("the constraints contradict each other", progress),
            Self::Stalled(progress) => ("no step makes it better", progress),
        };
        write!(
            f,
            "no optimum found after {} steps: {what} (residual {:.1e}, constraint violation {:.1e})",
            progress.steps, progress.residual, progress.violation
        )
    }
}

impl<E: std::error::Error> std::error::Error for Failure<E> {}

impl<E> From<E> for Failure<E> {
    fn from(error: E) -> Self {
        Self::Program(error)
    }
}

/// Values and first derivatives at one point.
struct Point {
    z: DVector<f64>,
    s: DVector<f64>,
    y: DVector<f64>,
    w: DVector<f64>,
    f: f64,
    gradient: DVector<f64>,
    c: DVector<f64>,
    g: DVector<f64>,
    by_z: [DMatrix<f64>; 2],
}

struct Step {
    z: DVector<f64>,
    s: DVector<f64>,
    y: DVector<f64>,
    w: DVector<f64>,
    /// The curvature of the Lagrangian along the step, regularised.
    curvature: f64,
}

impl Point {
    fn evaluate<P: NonlinearProgram>(
        program: &P,
        z: DVector<f64>,
        s: DVector<f64>,
        y: DVector<f64>,
        w: DVector<f64>,
    ) -> Result<Self, P::Error> {
        let [c, g] = program.constraints(&z)?;
        Ok(Self {
            f: program.objective(&z)?,
            gradient: program.gradient(&z)?,
            by_z: program.jacobians(&z)?,
            z,
            s,
            y,
            w,
            c,
            g,
        })
    }

    /// The largest violation of a condition `s w = barrier`, of stationarity, or of a constraint with its slack.
    fn residual(&self, barrier: f64) -> f64 {
        let [c_by_z, g_by_z] = &self.by_z;
        let stationarity = &self.gradient + c_by_z.tr_mul(&self.y) - g_by_z.tr_mul(&self.w);
        let complementarity = self.s.component_mul(&self.w).add_scalar(-barrier);
        [stationarity, complementarity, &self.g - &self.s]
            .iter()
            .fold(self.c.amax(), |most, violation| most.max(violation.amax()))
    }

    fn progress(&self, steps: usize, barrier: f64) -> Progress {
        Progress {
            steps,
            objective: self.f,
            residual: self.residual(0.0),
            violation: self.g.iter().fold(self.c.amax(), |most, g| most.max(-g)),
            barrier,
        }
    }

    /// The Newton step for `barrier`, with the Hessian shifted by a multiple of one until the step is one of descent.
    ///
    /// Slacks and their multipliers are eliminated, which leaves a symmetric system for `z` and `y`. Its solution is a
    /// minimum of the quadratic model exactly if the matrix is positive definite where the linearised equalities hold;
    /// and there it is if it is everywhere once they are weighted in (Debreu).
    fn step(&self, hessian: &DMatrix<f64>, barrier: f64, shift: &mut f64) -> Option<Step> {
        let (variables, equalities) = (self.z.len(), self.c.len());
        let [c_by_z, g_by_z] = &self.by_z;
        let weight = self.w.component_div(&self.s);
        let gap = &self.g - &self.s;

        let mut weighted = g_by_z.clone();
        for (mut row, weight) in weighted.row_iter_mut().zip(weight.iter()) {
            row *= *weight;
        }
        let condensed = hessian + g_by_z.tr_mul(&weighted);
        let held = c_by_z.tr_mul(c_by_z) * CURVATURE_WEIGHT;

        let mut regularisation = 0.0;
        while Cholesky::new(with_shift(&condensed, regularisation) + &held).is_none() {
            regularisation = if regularisation > 0.0 {
                4.0 * regularisation
            } else {
                f64::max(1e-3, *shift / 3.0)
            };
            if !regularisation.is_finite() {
                return None;
            }
        }
        if regularisation > 0.0 {
            *shift = regularisation;
        }

        let condensed = with_shift(&condensed, regularisation);
        let mut matrix = DMatrix::zeros(variables + equalities, variables + equalities);
        matrix
            .view_mut((0, 0), (variables, variables))
            .copy_from(&condensed);
        matrix
            .view_mut((variables, 0), (equalities, variables))
            .copy_from(c_by_z);
        matrix
            .view_mut((0, variables), (variables, equalities))
            .tr_copy_from(c_by_z);
        let pull = self.s.map(|s| barrier / s) - weight.component_mul(&gap);
        let mut right = DVector::zeros(variables + equalities);
        right
            .rows_mut(0, variables)
            .copy_from(&(g_by_z.tr_mul(&pull) - &self.gradient - c_by_z.tr_mul(&self.y)));
        right.rows_mut(variables, equalities).copy_from(&-&self.c);
        let solved = matrix.lu().solve(&right)?;

        let z = solved.rows(0, variables).into_owned();
        let s = &gap + g_by_z * &z;
        let w = self.s.map(|s| barrier / s) - &self.w - weight.component_mul(&s);
        let curvature = z.dot(&(hessian * &z))
            + regularisation * z.norm_squared()
            + s.dot(&weight.component_mul(&s));
        Some(Step {
            y: solved.rows(variables, equalities).into_owned(),
            curvature,
            z,
            s,
            w,
        })
    }
}

/// Searches an optimum from `z`, and reports the state before each step.
///
/// # Errors
/// A value or derivative is missing; or none was found, as from a point from which the constraints can't be met.
pub fn minimise<P: NonlinearProgram>(
    program: &P,
    z: DVector<f64>,
    mut report: impl FnMut(&Progress),
) -> Result<Solution, Failure<P::Error>> {
    let mut barrier = FIRST_BARRIER;
    let [c, g] = program.constraints(&z)?;
    let s = g.map(|g| g.max(LEAST_SLACK));
    let w = s.map(|s| barrier / s);
    let mut point = Point::evaluate(program, z, s, DVector::zeros(c.len()), w)?;
    let mut shift = 0.0;
    let mut merit = Merit::new();

    for steps in 0..MAX_STEPS {
        let progress = point.progress(steps, barrier);
        report(&progress);
        if progress.residual < TOLERANCE {
            let Point { z, y, w, .. } = point;
            return Ok(Solution { z, y, w, progress });
        }
        while barrier > TOLERANCE / 10.0 && point.residual(barrier) < 10.0 * barrier {
            barrier = f64::max(TOLERANCE / 10.0, f64::min(barrier / 5.0, barrier.powf(1.5)));
            merit.forget();
        }

        let hessian = program.hessian(&point.z, &point.y, &point.w)?;
        let step = point
            .step(&hessian, barrier, &mut shift)
            .ok_or(Failure::Singular(progress))?;
        let length = merit
            .search(program, &point, &step, barrier)?
            .ok_or(Failure::Stalled(progress))?;
        let dual_length = longest(&point.w, &step.w, barrier);
        point = Point::evaluate(
            program,
            point.z + length * step.z,
            point.s + length * step.s,
            point.y + length * step.y,
            point.w + dual_length * step.w,
        )?;
    }
    Err(Failure::Stalled(point.progress(MAX_STEPS, barrier)))
}

/// The longest step, up to one, along which `positive` stays so.
fn longest(positive: &DVector<f64>, step: &DVector<f64>, barrier: f64) -> f64 {
    let fraction = f64::max(0.99, 1.0 - barrier);
    positive
        .iter()
        .zip(step.iter())
        .filter(|&(_, &step)| step < 0.0)
        .fold(1.0, |longest, (value, step)| {
            longest.min(-fraction * value / step)
        })
}

fn with_shift(matrix: &DMatrix<f64>, shift: f64) -> DMatrix<f64> {
    let mut shifted = matrix.clone();
    for i in 0..shifted.nrows() {
        shifted[(i, i)] += shift;
    }
    shifted
}

/// What a step must make less: objective and barrier, plus the violation of the constraints times a penalty.
struct Merit {
    penalty: f64,
    past: Vec<f64>,
}

impl Merit {
    fn new() -> Self {
        Self {
            penalty: 1.0,
            past: Vec::new(),
        }
    }

    /// To be called when the merit itself has changed, so that past values say nothing.
    fn forget(&mut self) {
        self.past.clear();
    }

    fn of(&self, f: f64, violation: f64, s: &DVector<f64>, barrier: f64) -> f64 {
        f - barrier * s.iter().map(|s| s.ln()).sum::<f64>() + self.penalty * violation
    }

    /// The length to go along `step`; none if no length makes the merit less.
    fn search<P: NonlinearProgram>(
        &mut self,
        program: &P,
        point: &Point,
        step: &Step,
        barrier: f64,
    ) -> Result<Option<f64>, P::Error> {
        let violation = point.c.lp_norm(1) + (&point.g - &point.s).lp_norm(1);
        let objective_slope =
            point.gradient.dot(&step.z) - barrier * step.s.component_div(&point.s).sum();
        // Large enough for the step to lead downhill.
        let needed = (objective_slope + step.curvature.max(0.0) / 2.0) / (0.9 * violation);
        if violation > 1e-14 && needed > self.penalty {
            self.penalty = 1.5 * needed;
            self.forget();
        }
        let now = self.of(point.f, violation, &point.s, barrier);
        let slope = objective_slope - self.penalty * violation;
        let recent = self.past.iter().rev().take(MEMORY - 1);
        let reference = recent.fold(now, |most, merit| most.max(*merit));
        self.past.push(now);

        // Close to the optimum the merit changes by less than its rounding.
        let rounding = 1e-12 * now.abs();
        let mut length = longest(&point.s, &step.s, barrier);
        for _ in 0..30 {
            let (z, s) = (&point.z + length * &step.z, &point.s + length * &step.s);
            let [c, g] = program.constraints(&z)?;
            let violation = c.lp_norm(1) + (g - &s).lp_norm(1);
            let merit = self.of(program.objective(&z)?, violation, &s, barrier);
            if merit <= reference + 1e-4 * length * slope + rounding {
                return Ok(Some(length));
            }
            length /= 2.0;
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    /// Problem 71 of Hock and Schittkowski, Test Examples for Nonlinear Programming Codes (1981): minimise
    /// x₁x₄(x₁+x₂+x₃) + x₃ where x₁x₂x₃x₄ ≥ 25, the sum of squares is 40, and each x is from 1 to 5.
    struct HockSchittkowski71;

    impl NonlinearProgram for HockSchittkowski71 {
        type Error = Infallible;

        fn objective(&self, x: &DVector<f64>) -> Result<f64, Infallible> {
            Ok(x[0] * x[3] * (x[0] + x[1] + x[2]) + x[2])
        }

        fn gradient(&self, x: &DVector<f64>) -> Result<DVector<f64>, Infallible> {
            let sum = x[0] + x[1] + x[2];
            let outer = x[0] * x[3];
            Ok(DVector::from_vec(vec![
                x[3] * sum + outer,
                outer,
                outer + 1.0,
                x[0] * sum,
            ]))
        }

        fn constraints(&self, x: &DVector<f64>) -> Result<[DVector<f64>; 2], Infallible> {
            let mut g = vec![x.product() - 25.0];
            g.extend(x.iter().map(|x| x - 1.0));
            g.extend(x.iter().map(|x| 5.0 - x));
            Ok([
                DVector::from_vec(vec![x.norm_squared() - 40.0]),
                DVector::from_vec(g),
            ])
        }

        fn jacobians(&self, x: &DVector<f64>) -> Result<[DMatrix<f64>; 2], Infallible> {
            let mut g = DMatrix::zeros(9, 4);
            for i in 0..4 {
                g[(0, i)] = x.product() / x[i];
                g[(1 + i, i)] = 1.0;
                g[(5 + i, i)] = -1.0;
            }
            Ok([DMatrix::from_row_slice(1, 4, (2.0 * x).as_slice()), g])
        }

        fn hessian(
            &self,
            x: &DVector<f64>,
            y: &DVector<f64>,
            w: &DVector<f64>,
        ) -> Result<DMatrix<f64>, Infallible> {
            let [a, b, c, d] = [x[0], x[1], x[2], x[3]];
            #[rustfmt::skip]
            let f = DMatrix::from_row_slice(4, 4, &[
                2.0 * d,           d,   d,   2.0 * a + b + c,
                d,                 0.0, 0.0, a,
                d,                 0.0, 0.0, a,
                2.0 * a + b + c,   a,   a,   0.0,
            ]);
            let product = DMatrix::from_fn(4, 4, |i, j| {
                if i == j {
                    0.0
                } else {
                    x.product() / (x[i] * x[j])
                }
            });
            Ok(f + 2.0 * y[0] * DMatrix::identity(4, 4) - w[0] * product)
        }
    }

    #[test]
    fn the_published_optimum_of_problem_71_is_found() {
        let start = DVector::from_vec(vec![1.0, 5.0, 5.0, 1.0]);
        let solution = minimise(&HockSchittkowski71, start, |_| {}).unwrap();
        let expected = [1.0, 4.742_999_37, 3.821_150_32, 1.379_408_25];
        for (found, expected) in solution.z.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-5, "{}", solution.z);
        }
        assert!((solution.progress.objective - 17.014_017_3).abs() < 1e-6);
    }

    /// Minimise x where x = 0 and x ≥ 1.
    struct Contradiction;

    impl NonlinearProgram for Contradiction {
        type Error = Infallible;

        fn objective(&self, x: &DVector<f64>) -> Result<f64, Infallible> {
            Ok(x[0])
        }

        fn gradient(&self, _: &DVector<f64>) -> Result<DVector<f64>, Infallible> {
            Ok(DVector::from_element(1, 1.0))
        }

        fn constraints(&self, x: &DVector<f64>) -> Result<[DVector<f64>; 2], Infallible> {
            Ok([x.clone(), x.add_scalar(-1.0)])
        }

        fn jacobians(&self, _: &DVector<f64>) -> Result<[DMatrix<f64>; 2], Infallible> {
            Ok([DMatrix::identity(1, 1), DMatrix::identity(1, 1)])
        }

        fn hessian(
            &self,
            _: &DVector<f64>,
            _: &DVector<f64>,
            _: &DVector<f64>,
        ) -> Result<DMatrix<f64>, Infallible> {
            Ok(DMatrix::zeros(1, 1))
        }
    }

    #[test]
    fn constraints_that_contradict_each_other_are_an_error() {
        let failure = minimise(&Contradiction, DVector::from_element(1, 3.0), |_| {}).unwrap_err();
        assert!(
            matches!(failure, Failure::Stalled(_) | Failure::Singular(_)),
            "{failure:?}"
        );
    }
}
