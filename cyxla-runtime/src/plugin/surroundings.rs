use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy as _;

/// What the run time reads of the process around it: environment variables and well-known directories.
///
/// Everything is read through one value, so that a test can give another and no variable is read in passing.
///
/// Who starts a set-user-ID program chooses its environment, its home and the name by which it is found, but must not choose the
/// code that it runs: such a process has no variables and no directories but those of the system.
pub(crate) struct Surroundings {
    variables: Box<Variables>,
    /// The directory of the running executable.
    pub(crate) executable: Option<PathBuf>,
    /// Where the system keeps the data of all users, in order.
    pub(crate) system: Vec<PathBuf>,
    user_data: Option<PathBuf>,
    user_cache: Option<PathBuf>,
}

/// Gives the value of an environment variable.
type Variables = dyn Fn(&str) -> Option<OsString> + Send + Sync;

impl Surroundings {
    /// Those of this process.
    pub(crate) fn of_process() -> Self {
        if has_raised_rights() {
            return Self {
                variables: Box::new(|_| None),
                executable: None,
                system: system(),
                user_data: None,
                user_cache: None,
            };
        }
        let executable = std::env::current_exe().ok();
        let user = etcetera::choose_base_strategy().ok();
        Self {
            variables: Box::new(|name| std::env::var_os(name)),
            executable: executable.and_then(|path| Some(path.parent()?.to_owned())),
            system: system(),
            user_data: user.as_ref().map(|user| user.data_dir().join("cyxla")),
            user_cache: user.as_ref().map(|user| user.cache_dir().join("cyxla")),
        }
    }

    /// The value of an environment variable. One that is empty counts as not set.
    pub(crate) fn variable(&self, name: &str) -> Option<OsString> {
        (self.variables)(name).filter(|value| !value.is_empty())
    }

    /// The value of an environment variable as text; what is not Unicode is replaced.
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        Some(self.variable(name)?.to_string_lossy().into_owned())
    }

    /// The user's data directory of cyxla: `CYXLA_DATA_DIR`, else the one of the platform.
    pub(crate) fn data(&self) -> Option<PathBuf> {
        self.directory("CYXLA_DATA_DIR", self.user_data.as_deref())
    }

    /// The user's cache directory of cyxla: `CYXLA_CACHE_DIR`, else the one of the platform.
    pub(crate) fn cache(&self) -> Option<PathBuf> {
        self.directory("CYXLA_CACHE_DIR", self.user_cache.as_deref())
    }

    fn directory(&self, name: &str, otherwise: Option<&Path>) -> Option<PathBuf> {
        match self.variable(name) {
            Some(directory) => Some(PathBuf::from(directory)),
            None => otherwise.map(Path::to_owned),
        }
        // A relative one would be another directory in another working directory.
        .filter(|directory| directory.is_absolute())
    }
}

fn system() -> Vec<PathBuf> {
    if cfg!(unix) {
        vec!["/usr/local/share/cyxla".into(), "/usr/share/cyxla".into()]
    } else {
        Vec::new()
    }
}

/// Whether this process has rights that who started it has not: a set-user-ID program, or one with capabilities.
///
/// Source: `AT_SECURE` of getauxval(3), issetugid(2).
pub(crate) fn has_raised_rights() -> bool {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    {
        // SAFETY: it only reads what the kernel has given to the process at its start.
        let secure = unsafe { libc::getauxval(libc::AT_SECURE) };
        secure != 0
    }
    #[cfg(any(
        target_os = "macos",
        target_os = "freebsd",
        target_os = "netbsd",
        target_os = "openbsd"
    ))]
    {
        // SAFETY: it takes nothing and only reads.
        let raised = unsafe { libc::issetugid() };
        raised != 0
    }
    #[cfg(not(any(
        target_os = "linux",
        target_os = "android",
        target_os = "macos",
        target_os = "freebsd",
        target_os = "netbsd",
        target_os = "openbsd"
    )))]
    false
}

impl fmt::Debug for Surroundings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Surroundings")
            .field("executable", &self.executable)
            .field("system", &self.system)
            .field("data", &self.data())
            .field("cache", &self.cache())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
impl Surroundings {
    /// A process with these variables, and no directory but those that they name.
    pub(crate) fn with(variables: &[(&str, &std::ffi::OsStr)]) -> Self {
        let variables: std::collections::HashMap<String, OsString> = variables
            .iter()
            .map(|&(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        Self {
            variables: Box::new(move |name| variables.get(name).cloned()),
            executable: None,
            system: Vec::new(),
            user_data: None,
            user_cache: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_variable_is_not_set() {
        let surroundings = Surroundings::with(&[("CYXLA_PLATFORM", "".as_ref())]);
        assert_eq!(surroundings.variable("CYXLA_PLATFORM"), None);
    }

    #[test]
    fn a_relative_directory_is_not_used() {
        let surroundings = Surroundings::with(&[("CYXLA_CACHE_DIR", "cache".as_ref())]);
        assert_eq!(surroundings.cache(), None);
    }
}
