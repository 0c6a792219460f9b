//! One case, stage by stage.

use std::fmt::Display;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use cyxla::{
    Client, DType, DiskCache, Engine, Executable, HostArray, HostView, LoweredProgram, Options,
};
use cyxla_build::{Error, FailureKind, LowerError, LowerRequest};
use serde::{Deserialize, Serialize};

use super::difference::{Difference, tolerance};
use super::reference::{self, Reference, SHIM};
use super::{Outcome, Row, native};

/// What to try.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Job {
    /// The folder of the case.
    pub directory: PathBuf,
    /// The name of its module.
    pub name: String,
    /// The Python to lower with.
    pub python: PathBuf,
    /// What runs it.
    pub engine: Engine,
    /// The plugin, unless it is the default one.
    pub plugin: Option<PathBuf>,
    /// An empty folder for whatever needs one.
    pub scratch: PathBuf,
}

/// Time for which calls are repeated, and how often at least and at most.
const CALLS: (Duration, usize, usize) = (Duration::from_millis(500), 5, 2000);

/// Why a case goes no further.
pub(super) struct Stop {
    pub(super) outcome: Outcome,
    pub(super) reason: String,
}

impl Stop {
    pub(super) fn fails(reason: impl Display) -> Self {
        Self {
            outcome: Outcome::Fails,
            reason: reason.to_string(),
        }
    }

    fn differs(reason: impl Display) -> Self {
        Self {
            outcome: Outcome::Differs,
            reason: reason.to_string(),
        }
    }
}

/// Tries a case. `progress` is given the row before each stage, with the name of the stage as its reason, in case the stage
/// kills the process.
pub fn run(job: &Job, mut progress: impl FnMut(&Row)) -> Row {
    let mut row = Row::new(&job.name, job.engine);
    let stopped = stages(job, &mut row, &mut progress);
    if let Err(Stop { outcome, reason }) = stopped {
        row.outcome = outcome;
        row.reason = reason;
    }
    row
}

fn stages(job: &Job, row: &mut Row, progress: &mut impl FnMut(&Row)) -> Result<(), Stop> {
    let mut begin = |row: &mut Row, stage: &str| {
        stage.clone_into(&mut row.reason);
        progress(row);
    };

    begin(row, "JAX evaluated it");
    let reference = reference::evaluate(&job.python, &job.directory, &job.name, &job.scratch)
        .map_err(Stop::fails)?;
    row.arguments = Some(reference.arguments.len());
    row.results = Some(reference.results.len());

    begin(row, "it was lowered");
    let start = Instant::now();
    let program =
        cyxla_build::lower(&request(job, &reference)).map_err(|error| not_lowered(&error))?;
    row.lower_seconds = Some(start.elapsed().as_secs_f64());
    check_types(&program, &reference)?;

    let arguments = reference.arguments.iter();
    let arguments = arguments
        .map(|leaf| HostView::new(&leaf.array_type, &leaf.bytes).map_err(Stop::fails))
        .collect::<Result<Vec<_>, _>>()?;
    let mut worst = Worst::default();
    if job.engine == Engine::Native {
        begin(row, "it was compiled to machine code");
        let start = Instant::now();
        let image = native::image(&program, &job.python, &job.scratch)?;
        row.compile_seconds = Some(start.elapsed().as_secs_f64());

        begin(row, "its machine code was loaded");
        let start = Instant::now();
        let machine_code = native::load(image)?;
        row.load_seconds = Some(start.elapsed().as_secs_f64());

        begin(row, "it was called");
        let call = || native::call(&machine_code, &arguments);
        worst.compare(&program, &reference, &call()?)?;
        row.call_seconds = Some(median(call)?);
    } else {
        begin(row, "the plugin was loaded");
        let client = client(job).map_err(Stop::fails)?;

        begin(row, "it was compiled");
        let cache = DiskCache::at(job.scratch.join("cache"));
        let compile =
            |cache| cyxla::compile_program_in(cache, &client, &program).map_err(Stop::fails);
        let compiled = compile(&cache)?;
        row.compile_seconds = Some(compiled.statistics.compile_seconds);

        begin(row, "it was loaded from the cache");
        let loaded = compile(&cache)?;
        let statistics = loaded.statistics;
        row.load_seconds = (statistics.loaded == 1).then_some(statistics.load_seconds);

        begin(row, "it was called");
        let call = |executable: &Executable| executable.run(&arguments).map_err(Stop::fails);
        for executable in [&compiled.executable, &loaded.executable] {
            worst.compare(&program, &reference, &call(executable)?)?;
        }
        row.call_seconds = Some(median(|| call(&compiled.executable))?);
    }
    row.difference = Some(worst.difference.0);
    worst.judge()?;

    row.outcome = Outcome::Ok;
    row.reason = if worst.difference.0 > 0.0 {
        format!("within {:.1e}", worst.difference.0)
    } else {
        "exact".to_owned()
    };
    if row.load_seconds.is_none() {
        row.reason += "; the plugin can't serialise it";
    }
    Ok(())
}

fn request(job: &Job, reference: &Reference) -> LowerRequest {
    let mut request = LowerRequest::new(format!("{SHIM}:fn"));
    request.example_args = Some(format!("{SHIM}:example_args"));
    request.x64 = Some(reference.x64);
    request.python = Some(job.python.clone());
    request.python_path = vec![job.scratch.clone(), job.directory.clone()];
    if job.engine == Engine::Native {
        // An image has its constants in it.
        request.weights_from = None;
    }
    request
}

fn client(job: &Job) -> cyxla::Result<Client> {
    if let Some(plugin) = &job.plugin {
        cyxla::initialize(Options::new().plugin_path(plugin))?;
    }
    cyxla::default_client()
}

fn not_lowered(error: &Error) -> Stop {
    let refused = match error {
        Error::Lower(LowerError::Programs(failures)) => failures
            .first()
            .map(|program| &program.failure)
            .filter(|failure| {
                matches!(
                    failure.kind,
                    FailureKind::HostCallback
                        | FailureKind::CustomCall
                        | FailureKind::SymbolicDimension
                        | FailureKind::Devices
                        | FailureKind::UnsupportedDtype
                        | FailureKind::ArgumentNotArray
                        | FailureKind::OutputNotArray
                )
            }),
        _ => None,
    };
    match refused {
        Some(failure) => Stop {
            outcome: Outcome::NotExportable,
            reason: failure.message.clone(),
        },
        None => Stop::fails(error),
    }
}

/// Whether the program takes and gives what JAX does.
fn check_types(program: &LoweredProgram, reference: &Reference) -> Result<(), Stop> {
    for (what, found, expected) in [
        ("argument", program.input_types(), &reference.arguments),
        ("result", program.output_types(), &reference.results),
    ] {
        if found.len() != expected.len() {
            let (found, expected) = (found.len(), expected.len());
            return Err(Stop::differs(format!(
                "it has {found} {what}s, in JAX {expected}"
            )));
        }
        for (index, (found, expected)) in found.iter().zip(expected).enumerate() {
            let expected = expected.array_type;
            if *found != expected {
                return Err(Stop::differs(format!(
                    "{what} {index} is {found}, in JAX {expected}"
                )));
            }
        }
    }
    Ok(())
}

/// The result that is farthest from JAX, as a multiple of what is allowed.
struct Worst {
    difference: Difference,
    excess: f64,
    path: String,
}

impl Default for Worst {
    fn default() -> Self {
        Self {
            difference: Difference(0.0),
            excess: 0.0,
            path: String::new(),
        }
    }
}

impl Worst {
    fn compare(
        &mut self,
        program: &LoweredProgram,
        reference: &Reference,
        results: &[HostArray],
    ) -> Result<(), Stop> {
        let coarsest = coarsest(program);
        let leaves = program.record.outputs.iter();
        for ((found, expected), leaf) in results.iter().zip(&reference.results).zip(leaves) {
            let difference = Difference::of(found.array_type(), found.bytes(), &expected.bytes)
                .ok_or_else(|| Stop::fails(format!("{} can't be compared", leaf.path)))?;
            let allowed = match tolerance(found.array_type().dtype()) {
                0.0 => 0.0,
                usual => reference.tolerance.unwrap_or(usual.max(coarsest)),
            };
            // Of integers, any difference is too much.
            let excess = if difference.0 > 0.0 {
                difference.0 / allowed
            } else {
                0.0
            };
            if excess > self.excess {
                *self = Self {
                    difference,
                    excess,
                    path: leaf.path.clone(),
                };
            }
        }
        Ok(())
    }

    fn judge(&self) -> Result<(), Stop> {
        if self.excess > 1.0 {
            let Self {
                difference, path, ..
            } = self;
            return Err(Stop::differs(format!("{path} by {:.1e}", difference.0)));
        }
        Ok(())
    }
}

/// What a float of any type may differ by in this program. XLA may compute 16-bit floats in 32 bits and round them where it
/// likes, so whatever follows from them is no better than they are.
fn coarsest(program: &LoweredProgram) -> f64 {
    let types = program
        .input_types()
        .into_iter()
        .chain(program.output_types());
    types
        .map(|array_type| array_type.dtype())
        .filter(|dtype| matches!(dtype, DType::BF16 | DType::F16))
        .map(tolerance)
        .fold(0.0, f64::max)
}

fn median(mut run: impl FnMut() -> Result<Vec<HostArray>, Stop>) -> Result<f64, Stop> {
    let (time, least, most) = CALLS;
    let start = Instant::now();
    let mut durations = Vec::new();
    while durations.len() < least || (durations.len() < most && start.elapsed() < time) {
        let call = Instant::now();
        run()?;
        durations.push(call.elapsed());
    }
    durations.sort_unstable();
    Ok(durations[durations.len() / 2].as_secs_f64())
}
