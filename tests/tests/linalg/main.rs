//! Linear algebra from JAX to Rust.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "a test"
)]

mod matrix;
mod portable;
mod targets;
mod typed;
