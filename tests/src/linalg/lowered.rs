//! The programs, lowered by JAX.

use std::path::Path;
use std::thread;

use cyxla::LoweredProgram;
use cyxla_build::{Argument, LowerRequest};

use super::{Shape, matrices};
use crate::measure::Failure;

/// The function lowered for each shape, in order.
///
/// # Blocking
/// For seconds for each program, on all processors.
///
/// # Errors
/// Python has no JAX, or can't lower.
pub(super) fn programs(
    python: &Path,
    function: &'static str,
    shapes: &[Shape],
) -> Result<Vec<LoweredProgram>, Failure> {
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let share = shapes.len().div_ceil(workers).max(1);
    thread::scope(|scope| {
        let lower = |&shape: &Shape| program(python, function, shape);
        let workers: Vec<_> = shapes
            .chunks(share)
            .map(|shapes| {
                scope.spawn(move || shapes.iter().map(lower).collect::<Result<Vec<_>, _>>())
            })
            .collect();
        let mut programs = Vec::new();
        for worker in workers {
            programs.extend(
                worker
                    .join()
                    .map_err(|_| Failure::Thread { row: function })??,
            );
        }
        Ok(programs)
    })
}

fn program(python: &Path, function: &str, shape: Shape) -> Result<LoweredProgram, Failure> {
    let arguments = matrices::arguments(function, shape)?;
    let mut request = LowerRequest::new(format!("linalg_speed:{function}"));
    request.python = Some(python.to_owned());
    request.python_path = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("python")];
    request.arguments = Some(
        arguments
            .iter()
            .zip(["a", "b"])
            .map(|(argument, name)| Argument::new(name, *argument.array_type()))
            .collect(),
    );
    Ok(cyxla_build::lower(&request)?)
}
