use std::io;
use std::path::PathBuf;

use cyxla_artifact::ArrayType;

/// Weights of a program that can't be had.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WeightsError {
    /// The program comes without them.
    #[error(
        "`{program}` holds {expected} arrays of weights and comes with {found}\n  help: `LoweredProgram::weights` has one for \
         each of `record.weights`"
    )]
    Count {
        /// The program.
        program: String,
        /// How many it holds.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// A file can't be read.
    #[error(
        "can't read the weights `{name}` of `{program}` from {path}: {source}\n  help: files of weights are looked for in the \
         folders of CYXLA_WEIGHTS, in `weights` beside the executable, beside it, and where the build has left them; ship \
         them with the binary"
    )]
    Read {
        /// The program.
        program: String,
        /// The name of the array, `params['w']`.
        name: String,
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The bytes are not those that the program was built with.
    #[error(
        "the weights `{name}` of `{program}` are not those that it was built with\n  help: take the files of this build along, \
         unchanged; `load_weights` takes others of the same types"
    )]
    Changed {
        /// The program.
        program: String,
        /// The name of the array, `params['w']`.
        name: String,
    },
    /// The program has no weights apart from its code.
    #[error(
        "`{program}` has no weights to exchange\n  help: bind them, `bind(params = \"model:load_params\")`, without \
         `weights = \"code\"`, and with `engine = \"pjrt\"`: machine code holds its arrays itself"
    )]
    Nothing {
        /// The program.
        program: String,
    },
    /// A file to load weights from can't be read.
    #[error("can't read {path}: {source}\n  help: name a file in the format of safetensors")]
    Open {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file to load weights from is not in the format of safetensors.
    #[error(
        "{path} is no safetensors file: {reason}\n  help: write it in Python with `safetensors.numpy.save_file`"
    )]
    Format {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A file to load weights from lacks some.
    #[error(
        "{path} has no {} of `{program}`\n  help: a tensor is found by the path of the weights, `params.dense.w` or \
         `dense.w` for `params['dense']['w']`; the file has {}",
        quoted(missing), if found.is_empty() { "none".to_owned() } else { quoted(found) }
    )]
    Missing {
        /// The program.
        program: String,
        /// The file.
        path: PathBuf,
        /// The names of the weights without a tensor, `params['w']`.
        missing: Vec<String>,
        /// The names in the file; at most 20 of them.
        found: Vec<String>,
    },
    /// A tensor in a file is of another type than the weights.
    #[error(
        "{path} has `{name}` of `{program}` as {found}, the program was built with {expected}\n  help: save it with this \
         element type and shape, or build the program anew with the other"
    )]
    Type {
        /// The program.
        program: String,
        /// The file.
        path: PathBuf,
        /// The name of the weights, `params['w']`.
        name: String,
        /// The type that the program was built with.
        expected: Box<ArrayType>,
        /// What the file has: `F16[3,4]`.
        found: String,
    },
}

fn quoted(names: &[String]) -> String {
    let names: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    names.join(", ")
}
