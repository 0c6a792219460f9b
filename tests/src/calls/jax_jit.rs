//! A Python process that measures `jax.jit`.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use super::Failure;
use super::sides::Side;

const SCRIPT: &str = include_str!("jax_jit.py");
const PROGRAMS: &str = include_str!("../../python/calls.py");

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
    /// Starts it.
    ///
    /// # Errors
    /// Python can't be started. That it has no JAX is seen at the first question.
    pub fn start(python: &Path) -> Result<Self, Failure> {
        let failure = |source| Failure::Python {
            python: python.to_owned(),
            source,
        };
        let folder = tempfile::tempdir().map_err(failure)?;
        let script = folder.path().join("jax_jit.py");
        std::fs::write(&script, SCRIPT).map_err(failure)?;
        std::fs::write(folder.path().join("calls.py"), PROGRAMS).map_err(failure)?;
        let mut child = Command::new(python)
            .arg("-B")
            .arg(&script)
            .env("JAX_PLATFORMS", "cpu")
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

    /// The side of this rival in a row.
    pub(super) fn side<'a>(&'a mut self, row: &'static str) -> Side<'a> {
        Side::of_blocks("jax_jit", move |block| self.measure(row, block.calls()))
    }

    /// Nanoseconds per call.
    fn measure(&mut self, row: &'static str, calls: usize) -> Result<f64, Failure> {
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
                row,
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
