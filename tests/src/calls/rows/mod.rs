//! The rows: one function each.

mod donation;
mod large;
mod threads;
mod tiny;
mod twelve;

use cyxla::Engine;

use super::raw::Raw;
use crate::measure::jax_jit::JaxJit;
use crate::measure::sides::{Measured, Plan, Side};
use crate::measure::{Failure, Row};

/// The names of the rows, in order.
pub const NAMES: [&str; 6] = [
    "tiny",
    "large_box",
    "large_view",
    "donation",
    "twelve",
    "threads",
];

/// What rows are measured with.
#[derive(Debug)]
pub struct Setup {
    /// What runs our side.
    pub engine: Engine,
    /// The rival on the C API.
    pub raw: Raw,
    /// The rival in Python, unless it is left out.
    pub jax: Option<JaxJit>,
    /// How much to measure.
    pub plan: Plan,
}

impl Setup {
    /// Measures the row of this name.
    ///
    /// # Blocking
    /// For seconds.
    ///
    /// # Errors
    /// A side of it fails.
    pub fn measure(&mut self, name: &str) -> Result<Row, Failure> {
        match name {
            "large_box" => large::copied(self),
            "large_view" => large::viewed(self),
            "donation" => donation::measure(self),
            "twelve" => twelve::measure(self),
            "threads" => threads::measure(self),
            _ => tiny::measure(self),
        }
    }
}

/// The side of `jax.jit` in a row, unless JAX is left out.
fn jax_side<'a>(jax: &'a mut Option<JaxJit>, row: &'static str) -> Option<Side<'a>> {
    jax.as_mut().map(|jax| jax.side(row))
}

/// How often all arrays get new memory. How three arrays lie to one another decides a tenth of the time and more, and it is
/// not the same for both sides.
const ROUNDS: usize = 8;

/// Measures sides in arrays of their own, several times.
fn in_rounds(
    setup: &mut Setup,
    mut measure: impl FnMut(&mut Setup) -> Result<Measured, Failure>,
) -> Result<Measured, Failure> {
    let rounds = if setup.plan.is_complete() { ROUNDS } else { 1 };
    let mut all = Measured::default();
    // What is freed at the end of a round would be the memory of the next.
    let mut kept = Vec::new();
    for round in 1..=rounds {
        all.extend(measure(setup)?);
        kept.push(vec![0u8; round * 12_345]);
    }
    Ok(all)
}
