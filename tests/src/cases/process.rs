//! Gives each case a process of its own, so that one that crashes or hangs is a row and not the end.

use std::fs::{self, File};
use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use super::Row;
use super::trial::{self, Job};

/// The first argument of a process that tries one case; the second is the file with the [`Job`].
pub const TRIAL: &str = "--trial";

/// Something that is no fault of the case.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProcessError {
    /// A file can't be read or written, or the process can't be started.
    #[error("can't access {path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file between the processes can't be understood.
    #[error("can't understand {path}: {source}")]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong where.
        source: serde_json::Error,
    },
}

/// Tries `job` in a process of its own, for as long as `limit`.
///
/// # Blocking
/// For as long as the case takes.
///
/// # Errors
/// The process can't be started or told what to do. That it dies is a row.
pub fn run(job: &Job, limit: Duration) -> Result<Row, ProcessError> {
    let file = job.scratch.join("job.json");
    write(&file, job)?;
    let log = job.scratch.join("log");
    let output = || File::create(&log).map_err(at(&log));
    let (stdout, stderr) = {
        let file = output()?;
        (file.try_clone().map_err(at(&log))?, file)
    };
    let executable = std::env::current_exe().map_err(at(Path::new("this program")))?;
    let mut child = Command::new(&executable)
        .arg(TRIAL)
        .arg(&file)
        .current_dir(&job.scratch)
        .stdin(Stdio::null())
        .stdout(stdout)
        .stderr(stderr)
        // A group of its own, to end the Python below it too.
        .process_group(0)
        .spawn()
        .map_err(at(&executable))?;
    let status = wait(&mut child, limit).map_err(at(&executable))?;

    let path = row_file(&job.scratch);
    let mut row: Row = match fs::read(&path) {
        Ok(json) => serde_json::from_slice(&json).map_err(|source| ProcessError::Malformed {
            path: path.clone(),
            source,
        })?,
        Err(_) => Row::new(&job.name, job.engine),
    };
    match status {
        Some(status) if status.success() => {}
        Some(status) => {
            let last = last_line(&log);
            row.reason = format!("{} while {}{last}", death(status), row.reason);
        }
        None => {
            let seconds = limit.as_secs_f64();
            row.reason = format!("not done after {seconds} s, while {}", row.reason);
        }
    }
    Ok(row)
}

/// Tries the case of a job file; what [`run`] starts.
///
/// # Errors
/// The file can't be read, or the row can't be written.
pub fn trial(file: &Path) -> Result<(), ProcessError> {
    let json = fs::read(file).map_err(at(file))?;
    let job: Job = serde_json::from_slice(&json).map_err(|source| ProcessError::Malformed {
        path: file.to_owned(),
        source,
    })?;
    let path = row_file(&job.scratch);
    let row = trial::run(&job, |row| {
        // Only of use if the process dies.
        let _ = write(&path, row);
    });
    write(&path, &row)
}

fn row_file(scratch: &Path) -> PathBuf {
    scratch.join("row.json")
}

/// Replaces a file, so that it is never seen half-written.
fn write(path: &Path, content: &impl serde::Serialize) -> Result<(), ProcessError> {
    let json = serde_json::to_vec(content).map_err(|source| ProcessError::Malformed {
        path: path.to_owned(),
        source,
    })?;
    let new = path.with_extension("new");
    fs::write(&new, json).map_err(at(&new))?;
    fs::rename(&new, path).map_err(at(path))
}

fn at(path: &Path) -> impl FnOnce(io::Error) -> ProcessError + use<> {
    let path = path.to_owned();
    move |source| ProcessError::Io { path, source }
}

/// How the process ended; none if it had to be ended.
fn wait(child: &mut Child, limit: Duration) -> io::Result<Option<ExitStatus>> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if start.elapsed() >= limit {
            kill_group(child)?;
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn kill_group(child: &mut Child) -> io::Result<()> {
    // The shell's own `kill`: the standard library can end one process only, and would leave its Python behind.
    let command = format!("kill -KILL -{}", child.id());
    Command::new("sh").arg("-c").arg(command).status()?;
    child.kill()?;
    child.wait().map(|_| ())
}

fn death(status: ExitStatus) -> String {
    match (status.signal(), status.code()) {
        (Some(signal), _) => format!("killed by signal {signal}"),
        (None, Some(code)) => format!("ended with exit code {code}"),
        (None, None) => "ended".to_owned(),
    }
}

/// The last thing that a process said, as the end of a sentence.
fn last_line(log: &Path) -> String {
    let bytes = fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let last = text.lines().rev().find(|line| !line.trim().is_empty());
    last.map(|line| format!(": {}", line.trim()))
        .unwrap_or_default()
}
