use std::fmt;
use std::io;
use std::path::PathBuf;

use super::{Fault, Origin};

/// Why there is no Python environment that could lower programs.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PythonError {
    /// There is no Python at all, or none that works.
    #[error(
        "no working Python was found; it is needed at build time to run JAX\n{tried}\
         \n  help: install Python 3.10 or newer (package `python3`), then JAX: {}\
         \n  help: {SET_PYTHON}",
        InstallJax(tried)
    )]
    NotFound {
        /// What was tried.
        tried: Attempts,
    },

    /// There are only Pythons that JAX does not run on.
    #[error(
        "Python was found, but none that JAX runs on (CPython 3.10 or newer)\n{tried}\
         \n  help: install Python 3.10 or newer beside it, then JAX: {}\
         \n  help: {SET_PYTHON}",
        InstallJax(tried)
    )]
    TooOld {
        /// What was tried.
        tried: Attempts,
    },

    /// There is a Python, but without JAX.
    #[error(
        "Python was found, but no JAX in it\n{tried}\
         \n  help: install JAX: {}\
         \n  help: {MANAGED}\
         \n  help: {SET_PYTHON}",
        InstallJax(tried)
    )]
    NoJax {
        /// What was tried.
        tried: Attempts,
    },

    /// There is JAX, but it is too old.
    #[error(
        "JAX was found, but none that is new enough (0.6.2 or newer)\n{tried}\
         \n  help: upgrade JAX: {}\
         \n  help: {MANAGED}\
         \n  help: {SET_PYTHON}",
        InstallJax(tried)
    )]
    OldJax {
        /// What was tried.
        tried: Attempts,
    },

    /// The interpreter that was asked for can't be used. No other one is tried in its place.
    #[error(
        "the Python that was asked for cannot be used\n{attempt}\n  help: {}",
        Remedy(attempt)
    )]
    Asked {
        /// The one that was asked for.
        attempt: Box<Attempt>,
    },

    /// There is no Python that a managed environment could be made from.
    #[error(
        "no Python was found to make the environment of {} from\n{tried}\
         \n  help: {}\
         \n  help: set CYXLA_PYTHON to an interpreter to make it from",
        requirements.display(), MakeBase(tried)
    )]
    NoBase {
        /// The requirements of the environment.
        requirements: PathBuf,
        /// What was tried.
        tried: Attempts,
    },

    /// A managed environment was made, but its requirements don't bring a JAX that can be used.
    #[error(
        "the environment of {} cannot lower programs: {fault}\
         \n  help: add the line `jax>=0.6.2` to it",
        requirements.display()
    )]
    RequirementsWithoutJax {
        /// The requirements of the environment.
        requirements: PathBuf,
        /// What is wrong with the environment.
        fault: Fault,
    },

    /// A managed environment was made without an error, but its interpreter does not run.
    #[error(
        "the environment of {} was made from {}, but does not run: {fault}\
         \n  help: set CYXLA_PYTHON to another interpreter to make it from",
        requirements.display(), base.display()
    )]
    Broken {
        /// The requirements of the environment.
        requirements: PathBuf,
        /// The interpreter that it was made from.
        base: PathBuf,
        /// What is wrong with the environment.
        fault: Fault,
    },

    /// A file of requirements can't be read.
    #[error(
        "the requirements {} cannot be read{}: {source}\
         \n  help: the path counts from the directory of the Cargo.toml that names it, an included one \
         from the file that includes it",
        path.display(), IncludedBy(included_by.as_ref())
    )]
    Requirements {
        /// The file.
        path: PathBuf,
        /// The file that includes it.
        included_by: Option<PathBuf>,
        /// Why it can't be read.
        source: io::Error,
    },

    /// The platform has no directory for caches or data, and none was set.
    #[error(
        "no directory for {purpose}: neither {variable} nor HOME is set\n  help: set {variable}"
    )]
    NoDirectory {
        /// What the directory is for.
        purpose: &'static str,
        /// The variable that names it.
        variable: &'static str,
    },

    /// A file or directory outside the package can't be read or written.
    #[error(
        "cannot {action} {}: {source}\n  help: set {variable} to a directory that can be written",
        path.display()
    )]
    File {
        /// What was to be done.
        action: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// The variable that moves it elsewhere.
        variable: &'static str,
        /// Why it can't.
        source: io::Error,
    },

    /// A tool that makes a managed environment failed. What it had made is removed.
    #[error(
        "{stage} failed ({ending})\n  command: {command}{}\n  help: {}",
        Tail(last_lines), cause.help(requirements, *uv)
    )]
    Install {
        /// What was being done.
        stage: &'static str,
        /// The command.
        command: String,
        /// How it ended.
        ending: String,
        /// The last lines that it printed.
        last_lines: Vec<String>,
        /// The requirements of the environment.
        requirements: PathBuf,
        /// Whether the tool is uv.
        uv: bool,
        /// What the last lines point at.
        cause: InstallFailure,
    },
}

const SET_PYTHON: &str = "or set CYXLA_PYTHON to the interpreter of an environment that has JAX";

const MANAGED: &str =
    "or let the build keep an environment of its own: a requirements.txt with the line \
     `jax>=0.6.2`, and in Cargo.toml
          [package.metadata.cyxla]
          python = { requirements = \"requirements.txt\" }";

impl PythonError {
    /// Whether the network is what failed, as opposed to what was asked of it.
    pub fn is_network(&self) -> bool {
        matches!(
            self,
            Self::Install {
                cause: InstallFailure::Network,
                ..
            }
        )
    }
}

/// What made a managed environment fail, as far as the words of pip or uv tell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum InstallFailure {
    /// No package index was reached.
    Network,
    /// No release of a package fits.
    NoMatch,
    /// The disk is full.
    DiskFull,
    /// Anything else.
    Other,
}

/// What pip, uv and the libraries below them say of a network that fails.
const NETWORK_WORDS: [&str; 12] = [
    "failed to establish a new connection",
    "name resolution",
    "connection refused",
    "connection broken",
    "connection reset",
    "network is unreachable",
    "connecttimeout",
    "read timed out",
    "max retries exceeded",
    "error sending request",
    "dns error",
    "network connectivity is disabled",
];

impl InstallFailure {
    pub(super) fn of(lines: &[String]) -> Self {
        let has = |words: &[&str]| {
            lines.iter().any(|line| {
                let line = line.to_lowercase();
                words.iter().any(|word| line.contains(word))
            })
        };
        // Without a network pip ends in "no matching distribution" too, as none of its indexes has any.
        let knows_others = has(&["from versions: "]) && !has(&["from versions: none"]);
        if has(&["no space left", "os error 28"]) {
            Self::DiskFull
        } else if knows_others || has(&["no solution found"]) {
            Self::NoMatch
        } else if has(&NETWORK_WORDS) {
            Self::Network
        } else if has(&["no matching distribution"]) {
            Self::NoMatch
        } else {
            Self::Other
        }
    }

    fn help(self, requirements: &std::path::Path, uv: bool) -> String {
        let file = requirements.display();
        match self {
            Self::Network => {
                let variable = if uv {
                    "UV_DEFAULT_INDEX"
                } else {
                    "PIP_INDEX_URL"
                };
                format!(
                    "the network is needed once to make this environment; the variables of {} \
                     ({variable}, …) and of a proxy (HTTPS_PROXY) are passed on\
                     \n  help: without a network, set CYXLA_PYTHON to the interpreter of an environment \
                     that has JAX",
                    if uv { "uv" } else { "pip" }
                )
            }
            Self::NoMatch => format!(
                "correct that line of {file}, or set CYXLA_PYTHON to a version of Python for which the \
                 package has a release"
            ),
            Self::DiskFull => {
                "free some space, or set CYXLA_CACHE_DIR to a directory on another disk".to_owned()
            }
            Self::Other => format!(
                "run the command by hand, or correct {file}; what was made is removed, the next build \
                 starts anew"
            ),
        }
    }
}

/// One Python that was tried.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Attempt {
    /// Who names it.
    pub origin: Origin,
    /// Its path, where there is one.
    pub path: Option<PathBuf>,
    /// What is wrong with it.
    pub fault: Fault,
}

impl fmt::Display for Attempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Table(std::slice::from_ref(self)).fmt(f)
    }
}

/// All Pythons that were tried, in order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Attempts(pub(super) Vec<Attempt>);

impl Attempts {
    /// Each of them, in the order in which they were tried.
    pub fn iter(&self) -> impl Iterator<Item = &Attempt> {
        self.0.iter()
    }
}

impl fmt::Display for Attempts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("  tried, in this order:\n")?;
        Table(&self.0).fmt(f)
    }
}

/// Lines of origin, path and fault, in columns.
struct Table<'a>(&'a [Attempt]);

impl fmt::Display for Table<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let origins: Vec<String> = self.0.iter().map(|row| row.origin.to_string()).collect();
        let width = origins.iter().map(|origin| origin.chars().count()).max();
        let width = width.unwrap_or(0);
        for (i, (row, origin)) in self.0.iter().zip(&origins).enumerate() {
            if i > 0 {
                f.write_str("\n")?;
            }
            write!(f, "    {origin:width$}  ")?;
            if let Some(path) = &row.path {
                write!(f, "{}: ", path.display())?;
            }
            write!(f, "{}", row.fault)?;
        }
        Ok(())
    }
}

/// The command that installs JAX where the next build will look for it.
struct InstallJax<'a>(&'a Attempts);

impl fmt::Display for InstallJax<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lacks_jax = |attempt: &&Attempt| {
            matches!(
                attempt.fault,
                Fault::NoJax { .. } | Fault::OldJax { .. } | Fault::NoJaxlib { .. }
            )
        };
        // The Python of the system is not for packages, and mostly refuses them.
        let environment = self
            .0
            .iter()
            .find(|attempt| lacks_jax(attempt) && !matches!(attempt.origin, Origin::Path(_)));
        if let Some(path) = environment.and_then(|attempt| attempt.path.as_ref()) {
            return write!(f, "`{} -m pip install -U jax`", path.display());
        }
        let python = self.0.iter().find(lacks_jax);
        let python = python.and_then(|attempt| attempt.path.as_ref());
        let python = python.map_or("python3".into(), |path| path.to_string_lossy());
        write!(
            f,
            "`{python} -m venv .venv && .venv/bin/python -m pip install jax` in the package"
        )
    }
}

/// What to do about a Python that was asked for.
struct Remedy<'a>(&'a Attempt);

impl fmt::Display for Remedy<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.0.path.as_deref().unwrap_or("python3".as_ref());
        let origin = &self.0.origin;
        match &self.0.fault {
            Fault::NoJax { .. } | Fault::OldJax { .. } | Fault::NoJaxlib { .. } => {
                write!(f, "`{} -m pip install -U jax`", path.display())
            }
            Fault::UnversionedJax { .. } => {
                f.write_str("install JAX with pip, so that its version is known")
            }
            Fault::NoVenv { python } => MakeVenv(python).fmt(f),
            Fault::Directory => write!(
                f,
                "name the interpreter in it, such as {}",
                super::interpreter_in(path).display()
            ),
            Fault::DanglingLink { .. } => {
                write!(f, "make that environment anew, or correct {origin}")
            }
            Fault::OldPython { .. } | Fault::NotCPython { .. } => {
                write!(f, "name CPython 3.10 or newer in {origin}")
            }
            _ => write!(
                f,
                "correct {origin}, or remove it to have the other places searched"
            ),
        }
    }
}

/// What to install when no Python can make an environment.
struct MakeBase<'a>(&'a Attempts);

impl fmt::Display for MakeBase<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let version = self.0.iter().find_map(|attempt| match &attempt.fault {
            Fault::NoVenv { python } => Some(python),
            _ => None,
        });
        match version {
            Some(version) => MakeVenv(version).fmt(f),
            None => f.write_str("install Python 3.10 or newer (package `python3`)"),
        }
    }
}

struct MakeVenv<'a>(&'a str);

impl fmt::Display for MakeVenv<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let minor = self.0.rsplit_once('.').map_or(self.0, |(minor, _)| minor);
        write!(
            f,
            "install what makes virtual environments (on Debian and Ubuntu `apt install \
             python{minor}-venv`), or uv (`pipx install uv`)"
        )
    }
}

struct IncludedBy<'a>(Option<&'a PathBuf>);

impl fmt::Display for IncludedBy<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(path) => write!(f, " (included by {})", path.display()),
            None => Ok(()),
        }
    }
}

struct Tail<'a>(&'a [String]);

impl fmt::Display for Tail<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.0.is_empty() {
            f.write_str("\n  its last lines:")?;
        }
        self.0.iter().try_for_each(|line| write!(f, "\n    {line}"))
    }
}
