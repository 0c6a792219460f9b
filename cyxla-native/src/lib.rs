//! The native engine: a JAX program as the machine code that XLA made of it.
//!
//! ```text
//! serialized executable of XLA:CPU ─► cyxla-build ─► image ─► this crate ─► calls
//! ```
//!
//! [`image`] is the program at rest: what `cyxla-build` writes and the engine runs. With `default-features = false` it is
//! all that this crate holds.

pub mod image;
