//! Calls of compiled programs straight on the table of the PJRT C API, as a careful C programmer writes them for speed: what
//! cyxla is measured against.
//!
//! All that can be done once is done once. [`Call::new`] makes the input arrays, which the plugin reads where they lie, the
//! lists of arguments and results, and the argument structures of every function. A [run](Call::run) is then five calls of C
//! functions: execute, wait for the event, destroy the event, and of each result ask for the address and destroy it.
//!
//! Programs take and give `f32` arrays only.

mod call;
mod client;
mod failure;
mod memory;
mod program;
mod steps;

pub use call::{Call, Results};
pub use client::{Client, CreateOption};
pub use failure::Failure;
pub use program::Program;
pub use steps::Steps;
