//! What a build script says to Cargo, and the environment that Cargo gives it.
//!
//! Nothing else in this crate prints a `cargo::` line or reads an environment variable by itself, so that no variable is
//! read without Cargo being told to watch it.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// The environment variables that cyxla itself reads at build time.
pub(crate) mod variable {
    /// The interpreter to lower with.
    pub(crate) const PYTHON: &str = "CYXLA_PYTHON";
    /// Lower anew and refresh the committed copy.
    pub(crate) const UPDATE: &str = "CYXLA_UPDATE";
    /// Never start Python.
    pub(crate) const OFFLINE: &str = "CYXLA_OFFLINE";
    /// Set by docs.rs, which has no network and no JAX.
    pub(crate) const DOCS_RS: &str = "DOCS_RS";
}

/// The environment of the build, with a record of what was read from it.
#[derive(Debug, Default)]
pub(crate) struct Variables {
    /// Values that stand in for the process's, for tests.
    fixed: Option<BTreeMap<String, OsString>>,
    read: Mutex<BTreeSet<String>>,
}

impl Variables {
    /// The environment of this process.
    pub(crate) fn of_process() -> Self {
        Self::default()
    }

    /// An environment of exactly these variables.
    #[cfg(any(test, fuzzing))]
    pub(crate) fn fixed<const N: usize>(variables: [(&str, &str); N]) -> Self {
        Self::fixed_from(&variables)
    }

    /// An environment of exactly these variables.
    #[cfg(any(test, fuzzing))]
    pub(crate) fn fixed_from(variables: &[(&str, &str)]) -> Self {
        let fixed = variables
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).into()));
        Self {
            fixed: Some(fixed.collect()),
            read: Mutex::default(),
        }
    }

    /// The value of a variable; Cargo will run the build script again when it changes.
    pub(crate) fn get(&self, name: &str) -> Option<OsString> {
        self.read
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(name.to_owned());
        self.given_by_cargo(name)
    }

    /// The value of a variable that Cargo sets for the build script: it knows itself when that changes.
    pub(crate) fn given_by_cargo(&self, name: &str) -> Option<OsString> {
        match &self.fixed {
            Some(fixed) => fixed.get(name).cloned(),
            None => std::env::var_os(name),
        }
    }

    /// All variables that tell a build script how the package is configured.
    pub(crate) fn of_cargo(&self) -> BTreeMap<String, OsString> {
        let is_cargo =
            |name: &String| name.starts_with("CARGO_CFG_") || name.starts_with("CARGO_FEATURE_");
        match &self.fixed {
            Some(fixed) => fixed
                .clone()
                .into_iter()
                .filter(|(name, _)| is_cargo(name))
                .collect(),
            None => std::env::vars_os()
                .filter_map(|(name, value)| Some((name.into_string().ok()?, value)))
                .filter(|(name, _)| is_cargo(name))
                .collect(),
        }
    }

    /// Whether a switch is on: set, and neither empty nor `0` nor `false`.
    pub(crate) fn is_on(&self, name: &str) -> bool {
        self.get(name)
            .is_some_and(|value| !(value.is_empty() || value == "0" || value == "false"))
    }

    /// The names that were read so far, sorted.
    pub(crate) fn read(&self) -> Vec<String> {
        let read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        read.iter().cloned().collect()
    }
}

/// Has Cargo run the build script again when this file or folder is newer than the script's last run.
///
/// Source: the Cargo book, "Build scripts".
pub(crate) fn rerun_if_changed(path: &Path) {
    println!("cargo::rerun-if-changed={}", path.display());
}

/// Has Cargo run the build script again when this variable changes.
pub(crate) fn rerun_if_env_changed(name: &str) {
    println!("cargo::rerun-if-env-changed={name}");
}

/// Sets a variable for the compiler, where `env!` and macros see it.
pub(crate) fn rustc_env(name: &str, value: &Path) {
    println!("cargo::rustc-env={name}={}", value.display());
}

/// Shows a warning. Cargo keeps one line of each.
pub(crate) fn warning(text: &str) {
    println!("cargo::warning={}", text.replace('\n', " "));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_is_recorded_even_if_unset() {
        let variables = Variables::fixed([("A", "1")]);
        assert_eq!(variables.get("A"), Some("1".into()));
        assert_eq!(variables.get("B"), None);
        assert_eq!(variables.given_by_cargo("C"), None);
        assert_eq!(variables.read(), ["A", "B"]);
    }

    #[test]
    fn a_switch_is_off_if_empty_or_zero() {
        let variables = Variables::fixed([("YES", "1"), ("NO", "0"), ("EMPTY", "")]);
        let on = ["YES", "NO", "EMPTY", "UNSET"].map(|name| variables.is_on(name));
        assert_eq!(on, [true, false, false, false]);
    }
}
