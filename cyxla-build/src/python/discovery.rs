//! Which interpreter is taken, and why not the others.

use std::path::{Path, PathBuf};

use crate::cargo::{Variables, variable};
use crate::package::PythonSetting;

use super::error::{Attempt, Attempts, PythonError};
use super::fault::Fault;
use super::managed::ManagedEnvironment;
use super::probe::{self, Answer, Surroundings};
use super::search_path::on_path;
use super::{EnvironmentRequest, Origin, PythonEnvironment, interpreter_in, plugin, set};

/// Finds, or makes, the environment that lowers the programs of a package.
pub(super) fn environment(
    request: &EnvironmentRequest,
    variables: &Variables,
) -> Result<PythonEnvironment, PythonError> {
    let search = Search { request, variables };
    let setting = match (&request.builder, &request.metadata) {
        (Some(setting), _) => Some((Origin::Builder, setting)),
        (None, Some(setting)) => Some((Origin::Metadata, setting)),
        (None, None) => None,
    };
    if let Some(named) = set(variables, variable::PYTHON) {
        return search.overridden(Path::new(&named), setting.map(|(_, setting)| setting));
    }
    match setting {
        Some((origin, PythonSetting::Interpreter(named))) => search
            .named(named)
            .map(|found| found.called(origin.clone()))
            .map_err(|miss| miss.asked_for(origin)),
        Some((_, PythonSetting::Requirements(file))) => search.managed(file, None),
        None => search.around(),
    }
}

/// An interpreter that can lower programs.
struct Found {
    path: PathBuf,
    answer: Answer,
}

/// One that can't.
struct Miss {
    path: Option<PathBuf>,
    fault: Fault,
}

impl Found {
    fn called(self, origin: Origin) -> PythonEnvironment {
        PythonEnvironment::new(self.path, self.answer, origin)
    }
}

impl Miss {
    fn asked_for(self, origin: Origin) -> PythonError {
        let attempt = Box::new(self.attempt(origin));
        PythonError::Asked { attempt }
    }

    fn attempt(self, origin: Origin) -> Attempt {
        Attempt {
            origin,
            path: self.path,
            fault: self.fault,
        }
    }

    fn lacks_only_jax(&self) -> bool {
        matches!(
            self.fault,
            Fault::NoJax { .. }
                | Fault::OldJax { .. }
                | Fault::NoJaxlib { .. }
                | Fault::UnversionedJax { .. }
        )
    }
}

struct Search<'a> {
    request: &'a EnvironmentRequest,
    variables: &'a Variables,
}

impl Search<'_> {
    /// `CYXLA_PYTHON`: as it is when it has JAX; else a managed environment is made from it, where one is asked for.
    fn overridden(
        &self,
        named: &Path,
        setting: Option<&PythonSetting>,
    ) -> Result<PythonEnvironment, PythonError> {
        let miss = match self.named(named) {
            Ok(found) => return Ok(found.called(Origin::Variable)),
            Err(miss) => miss,
        };
        match (setting, &miss.path) {
            (Some(PythonSetting::Requirements(file)), Some(base)) if miss.lacks_only_jax() => {
                self.managed(file, Some(base))
            }
            _ => Err(miss.asked_for(Origin::Variable)),
        }
    }

    /// The active environments, then PATH.
    fn around(&self) -> Result<PythonEnvironment, PythonError> {
        let unset = [
            (Origin::Variable, Fault::NotSet),
            (Origin::Builder, Fault::NotGiven),
            (Origin::Metadata, Fault::NotGiven),
        ];
        let mut tried: Vec<Attempt> = unset
            .into_iter()
            .map(|(origin, fault)| Miss { path: None, fault }.attempt(origin))
            .collect();
        for origin in [
            Origin::VirtualEnv,
            Origin::PackageVenv,
            Origin::WorkspaceVenv,
            Origin::CondaPrefix,
            Origin::Path("python3".to_owned()),
            Origin::Path("python".to_owned()),
        ] {
            let alone = self.request.package_root == self.request.workspace_root;
            if origin == Origin::WorkspaceVenv && alone {
                continue;
            }
            match self.place(&origin).and_then(|path| self.ask(path)) {
                Ok(found) => return Ok(found.called(origin)),
                Err(miss) => tried.push(miss.attempt(origin)),
            }
        }
        Err(nothing_usable(Attempts(tried)))
    }

    /// Where the interpreter of a place in the order would be.
    fn place(&self, origin: &Origin) -> Result<PathBuf, Miss> {
        let package = &self.request.package_root;
        let of_variable = |name: &str| match set(self.variables, name) {
            Some(directory) => Ok(interpreter_in(&package.join(directory))),
            None => Err(Miss {
                path: None,
                fault: Fault::NotSet,
            }),
        };
        match origin {
            Origin::VirtualEnv => of_variable("VIRTUAL_ENV"),
            Origin::CondaPrefix => of_variable("CONDA_PREFIX"),
            Origin::WorkspaceVenv => Ok(interpreter_in(&self.request.workspace_root.join(".venv"))),
            Origin::Path(name) => on_path(name, set(self.variables, "PATH")).ok_or(Miss {
                path: None,
                fault: Fault::NotOnPath,
            }),
            _ => Ok(interpreter_in(&package.join(".venv"))),
        }
    }

    /// One that somebody named: a bare name is looked up on PATH, a path counts from the package.
    fn named(&self, named: &Path) -> Result<Found, Miss> {
        let bare = named.parent() == Some(Path::new(""));
        let path = match named.to_str() {
            Some(name) if bare => {
                let path = on_path(name, set(self.variables, "PATH"));
                path.ok_or_else(|| Miss {
                    path: Some(named.to_owned()),
                    fault: Fault::NotOnPath,
                })?
            }
            _ => self.request.package_root.join(named),
        };
        self.ask(path)
    }

    fn ask(&self, path: PathBuf) -> Result<Found, Miss> {
        // Python reads it by itself; what it finds there may be JAX.
        let _ = set(self.variables, "PYTHONPATH");
        let answer = probe::ask(&path, &self.request.package_root, Surroundings::User);
        match answer.and_then(|answer| answer.jax_fault().map(|()| answer)) {
            Ok(answer) => Ok(Found { path, answer }),
            Err(fault) => Err(Miss {
                path: Some(path),
                fault,
            }),
        }
    }

    fn managed(&self, file: &Path, base: Option<&Path>) -> Result<PythonEnvironment, PythonError> {
        let requirements = self.request.package_root.join(file);
        let mut managed = ManagedEnvironment::new(&requirements);
        if let Some(base) = base {
            managed = managed.interpreter(base).named_by(Origin::Variable);
        }
        let (mut environment, answer) = managed.create_with(self.variables)?;
        answer.jax_fault().map_err(|fault| {
            let requirements = requirements.clone();
            PythonError::RequirementsWithoutJax {
                requirements,
                fault,
            }
        })?;
        // If it is taken away, the next build makes it known again.
        let registered = plugin::register(&environment, self.variables)?;
        environment.watched.extend(registered);
        Ok(environment)
    }
}

/// The headline is for the one that came nearest.
fn nothing_usable(tried: Attempts) -> PythonError {
    let any = |matches: fn(&Fault) -> bool| tried.iter().any(|attempt| matches(&attempt.fault));
    if any(|fault| matches!(fault, Fault::OldJax { .. })) {
        PythonError::OldJax { tried }
    } else if any(|fault| {
        matches!(
            fault,
            Fault::NoJax { .. } | Fault::NoJaxlib { .. } | Fault::UnversionedJax { .. }
        )
    }) {
        PythonError::NoJax { tried }
    } else if any(|fault| matches!(fault, Fault::OldPython { .. } | Fault::NotCPython { .. })) {
        PythonError::TooOld { tried }
    } else {
        PythonError::NotFound { tried }
    }
}
#[cfg(unix)]
#[cfg(test)]
mod tests;
