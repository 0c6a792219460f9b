use std::fmt::{self, Write as _};
use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;

use cyxla_artifact::ManifestError;
use serde::Deserialize;

/// Why Python could not lower programs.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LowerError {
    /// Files or folders that the lowering needs can't be made.
    #[error("can't write {path} for Python to read: {source}\n  help: {TEMPORARY}")]
    Prepare {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A path can't be told to Python.
    #[error("can't ask Python to lower: {reason}\n  help: use folders whose names are UTF-8")]
    Request {
        /// What JSON can't hold.
        reason: String,
    },
    /// The interpreter doesn't start.
    #[error(
        "can't start {python}: {source}\n  help: name an interpreter in the environment variable CYXLA_PYTHON"
    )]
    Start {
        /// The interpreter.
        python: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The interpreter ended without an answer: user code ended it, or a library crashed.
    #[error("{}", died(python, *status, lowering.as_deref(), stderr))]
    Died {
        /// The interpreter.
        python: PathBuf,
        /// How it ended.
        status: ExitStatus,
        /// The entry point that it was lowering, if it came that far.
        lowering: Option<String>,
        /// The last lines that it printed.
        stderr: String,
    },
    /// What Python answered is no answer.
    #[error(
        "Python's answer can't be understood: {reason}\n  \
         help: something else writes to the standard output of this Python when it starts"
    )]
    Answer {
        /// What is wrong with it.
        reason: String,
    },
    /// This Python can't lower anything: it has no JAX, or one that doesn't work.
    #[error("{0}")]
    Environment(Box<Failure>),
    /// Programs that can't be lowered, all that were found.
    #[error("{}", all(.0))]
    Programs(Vec<ProgramFailure>),
    /// A file with code that Python wrote can't be read back.
    #[error(transparent)]
    Code(#[from] ManifestError),
}

const TEMPORARY: &str =
    "the temporary folder must be there, writable and not full; TMPDIR names another one";

/// What is wrong with a program, or with the JAX that is to lower it.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Failure {
    /// What kind of mistake it is.
    pub kind: FailureKind,
    /// What failed, on what.
    pub message: String,
    /// The remedy.
    pub help: String,
    /// Where in Python it is, as far as Python could tell.
    pub location: Option<FailureLocation>,
    /// The traceback, without frames that are not the user's.
    pub traceback: Option<String>,
}

/// A place in Python source, on this machine.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct FailureLocation {
    /// The file.
    pub file: PathBuf,
    /// The line, from 1.
    pub line: u32,
}

/// Kinds of [`Failure`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum FailureKind {
    /// The Python is older than any supported JAX.
    OldPython,
    /// The Python has no JAX.
    NoJax,
    /// The JAX is older than what is supported.
    OldJax,
    /// JAX is there and can't be imported.
    BrokenJax,
    /// There is no such Python module.
    ModuleMissing,
    /// The Python module raises an exception when it is imported.
    ImportFailed,
    /// The module has no such function.
    FunctionMissing,
    /// The target is no function.
    NotCallable,
    /// The Python function takes another number of arguments.
    WrongArguments,
    /// Nothing says what types the arguments have.
    TypesMissing,
    /// The function that gives the example arguments raises an exception.
    ExampleArgs,
    /// An argument is something else than an array.
    ArgumentNotArray,
    /// The length of an axis is a variable.
    SymbolicDimension,
    /// JAX would change the type, as 64-bit types are off.
    DtypeChanged,
    /// An element type or a rank that cyxla doesn't carry.
    UnsupportedDtype,
    /// The Python function raises an exception when JAX traces or lowers it.
    TraceFailed,
    /// The program calls back into Python.
    HostCallback,
    /// The program calls foreign code that was not allowed.
    CustomCall,
    /// The program is written for several devices.
    Devices,
    /// The function returns something else than arrays.
    OutputNotArray,
    /// The program can't be written at the StableHLO version that was asked for.
    StablehloVersion,
    /// Something that should not happen.
    Internal,
}

/// A [`Failure`] with the programs that it concerns.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ProgramFailure {
    /// The entry points, `module:function`.
    pub targets: Vec<String>,
    /// What is wrong.
    pub failure: Failure,
}

impl ProgramFailure {
    /// The failures of programs, each failure once, in the order of the programs.
    pub(super) fn collect<'a>(failures: impl IntoIterator<Item = (&'a str, Failure)>) -> Vec<Self> {
        let mut found: Vec<Self> = Vec::new();
        for (target, failure) in failures {
            match found.iter_mut().find(|other| other.failure == failure) {
                Some(same) if same.targets.iter().any(|other| other == target) => {}
                Some(same) => same.targets.push(target.to_owned()),
                None => found.push(Self {
                    targets: vec![target.to_owned()],
                    failure,
                }),
            }
        }
        found
    }
}

/// Prints the message, the place, the traceback and the remedy.
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        if let Some(FailureLocation { file, line }) = &self.location {
            write!(f, "\n  --> {}:{line}", file.display())?;
        }
        for line in self
            .traceback
            .iter()
            .flat_map(|traceback| traceback.lines())
        {
            write!(f, "\n  | {line}")?;
        }
        write!(f, "\n  help: {}", self.help)
    }
}

/// Prints which programs can't be lowered, and why.
impl fmt::Display for ProgramFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let targets: Vec<String> = self
            .targets
            .iter()
            .map(|target| format!("`{target}`"))
            .collect();
        write!(f, "can't lower {}: {}", targets.join(", "), self.failure)
    }
}

fn all(failures: &[ProgramFailure]) -> String {
    let texts: Vec<String> = failures.iter().map(ToString::to_string).collect();
    texts.join("\n\n")
}

fn died(
    python: &std::path::Path,
    status: ExitStatus,
    lowering: Option<&str>,
    stderr: &str,
) -> String {
    let mut text = format!(
        "{} ended without an answer, with {status}",
        python.display()
    );
    if let Some(target) = lowering {
        let _ = write!(text, ", while it lowered `{target}`");
    }
    for line in stderr.lines() {
        let _ = write!(text, "\n  | {line}");
    }
    text.push_str(
        "\n  help: code that is imported or traced must not end the process; an unknown name in XLA_FLAGS does, and so \
         does the system when memory runs out",
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(message: &str) -> Failure {
        Failure {
            kind: FailureKind::TraceFailed,
            message: message.into(),
            help: "mend it".into(),
            location: Some(FailureLocation {
                file: "model.py".into(),
                line: 7,
            }),
            traceback: Some("Traceback:\nTypeError".into()),
        }
    }

    #[test]
    fn all_failures_are_reported_each_once() {
        let failures = [
            ("model:f", failure("no")),
            ("model:g", failure("never")),
            ("model:h", failure("no")),
            ("model:f", failure("no")),
        ];
        let error = LowerError::Programs(ProgramFailure::collect(failures));
        assert_eq!(
            error.to_string(),
            "can't lower `model:f`, `model:h`: no\n  --> model.py:7\n  | Traceback:\n  | TypeError\n  help: mend it\n\n\
             can't lower `model:g`: never\n  --> model.py:7\n  | Traceback:\n  | TypeError\n  help: mend it"
        );
    }
}
