//! Which programs a package declares.
//!
//! ```text
//! source    one file: read, split into tokens, parsed, within limits
//! walk      the modules of a crate, file by file  ──►  tree   scopes, names, declarations
//! resolve   what a path means in a scope
//! evaluate  what a constant's value is
//! types     which array type a type is
//! program   declarations that agree become one program
//! ```
//!
//! The compiler does the same work later, with all its knowledge. This is the part of it that a build script can do
//! before: enough to ask JAX for the right shapes. Whatever is wrong here is checked again by what the macro expands to,
//! so that a guess can end in an error, and never in a wrong call.

mod attributes;
mod conditions;
mod error;
mod evaluate;
mod integer;
mod program;
mod resolve;
mod source;
mod tree;
mod types;
mod walk;

#[cfg(test)]
mod tests;

use std::path::PathBuf;

pub use error::{Place, ScanError, Unknown};
pub(crate) use program::Program;

use crate::cargo::Variables;
use crate::error::Error;
use crate::package::Package;
use conditions::Conditions;

/// What was found in a package.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scan {
    /// The programs, sorted by name, target, signature and options.
    pub(crate) programs: Vec<Program>,
    /// The files that were read, sorted.
    pub(crate) files: Vec<PathBuf>,
    /// The files of modules that are missing although no `#[cfg]` excuses it: the compiler stops at these.
    pub(crate) missing: Vec<PathBuf>,
}

/// Stack for the parser: [`source::MOST_NESTED`] levels, each of which takes tens of kilobytes without optimisation.
const STACK: usize = 256 << 20;

/// Finds the programs that the targets of `package` declare.
///
/// Files and declarations that can't be parsed are passed over: the compiler reports them, and better.
///
/// # Errors
/// All argument types that can't be told, and all declarations that contradict each other.
pub(crate) fn scan(package: &Package, variables: &Variables) -> Result<Scan, Error> {
    let conditions = Conditions::of_build(variables);
    let work = || {
        let walk = walk::walk(package, &conditions)?;
        let programs = program::programs(&walk.tree)?;
        Ok(Scan {
            programs,
            files: walk.files,
            missing: walk.missing,
        })
    };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK);
        match thread.spawn_scoped(scope, work) {
            Ok(thread) => thread
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Err(source) => Err(ScanError::Thread { source }.into()),
        }
    })
}
