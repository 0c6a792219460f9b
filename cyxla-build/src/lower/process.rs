//! The Python process: one request in, one answer out, whatever the user's code does to it.

use std::collections::VecDeque;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use cyxla_artifact::{Digest, Hasher};

use super::LowerError;
use crate::protocol;

/// As many lines of stderr are shown when the process died.
const TAIL_LINES: usize = 25;
/// A line longer than this is cut, so that the tail has a size.
const TAIL_LINE_BYTES: usize = 400;
/// An answer names each file that was read; this is room for a million.
const LONGEST_ANSWER: u64 = 256 << 20;
/// What a process may take to end once it has answered: threads of the user's code may never do.
const FAREWELL: Duration = Duration::from_secs(10);
/// What the last words may take after the end: a grandchild may hold the pipe open for ever.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// The files of the Python package, as they lie in the temporary folder.
const FILES: [(&str, &str); 12] = [
    ("start.py", include_str!("start.py")),
    ("cyxla_lower/__init__.py", include_str!("__init__.py")),
    ("cyxla_lower/main.py", include_str!("main.py")),
    ("cyxla_lower/failure.py", include_str!("failure.py")),
    ("cyxla_lower/user_code.py", include_str!("user_code.py")),
    ("cyxla_lower/reads.py", include_str!("reads.py")),
    ("cyxla_lower/entry_point.py", include_str!("entry_point.py")),
    ("cyxla_lower/arguments.py", include_str!("arguments.py")),
    ("cyxla_lower/module.py", include_str!("module.py")),
    ("cyxla_lower/portable.py", include_str!("portable.py")),
    ("cyxla_lower/weights.py", include_str!("weights.py")),
    ("cyxla_lower/export.py", include_str!("export.py")),
];

/// Variables that make Python do something else than run a script.
pub(crate) const DIVERTING_VARIABLES: [&str; 3] =
    ["PYTHONINSPECT", "PYTHONSTARTUP", "PYTHONBREAKPOINT"];

/// The digest of all that runs in Python, for the freshness of what it made.
pub(crate) fn script_digest() -> Digest {
    let hasher = FILES.iter().fold(Hasher::new(), |hasher, (name, text)| {
        hasher.part(name, text)
    });
    hasher.finish()
}

/// Runs the interpreter `python` in the folder `directory` on a request, and gives the line that answers it.
///
/// `targets` are the names of the programs, for messages. What the process prints is passed on to stderr.
///
/// # Errors
/// The process can't be started, or ends without an answer.
pub(super) fn answer(
    python: &Path,
    directory: &Path,
    request: Vec<u8>,
    targets: &[&str],
) -> Result<Vec<u8>, LowerError> {
    let scripts = Scripts::write()?;
    let mut child = start(python, directory, &scripts).map_err(|source| LowerError::Start {
        python: python.to_owned(),
        source,
    })?;
    let words = LastWords::listen(child.stderr.take());
    if let Some(mut stdin) = child.stdin.take() {
        // In a thread: a child that prints before it reads would wait for us, and we for it. That it doesn't read to
        // the end will show in its answer.
        thread::spawn(move || stdin.write_all(&request));
    }
    let mut lowering = None;
    let answer = child.stdout.take().and_then(|stdout| {
        let mut lines = BufReader::new(stdout.take(LONGEST_ANSWER));
        loop {
            let mut line = Vec::new();
            match lines.read_until(b'\n', &mut line) {
                Ok(0) | Err(_) => return None,
                Ok(_) if protocol::is_answer(&line) => return Some(line),
                Ok(_) => lowering = protocol::progress(&line).or(lowering),
            }
        }
    });
    let status = farewell(&mut child, answer.is_some());
    let stderr = words.heard();
    answer.ok_or_else(|| LowerError::Died {
        python: python.to_owned(),
        status: status.unwrap_or_default(),
        lowering: lowering
            .and_then(|number| targets.get(number))
            .map(ToString::to_string),
        stderr,
    })
}

fn start(python: &Path, directory: &Path, scripts: &Scripts) -> io::Result<Child> {
    let mut command = Command::new(python);
    // -B: no __pycache__ in the source tree.
    command
        .arg("-B")
        .arg(scripts.start())
        .current_dir(directory);
    for name in DIVERTING_VARIABLES {
        command.env_remove(name);
    }
    // A program whose trace goes through a set must come out the same every time.
    command.env("PYTHONHASHSEED", "0");
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command.spawn()
}

/// Waits for the end of a process; for one that has answered, not for long.
fn farewell(child: &mut Child, answered: bool) -> io::Result<ExitStatus> {
    let start = Instant::now();
    while answered && start.elapsed() < FAREWELL {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        thread::sleep(Duration::from_millis(5));
    }
    if answered {
        child.kill()?;
    }
    child.wait()
}

/// The Python files, in a temporary folder that is removed with this.
struct Scripts(tempfile::TempDir);

impl Scripts {
    fn write() -> Result<Self, LowerError> {
        let failed = |path: PathBuf| move |source| LowerError::Prepare { path, source };
        let folder = tempfile::Builder::new().prefix("cyxla-lower-").tempdir();
        let folder = folder.map_err(failed(std::env::temp_dir()))?;
        let package = folder.path().join("cyxla_lower");
        std::fs::create_dir(&package).map_err(failed(package))?;
        for (name, text) in FILES {
            let path = folder.path().join(name);
            std::fs::write(&path, text).map_err(failed(path))?;
        }
        Ok(Self(folder))
    }

    fn start(&self) -> PathBuf {
        self.0.path().join("start.py")
    }
}

/// Passes on what the process prints, and keeps the end of it.
struct LastWords {
    tail: Arc<Mutex<VecDeque<String>>>,
    ended: Receiver<()>,
}

impl LastWords {
    fn listen(stderr: Option<ChildStderr>) -> Self {
        let tail = Arc::new(Mutex::new(VecDeque::new()));
        let (sender, ended) = channel();
        if let Some(stderr) = stderr {
            let tail = Arc::clone(&tail);
            thread::spawn(move || {
                pass_on(stderr, &tail);
                // Nobody may wait any more.
                let _ = sender.send(());
            });
        }
        Self { tail, ended }
    }

    fn heard(self) -> String {
        // A closed channel has ended too.
        let _ = self.ended.recv_timeout(LAST_WORDS);
        let tail = self.tail.lock().unwrap_or_else(PoisonError::into_inner);
        let lines: Vec<&str> = tail.iter().map(String::as_str).collect();
        lines.join("\n")
    }
}

fn pass_on(stderr: ChildStderr, tail: &Mutex<VecDeque<String>>) {
    let mut lines = BufReader::new(stderr);
    let mut line = Vec::new();
    while matches!(lines.read_until(b'\n', &mut line), Ok(1..)) {
        // That nobody reads ours must not stop the child.
        let _ = io::stderr().write_all(&line);
        let cut = &line[..line.len().min(TAIL_LINE_BYTES)];
        let text = String::from_utf8_lossy(cut).trim_end().to_owned();
        let mut tail = tail.lock().unwrap_or_else(PoisonError::into_inner);
        if tail.len() == TAIL_LINES {
            tail.pop_front();
        }
        tail.push_back(text);
        line.clear();
    }
}
