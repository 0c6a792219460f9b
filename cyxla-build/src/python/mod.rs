//! Which Python lowers the programs.
//!
//! One documented order; the first that can do it is taken:
//!
//! | asked | what | if it can't be used |
//! |---|---|---|
//! | `CYXLA_PYTHON` | an interpreter | error |
//! | [`Builder::python`], [`Builder::requirements`] | an interpreter, or a managed environment | error |
//! | `[package.metadata.cyxla] python`, then `[workspace.metadata.cyxla] python` | the same | error |
//! | `VIRTUAL_ENV` | the active virtual environment | the next is tried |
//! | `.venv` of the package, then of the workspace | | the next is tried |
//! | `CONDA_PREFIX` | the active conda environment | the next is tried |
//! | `python3`, then `python` | the first on PATH | error that lists all of the above |
//!
//! A managed environment ([`ManagedEnvironment`]) is a virtual environment in the user's cache directory that the
//! build makes from a requirements file. When `CYXLA_PYTHON` has no JAX of its own and a managed environment is asked
//! for, it is the interpreter that the environment is made from.
//!
//! [`Builder::python`]: crate::Builder::python
//! [`Builder::requirements`]: crate::Builder::requirements

mod base;
mod discovery;
mod error;
#[cfg(unix)]
#[cfg(test)]
mod fake;
mod fault;
mod install;
mod managed;
mod plugin;
mod probe;
mod requirements;
mod search_path;

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

pub use error::{Attempt, Attempts, InstallFailure, PythonError};
pub use fault::Fault;
pub use managed::ManagedEnvironment;
pub use plugin::CpuPlugin;

use crate::cargo::Variables;
use crate::package::PythonSetting;
use probe::Answer;

/// For which package a Python is sought. Relative paths count from the package's root.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct EnvironmentRequest {
    pub(crate) package_root: PathBuf,
    pub(crate) workspace_root: PathBuf,
    pub(crate) builder: Option<PythonSetting>,
    pub(crate) metadata: Option<PythonSetting>,
}

/// Who named the Python.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Origin {
    /// The environment variable CYXLA_PYTHON.
    Variable,
    /// The builder, in build.rs.
    Builder,
    /// `python` in the metadata of the package or the workspace.
    Metadata,
    /// The environment variable VIRTUAL_ENV, which an active virtual environment sets.
    VirtualEnv,
    /// `.venv` of the package.
    PackageVenv,
    /// `.venv` of the workspace.
    WorkspaceVenv,
    /// The environment variable CONDA_PREFIX, which an active conda environment sets.
    CondaPrefix,
    /// The first of this name on PATH.
    Path(String),
    /// [`ManagedEnvironment::interpreter`].
    Given,
    /// An environment that was made from this requirements file.
    Managed(PathBuf),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Variable => f.write_str("CYXLA_PYTHON"),
            Self::Builder => f.write_str("Builder::python"),
            Self::Metadata => f.write_str("[package.metadata.cyxla] python"),
            Self::VirtualEnv => f.write_str("VIRTUAL_ENV"),
            Self::PackageVenv => f.write_str(".venv of the package"),
            Self::WorkspaceVenv => f.write_str(".venv of the workspace"),
            Self::CondaPrefix => f.write_str("CONDA_PREFIX"),
            Self::Path(name) => write!(f, "{name} on PATH"),
            Self::Given => f.write_str("ManagedEnvironment::interpreter"),
            Self::Managed(requirements) => {
                write!(f, "the environment of {}", requirements.display())
            }
        }
    }
}

/// A Python environment that was found or made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PythonEnvironment {
    interpreter: PathBuf,
    version: String,
    jax_version: Option<String>,
    origin: Origin,
    prefix: PathBuf,
    site_packages: PathBuf,
    platform_site_packages: PathBuf,
    watched: Vec<PathBuf>,
    created: bool,
}

impl PythonEnvironment {
    fn new(interpreter: PathBuf, answer: Answer, origin: Origin) -> Self {
        let version = answer.version();
        // Made anew with each environment, also when its Python changes.
        let configuration = answer.prefix.join("pyvenv.cfg");
        Self {
            interpreter,
            version,
            jax_version: answer.jax,
            origin,
            prefix: answer.prefix,
            site_packages: answer.site_packages,
            platform_site_packages: answer.platform_site_packages,
            watched: configuration
                .is_file()
                .then_some(configuration)
                .into_iter()
                .collect(),
            created: false,
        }
    }

    /// The interpreter to start.
    pub fn interpreter(&self) -> &Path {
        &self.interpreter
    }

    /// The version of Python, such as `3.11.7`.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The version of the package `jax`, such as `0.10.2`, where it has one.
    pub fn jax_version(&self) -> Option<&str> {
        self.jax_version.as_deref()
    }

    /// Who named it.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// The directory of the environment.
    pub fn prefix(&self) -> &Path {
        &self.prefix
    }

    /// The directory that holds its packages.
    pub fn site_packages(&self) -> &Path {
        &self.site_packages
    }

    /// Existing files whose change means that another environment may be meant now: to be watched by a build script.
    pub fn watched(&self) -> &[PathBuf] {
        &self.watched
    }

    /// Whether this call made it, as opposed to finding it.
    pub fn created(&self) -> bool {
        self.created
    }

    /// The PJRT plugins for the CPU that are installed in it, the newest PJRT API first.
    pub fn cpu_plugins(&self) -> Vec<CpuPlugin> {
        plugin::cpu_plugins(&[&self.site_packages, &self.platform_site_packages])
    }
}

/// Finds, or makes, the environment that lowers the programs of a package.
///
/// The plugin of a managed environment is registered for later runs.
///
/// # Blocking
/// Starts interpreters, each for some ten milliseconds. Making a managed environment takes as long as the download,
/// and waits for another process that makes the same one.
///
/// # Errors
/// [`PythonError`], which names all that was tried and what to do.
pub(crate) fn environment(
    request: &EnvironmentRequest,
    variables: &Variables,
) -> Result<PythonEnvironment, PythonError> {
    discovery::environment(request, variables)
}

/// The value of a variable; an empty one counts as not set.
fn set(variables: &Variables, name: &str) -> Option<OsString> {
    variables.get(name).filter(|value| !value.is_empty())
}

/// A directory of cyxla for this user: what `variable` names, else a part of the usual one.
fn user_directory(
    variables: &Variables,
    variable: &str,
    usual: Option<PathBuf>,
) -> Option<PathBuf> {
    let named = set(variables, variable).map(PathBuf::from);
    named.or_else(|| Some(usual?.join("cyxla")))
}

/// Where the interpreter of an environment lies.
fn interpreter_in(environment: &Path) -> PathBuf {
    if cfg!(windows) {
        environment.join("Scripts").join("python.exe")
    } else {
        environment.join("bin").join("python")
    }
}
