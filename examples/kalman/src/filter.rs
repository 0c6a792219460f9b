//! The programs of `python/kalman.py`, and the state that goes through them.

use cyxla::Buffer;

use crate::track::{MEASUREMENTS, Track};

/// x and y in m, and the velocities along them in m/s.
pub type State = [f64; 4];

/// Of a [`State`], in products of its units.
pub type Covariance = [[f64; 4]; 4];

/// The state after the next measured position (m), and the logarithm of that position's probability density per m².
///
/// Mean and covariance are given away: the device reuses their memory from step to step.
#[cyxla::program("kalman:step")]
fn step(
    mean: Buffer<State>,
    covariance: Buffer<Covariance>,
    position: &[f64; 2],
) -> cyxla::Result<(Buffer<State>, Buffer<Covariance>, f64)>;

/// The mean of each state given all measurements, from those given the measurements up to it.
#[cyxla::program("kalman:smooth")]
pub fn smooth(
    means: &[State; MEASUREMENTS],
    covariances: &[Covariance; MEASUREMENTS],
) -> cyxla::Result<[State; MEASUREMENTS]>;

/// A second before the first measurement: within a kilometre or so, and not much faster than 20 m/s.
const START: (State, Covariance) = (
    [0.0; 4],
    [
        [1e6, 0.0, 0.0, 0.0],
        [0.0, 1e6, 0.0, 0.0],
        [0.0, 0.0, 400.0, 0.0],
        [0.0, 0.0, 0.0, 400.0],
    ],
);

/// What the filter knew after each measurement.
#[derive(Clone, Debug)]
pub struct Filtered {
    /// The means.
    pub means: [State; MEASUREMENTS],
    /// The covariances.
    pub covariances: [Covariance; MEASUREMENTS],
    /// The logarithm of the probability density of the whole track, in which each position counts per m².
    pub log_likelihood: f64,
}

/// Takes one measured position after the other, as they would come from a sensor.
///
/// # Errors
/// No PJRT plugin for the CPU is installed.
pub fn filter(track: &Track) -> cyxla::Result<Filtered> {
    let mut filtered = Filtered {
        means: [[0.0; 4]; MEASUREMENTS],
        covariances: [[[0.0; 4]; 4]; MEASUREMENTS],
        log_likelihood: 0.0,
    };
    let mut mean = Buffer::from(&START.0)?;
    let mut covariance = Buffer::from(&START.1)?;
    for (at, position) in track.iter().enumerate() {
        let log_density;
        (mean, covariance, log_density) = step(mean, covariance, position)?;
        filtered.means[at] = *mean.view()?;
        filtered.covariances[at] = *covariance.view()?;
        filtered.log_likelihood += log_density;
    }
    Ok(filtered)
}
