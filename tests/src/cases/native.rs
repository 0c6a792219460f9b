//! A case as machine code.

use std::path::Path;

use cyxla::{HostArray, HostView, LoweredProgram};
use cyxla_build::native::{Level, Source};
use cyxla_native::Program;
use cyxla_native::image::Image;

use super::Outcome;
use super::trial::Stop;

/// Has XLA make machine code of a program, for this processor.
pub(super) fn image(
    program: &LoweredProgram,
    python: &Path,
    scratch: &Path,
) -> Result<Image, Stop> {
    let file = scratch.join("program.mlirbc");
    std::fs::write(&file, &program.code).map_err(Stop::fails)?;
    let source = Source::new(file);
    let mut levels =
        cyxla_build::native::images(python, &[source], &[Level::V3]).map_err(Stop::fails)?;
    let image = levels.pop().and_then(|mut programs| programs.pop());
    match image {
        Some(Ok(image)) => Ok(image),
        Some(Err(reason)) => Err(Stop {
            outcome: Outcome::NotNative,
            reason: reason.to_string(),
        }),
        None => Err(Stop::fails("no image came back")),
    }
}

/// Loads machine code, with the handlers of `jnp.linalg`.
#[expect(unsafe_code, reason = "machine code is run as it is")]
pub(super) fn load(image: Image) -> Result<Program, Stop> {
    let handler = |target: &str| -> Option<&'static dyn cyxla::ffi::Handler> {
        let mut targets = cyxla_linalg::targets().iter();
        let (_, handler) = targets.find(|(name, _)| *name == target)?;
        Some(handler)
    };
    // SAFETY: XLA and `cyxla-build` have just made it.
    unsafe { Program::load(image, &handler) }.map_err(|error| Stop {
        outcome: Outcome::NotNative,
        reason: error.to_string(),
    })
}

/// Calls machine code.
pub(super) fn call(program: &Program, arguments: &[HostView<'_>]) -> Result<Vec<HostArray>, Stop> {
    let inputs: Vec<_> = arguments.iter().map(HostView::bytes).collect();
    let types = program.output_types().iter();
    let mut results: Vec<_> = types.clone().map(|of| vec![0; of.nbytes()]).collect();
    let mut outputs: Vec<_> = results.iter_mut().map(Vec::as_mut_slice).collect();
    program.run(&inputs, &mut outputs).map_err(Stop::fails)?;
    let results = types.zip(&results);
    let array = |(array_type, bytes): (_, &Vec<u8>)| {
        HostView::new(array_type, bytes)
            .map(HostArray::from)
            .map_err(Stop::fails)
    };
    results.map(array).collect()
}
