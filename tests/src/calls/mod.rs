//! What a call costs, measured beside rivals: the raw C API ([`cyxla_rival`]) in the same process, and `jax.jit` in a Python
//! process that waits while others are measured.
//!
//! Each row is a [`Row`] made by a function in [`rows`]. It sets up a [`Side`](sides::Side) for each rival, and
//! [`sides`] has them take turns in short blocks, so that what else the machine does hits all of them. Of each side the median of
//! the blocks counts.

pub mod arguments;
mod failure;
pub mod jax_jit;
mod memory;
pub mod programs;
pub mod raw;
mod row;
pub mod rows;
pub mod sides;
pub mod table;
pub mod together;

pub use failure::Failure;
pub use row::{Bound, Comparison, Quantity, Row};
