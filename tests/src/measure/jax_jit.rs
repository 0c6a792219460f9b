//! A Python process that measures `jax.jit`.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use super::Failure;
use super::sides::Side;

const SERVE: &str = include_str!("jax_jit.py");

/// What Python runs.
#[derive(Clone, Copy, Debug)]
pub struct Script {
    /// A script that imports `jax_jit` first and calls `jax_jit.serve`.
    pub script: &'static str,
    /// The module of the programs: the name of its file, and its text.
    pub programs: (&'static str, &'static str),
}

/// A Python process that waits to be asked. It ends when this is dropped.
#[derive(Debug)]
pub struct JaxJit {
    python: PathBuf,
    child: Child,
    questions: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    /// Where its modules lie.
    _folder: tempfile::TempDir,
}

impl JaxJit {
    /// Starts it with a script.
    ///
    /// # Errors
    /// Python can't be started. That it has no JAX is seen at the first question.
    pub fn start(python: &Path, script: Script) -> Result<Self, Failure> {
        let failure = |source| Failure::Python {
            python: python.to_owned(),
            source,
        };
        let folder = tempfile::tempdir().map_err(failure)?;
        let (programs, text) = script.programs;
        let main = folder.path().join("main.py");
        let files = [
            (main.clone(), script.script),
            (folder.path().join("jax_jit.py"), SERVE),
            (folder.path().join(programs), text),
        ];
        for (file, text) in files {
            std::fs::write(file, text).map_err(failure)?;
        }
        let mut child = Command::new(python)
            .arg("-B")
            .arg(&main)
            .env("JAX_PLATFORMS", "cpu")
            // It makes the BLAS of the rival take code for another processor.
            .env_remove("OPENBLAS_CORETYPE")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(failure)?;
        let (Some(questions), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(failure(std::io::ErrorKind::BrokenPipe.into()));
        };
        Ok(Self {
            python: python.to_owned(),
            child,
            questions: Some(questions),
            answers: BufReader::new(answers),
            _folder: folder,
        })
    }

    /// The side of this rival in a row, named by the words that the script's `make` takes.
    pub fn side(&mut self, row: impl Into<String>) -> Side<'_> {
        let row = row.into();
        Side::of_blocks("jax_jit", move |block| self.measure(&row, block.calls()))
    }

    /// Nanoseconds per call.
    fn measure(&mut self, row: &str, calls: usize) -> Result<f64, Failure> {
        let failure = |source| Failure::Python {
            python: self.python.clone(),
            source,
        };
        if let Some(questions) = &mut self.questions {
            // That it has ended is told by the answer that does not come.
            let _ = writeln!(questions, "{row} {calls}");
        }
        let mut answer = String::new();
        self.answers.read_line(&mut answer).map_err(failure)?;
        let calls = f64::from(u32::try_from(calls).unwrap_or(u32::MAX));
        match answer.trim().parse::<f64>() {
            Ok(time) => Ok(time / calls),
            Err(_) => Err(Failure::Answer {
                python: self.python.clone(),
                row: row.to_owned(),
                answer,
            }),
        }
    }
}

impl Drop for JaxJit {
    fn drop(&mut self) {
        // It ends when there are no more questions. How it ends is of no use to anybody.
        self.questions = None;
        let _ = self.child.wait();
    }
}
