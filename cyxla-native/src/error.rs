use crate::image::{Architecture, CpuFeature};

/// An image that can't be run here.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The image contradicts itself.
    #[error(transparent)]
    Image(#[from] crate::image::ImageError),
    /// The code is for another instruction set.
    #[error(
        "the program `{program}` was compiled for {architecture}, and this is another processor\n  \
         help: build for this target, or run it by a PJRT plugin"
    )]
    Architecture {
        /// The program.
        program: String,
        /// What it was compiled for.
        architecture: Architecture,
    },
    /// The processor lacks instructions that the code has.
    #[error(
        "the program `{program}` needs {}, which this processor does not have\n  \
         help: bake an image for a lower level of instructions, or run it by a PJRT plugin",
        list(.missing)
    )]
    Features {
        /// The program.
        program: String,
        /// What is missing.
        missing: Vec<CpuFeature>,
    },
    /// Nobody has given a handler of a custom call.
    #[error(
        "the program `{program}` calls `{target}`, which has no handler\n  \
         help: register one before the first call of the program"
    )]
    Handler {
        /// The program.
        program: String,
        /// The name of the custom call.
        target: String,
    },
    /// The program has a step that this engine does not do.
    #[error(
        "the program `{program}` has {step}, which the native engine does not run\n  help: run it by a PJRT plugin"
    )]
    Step {
        /// The program.
        program: String,
        /// What step.
        step: String,
    },
    /// The image is that of another program: its arguments and results are of other types.
    #[error(
        "the image is that of another program, `{program}`\n  help: build again, with the same version of cyxla and cyxla-build"
    )]
    Other {
        /// The program of the image.
        program: String,
    },
    /// The operating system gives no memory for code.
    #[error(
        "the operating system gives the program `{program}` no memory for machine code: {source}\n  \
         help: where a policy forbids executable memory, run it by a PJRT plugin"
    )]
    Code {
        /// The program.
        program: String,
        /// What the system says.
        source: std::io::Error,
    },
}

/// A call that has failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// Another number of arguments or results than the program has.
    #[error(
        "the program `{program}` has {expected} {what}, {found} were given\n  help: give as many as `inputs` and `outputs` of the program say"
    )]
    Count {
        /// The program.
        program: String,
        /// Arguments or results.
        what: &'static str,
        /// How many it has.
        expected: usize,
        /// How many were given.
        found: usize,
    },
    /// An argument or result of another size.
    #[error(
        "{what} {index} of the program `{program}` has {expected} bytes, {found} were given\n  help: give arrays of the types that `inputs` and `outputs` of the program say"
    )]
    Size {
        /// The program.
        program: String,
        /// Argument or result.
        what: &'static str,
        /// Which one.
        index: usize,
        /// Its size in bytes.
        expected: usize,
        /// What was given.
        found: usize,
    },
    /// A handler of a custom call has failed.
    #[error(
        "`{program}` failed while it ran as machine code: {message}\n  help: the message is that of the handler"
    )]
    Handler {
        /// The program.
        program: String,
        /// Which handler, and what it said.
        message: String,
    },
    /// A kernel has failed.
    #[error(
        "a kernel of the program `{program}` failed\n  help: run it by a PJRT plugin, and report this with the program"
    )]
    Kernel {
        /// The program.
        program: String,
    },
}

fn list(features: &[CpuFeature]) -> String {
    let names: Vec<_> = features.iter().map(ToString::to_string).collect();
    names.join(", ")
}
