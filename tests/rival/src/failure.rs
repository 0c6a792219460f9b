//! What can go wrong.

use std::path::PathBuf;

/// A call could not be made, or failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Failure {
    /// The library is no plugin.
    #[error("{path} is no PJRT plugin: {reason}\n  help: name the library of a plugin for the CPU")]
    Library {
        /// The library.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// The plugin lacks a function.
    #[error("the plugin has no {0}\n  help: name a newer plugin")]
    Missing(&'static str),
    /// A function of the plugin failed.
    #[error("{function} fails: {message}\n  help: the message is the plugin's")]
    Plugin {
        /// The function.
        function: &'static str,
        /// What the plugin says.
        message: String,
    },
    /// The program is of a kind that can't be called here.
    #[error("the program can't be called: {0}\n  help: programs here give f32 arrays")]
    Program(&'static str),
    /// An array has another number of elements than the program's.
    #[error(
        "an array has {found} elements, the program's has {expected}\n  help: pass one of that length"
    )]
    Length {
        /// Elements of the array.
        found: usize,
        /// Elements in the program.
        expected: usize,
    },
    /// There is no memory for an array.
    #[error("there is no memory for {0} bytes\n  help: use smaller arrays")]
    Memory(usize),
}
