//! The native engine: a JAX program as the machine code that XLA made of it.
//!
//! ```text
//! serialized executable of XLA:CPU ─► cyxla-build ─► image ─► this crate ─► calls
//! ```
//!
//! [`image`] is the program at rest: what `cyxla-build` writes and the engine runs. With `default-features = false` it is
//! all that this crate holds. [`Program`] is an image that can be called: its code is mapped and patched (`code.rs`, which
//! may call the routines of `symbols.rs` and nothing else), its schedule prepared (`schedule.rs`); a call runs the steps of
//! the schedule in a frame (`frame.rs`), those that are no machine code in Rust (`steps/`).

pub mod image;

#[cfg(feature = "run")]
mod bound;
#[cfg(feature = "run")]
mod code;
#[cfg(feature = "run")]
mod cpu;
#[cfg(feature = "run")]
mod direct;
#[cfg(feature = "run")]
mod error;
#[cfg(feature = "run")]
mod frame;
#[cfg(feature = "run")]
mod kernel;
#[cfg(feature = "run")]
mod load;
#[cfg(feature = "run")]
mod memory;
#[cfg(feature = "run")]
mod parallel;
#[cfg(feature = "run")]
mod program;
#[cfg(feature = "run")]
mod schedule;
#[cfg(feature = "run")]
mod steps;
#[cfg(feature = "run")]
mod symbols;

#[cfg(feature = "run")]
pub use bound::Bound;
#[cfg(feature = "run")]
pub use error::{LoadError, RunError};
#[cfg(feature = "run")]
pub use load::Handlers;
#[cfg(feature = "run")]
pub use program::Program;
