//! Has JAX lower the programs of a Rust package, for its build script.
//!
//! Everything here happens at build time. A program that was lowered runs without Python.

#![forbid(unsafe_code)]

mod builder;
mod cargo;
mod custom_calls;
mod donation;
mod error;
mod freshness;
#[cfg(fuzzing)]
#[doc(hidden)]
pub mod fuzzing;
mod lower;
pub mod native;
mod package;
mod protocol;
mod python;
mod scan;
mod store;
mod update;

pub use cyxla_artifact::{Engine, Level, Linalg, Platform, StableHloVersion};

pub use builder::{Builder, Report};
pub use error::{Error, Errors};
pub use lower::{
    Argument, Binding, Failure, FailureKind, FailureLocation, LowerError, LowerRequest,
    ProgramFailure, lower,
};
pub use package::PackageError;
pub use python::{
    Attempt, Attempts, CpuPlugin, Fault, InstallFailure, ManagedEnvironment, Origin,
    PythonEnvironment, PythonError,
};
pub use scan::{Place, ScanError, Unknown};
pub use store::StoreError;
pub use update::Outcome;
