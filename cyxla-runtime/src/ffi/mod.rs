//! Custom calls that are written in Rust.
//!
//! The way of a call, a file each: `registry.rs` knows which target has a handler and tells every plugin; `trampoline.rs` has
//! the C functions that XLA calls, and turns panics and errors of handlers into errors of XLA; `decode.rs` and
//! `attributes.rs` make the frame that a handler sees of XLA's structures; `inside.rs` keeps handlers from calling programs;
//! `proof.rs` shows that a plugin has a handler. What a handler sees is in the crate `cyxla-ffi`.

mod attributes;
mod data_type;
mod decode;
mod error;
mod inside;
mod proof;
mod registry;
mod trampoline;

pub use error::FfiError;
pub(crate) use inside::check_outside;
#[cfg(feature = "native")]
pub(crate) use registry::handler;
pub(crate) use registry::{is_handled, prove, register_jax_targets, serve};
pub use registry::{register_ffi_target, register_static_ffi_target};
