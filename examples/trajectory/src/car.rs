//! The programs of `python/car.py`, and the problem that they make up.

use std::fmt;
use std::time::{Duration, Instant};

use nalgebra::{DMatrix, DVector};

use crate::interior_point::NonlinearProgram;

/// Points in time at which the trajectory is known.
pub const KNOTS: usize = 40;

/// x, y (m), heading (rad), speed (m/s), acceleration (m/s²), turn rate (rad/s).
pub const PER_KNOT: usize = 6;

/// Round obstacles.
pub const OBSTACLES: usize = 2;

const VARIABLES: usize = PER_KNOT * KNOTS;
/// Laws of motion between the knots, start and goal.
const EQUALITIES: usize = 4 * (KNOTS - 1) + 2 * 4;
const INEQUALITIES: usize = OBSTACLES * KNOTS;

type Trajectory = [f64; VARIABLES];
type Equalities = [f64; EQUALITIES];
type Inequalities = [f64; INEQUALITIES];
type EqualitiesByZ = [Trajectory; EQUALITIES];
type InequalitiesByZ = [Trajectory; INEQUALITIES];
type Hessian = [Trajectory; VARIABLES];
type State = [f64; 4];
type Obstacles = [[f64; 3]; OBSTACLES];

/// The integral of acceleration² + turn rate².
#[cyxla::program("car:objective")]
fn objective(z: &Trajectory, seconds: f64) -> cyxla::Result<f64>;

#[cyxla::program("car:gradient")]
fn gradient(z: &Trajectory, seconds: f64) -> cyxla::Result<Trajectory>;

/// What must be zero, and what must not be negative.
#[cyxla::program("car:constraints")]
fn constraints(
    z: &Trajectory,
    start: &State,
    goal: &State,
    obstacles: &Obstacles,
    seconds: f64,
) -> cyxla::Result<(Equalities, Inequalities)>;

#[cyxla::program("car:jacobians")]
fn jacobians(
    z: &Trajectory,
    start: &State,
    goal: &State,
    obstacles: &Obstacles,
    seconds: f64,
) -> cyxla::Result<(Box<EqualitiesByZ>, Box<InequalitiesByZ>)>;

/// The Hessian of the Lagrangian, objective + y · equalities - w · inequalities.
#[cyxla::program("car:hessian")]
fn hessian(
    z: &Trajectory,
    y: &Equalities,
    w: &Inequalities,
    obstacles: &Obstacles,
    seconds: f64,
) -> cyxla::Result<Box<Hessian>>;

/// A drive from one state to another in a given time.
#[derive(Clone, Copy, Debug)]
pub struct Drive {
    /// x, y (m), heading (rad), speed (m/s).
    pub start: State,
    /// Likewise.
    pub goal: State,
    /// x, y and radius (m).
    pub obstacles: Obstacles,
    /// Time from start to goal.
    pub seconds: f64,
}

/// Why the method may lack a value.
#[derive(Debug)]
pub enum Error {
    /// The call failed.
    Call(cyxla::Error),
    /// A vector has another length than the program was lowered for.
    Length(std::array::TryFromSliceError),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Call(error) => error.fmt(f),
            Self::Length(error) => {
                write!(f, "a vector has not the length of the programs: {error}")
            }
        }
    }
}

impl std::error::Error for Error {}

impl From<cyxla::Error> for Error {
    fn from(error: cyxla::Error) -> Self {
        Self::Call(error)
    }
}

impl From<std::array::TryFromSliceError> for Error {
    fn from(error: std::array::TryFromSliceError) -> Self {
        Self::Length(error)
    }
}

impl Drive {
    /// The straight line at constant speed, which heeds neither obstacles nor the laws of motion.
    pub fn straight(&self) -> DVector<f64> {
        let ([x, y, ..], [to_x, to_y, ..]) = (self.start, self.goal);
        let heading = (to_y - y).atan2(to_x - x);
        let speed = (to_x - x).hypot(to_y - y) / self.seconds;
        let knots = (0..KNOTS).flat_map(|knot| {
            let along = fraction(knot);
            let [x, y] = [x + along * (to_x - x), y + along * (to_y - y)];
            [x, y, heading, speed, 0.0, 0.0]
        });
        DVector::from_iterator(VARIABLES, knots)
    }

    /// The time of a knot (s).
    pub fn time(&self, knot: usize) -> f64 {
        self.seconds * fraction(knot)
    }

    /// The median duration of a call of each program, at the given point.
    ///
    /// # Errors
    /// A call failed.
    pub fn durations(
        &self,
        z: &DVector<f64>,
        y: &DVector<f64>,
        w: &DVector<f64>,
    ) -> Result<[(&'static str, Duration); 5], Error> {
        let z: &Trajectory = z.as_slice().try_into()?;
        let y: &Equalities = y.as_slice().try_into()?;
        let w: &Inequalities = w.as_slice().try_into()?;
        let Self {
            start,
            goal,
            obstacles,
            seconds,
        } = self;
        let seconds = *seconds;
        Ok([
            ("objective", median(|| objective(z, seconds))?),
            ("gradient", median(|| gradient(z, seconds))?),
            (
                "constraints",
                median(|| constraints(z, start, goal, obstacles, seconds))?,
            ),
            (
                "jacobians",
                median(|| jacobians(z, start, goal, obstacles, seconds))?,
            ),
            ("hessian", median(|| hessian(z, y, w, obstacles, seconds))?),
        ])
    }
}

impl NonlinearProgram for Drive {
    type Error = Error;

    fn objective(&self, z: &DVector<f64>) -> Result<f64, Error> {
        Ok(objective(z.as_slice().try_into()?, self.seconds)?)
    }

    fn gradient(&self, z: &DVector<f64>) -> Result<DVector<f64>, Error> {
        let gradient = gradient(z.as_slice().try_into()?, self.seconds)?;
        Ok(DVector::from_column_slice(&gradient))
    }

    fn constraints(&self, z: &DVector<f64>) -> Result<[DVector<f64>; 2], Error> {
        let z = z.as_slice().try_into()?;
        let (equalities, inequalities) =
            constraints(z, &self.start, &self.goal, &self.obstacles, self.seconds)?;
        Ok([
            DVector::from_column_slice(&equalities),
            DVector::from_column_slice(&inequalities),
        ])
    }

    fn jacobians(&self, z: &DVector<f64>) -> Result<[DMatrix<f64>; 2], Error> {
        let z = z.as_slice().try_into()?;
        let (equalities, inequalities) =
            jacobians(z, &self.start, &self.goal, &self.obstacles, self.seconds)?;
        Ok([matrix(&equalities), matrix(&inequalities)])
    }

    fn hessian(
        &self,
        z: &DVector<f64>,
        y: &DVector<f64>,
        w: &DVector<f64>,
    ) -> Result<DMatrix<f64>, Error> {
        let hessian = hessian(
            z.as_slice().try_into()?,
            y.as_slice().try_into()?,
            w.as_slice().try_into()?,
            &self.obstacles,
            self.seconds,
        )?;
        Ok(matrix(&hessian))
    }
}

/// How far along in time a knot is, from 0 to 1.
#[expect(clippy::cast_precision_loss, reason = "these are small numbers")]
fn fraction(knot: usize) -> f64 {
    knot as f64 / (KNOTS - 1) as f64
}

/// Arrays are row major, as in JAX; nalgebra's matrices are column major.
fn matrix<const ROWS: usize>(rows: &[Trajectory; ROWS]) -> DMatrix<f64> {
    DMatrix::from_row_slice(ROWS, VARIABLES, rows.as_flattened())
}

fn median<T>(call: impl Fn() -> cyxla::Result<T>) -> Result<Duration, Error> {
    let mut durations = [Duration::ZERO; 201];
    for duration in &mut durations {
        let start = Instant::now();
        std::hint::black_box(call()?);
        *duration = start.elapsed();
    }
    durations.sort_unstable();
    Ok(durations[durations.len() / 2])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interior_point::minimise;

    const DRIVE: Drive = Drive {
        start: [0.0, 0.0, 0.0, 0.0],
        goal: [10.0, 6.0, 0.0, 0.0],
        obstacles: [[3.0, 1.2, 1.2], [6.5, 4.8, 1.6]],
        seconds: 8.0,
    };

    #[test]
    fn the_optimum_is_the_one_that_another_method_finds() {
        let solution = minimise(&DRIVE, DRIVE.straight(), |_| {}).unwrap();
        // SciPy 1.17.1, SLSQP with ftol = 1e-13 on the same functions in JAX 0.10.2, from the same start.
        let expected = 5.441_418_6;
        assert!((solution.progress.objective - expected).abs() < 1e-6);
        assert!(solution.progress.violation < 1e-7);
    }

    /// Central differences of step h are off by h² times the third derivative, and by rounding over h.
    #[test]
    #[expect(
        clippy::cast_precision_loss,
        clippy::many_single_char_names,
        reason = "small numbers; the letters are those of the method"
    )]
    fn derivatives_are_those_of_the_values() {
        let z = DRIVE.straight() + DVector::from_fn(VARIABLES, |i, _| (i as f64).sin() / 10.0);
        let direction = DVector::from_fn(VARIABLES, |i, _| (i as f64).cos());
        let y = DVector::from_fn(EQUALITIES, |i, _| (2.0 * i as f64).cos());
        let w = DVector::from_fn(INEQUALITIES, |i, _| 1.0 + (3.0 * i as f64).sin());
        let h = 1e-5;
        let (before, after) = (&z - h * &direction, &z + h * &direction);
        let close = |found: &DVector<f64>, expected: &DVector<f64>| {
            assert!((found - expected).amax() < 1e-6 * (1.0 + expected.amax()));
        };

        let slope =
            (DRIVE.objective(&after).unwrap() - DRIVE.objective(&before).unwrap()) / (2.0 * h);
        let gradient = DRIVE.gradient(&z).unwrap();
        assert!((gradient.dot(&direction) - slope).abs() < 1e-6 * (1.0 + slope.abs()));

        let jacobians = DRIVE.jacobians(&z).unwrap();
        let changes = DRIVE
            .constraints(&after)
            .unwrap()
            .into_iter()
            .zip(DRIVE.constraints(&before).unwrap());
        for (jacobian, (after, before)) in jacobians.iter().zip(changes) {
            close(&(jacobian * &direction), &((after - before) / (2.0 * h)));
        }

        let slope = |z: &DVector<f64>| {
            let [c, g] = DRIVE.jacobians(z).unwrap();
            DRIVE.gradient(z).unwrap() + c.tr_mul(&y) - g.tr_mul(&w)
        };
        let hessian = DRIVE.hessian(&z, &y, &w).unwrap();
        close(
            &(hessian * &direction),
            &((slope(&after) - slope(&before)) / (2.0 * h)),
        );
    }
}
