//! Has jaxlib compile programs to machine code: one Python process for each level of instructions.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use cyxla_artifact::{Digest, Level};
use cyxla_native::image::Image;
use serde::Serialize;

use super::{NotExpressible, translate};

const SCRIPT: &str = include_str!("compile.py");
/// As many processes compile at the same time: each takes a few hundred megabytes, and XLA has threads of its own.
const MOST_PROCESSES: usize = 2;
/// As many of the last lines on stderr tell why a process died.
const TAIL_LINES: usize = 3;

/// A program to compile.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Source {
    /// The file with its StableHLO.
    pub code: PathBuf,
    /// The targets of custom calls that the run time has handlers for, and jaxlib none.
    pub custom_calls: Vec<String>,
}

impl Source {
    /// The program in a file with StableHLO, without custom calls but those of `jnp.linalg`.
    pub fn new(code: impl Into<PathBuf>) -> Self {
        Self {
            code: code.into(),
            custom_calls: Vec::new(),
        }
    }
}

/// Machine code can't be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NativeError {
    /// A temporary file can't be used.
    #[error(
        "can't prepare to compile, at {path}: {source}\n  help: the folder for temporary files must be writable and not full"
    )]
    Prepare {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Python can't be started.
    #[error("can't start {python}: {source}\n  help: name another Python in CYXLA_PYTHON")]
    Start {
        /// The interpreter.
        python: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Programs with `engine = "native"` can't be machine code.
    #[error(
        "there is no machine code of\n{reasons}  help: with `engine = \"auto\"` a PJRT plugin runs what can't be machine code"
    )]
    NotExpressible {
        /// Each program with its reason, one a line.
        reasons: String,
    },
}

/// The digest of all that runs in Python.
pub(crate) fn script_digest() -> Digest {
    Digest::of(SCRIPT.as_bytes())
}

#[derive(Serialize)]
struct Request<'a> {
    programs: Vec<ProgramRequest<'a>>,
}

#[derive(Serialize)]
struct ProgramRequest<'a> {
    code: PathBuf,
    custom_calls: &'a [String],
    executable: PathBuf,
}

/// What became of each program.
type Outcomes = Vec<Result<Image, NotExpressible>>;

/// The images of programs, for each level those of all programs, both in the order given.
///
/// The same program gives the same image, but for the order of a kernel's arguments where XLA makes one of a loop.
///
/// `python` is an interpreter with JAX. XLA makes use of what the processor has that it runs on, also beyond the level; what
/// an image needs it says itself.
///
/// ```no_run
/// use cyxla_build::native::{Level, Source, images};
///
/// let program = Source::new("predict.mlirbc");
/// let images = images("python3".as_ref(), &[program], &[Level::V3])?;
/// match &images[0][0] {
///     Ok(image) => println!("{} bytes of code", image.code.bytes.len()),
///     Err(reason) => println!("no image: {reason}"),
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Blocking
/// Until Python is done: a second and more for each two levels.
///
/// # Errors
/// Python can't be started, or there is no room for temporary files.
pub fn images(
    python: &Path,
    programs: &[Source],
    levels: &[Level],
) -> Result<Vec<Outcomes>, NativeError> {
    let next = AtomicUsize::new(0);
    let done: Vec<Option<Result<Outcomes, NativeError>>> = levels.iter().map(|_| None).collect();
    let done = Mutex::new(done);
    thread::scope(|scope| {
        for _ in 0..levels.len().min(MOST_PROCESSES) {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(&level) = levels.get(index) else {
                        break;
                    };
                    let outcome = compile(python, programs, level);
                    let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
                    done[index] = Some(outcome);
                }
            });
        }
    });
    let done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.into_iter().flatten().collect()
}

fn compile(python: &Path, programs: &[Source], level: Level) -> Result<Outcomes, NativeError> {
    let prepare = |path: &Path| {
        let path = path.to_owned();
        move |source| NativeError::Prepare { path, source }
    };
    let folder = tempfile::Builder::new().prefix("cyxla-compile-").tempdir();
    let folder = folder.map_err(prepare(&std::env::temp_dir()))?;
    let place = |name: &str| folder.path().join(name);
    let mut request = Request {
        programs: Vec::new(),
    };
    for (index, program) in programs.iter().enumerate() {
        request.programs.push(ProgramRequest {
            code: std::path::absolute(&program.code).map_err(prepare(&program.code))?,
            custom_calls: &program.custom_calls,
            executable: place(&index.to_string()),
        });
    }
    let json = serde_json::to_vec(&request).map_err(|error| NativeError::Prepare {
        path: place("request.json"),
        source: error.into(),
    })?;
    for (name, content) in [
        ("compile.py", SCRIPT.as_bytes()),
        ("request.json", json.as_slice()),
    ] {
        fs::write(place(name), content).map_err(prepare(&place(name)))?;
    }
    let mut command = Command::new(python);
    command
        .arg("-B")
        .args(["compile.py", "request.json", "answer.json"].map(place));
    for name in crate::lower::DIVERTING_VARIABLES {
        command.env_remove(name);
    }
    // What the user set for XLA is for programs as PJRT runs them; the variable is the only way to set a level.
    command
        .env_remove("CYXLA_FIXED_ADDRESSES")
        .env("XLA_FLAGS", flags(level))
        .env("JAX_PLATFORMS", "cpu")
        .env("PYTHONHASHSEED", "0")
        .current_dir(folder.path());
    let output = command.output().map_err(|source| NativeError::Start {
        python: python.to_owned(),
        source,
    })?;
    let answer = fs::read(place("answer.json")).ok();
    let answer = answer.and_then(|json| serde_json::from_slice(&json).ok());
    let answers: Vec<Option<String>> = answer.unwrap_or_else(|| {
        let reason = format!(
            "Python died of compiling it ({}): {}",
            output.status,
            tail(&output.stderr)
        );
        vec![Some(reason); programs.len()]
    });
    let outcomes = request.programs.iter().zip(answers);
    let outcomes = outcomes.map(|(program, failed)| match failed {
        Some(reason) => Err(NotExpressible { reason }),
        None => match fs::read(&program.executable) {
            Ok(serialized) => translate(&serialized),
            Err(error) => Err(NotExpressible::new(format!(
                "its machine code can't be read: {error}"
            ))),
        },
    });
    Ok(outcomes.collect())
}

/// Source: `xla_cpu_max_isa` in xla/xla.proto, and xla/backends/cpu/codegen/cpu_features.cc for its words.
fn flags(level: Level) -> &'static str {
    match level {
        Level::V2 => "--xla_cpu_max_isa=SSE4_2",
        Level::V3 => "--xla_cpu_max_isa=AVX2",
        Level::V4 => "--xla_cpu_max_isa=AVX512",
        _ => "",
    }
}

fn tail(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    let lines: Vec<&str> = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    lines[lines.len().saturating_sub(TAIL_LINES)..].join("; ")
}
