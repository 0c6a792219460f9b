use std::path::PathBuf;

use crate::error::ApiError;

/// A handler of a custom call can't be registered, or does what handlers must not do.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FfiError {
    /// There is a handler for the target already.
    #[error(
        "the custom call `{target}` has a handler already\n  help: register each target once per process, or choose \
         another name in jax.ffi.ffi_call"
    )]
    Duplicate {
        /// The target.
        target: String,
    },
    /// No custom call has this name.
    #[error(
        "`{target}` can't be the target of a custom call\n  help: take the name that jax.ffi.ffi_call gets: printable, and \
         not empty"
    )]
    Name {
        /// The name, made printable.
        target: String,
    },
    /// There are as many handlers as there can be.
    #[error(
        "the custom call `{target}` can't have a handler: {limit} targets have one already, and a process has room for no \
         more\n  help: have one handler serve several kinds of calls, told apart by an attribute"
    )]
    Full {
        /// The target.
        target: String,
        /// How many handlers a process has room for.
        limit: usize,
    },
    /// The plugin takes no handlers.
    #[error(
        "the PJRT plugin {plugin} takes no handlers of custom calls: it has no FFI extension\n  help: use another build of \
         the plugin, named by CYXLA_PJRT_PLUGIN"
    )]
    NoExtension {
        /// The library.
        plugin: PathBuf,
    },
    /// The plugin refused a handler.
    #[error(
        "the PJRT plugin {plugin} refuses the handler of the custom call `{target}`: {source}\n  help: use another build of \
         the plugin, named by CYXLA_PJRT_PLUGIN"
    )]
    Refused {
        /// The target.
        target: String,
        /// The library.
        plugin: PathBuf,
        /// What the plugin said.
        source: ApiError,
    },
    /// The plugin took a handler, and does not call it.
    #[error(
        "the PJRT plugin {plugin} dropped the handler of the custom call `{target}` without an error: {reason}\n  help: use \
         another build of the plugin, named by CYXLA_PJRT_PLUGIN"
    )]
    Dropped {
        /// The target.
        target: String,
        /// The library.
        plugin: PathBuf,
        /// How that is known.
        reason: String,
    },
    /// A handler called a program, or asked for something else that a plugin does.
    #[error(
        "the handler of a custom call can't use cyxla: the program that called it might wait for itself\n  help: compute it \
         in Rust, or split the JAX program in two"
    )]
    Inside,
}
