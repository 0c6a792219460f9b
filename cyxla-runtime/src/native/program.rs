use std::time::Instant;

use cyxla_artifact::ArrayType;
use cyxla_native::image::Image;

use crate::error::{Error, ExecuteError, NativeError};
use crate::ffi;
use crate::program::Program;
use crate::statistics::CompileStatistics;

/// The machine code of a program, loaded.
pub(crate) struct Native {
    program: cyxla_native::Program,
    statistics: CompileStatistics,
}

impl Native {
    /// Loads the first image of a program that this processor can run.
    ///
    /// # Errors
    /// There is none.
    pub(crate) fn load(program: &Program) -> Result<Self, NativeError> {
        let start = Instant::now();
        let mut refused = Vec::new();
        for bytes in program.images() {
            let image = Image::from_bytes(bytes).map_err(cyxla_native::LoadError::from);
            let loaded = image.and_then(|image| {
                // SAFETY: the expansion of `#[cyxla::program]` has taken it from the artifact, whose digests it has compared:
                // `cyxla-build` has made it.
                let loaded = unsafe { cyxla_native::Program::load(image, &ffi::handler) };
                loaded.and_then(|loaded| has_types_of(program, loaded))
            });
            match loaded {
                Ok(loaded) => {
                    return Ok(Self {
                        program: loaded,
                        statistics: CompileStatistics {
                            load_seconds: start.elapsed().as_secs_f64(),
                            loaded: 1,
                            ..CompileStatistics::default()
                        },
                    });
                }
                Err(error) => refused.push(error),
            }
        }
        let name = program.name().to_owned();
        match refused.pop() {
            // The least demanding image comes last.
            Some(source) => Err(NativeError::Load {
                program: name,
                source,
            }),
            None => Err(NativeError::NoImage {
                program: name,
                reason: program.not_native(),
            }),
        }
    }

    /// What it took to load.
    pub(crate) fn statistics(&self) -> CompileStatistics {
        self.statistics
    }

    /// The program.
    pub(super) fn program(&self) -> &cyxla_native::Program {
        &self.program
    }

    /// The types of the results.
    pub(crate) fn output_types(&self) -> &[ArrayType] {
        self.program.output_types()
    }

    /// The argument whose memory a result can take over.
    pub(crate) fn donor(&self, result: usize) -> Option<usize> {
        self.program.donor(result)
    }

    /// Runs the program. An argument without bytes, in memory that was given away, lies at the place of the result that takes it.
    ///
    /// # Errors
    /// A handler of a custom call fails.
    ///
    /// # Safety
    /// As many bytes for each argument, and room for each result, as their types say; nobody else uses the latter.
    #[expect(
        clippy::inline_always,
        reason = "numbers and sizes are constants of typed callers"
    )]
    #[inline(always)]
    pub(crate) unsafe fn run(
        &self,
        arguments: &[&[u8]],
        results: &[*mut [u8]],
    ) -> Result<(), Error> {
        // SAFETY: as the caller promises.
        match unsafe { self.program.call(arguments, results) } {
            Ok(()) => Ok(()),
            Err(error) => Err(failed(error)),
        }
    }
}

#[cold]
pub(super) fn failed(error: cyxla_native::RunError) -> Error {
    ExecuteError::Native(error).into()
}

/// The loaded image, if it is that of the program.
fn has_types_of(
    program: &Program,
    loaded: cyxla_native::Program,
) -> Result<cyxla_native::Program, cyxla_native::LoadError> {
    let inputs = program.inputs().iter().map(|input| &input.array_type);
    let outputs = program.outputs().iter().map(|output| &output.array_type);
    if inputs.eq(loaded.input_types()) && outputs.eq(loaded.output_types()) {
        return Ok(loaded);
    }
    Err(cyxla_native::LoadError::Other {
        program: loaded.name().to_owned(),
    })
}
