//! Environments that the build makes itself.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use etcetera::BaseStrategy as _;

use cyxla_artifact::Digest;

use super::base::Base;
use super::error::PythonError;
use super::install::{Installer, Order, say};
use super::probe::{self, Answer, Surroundings};
use super::requirements::Requirements;
use super::{Origin, PythonEnvironment, interpreter_in, user_directory};
use crate::cargo::Variables;

/// The variable that names the cache directory.
const CYXLA_CACHE_DIR: &str = "CYXLA_CACHE_DIR";

/// Counts up whenever environments are made in another way.
const FORMAT: &str = "1";

/// Written last: without it, an environment is half made.
const COMPLETE: &str = "cyxla-complete.json";

/// A Python environment made from a requirements file and kept in the user's cache directory.
///
/// ```text
/// <cache>/python/              <cache> is $CYXLA_CACHE_DIR, else `cyxla` in the user's cache directory
/// ├── 3.12-1f0c….lock          held while it is made
/// └── 3.12-1f0c…/              a virtual environment; the name is made of the requirements and the interpreter
///     ├── bin/python
///     └── cyxla-complete.json  written last
/// ```
///
/// It is made once, with uv where that is installed, else with Python's `venv` and pip, and found again as long as the
/// requirements (with the files that they include), the interpreter and its version stay the same. Environments with
/// the same requirements are shared between packages. Nothing is ever half made: one whose making was interrupted is
/// made anew.
///
/// `PIP_…` and `UV_…` variables, such as those of an index, are passed on; an active environment and PYTHONPATH have no
/// part in it. What the requirements install from this disk (`-e ./model`) is not followed when it changes.
///
/// ```no_run
/// # fn main() -> Result<(), cyxla_build::PythonError> {
/// let environment = cyxla_build::ManagedEnvironment::new("requirements.txt").create()?;
/// println!("{} has JAX {:?}", environment.interpreter().display(), environment.jax_version());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ManagedEnvironment {
    requirements: PathBuf,
    interpreter: Option<PathBuf>,
    named_by: Origin,
    cache_directory: Option<PathBuf>,
}

impl ManagedEnvironment {
    /// The environment of this requirements file.
    pub fn new(requirements: impl Into<PathBuf>) -> Self {
        Self {
            requirements: requirements.into(),
            interpreter: None,
            named_by: Origin::Given,
            cache_directory: None,
        }
    }

    /// Makes it from this interpreter, a path or a name on PATH.
    ///
    /// Else it is made from `python3` on PATH, the user's own choice; where that is older than 3.10 or can't make
    /// environments, from the newest `python3.N` on PATH, then from `python`.
    pub fn interpreter(mut self, path: impl Into<PathBuf>) -> Self {
        self.interpreter = Some(path.into());
        self
    }

    /// Keeps it under this directory instead of `CYXLA_CACHE_DIR` or the user's cache directory.
    pub fn cache_directory(mut self, path: impl Into<PathBuf>) -> Self {
        self.cache_directory = Some(path.into());
        self
    }

    /// Who named the interpreter, for the error.
    pub(super) fn named_by(mut self, origin: Origin) -> Self {
        self.named_by = origin;
        self
    }

    /// Finds the environment, or makes it. It need not hold JAX.
    ///
    /// # Blocking
    /// Making it takes as long as the download; progress goes to the standard error. Another process or thread that
    /// makes the same environment is waited for.
    ///
    /// # Errors
    /// [`PythonError::Requirements`], [`PythonError::Asked`] and [`PythonError::NoBase`] for the interpreter,
    /// [`PythonError::File`] and [`PythonError::NoDirectory`] for the cache directory, [`PythonError::Install`] when
    /// uv, venv or pip failed ([`PythonError::is_network`] tells whether for want of a network).
    pub fn create(&self) -> Result<PythonEnvironment, PythonError> {
        let made = self.create_with(&Variables::of_process());
        made.map(|(environment, _)| environment)
    }

    pub(super) fn create_with(
        &self,
        variables: &Variables,
    ) -> Result<(PythonEnvironment, Answer), PythonError> {
        let requirements = Requirements::read(&self.requirements)?;
        let installer = Installer::find(variables);
        let base = match &self.interpreter {
            Some(named) => {
                Base::named(named, &self.named_by, &requirements, &installer, variables)?
            }
            None => Base::on_path(&requirements, &installer, variables)?,
        };
        let place = Place::new(&self.python_directory(variables)?, &base, &requirements);

        let (answer, created) = match place.finished() {
            Some(answer) => (answer, false),
            None => place.make(&installer, &base, &requirements)?,
        };
        let interpreter = interpreter_in(&place.directory);
        let origin = Origin::Managed(self.requirements.clone());
        let mut environment = PythonEnvironment::new(interpreter, answer.clone(), origin);
        environment.created = created;
        environment.watched.extend(requirements.files);
        Ok((environment, answer))
    }

    /// The directory that holds all managed environments.
    fn python_directory(&self, variables: &Variables) -> Result<PathBuf, PythonError> {
        let named = self.cache_directory.clone();
        let usual = etcetera::choose_base_strategy()
            .ok()
            .map(|user| user.cache_dir());
        let cache = named.or_else(|| user_directory(variables, CYXLA_CACHE_DIR, usual));
        let cache = cache.ok_or(PythonError::NoDirectory {
            purpose: "Python environments",
            variable: CYXLA_CACHE_DIR,
        })?;
        let directory = std::path::absolute(&cache);
        let directory = directory.map_err(|source| file_error("find", &cache, source))?;
        Ok(directory.join("python"))
    }
}

/// Where an environment is, made or not.
struct Place {
    directory: PathBuf,
    lock: PathBuf,
}

impl Place {
    fn new(root: &Path, base: &Base, requirements: &Requirements) -> Self {
        let key: Digest = requirements
            .hasher()
            .part("format", FORMAT)
            .part("interpreter", base.path.as_os_str().as_encoded_bytes())
            .part("version", base.answer.version())
            .part("platform", &base.answer.platform)
            .finish();
        let name = format!("{}-{}", base.answer.minor_version(), key.short());
        Self {
            lock: root.join(format!("{name}.lock")),
            directory: root.join(name),
        }
    }

    /// What the environment says of itself, if it is complete and runs.
    fn finished(&self) -> Option<Answer> {
        if !self.directory.join(COMPLETE).is_file() {
            return None;
        }
        let interpreter = interpreter_in(&self.directory);
        probe::ask(&interpreter, &self.directory, Surroundings::Isolated).ok()
    }

    /// Makes the environment, or waits for who is making it. Tells whether it was made here.
    fn make(
        &self,
        installer: &Installer,
        base: &Base,
        requirements: &Requirements,
    ) -> Result<(Answer, bool), PythonError> {
        let lock = self.locked()?;
        if let Some(answer) = self.finished() {
            return Ok((answer, false));
        }
        self.remove()?;

        let file = requirements.file.display();
        say(&format!(
            "making the Python environment of {file} in {} (Python {}, with {})",
            self.directory.display(),
            base.answer.version(),
            installer.name(),
        ));
        let start = Instant::now();
        let order = Order {
            base: &base.path,
            directory: &self.directory,
            requirements: &requirements.file,
            lock: &lock,
        };
        let made = installer
            .run(&order)
            .and_then(|()| self.complete(installer, base, requirements));
        let answer = made.inspect_err(|_| {
            // The error of the tool says more than one of cleaning up after it; the next build removes it first.
            let _ = self.remove();
        })?;
        let seconds = start.elapsed().as_secs_f32();
        say(&format!(
            "made the Python environment of {file} in {seconds:.1} s"
        ));
        Ok((answer, true))
    }

    /// Takes the lock, which is let go when the file is closed.
    fn locked(&self) -> Result<File, PythonError> {
        let directory = self.lock.parent().unwrap_or(Path::new("/"));
        fs::create_dir_all(directory)
            .map_err(|source| file_error("create the directory", directory, source))?;
        let lock = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&self.lock)
            .map_err(|source| file_error("open", &self.lock, source))?;
        let locked = match lock.try_lock() {
            Ok(()) => Ok(()),
            Err(fs::TryLockError::WouldBlock) => {
                say(&format!(
                    "waiting for another build that makes the Python environment {}",
                    self.directory.display()
                ));
                lock.lock()
            }
            Err(fs::TryLockError::Error(error)) => Err(error),
        };
        locked.map_err(|source| file_error("lock", &self.lock, source))?;
        Ok(lock)
    }

    /// Marks the environment as complete, if it runs.
    fn complete(
        &self,
        installer: &Installer,
        base: &Base,
        requirements: &Requirements,
    ) -> Result<Answer, PythonError> {
        let interpreter = interpreter_in(&self.directory);
        let answer = probe::ask(&interpreter, &self.directory, Surroundings::Isolated);
        let answer = answer.map_err(|fault| PythonError::Broken {
            requirements: requirements.file.clone(),
            base: base.path.clone(),
            fault,
        })?;
        // For whoever wonders what this directory is; nothing reads it.
        let story = serde_json::json!({
            "requirements": requirements.file,
            "interpreter": base.path,
            "python": base.answer.version(),
            "made_with": installer.name(),
        });
        let path = self.directory.join(COMPLETE);
        tempfile::NamedTempFile::new_in(&self.directory)
            .and_then(|mut file| {
                io::Write::write_all(&mut file, format!("{story:#}\n").as_bytes())?;
                file.persist(&path).map_err(|error| error.error)
            })
            .map_err(|source| file_error("write", &path, source))?;
        Ok(answer)
    }

    /// Removes what is there, the mark first: a removal that is interrupted must not look complete.
    fn remove(&self) -> Result<(), PythonError> {
        let mark = self.directory.join(COMPLETE);
        for removed in [fs::remove_file(&mark), fs::remove_dir_all(&self.directory)] {
            match removed {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(file_error("remove", &self.directory, error));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

fn file_error(action: &'static str, path: &Path, source: io::Error) -> PythonError {
    PythonError::File {
        action,
        path: path.to_owned(),
        variable: CYXLA_CACHE_DIR,
        source,
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests;
