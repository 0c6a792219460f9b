use std::path::PathBuf;

/// A row can't be measured.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Failure {
    /// cyxla's call failed.
    #[error(transparent)]
    Ours(#[from] cyxla::Error),
    /// What a program is called with can't be made.
    #[error(transparent)]
    Argument(#[from] cyxla::HostArrayError),
    /// The call on the raw C API failed.
    #[error("the rival on the C API: {0}")]
    Raw(#[from] cyxla_rival::Failure),
    /// A program can't be lowered.
    #[error(transparent)]
    Lower(#[from] cyxla_build::Error),
    /// Python can't be started or asked.
    #[error(
        "can't ask {python} what jax.jit takes: {source}\n  help: name a Python with JAX by --python, or leave JAX out with --no-jax"
    )]
    Python {
        /// The interpreter.
        python: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Python ended, or answered something else than a time.
    #[error(
        "{python} can't tell what jax.jit takes for `{row}`: it answers {answer:?}\n  help: what it says is above; --no-jax leaves JAX out"
    )]
    Answer {
        /// The interpreter.
        python: PathBuf,
        /// The row that was asked for.
        row: String,
        /// What came.
        answer: String,
    },
    /// The system does not say how much memory is used.
    #[error(
        "can't read how much memory is used, from {file}: {reason}\n  help: leave the row `donation` out; it needs Linux"
    )]
    Memory {
        /// The file of the system.
        file: &'static str,
        /// What is wrong.
        reason: String,
    },
    /// A thread of a row died.
    #[error("a thread of the row `{row}` panicked\n  help: what it says is above")]
    Thread {
        /// The row.
        row: &'static str,
    },
}
