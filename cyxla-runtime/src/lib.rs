//! Runs lowered JAX programs through a PJRT plugin.
//!
//! The way of a program: a [plugin](find_plugin) is loaded, a [`Client`] owns its device, a program is
//! [compiled](Executable::compile) once for a client, and an [`Executable`] is called with host arrays.
//!
//! Every call into the plugin passes one gate (`api.rs`), which checks what the plugin has before it is called and turns
//! every error into a value. Data types and shapes of arguments are checked here, on every call: PJRT itself only looks at
//! the number of bytes.

mod api;
mod error;
mod plugin;

pub use error::{
    ApiError, ArgumentError, ClientError, CompileError, Error, ErrorCode, ExecuteError, Result,
};
pub use plugin::{OptionValue, Plugin, PluginError, PluginSource, Searched};
