//! The Python process that knows LAPACK's residuals.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use super::routines::{Arrays, Described};
use crate::measure::Failure;

const SCRIPT: &str = include_str!("judge.py");

/// A Python process that waits to be asked. It ends when this is dropped.
#[derive(Debug)]
pub(super) struct Judge {
    python: PathBuf,
    child: Child,
    questions: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

#[derive(serde::Serialize)]
struct Question<'a> {
    routine: &'a str,
    batch: usize,
    arrays: &'a [Described],
}

impl Judge {
    pub(super) fn start(python: &Path) -> Result<Self, Failure> {
        let failure = |source| Failure::Python {
            python: python.to_owned(),
            source,
        };
        let mut child = Command::new(python)
            .args(["-B", "-c", SCRIPT])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(failure)?;
        let questions = child.stdin.take();
        let Some(answers) = child.stdout.take().map(BufReader::new) else {
            return Err(failure(std::io::ErrorKind::BrokenPipe.into()));
        };
        Ok(Self {
            python: python.to_owned(),
            child,
            questions,
            answers,
        })
    }

    /// The residual of the arrays and that of LAPACK, for each measure of a routine.
    pub(super) fn ask(
        &mut self,
        routine: &str,
        batch: usize,
        arrays: &Arrays,
    ) -> Result<BTreeMap<String, [f64; 2]>, Failure> {
        let answer = self.answer(routine, batch, arrays);
        let answer = answer.map_err(|source| Failure::Python {
            python: self.python.clone(),
            source,
        })?;
        // Python writes NaN, which JSON has no word for.
        serde_json::from_str(&answer.replace("NaN", "1e999").replace("Infinity", "1e999")).map_err(
            |_| Failure::Answer {
                python: self.python.clone(),
                row: routine.to_owned(),
                answer,
            },
        )
    }

    fn answer(
        &mut self,
        routine: &str,
        batch: usize,
        arrays: &Arrays,
    ) -> Result<String, std::io::Error> {
        let question = Question {
            routine,
            batch,
            arrays: &arrays.described,
        };
        let mut line = serde_json::to_vec(&question)?;
        line.push(b'\n');
        if let Some(questions) = &mut self.questions {
            questions.write_all(&line)?;
            questions.write_all(&arrays.bytes)?;
            questions.flush()?;
        }
        let mut answer = String::new();
        self.answers.read_line(&mut answer)?;
        Ok(answer)
    }
}

impl Drop for Judge {
    fn drop(&mut self) {
        // Without questions, it ends.
        self.questions = None;
        let _ended = self.child.wait();
    }
}
