//! The interpreter that a managed environment is made from.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use super::error::{Attempt, Attempts, PythonError};
use super::fault::Fault;
use super::install::Installer;
use super::probe::{self, Answer, Surroundings};
use super::requirements::Requirements;
use super::search_path::{directories, on_path};
use super::{Origin, set};
use crate::cargo::Variables;

/// An interpreter that can make environments with the tool at hand.
pub(super) struct Base {
    pub(super) path: PathBuf,
    pub(super) answer: Answer,
}

impl Base {
    /// The one that somebody named, a path or a name on PATH, or nothing else.
    pub(super) fn named(
        named: &Path,
        named_by: &Origin,
        requirements: &Requirements,
        installer: &Installer,
        variables: &Variables,
    ) -> Result<Self, PythonError> {
        let is_name = named.parent() == Some(Path::new(""));
        let path = match named.to_str() {
            Some(name) if is_name => on_path(name, set(variables, "PATH")).ok_or(Fault::NotOnPath),
            _ => std::path::absolute(named).map_err(|error| Fault::NotStarted {
                reason: error.to_string(),
            }),
        };
        let base = path.and_then(|path| Self::ask(&path, requirements, installer));
        base.map_err(|fault| PythonError::Asked {
            attempt: Box::new(Attempt {
                origin: named_by.clone(),
                path: Some(named.to_owned()),
                fault,
            }),
        })
    }

    /// The first on PATH that will do.
    pub(super) fn on_path(
        requirements: &Requirements,
        installer: &Installer,
        variables: &Variables,
    ) -> Result<Self, PythonError> {
        let mut tried = Vec::new();
        for (name, path) in candidates(set(variables, "PATH").as_ref()) {
            let found = path.as_deref().ok_or(Fault::NotOnPath);
            match found.and_then(|path| Self::ask(path, requirements, installer)) {
                Ok(base) => return Ok(base),
                Err(fault) => tried.push(Attempt {
                    origin: Origin::Path(name),
                    path,
                    fault,
                }),
            }
        }
        Err(PythonError::NoBase {
            requirements: requirements.file.clone(),
            tried: Attempts(tried),
        })
    }

    fn ask(path: &Path, requirements: &Requirements, installer: &Installer) -> Result<Self, Fault> {
        let directory = requirements.file.parent().unwrap_or(Path::new("/"));
        let answer = probe::ask(path, directory, Surroundings::Isolated)?;
        match installer {
            Installer::Uv(_) => answer.python_fault()?,
            Installer::Pip => answer.venv_fault()?,
        }
        // An environment made from an environment is one of its base; links and wrappers may come and go.
        let path = answer.base.clone().unwrap_or_else(|| path.to_owned());
        Ok(Self { path, answer })
    }
}

/// The interpreters on PATH: `python3`, then `python3.N`, the newest first, then `python`.
fn candidates(path: Option<&OsString>) -> Vec<(String, Option<PathBuf>)> {
    let mut numbered: Vec<u32> = directories(path.cloned())
        .flat_map(|directory| fs::read_dir(directory).into_iter().flatten().flatten())
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let name = name.strip_suffix(std::env::consts::EXE_SUFFIX)?;
            name.strip_prefix("python3.")?.parse().ok()
        })
        .collect();
    numbered.sort_unstable_by(|a, b| b.cmp(a));
    numbered.dedup();
    let numbered = numbered.into_iter().map(|minor| format!("python3.{minor}"));
    std::iter::once("python3".to_owned())
        .chain(numbered)
        .chain(std::iter::once("python".to_owned()))
        .map(|name| {
            let found = on_path(&name, path.cloned());
            (name, found)
        })
        .collect()
}
