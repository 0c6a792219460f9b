//! Asking an interpreter what it is.

use std::io::{self, BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use serde::Deserialize;

use super::fault::Fault;

/// JAX gave up Python 3.9 before the oldest JAX that is supported here.
pub(super) const OLDEST_PYTHON: (u32, u32) = (3, 10);

/// The oldest JAX that `lower/main.py` knows.
pub(super) const OLDEST_JAX: (u32, u32, u32) = (0, 6, 2);

/// What an interpreter may take, the first start from a cold network drive included.
const ANSWER_LIMIT: Duration = Duration::from_secs(60);

const SCRIPT: &str = include_str!("probe.py");
const ANSWER: &str = "cyxla-probe: ";

/// Variables by which an active environment would reach into another interpreter.
pub(super) const FOREIGN_VARIABLES: [&str; 4] = [
    "PYTHONHOME",
    "PYTHONPATH",
    "VIRTUAL_ENV",
    "__PYVENV_LAUNCHER__",
];

/// The variables that an interpreter is asked with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Surroundings {
    /// Those of the user, as the lowering will have them: PYTHONPATH may be how JAX is found.
    User,
    /// Without those of whatever environment is active, as a managed environment is made.
    Isolated,
}

/// What an interpreter says of itself.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Answer {
    implementation: String,
    version: (u32, u32, u32),
    /// The directory of its environment.
    pub(super) prefix: PathBuf,
    /// The interpreter that its virtual environment was made from, or itself; links resolved.
    pub(super) base: Option<PathBuf>,
    /// Such as `linux-x86_64`.
    pub(super) platform: String,
    pub(super) site_packages: PathBuf,
    pub(super) platform_site_packages: PathBuf,
    makes_environments: bool,
    jax_origin: Option<PathBuf>,
    pub(super) jax: Option<String>,
    jaxlib: bool,
}

impl Answer {
    /// Such as `3.11.7`.
    pub(super) fn version(&self) -> String {
        let (major, minor, micro) = self.version;
        format!("{major}.{minor}.{micro}")
    }

    /// Such as `3.11`.
    pub(super) fn minor_version(&self) -> String {
        let (major, minor, _) = self.version;
        format!("{major}.{minor}")
    }

    /// What keeps this interpreter from running any JAX.
    pub(super) fn python_fault(&self) -> Result<(), Fault> {
        let version = self.version();
        if self.implementation != "CPython" {
            return Err(Fault::NotCPython {
                implementation: self.implementation.clone(),
                version,
            });
        }
        let (major, minor, _) = self.version;
        if (major, minor) < OLDEST_PYTHON {
            return Err(Fault::OldPython { version });
        }
        Ok(())
    }

    /// What keeps it from lowering programs.
    pub(super) fn jax_fault(&self) -> Result<(), Fault> {
        self.python_fault()?;
        let python = self.version();
        let Some(origin) = &self.jax_origin else {
            return Err(Fault::NoJax { python });
        };
        let Some(jax) = self.jax.clone() else {
            return Err(Fault::UnversionedJax {
                python,
                origin: origin.clone(),
            });
        };
        if release(&jax) < OLDEST_JAX {
            return Err(Fault::OldJax { python, jax });
        }
        if !self.jaxlib {
            return Err(Fault::NoJaxlib { python, jax });
        }
        Ok(())
    }

    /// What keeps it from making virtual environments with its own means.
    pub(super) fn venv_fault(&self) -> Result<(), Fault> {
        self.python_fault()?;
        if !self.makes_environments {
            return Err(Fault::NoVenv {
                python: self.version(),
            });
        }
        Ok(())
    }
}

/// The numbers that a version begins with: `0.7.0.dev20250601` is (0, 7, 0).
fn release(version: &str) -> (u32, u32, u32) {
    let mut numbers = version.split('.').map(|part| {
        let digits = part.len() - part.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        part[..digits].parse().unwrap_or(0)
    });
    let mut next = || numbers.next().unwrap_or(0);
    (next(), next(), next())
}

/// Asks the interpreter at `path` what it is.
///
/// `directory` is where it is started: version managers choose by the working directory.
pub(super) fn ask(
    path: &Path,
    directory: &Path,
    surroundings: Surroundings,
) -> Result<Answer, Fault> {
    ask_within(path, directory, surroundings, ANSWER_LIMIT)
}

fn ask_within(
    path: &Path,
    directory: &Path,
    surroundings: Surroundings,
    limit: Duration,
) -> Result<Answer, Fault> {
    check_file(path)?;
    let not_started = |error: io::Error| Fault::NotStarted {
        reason: error.to_string(),
    };
    let (reader, writer) = io::pipe().map_err(not_started)?;
    let mut command = Command::new(path);
    command
        .args(["-B", "-c", SCRIPT])
        .current_dir(directory)
        .stdin(Stdio::null())
        .stdout(writer.try_clone().map_err(not_started)?)
        .stderr(writer);
    if surroundings == Surroundings::Isolated {
        isolate(&mut command);
    }
    let child = start(&mut command).map_err(not_started)?;
    // The command holds the writing ends; the reader would never see the end of the pipe.
    drop(command);
    let lines = read_within(reader, child, limit).ok_or(Fault::NoAnswer {
        seconds: limit.as_secs(),
    })?;

    let answer = lines
        .text
        .iter()
        .rev()
        .find_map(|line| line.strip_prefix(ANSWER));
    match answer.map(serde_json::from_str::<Answer>) {
        Some(Ok(answer)) => Ok(answer),
        Some(Err(error)) => Err(Fault::NotPython {
            said: format!("an answer that cannot be read ({error})"),
        }),
        None => Err(Fault::NotPython { said: lines.gist() }),
    }
}

/// Takes away what an active environment put into the variables.
pub(super) fn isolate(command: &mut Command) {
    for variable in FOREIGN_VARIABLES {
        command.env_remove(variable);
    }
}

fn check_file(path: &Path) -> Result<(), Fault> {
    match path.metadata() {
        Ok(metadata) if metadata.is_dir() => Err(Fault::Directory),
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(match path.read_link() {
            Ok(target) => Fault::DanglingLink { target },
            Err(_) => Fault::NoSuchFile,
        }),
        Err(error) => Err(Fault::NotStarted {
            reason: error.to_string(),
        }),
    }
}

/// Starts a program that somebody may have finished writing only now.
pub(super) fn start(command: &mut Command) -> io::Result<Child> {
    // Linux refuses a file that any process still holds open for writing, if only for the moment between
    // the fork and the exec of a child that has nothing to do with it.
    for _ in 0..50 {
        match command.spawn() {
            Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy => {
                std::thread::sleep(Duration::from_millis(20));
            }
            result => return result,
        }
    }
    command.spawn()
}

/// What a program printed, and how it ended where that is known.
struct Printed {
    text: Vec<String>,
    ending: String,
}

impl Printed {
    /// The line that tells most about what went wrong.
    fn gist(self) -> String {
        let line = |line: &String| !line.trim().is_empty();
        let starts = |words| self.text.iter().find(|line| line.starts_with(words));
        let gist = if starts("Traceback").is_some() {
            // Python ends with the exception.
            self.text.iter().rfind(|text| line(text))
        } else {
            // Others, such as version managers, begin with what is wrong and go on about it.
            starts("Fatal Python error").or_else(|| self.text.iter().find(|text| line(text)))
        };
        gist.map_or(self.ending, |line| line.trim().to_owned())
    }
}

fn read_within(reader: io::PipeReader, mut child: Child, limit: Duration) -> Option<Printed> {
    let (sender, receiver) = mpsc::channel();
    // Left behind when the time is up: a grandchild may keep the pipe open for ever.
    std::thread::spawn(move || {
        let lines = BufReader::new(reader).split(b'\n');
        let text: Vec<String> = lines
            .map_while(Result::ok)
            .map(|line| String::from_utf8_lossy(&line).trim_end().to_owned())
            .collect();
        // The receiver is gone only when the time is up.
        let _ = sender.send(text);
    });
    let Ok(text) = receiver.recv_timeout(limit) else {
        let _ = child.kill();
        let _ = child.wait();
        return None;
    };
    let ending = match child.wait() {
        Ok(status) => format!("it printed nothing ({status})"),
        Err(error) => error.to_string(),
    };
    Some(Printed { text, ending })
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;
    use crate::python::fake::{Fake, Folder};
    use crate::python::search_path::on_path;

    fn fault(fake: &Fake) -> Fault {
        let folder = Folder::new();
        let path = folder.interpreter("python3", fake);
        let answer = ask(&path, folder.path(), Surroundings::User);
        answer.and_then(|answer| answer.jax_fault()).unwrap_err()
    }

    #[test]
    fn versions_are_compared_by_number() {
        assert_eq!(release("0.10.2"), (0, 10, 2));
        assert_eq!(release("0.7.0.dev20250601+abc"), (0, 7, 0));
        assert_eq!(release("0.6.2rc1"), (0, 6, 2));
        assert_eq!(release("1"), (1, 0, 0));
        assert!(release("0.10.0") > release("0.9.2"));
    }

    #[test]
    fn what_has_python_and_jax_is_taken() {
        let folder = Folder::new();
        let path = folder.interpreter("python3", &Fake::python("3.10.0").jax("0.6.2"));
        let answer = ask(&path, folder.path(), Surroundings::User).unwrap();
        assert_eq!(answer.version(), "3.10.0");
        assert_eq!(answer.minor_version(), "3.10");
        assert_eq!(answer.jax_fault(), Ok(()));
    }

    #[test]
    fn each_fault_of_an_interpreter_has_its_words() {
        let cases = [
            (
                Fake::python("3.9.18").jax("0.6.2"),
                "Python 3.9.18, older than 3.10",
            ),
            (Fake::python("2.7.18"), "Python 2.7.18, older than 3.10"),
            (Fake::python("3.11.7"), "Python 3.11.7 without JAX"),
            (
                Fake::python("3.11.7").jax("0.4.30"),
                "Python 3.11.7 with JAX 0.4.30, older than 0.6.2",
            ),
            (
                Fake::python("3.11.7").jax("0.7.0").without_jaxlib(),
                "Python 3.11.7 with JAX 0.7.0, but no jaxlib",
            ),
            (
                Fake::python("3.11.7").jax("0.7.0").without_metadata(),
                "Python 3.11.7 with a `jax` of unknown version, /site/jax/__init__.py",
            ),
            (
                Fake::python("3.10.13").implementation("PyPy"),
                "PyPy 3.10.13, but JAX needs CPython",
            ),
            (
                Fake::script("echo 'pyenv: python3: command not found' >&2; echo Note; exit 127"),
                "not a working Python: pyenv: python3: command not found",
            ),
            (
                Fake::script("echo Traceback; echo '  File x'; echo 'ImportError: json'"),
                "not a working Python: ImportError: json",
            ),
            (
                Fake::script("echo 'Python path configuration:'; echo 'Fatal Python error: init'"),
                "not a working Python: Fatal Python error: init",
            ),
            (
                Fake::script("exit 3"),
                "not a working Python: it printed nothing (exit status: 3)",
            ),
        ];
        for (fake, expected) in cases {
            assert_eq!(fault(&fake).to_string(), expected);
        }
    }

    #[test]
    fn each_fault_of_a_path_has_its_words() {
        let folder = Folder::new();
        let ask = |path: &Path| {
            let answer = ask(path, folder.path(), Surroundings::User);
            answer.unwrap_err().to_string()
        };
        assert_eq!(ask(&folder.path().join("none")), "no such file");
        assert_eq!(ask(folder.path()), "a directory, not an interpreter");

        let link = folder.path().join("link");
        std::os::unix::fs::symlink("/gone/python3", &link).unwrap();
        assert_eq!(ask(&link), "a link to /gone/python3, which is gone");

        let plain = folder.file("plain", "not a program");
        assert!(ask(&plain).starts_with("cannot be started: Permission denied"));
    }

    #[test]
    fn one_that_never_answers_is_given_up() {
        let folder = Folder::new();
        let path = folder.interpreter("python3", &Fake::script("sleep 60"));
        let limit = Duration::from_millis(100);
        let answer = ask_within(&path, folder.path(), Surroundings::User, limit);
        assert_eq!(answer.unwrap_err(), Fault::NoAnswer { seconds: 0 });
    }

    #[test]
    fn a_folder_called_jax_in_the_working_directory_is_not_jax() {
        let Some(python) = on_path("python3", std::env::var_os("PATH")) else {
            return;
        };
        let folder = Folder::new();
        folder.file("jax/__init__.py", "");
        folder.file("jaxlib/__init__.py", "");
        let answer = ask(&python, folder.path(), Surroundings::Isolated).unwrap();
        assert!(
            answer
                .jax_origin
                .is_none_or(|origin| !origin.starts_with(folder.path()))
        );
    }
}
