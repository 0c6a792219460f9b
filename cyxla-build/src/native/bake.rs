//! Makes the images of a package's programs, behind their lowering.

use std::fs;
use std::path::Path;

use cyxla_artifact::{
    Digest, Engine, ImageFile, LINALG_CALLS, Level, Manifest, Platform, is_xla_call,
};
use cyxla_native::image::Image;

use super::{NativeError, NotExpressible, Source, images};
use crate::cargo::Variables;
use crate::protocol::{Lowered, ProgramRequest};

/// The ending of the name of a file with an image.
pub(crate) const IMAGE: &str = "image";

/// The machine that a package is built for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct CpuTarget {
    architecture: String,
    system: String,
}

impl CpuTarget {
    /// As Cargo tells a build script; outside of one, this machine.
    pub(crate) fn of(variables: &Variables) -> Self {
        let given = |name, here: &str| {
            let value = variables.given_by_cargo(name);
            let value = value.and_then(|value| value.into_string().ok());
            value.unwrap_or_else(|| here.to_owned())
        };
        Self {
            architecture: given("CARGO_CFG_TARGET_ARCH", std::env::consts::ARCH),
            system: given("CARGO_CFG_TARGET_OS", std::env::consts::OS),
        }
    }

    fn check(&self) -> Result<(), NotExpressible> {
        let Self {
            architecture,
            system,
        } = self;
        let compiles = (std::env::consts::ARCH, std::env::consts::OS);
        if (architecture.as_str(), system.as_str()) != ("x86_64", "linux") {
            return Err(NotExpressible::new(format!(
                "it is built for {architecture} {system}, and there is machine code for x86_64 linux only"
            )));
        }
        if compiles != ("x86_64", "linux") {
            return Err(NotExpressible::new(
                "machine code for x86_64 linux is made on such a machine only",
            ));
        }
        Ok(())
    }
}

/// What images are made for.
#[derive(Debug)]
pub(crate) struct Baking<'a> {
    pub(crate) python: &'a Path,
    pub(crate) target: &'a CpuTarget,
    /// The levels of instructions, the least demanding first.
    pub(crate) levels: &'a [Level],
    /// The folder with the code, and for the images.
    pub(crate) output: &'a Path,
}

/// Makes the images of all programs that want them.
///
/// # Errors
/// Nothing can be compiled at all; or a program must be machine code and can't.
pub(crate) fn bake(
    baking: &Baking<'_>,
    requests: &[ProgramRequest],
    programs: &mut [Lowered],
) -> Result<(), NativeError> {
    let mut wanted: Vec<(&ProgramRequest, &mut Lowered)> = Vec::new();
    for (request, program) in requests.iter().zip(programs) {
        program.native.engine = request.engine;
        if request.engine.is_baked() {
            wanted.push((request, program));
        }
    }
    if wanted.is_empty() {
        return Ok(());
    }
    // Programs that are lowered for other devices only have no code that the processor could run.
    for (_, program) in &mut wanted {
        if program.platform() != Platform::Cpu.name() {
            program.native.reason = Some("it is not lowered for the platform cpu".to_owned());
        }
    }
    demanded(&wanted)?;
    wanted.retain(|(_, program)| program.native.reason.is_none());
    if wanted.is_empty() {
        return Ok(());
    }
    if let Err(NotExpressible { reason }) = baking.target.check() {
        for (_, program) in &mut wanted {
            program.native.reason = Some(reason.clone());
        }
        return demanded(&wanted);
    }
    let sources: Vec<Source> = wanted
        .iter()
        .map(|(_, program)| source(baking, program))
        .collect();
    let levels = images(baking.python, &sources, baking.levels)?;
    for (&level, outcomes) in baking.levels.iter().zip(levels) {
        for ((_, program), outcome) in wanted.iter_mut().zip(outcomes) {
            match outcome.and_then(|image| fitting(image, program)) {
                Ok(image) => keep(baking, program, level, &image)?,
                Err(NotExpressible { reason }) => program.native.reason = Some(reason),
            }
        }
    }
    for (_, program) in &mut wanted {
        if !program.native.images.is_empty() {
            program.native.reason = None;
        }
        program.native.images.reverse();
    }
    demanded(&wanted)
}

fn source(baking: &Baking<'_>, program: &Lowered) -> Source {
    let calls = program.custom_calls().iter();
    let is_own = |call: &&String| !LINALG_CALLS.contains(&call.as_str()) && !is_xla_call(call);
    Source {
        code: baking.output.join(program.code_file()),
        custom_calls: calls.filter(is_own).cloned().collect(),
    }
}

/// The image, if it takes and gives what the program does.
fn fitting(image: Image, program: &Lowered) -> Result<Image, NotExpressible> {
    let inputs = image.inputs.iter().map(|input| input.array_type);
    let outputs = image.outputs.iter().map(|output| output.array_type);
    let types: [Vec<_>; 2] = [inputs.collect(), outputs.collect()];
    if types != program.types() {
        return Err(NotExpressible::new(
            "XLA gave it other arguments or results than JAX",
        ));
    }
    Ok(image)
}

/// Writes an image beside the code of its program. One that a less demanding level has too is not kept twice.
fn keep(
    baking: &Baking<'_>,
    program: &mut Lowered,
    level: Level,
    image: &Image,
) -> Result<(), NativeError> {
    let bytes = image.to_bytes();
    let sha256 = Digest::of(&bytes);
    if program
        .native
        .images
        .iter()
        .any(|known| known.sha256 == sha256)
    {
        return Ok(());
    }
    let code = program.code_file();
    let stem = code.rsplit_once('.').map_or(code, |(stem, _)| stem);
    let file = format!("{stem}-{level}-{}.{IMAGE}", sha256.short());
    let path = baking.output.join(&file);
    fs::write(&path, bytes).map_err(|source| NativeError::Prepare { path, source })?;
    program.native.images.push(ImageFile {
        level,
        file,
        sha256,
    });
    Ok(())
}

/// A line for each program that a plugin runs because there is no machine code of it.
pub(crate) fn not_baked(manifest: &Manifest) -> Vec<String> {
    let programs = manifest.programs.iter();
    let lines = programs.filter_map(|record| {
        let reason = record.native.reason.as_ref()?;
        Some(format!(
            "a PJRT plugin runs {}, which has no machine code: {reason}",
            record.target
        ))
    });
    lines.collect()
}

/// Fails if a program that must be machine code is not.
fn demanded(wanted: &[(&ProgramRequest, &mut Lowered)]) -> Result<(), NativeError> {
    let demanded = wanted
        .iter()
        .filter(|(request, _)| request.engine == Engine::Native);
    let reasons: Vec<String> = demanded
        .filter_map(|(request, program)| {
            let reason = program.native.reason.as_ref()?;
            Some(format!("  {}: {reason}\n", request.target))
        })
        .collect();
    let reasons = reasons.concat();
    if reasons.is_empty() {
        return Ok(());
    }
    Err(NativeError::NotExpressible { reasons })
}
