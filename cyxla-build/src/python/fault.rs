use std::fmt;
use std::path::PathBuf;

use super::probe::{OLDEST_JAX, OLDEST_PYTHON};

/// What is wrong with a Python that was tried.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Fault {
    /// The variable that would name it is not set.
    NotSet,
    /// Neither the builder nor the metadata names one.
    NotGiven,
    /// No file of that name is in a directory of PATH.
    NotOnPath,
    /// Nothing is at that path.
    NoSuchFile,
    /// The path is a link to nothing, as in a virtual environment that outlived its Python.
    DanglingLink {
        /// Where the link leads.
        target: PathBuf,
    },
    /// The path is a directory.
    Directory,
    /// The operating system does not start it.
    NotStarted {
        /// Why not.
        reason: String,
    },
    /// It runs, but is no Python that could say what it is.
    NotPython {
        /// The last line that it printed, or how it ended.
        said: String,
    },
    /// It did not answer in time.
    NoAnswer {
        /// The time that it had, in seconds.
        seconds: u64,
    },
    /// A Python that JAX does not run on, such as PyPy.
    NotCPython {
        /// The name of the implementation.
        implementation: String,
        /// The version of the language that it implements.
        version: String,
    },
    /// A Python older than 3.10.
    OldPython {
        /// Its version.
        version: String,
    },
    /// A Python that was installed without `venv` or `ensurepip`.
    NoVenv {
        /// The version of Python.
        python: String,
    },
    /// A Python that has no package `jax`.
    NoJax {
        /// The version of Python.
        python: String,
    },
    /// A package `jax` that was not installed, so that its version is unknown.
    UnversionedJax {
        /// The version of Python.
        python: String,
        /// The file that `import jax` would load.
        origin: PathBuf,
    },
    /// JAX older than 0.6.2.
    OldJax {
        /// The version of Python.
        python: String,
        /// The version of JAX.
        jax: String,
    },
    /// JAX without its other half.
    NoJaxlib {
        /// The version of Python.
        python: String,
        /// The version of JAX.
        jax: String,
    },
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (major, minor) = OLDEST_PYTHON;
        match self {
            Self::NotSet => f.write_str("not set"),
            Self::NotGiven => f.write_str("not given"),
            Self::NotOnPath => f.write_str("not on PATH"),
            Self::NoSuchFile => f.write_str("no such file"),
            Self::DanglingLink { target } => {
                write!(f, "a link to {}, which is gone", target.display())
            }
            Self::Directory => f.write_str("a directory, not an interpreter"),
            Self::NotStarted { reason } => write!(f, "cannot be started: {reason}"),
            Self::NotPython { said } => write!(f, "not a working Python: {said}"),
            Self::NoAnswer { seconds } => write!(f, "no answer within {seconds} s"),
            Self::NotCPython {
                implementation,
                version,
            } => write!(f, "{implementation} {version}, but JAX needs CPython"),
            Self::OldPython { version } => {
                write!(f, "Python {version}, older than {major}.{minor}")
            }
            Self::NoVenv { python } => {
                write!(f, "Python {python} without `venv` and `ensurepip`")
            }
            Self::NoJax { python } => write!(f, "Python {python} without JAX"),
            Self::UnversionedJax { python, origin } => write!(
                f,
                "Python {python} with a `jax` of unknown version, {}",
                origin.display()
            ),
            Self::OldJax { python, jax } => {
                let (major, minor, micro) = OLDEST_JAX;
                write!(
                    f,
                    "Python {python} with JAX {jax}, older than {major}.{minor}.{micro}"
                )
            }
            Self::NoJaxlib { python, jax } => {
                write!(f, "Python {python} with JAX {jax}, but no jaxlib")
            }
        }
    }
}
