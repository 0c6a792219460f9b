//! The tools that make an environment and put packages into it: uv, or Python's own `venv` and pip.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use super::error::{InstallFailure, PythonError};
use super::probe::{isolate, start};
use super::search_path::on_path;
use super::{interpreter_in, set};
use crate::cargo::Variables;

/// As many lines as an error shows of what a tool printed.
const LAST_LINES: usize = 15;

/// Settings of pip and uv that would send the packages elsewhere, or take them from another environment. All others,
/// such as those of indexes, certificates and proxies, are passed on.
const DIVERTING_VARIABLES: [&str; 9] = [
    "PIP_TARGET",
    "PIP_PREFIX",
    "PIP_ROOT",
    "PIP_PYTHON",
    "PIP_REQUIREMENT",
    "PIP_REQUIRE_VIRTUALENV",
    "UV_SYSTEM_PYTHON",
    "UV_PYTHON",
    "UV_PROJECT_ENVIRONMENT",
];

/// One line of progress. That nobody reads it is no error.
pub(super) fn say(line: &str) {
    let _ = writeln!(io::stderr(), "cyxla: {line}");
}

/// A tool that makes environments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Installer {
    /// uv, at this path.
    Uv(PathBuf),
    /// `venv` and pip of the interpreter that the environment is made from.
    Pip,
}

/// What an environment is to be made of.
#[derive(Debug)]
pub(super) struct Order<'a> {
    /// The interpreter to make it from.
    pub(super) base: &'a Path,
    /// Where it will be; nothing is there yet.
    pub(super) directory: &'a Path,
    /// The requirements, an absolute path.
    pub(super) requirements: &'a Path,
    /// Every tool holds it open. Should the build be killed while a tool goes on, the environment stays locked until
    /// that tool has ended too.
    pub(super) lock: &'a File,
}

impl Installer {
    /// uv where there is one that runs, else pip.
    pub(super) fn find(variables: &Variables) -> Self {
        let uv = on_path("uv", set(variables, "PATH"));
        uv.filter(|uv| runs(uv)).map_or(Self::Pip, Self::Uv)
    }

    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Uv(_) => "uv",
            Self::Pip => "venv and pip",
        }
    }

    /// Makes the environment and installs the requirements.
    pub(super) fn run(&self, order: &Order<'_>) -> Result<(), PythonError> {
        let interpreter = interpreter_in(order.directory);
        let (mut make, mut install) = match self {
            Self::Uv(uv) => {
                let mut make = Command::new(uv);
                make.args(["venv", "--quiet", "--python"]).arg(order.base);
                let mut install = Command::new(uv);
                install
                    .args(["pip", "install", "--python"])
                    .arg(&interpreter);
                // JAX takes seconds to import when it has to be compiled each time: nothing is cached by `python -B`.
                install.arg("--compile-bytecode");
                for command in [&mut make, &mut install] {
                    command.env("UV_PYTHON_DOWNLOADS", "never");
                }
                (make, install)
            }
            Self::Pip => {
                let mut make = Command::new(order.base);
                make.args(["-I", "-m", "venv"]);
                let mut install = Command::new(&interpreter);
                install.args(["-I", "-m", "pip", "install"]);
                install.args(["--disable-pip-version-check", "--no-input"]);
                install.args(["--progress-bar", "off"]);
                // `user = true` in a configuration file would fail in an environment.
                install.env("PIP_USER", "0");
                (make, install)
            }
        };
        make.arg(order.directory);
        install.arg("-r").arg(order.requirements);

        // uv reads the settings of the project around it; there is none beside the environment.
        let beside = order.directory.parent().unwrap_or(order.directory);
        self.step(
            order,
            "making the virtual environment",
            make.current_dir(beside),
        )?;
        // Paths in requirements count from the working directory.
        let place = order.requirements.parent().unwrap_or(beside);
        self.step(
            order,
            "installing the requirements",
            install.current_dir(place),
        )
    }

    fn step(
        &self,
        order: &Order<'_>,
        stage: &'static str,
        command: &mut Command,
    ) -> Result<(), PythonError> {
        isolate(command);
        for variable in DIVERTING_VARIABLES {
            command.env_remove(variable);
        }
        let (ending, last_lines) = match shown(command, order.lock) {
            Ok((status, _)) if status.success() => return Ok(()),
            Ok((status, lines)) => (status.to_string(), lines),
            Err(error) => (error.to_string(), Vec::new()),
        };
        Err(PythonError::Install {
            stage,
            command: written(command),
            ending,
            cause: InstallFailure::of(&last_lines),
            last_lines,
            requirements: order.requirements.to_owned(),
            uv: *self != Self::Pip,
        })
    }
}

/// Version managers put files in the way that say only that no such version is chosen.
fn runs(program: &Path) -> bool {
    let mut command = Command::new(program);
    command
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let status = start(&mut command).and_then(|mut child| child.wait());
    status.is_ok_and(|status| status.success())
}

/// Runs a command, shows what it prints and keeps the last lines of it.
fn shown(command: &mut Command, lock: &File) -> io::Result<(ExitStatus, Vec<String>)> {
    let (reader, writer) = io::pipe()?;
    command
        .stdin(lock.try_clone()?)
        .stdout(writer.try_clone()?)
        .stderr(writer);
    let child = start(command);
    // The command holds the writing ends and the lock; the pipe ends when the child alone has closed it.
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let mut child = child?;
    let mut last = VecDeque::with_capacity(LAST_LINES);
    for line in BufReader::new(reader).split(b'\n').map_while(Result::ok) {
        let line = String::from_utf8_lossy(&line).trim_end().to_owned();
        if line.is_empty() {
            continue;
        }
        let _ = writeln!(io::stderr(), "  {line}");
        if last.len() == LAST_LINES {
            last.pop_front();
        }
        last.push_back(line);
    }
    Ok((child.wait()?, last.into()))
}

/// The command as one would type it.
fn written(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let quoted = words.map(|word| {
        let word = word.to_string_lossy();
        let plain = |c: char| c.is_alphanumeric() || "-_./=:@%+,".contains(c);
        if word.chars().all(plain) {
            word.into_owned()
        } else {
            format!("'{}'", word.replace('\'', r"'\''"))
        }
    });
    quoted.collect::<Vec<_>>().join(" ")
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;
    use crate::python::fake::{Fake, Folder};

    fn lock(folder: &Folder) -> File {
        File::create(folder.path().join("lock")).unwrap()
    }

    fn order<'a>(paths: &'a [PathBuf; 3], lock: &'a File) -> Order<'a> {
        Order {
            base: &paths[0],
            directory: &paths[1],
            requirements: &paths[2],
            lock,
        }
    }

    #[test]
    fn uv_is_taken_only_where_it_runs() {
        let folder = Folder::new();
        let variables = Variables::fixed([("PATH", folder.path().to_str().unwrap())]);
        assert_eq!(Installer::find(&variables), Installer::Pip);
        folder.interpreter(
            "uv",
            &Fake::script("echo 'uv: command not found'; exit 127"),
        );
        assert_eq!(Installer::find(&variables), Installer::Pip);
        let uv = folder.interpreter("uv", &Fake::script("echo uv 0.9.0"));
        assert_eq!(Installer::find(&variables), Installer::Uv(uv));
    }

    #[test]
    fn uv_gets_the_interpreter_and_never_fetches_one() {
        let folder = Folder::new();
        let uv = folder.interpreter(
            "uv",
            &Fake::script(
                "echo \"$UV_PYTHON_DOWNLOADS ${VIRTUAL_ENV-} ${UV_PYTHON-}$*\" >>\"$0.log\"",
            ),
        );
        let root = folder.path().canonicalize().unwrap();
        let paths = ["python", "environment", "requirements.txt"].map(|name| root.join(name));
        let lock = lock(&folder);
        Installer::Uv(uv).run(&order(&paths, &lock)).unwrap();
        let log = std::fs::read_to_string(folder.path().join("uv.log")).unwrap();
        let root = root.display();
        assert_eq!(
            log,
            format!(
                "never  venv --quiet --python {root}/python {root}/environment\n\
                 never  pip install --python {root}/environment/bin/python --compile-bytecode \
                 -r {root}/requirements.txt\n"
            )
        );
    }

    #[test]
    fn a_failure_shows_the_command_and_its_last_lines() {
        let folder = Folder::new();
        let script = "for i in $(seq 20); do echo line $i; done; echo; echo oops >&2; exit 4";
        let uv = folder.interpreter("my uv", &Fake::script(script));
        let paths =
            ["python", "environment", "requirements.txt"].map(|name| folder.path().join(name));
        let lock = lock(&folder);
        let error = Installer::Uv(uv).run(&order(&paths, &lock)).unwrap_err();
        let text = error
            .to_string()
            .replace(folder.path().to_str().unwrap(), "/w");
        let expected = "making the virtual environment failed (exit status: 4)
  command: '/w/my uv' venv --quiet --python /w/python /w/environment
  its last lines:
    line 7
";
        assert!(text.starts_with(expected), "{text}");
        assert!(text.contains("\n    line 20\n    oops\n  help: "), "{text}");
        assert!(!error.is_network());
    }

    #[test]
    fn a_tool_that_outlives_the_build_keeps_the_lock() {
        let folder = Folder::new();
        let path = folder.path().join("lock");
        let ours = File::create(&path).unwrap();
        ours.lock().unwrap();
        let other = File::open(&path).unwrap();
        let mut tool = Command::new("sleep");
        tool.arg("0.3").stdin(ours.try_clone().unwrap());
        let mut child = tool.spawn().unwrap();
        drop((ours, tool));
        assert!(other.try_lock().is_err());
        child.wait().unwrap();
        assert!(other.try_lock().is_ok());
    }

    #[test]
    fn what_failed_is_told_from_the_words_of_the_tools() {
        let of = |lines: &[&str]| {
            InstallFailure::of(&lines.iter().map(ToString::to_string).collect::<Vec<_>>())
        };
        let pip_without_network = [
            "WARNING: Retrying (Retry(total=0)) after connection broken by 'NewConnectionError(\
             'Failed to establish a new connection: [Errno -3] Temporary failure in name resolution')'",
            "ERROR: Could not find a version that satisfies the requirement jax (from versions: none)",
            "ERROR: No matching distribution found for jax",
        ];
        assert_eq!(of(&pip_without_network), InstallFailure::Network);
        assert_eq!(of(&pip_without_network[1..]), InstallFailure::NoMatch);
        let other_versions = [
            pip_without_network[0],
            "ERROR: Could not find a version that satisfies the requirement jax==9 (from versions: 0.6.2)",
        ];
        assert_eq!(of(&other_versions), InstallFailure::NoMatch);
        let uv = [
            "error: Failed to fetch: `x`",
            "  Caused by: error sending request for url",
        ];
        assert_eq!(of(&uv), InstallFailure::Network);
        let full = ["ERROR: Could not install: [Errno 28] No space left on device"];
        assert_eq!(of(&full), InstallFailure::DiskFull);
        assert_eq!(of(&["Traceback"]), InstallFailure::Other);
    }
}
