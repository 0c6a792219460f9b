//! What is measured beside rivals, in one run.
//!
//! Each row is a [`Row`]. It has a [`Side`](sides::Side) for us and for each rival, and [`sides`] has them take turns in short
//! blocks, so that what else the machine does hits all of them. Of each side the median of the blocks counts. `jax.jit` runs in
//! a Python process that waits while others are measured: [`jax_jit`].

pub mod arguments;
pub mod command;
mod failure;
pub mod jax_jit;
mod row;
pub mod sides;
pub mod table;

pub use failure::Failure;
pub use row::{Bound, Comparison, Quantity, Row};
