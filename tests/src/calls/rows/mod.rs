//! The rows: one function each.

mod donation;
mod large;
mod threads;
mod tiny;
mod twelve;

use super::raw::Raw;
use crate::measure::jax_jit::JaxJit;
use crate::measure::sides::{Plan, Side};
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
