//! Has Python lower programs.
//!
//! ```text
//! lower_all ── request ──► start.py            is this Python new enough?
//!                          main.py             the pipe, JAX, the order of the programs
//!                          ├── entry_point.py  module:function → function
//!                          ├── arguments.py    types or example arguments → leaves
//!                          ├── export.py       trace, export, what is refused
//!                          ├── portable.py     linear algebra without LAPACK
//!                          ├── weights.py      large arrays, out of the module and into files
//!                          ├── module.py       StableHLO at an older version, without locations
//!                          ├── failure.py      errors with place, traceback and remedy
//!                          └── reads.py        files and variables that were read, by user_code.py the user's
//!           ◄── answer ───
//! ```

mod error;
mod process;

use std::path::{Path, PathBuf};

use cyxla_artifact::{
    Declared, Engine, Linalg, LoweredProgram, Manifest, ManifestError, Platform, Provenance,
    StableHloVersion, WeightData, WeightsIn,
};

pub use error::{Failure, FailureKind, FailureLocation, LowerError, ProgramFailure};
pub(crate) use process::{DIVERTING_VARIABLES, script_digest};

use crate::Error;
use crate::cargo::Variables;
use crate::protocol::{Answer, KnownCalls, Lowered, ProgramRequest, Reads, Request, VERSION};
use crate::python::{self, EnvironmentRequest};

pub use crate::protocol::{Argument, Binding};

/// A request to lower one program, for tools; a build script uses [`Builder`](crate::Builder).
///
/// ```no_run
/// use cyxla_artifact::{ArrayType, DType};
/// use cyxla_build::{Argument, LowerRequest, lower};
///
/// let mut request = LowerRequest::new("model:predict");
/// request.arguments = Some(vec![Argument::new("x", ArrayType::new(DType::F32, &[8, 4])?)]);
/// request.python_path = vec!["python".into()];
/// let program = lower(&request)?;
/// println!("{} bytes of StableHLO", program.code.len());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Source: `lower` of the Python package.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct LowerRequest {
    /// The Python function as an entry point, `module:function`.
    pub target: String,
    /// The arguments in order, one array each; none if only [`example_args`](Self::example_args) knows them.
    pub arguments: Option<Vec<Argument>>,
    /// The entry point of a Python function, or value, that gives example arguments. A tuple is the list of arguments,
    /// anything else is the one argument; pytrees are arguments of one array for each leaf.
    pub example_args: Option<String>,
    /// Arguments that are given now: arrays in them are weights of the program.
    pub bind: Vec<Binding>,
    /// Bytes from which an array that the function closes over is a weight; none if all stay in the code.
    pub weights_from: Option<u64>,
    /// Whether JAX has 64-bit types. By default, if an argument has one, or if the user's code turns them on.
    pub x64: Option<bool>,
    /// Targets of custom calls that the run time has handlers for.
    pub custom_calls: Vec<String>,
    /// What linear algebra is lowered to.
    pub linalg: Linalg,
    /// The JAX platform to lower for.
    pub platform: Platform,
    /// The StableHLO version to write; by default [`StableHloVersion::DEFAULT`], or the newest that jaxlib knows.
    pub stablehlo_version: Option<StableHloVersion>,
    /// The interpreter; by default found as for a package in the current folder.
    pub python: Option<PathBuf>,
    /// Folders that Python searches for modules before all others. Relative ones start in the current folder.
    pub python_path: Vec<PathBuf>,
    /// Whether the code keeps the places in Python that it comes from. They hold paths of this machine.
    pub debug_info: bool,
}

impl LowerRequest {
    /// The request to lower `target`, `module:function`, for the CPU.
    pub fn new(target: impl Into<String>) -> Self {
        Self {
            target: target.into(),
            arguments: None,
            example_args: None,
            bind: Vec::new(),
            weights_from: Some(WeightsIn::DEFAULT_THRESHOLD),
            x64: None,
            custom_calls: Vec::new(),
            linalg: Linalg::default(),
            platform: Platform::Cpu,
            stablehlo_version: None,
            python: None,
            python_path: Vec::new(),
            debug_info: false,
        }
    }
}

/// Has JAX lower one program. Python runs in the current folder.
///
/// ```no_run
/// let mut request = cyxla_build::LowerRequest::new("model:predict");
/// request.example_args = Some("model:example_args".into());
/// request.python_path = vec!["python".into()];
/// let program = cyxla_build::lower(&request)?;
/// println!("{:?} -> {:?}", program.input_types(), program.output_types());
/// # Ok::<(), cyxla_build::Error>(())
/// ```
///
/// # Blocking
/// For as long as Python takes to import JAX and to trace: half a second and more.
///
/// # Errors
/// There is no Python with JAX, or the program can't be lowered; each error says where and what to do.
pub fn lower(request: &LowerRequest) -> Result<LoweredProgram, Error> {
    let prepare = |path: &Path| {
        let path = path.to_owned();
        move |source| LowerError::Prepare { path, source }
    };
    let root = std::path::absolute(".").map_err(prepare(Path::new(".")))?;
    let python = match &request.python {
        Some(python) => python.clone(),
        None => found_python(&root)?,
    };
    let python_path: Vec<_> = request
        .python_path
        .iter()
        .map(|folder| root.join(folder))
        .collect();
    let output = tempfile::tempdir().map_err(prepare(&std::env::temp_dir()))?;
    let program = ProgramRequest {
        target: request.target.clone(),
        platforms: vec![request.platform],
        x64: request
            .x64
            .unwrap_or_else(|| needs_x64(request.arguments.as_deref().unwrap_or_default())),
        x64_explicit: request.x64.is_some(),
        arguments: request.arguments.clone(),
        example_args: request.example_args.clone(),
        bind: request.bind.clone(),
        weights_from: request.weights_from,
        weights: WeightsIn::default(),
        custom_calls: request.custom_calls.clone(),
        linalg: request.linalg,
        stablehlo_version: request.stablehlo_version,
        engine: Engine::default(),
    };
    let job = Job {
        python: &python,
        package_root: &root,
        python_path: &python_path,
        output: output.path(),
        debug_info: request.debug_info,
        programs: std::slice::from_ref(&program),
    };
    let mut lowered = lower_all(&job)?.programs;
    let Some(lowered) = lowered.pop() else {
        // One was asked for, and as many were answered.
        let reason = "it tells of no program".to_owned();
        return Err(LowerError::Answer { reason }.into());
    };
    let function = program.target.rsplit([':', '.']).next().unwrap_or_default();
    let record = lowered.record(function.to_owned(), &program, Declared::default());
    let mut program = Manifest::load(output.path(), &record).map_err(LowerError::from)?;
    // The folder is about to go.
    for weight in &mut program.weights {
        if let WeightData::File(path) = weight {
            let bytes = std::fs::read(&*path).map_err(|source| {
                let path = path.clone();
                LowerError::from(ManifestError::Io { path, source })
            })?;
            *weight = WeightData::Bytes(bytes.into());
        }
    }
    Ok(program)
}

fn found_python(root: &Path) -> Result<PathBuf, Error> {
    let request = EnvironmentRequest {
        package_root: root.to_owned(),
        workspace_root: root.to_owned(),
        builder: None,
        metadata: None,
    };
    let environment = python::environment(&request, &Variables::of_process())?;
    Ok(environment.interpreter().to_owned())
}

/// Whether arguments can only be had with 64-bit types.
pub(crate) fn needs_x64(arguments: &[Argument]) -> bool {
    let mut types = arguments.iter().filter_map(|argument| argument.array_type);
    types.any(|array_type| array_type.dtype().needs_x64())
}

/// Programs to lower in one Python process.
#[derive(Debug)]
pub(crate) struct Job<'a> {
    /// The interpreter.
    pub(crate) python: &'a Path,
    /// The folder that Python runs in, absolute.
    pub(crate) package_root: &'a Path,
    /// Folders that come before all others in `sys.path`, absolute.
    pub(crate) python_path: &'a [PathBuf],
    /// The folder for the files with code: there, absolute, and only for this.
    pub(crate) output: &'a Path,
    /// Whether the code keeps its places in Python.
    pub(crate) debug_info: bool,
    /// The programs.
    pub(crate) programs: &'a [ProgramRequest],
}

/// What [`lower_all`] gives.
#[derive(Debug)]
pub(crate) struct LoweredAll {
    pub(crate) provenance: Provenance,
    /// The programs, in the order of the request. The code lies in the output folder.
    pub(crate) programs: Vec<Lowered>,
    /// When something of this changes, it must be done again.
    pub(crate) reads: Reads,
}

/// Has JAX lower all programs of a job.
///
/// # Blocking
/// For as long as Python takes.
///
/// # Errors
/// Python can't be started or can't lower; or programs can't be lowered, and then all of those are in the error.
pub(crate) fn lower_all(job: &Job<'_>) -> Result<LoweredAll, LowerError> {
    let answer = ask(job)?;
    let mut programs = Vec::new();
    let mut failures = Vec::new();
    for (request, outcome) in job.programs.iter().zip(answer.programs) {
        match outcome {
            Ok(program) => programs.push(program),
            Err(failure) => failures.push((request.target.as_str(), failure)),
        }
    }
    if !failures.is_empty() {
        return Err(LowerError::Programs(ProgramFailure::collect(failures)));
    }
    Ok(LoweredAll {
        provenance: answer.provenance,
        programs,
        reads: answer.reads,
    })
}

/// Python's answer for each program of a job.
fn ask(job: &Job<'_>) -> Result<Answer, LowerError> {
    let request = Request {
        version: VERSION,
        package_root: job.package_root,
        python_path: job.python_path,
        output: job.output,
        debug_info: job.debug_info,
        calls: KnownCalls::ALL,
        programs: job.programs,
    };
    let request = serde_json::to_vec(&request).map_err(|error| LowerError::Request {
        reason: error.to_string(),
    })?;
    let targets: Vec<&str> = job
        .programs
        .iter()
        .map(|program| program.target.as_str())
        .collect();
    let line = process::answer(job.python, job.package_root, request, &targets)?;
    Answer::from_json(&line, targets.len())
}

#[cfg(test)]
mod tests;
