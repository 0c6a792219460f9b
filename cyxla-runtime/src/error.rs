use std::fmt;
use std::path::PathBuf;

use cyxla_artifact::{ArrayType, ManifestError, StableHloVersion};
pub use cyxla_ffi::ErrorCode;

use crate::device::DeviceBuffer;
use crate::ffi::FfiError;
use crate::host::HostArrayError;
use crate::plugin::PluginError;
use crate::weights::WeightsError;

/// The result of everything that can fail here.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Whatever went wrong at run time, by stage.
///
/// The text says what failed, on what, and how to help it. Each stage has an enum of its own, boxed so that a `Result`
/// stays small.
///
/// `Debug` prints the text too: it is what `fn main() -> cyxla::Result<()>` and `unwrap` show.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No plugin was found, or one could not be loaded.
    #[error(transparent)]
    Plugin(Box<PluginError>),
    /// A plugin could not give a usable client.
    #[error(transparent)]
    Client(Box<ClientError>),
    /// An artifact could not be read.
    #[error(transparent)]
    Manifest(Box<ManifestError>),
    /// A program could not be compiled, loaded or serialized.
    #[error(transparent)]
    Compile(Box<CompileError>),
    /// An argument does not fit the program.
    #[error(transparent)]
    Argument(Box<ArgumentError>),
    /// Some memory is no array of the type asked for.
    #[error(transparent)]
    HostArray(Box<HostArrayError>),
    /// A program can't run as machine code.
    #[error(transparent)]
    Native(Box<NativeError>),
    /// A program failed while it ran.
    #[error(transparent)]
    Execute(Box<ExecuteError>),
    /// An array on the device can't be made, read or taken for another.
    #[error(transparent)]
    Buffer(Box<BufferError>),
    /// The weights of a program can't be had, or can't be exchanged.
    #[error(transparent)]
    Weights(Box<WeightsError>),
    /// A handler of a custom call can't be registered, or does what handlers must not do.
    #[error(transparent)]
    Ffi(Box<FfiError>),
    /// The plugin refused a call that belongs to no other stage.
    #[error(
        "a call into the PJRT plugin failed: {0}\n  help: use another build of the plugin, named by CYXLA_PJRT_PLUGIN"
    )]
    Api(#[source] Box<ApiError>),
}

/// What helps against code at a version that a plugin does not read.
fn version_help(found: StableHloVersion, current: StableHloVersion) -> String {
    if found > current {
        format!("use a newer plugin, or lower the program with stablehlo_version = \"{current}\"")
    } else {
        "lower the program again, with a newer JAX".to_owned()
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

macro_rules! stages {
    ($($variant:ident: $error:ty;)*) => {
        $(impl From<$error> for Error {
            fn from(error: $error) -> Self {
                Error::$variant(Box::new(error))
            }
        })*
    };
}

stages! {
    Plugin: PluginError;
    Client: ClientError;
    Manifest: ManifestError;
    Compile: CompileError;
    Argument: ArgumentError;
    HostArray: HostArrayError;
    Native: NativeError;
    Execute: ExecuteError;
    Buffer: BufferError;
    Weights: WeightsError;
    Ffi: FfiError;
    Api: ApiError;
}

/// A plugin that gives no usable client.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// The plugin refused to start.
    #[error(
        "the PJRT plugin {plugin} can't be initialized: {source}\n  help: its message says what it lacks"
    )]
    Initialize {
        /// The plugin.
        plugin: PathBuf,
        /// What it said.
        source: ApiError,
    },
    /// The plugin refused to make a client.
    #[error(
        "the PJRT plugin {plugin} made no client with the options [{options}]: {source}\n  help: the options come from \
         the plugin's description or from the call; newer plugins refuse names that they don't know"
    )]
    Create {
        /// The plugin.
        plugin: PathBuf,
        /// The options that it was asked with.
        options: String,
        /// What it said.
        source: ApiError,
    },
    /// An option that would end the process.
    #[error(
        "the create option {name} = {value} can't be passed to a PJRT plugin\n  help: {name} must be {expected}"
    )]
    Option {
        /// Its name.
        name: String,
        /// Its value.
        value: String,
        /// What it must be.
        expected: &'static str,
    },
    /// The client has no device that this process can use.
    #[error(
        "the PJRT plugin {plugin} has no device that this process can use\n  help: see its log on stderr"
    )]
    NoDevice {
        /// The plugin.
        plugin: PathBuf,
    },
    /// The client belongs to the parent of this process.
    #[error(
        "this process was forked from one that had already started the PJRT plugin {plugin}, whose threads do not \
         live here\n  help: fork before the first use of cyxla, or start the child with exec"
    )]
    Forked {
        /// The plugin.
        plugin: PathBuf,
    },
}

/// A program that can't be compiled, loaded or serialized.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompileError {
    /// The code is no StableHLO bytecode.
    #[error("the code of `{program}` is no StableHLO bytecode\n  help: lower the program again")]
    NoBytecode {
        /// The program.
        program: String,
    },
    /// The code is written at a version that the plugin does not read.
    #[error(
        "`{program}` is written at StableHLO {found}, the PJRT plugin {plugin} reads {minimum} to {current}\n  help: \
         {}",
        version_help(*found, *current)
    )]
    Version {
        /// The program.
        program: String,
        /// The plugin.
        plugin: PathBuf,
        /// The version that the code is written at.
        found: StableHloVersion,
        /// The oldest version that the plugin reads.
        minimum: StableHloVersion,
        /// The newest version that the plugin reads.
        current: StableHloVersion,
    },
    /// The program was lowered for another platform.
    #[error(
        "`{program}` was lowered for {found}, the PJRT plugin {plugin} runs on {platform}\n  help: lower it for \
         {platform}, or use a plugin for {found}"
    )]
    Platform {
        /// The program.
        program: String,
        /// The plugin.
        plugin: PathBuf,
        /// The platform that the program was lowered for.
        found: String,
        /// The platform of the plugin.
        platform: String,
    },
    /// The program calls functions that nothing implements.
    #[error(
        "`{program}` calls {}, for which there are no handlers\n  help: register a handler for each with \
         cyxla::register_ffi_target before the program is loaded; those of jnp.linalg come with the feature `linalg` of cyxla, unless \
         Options::jax_targets leaves them out",
        targets.join(", ")
    )]
    CustomCalls {
        /// The program.
        program: String,
        /// The targets of its custom calls, such as `lapack_spotrf_ffi`.
        targets: Vec<String>,
    },
    /// The plugin could not compile the code.
    #[error(
        "the PJRT plugin {plugin} can't compile `{program}` (StableHLO {version}): {source}\n  help: the plugin's \
         message says which part it can't do; a newer plugin may"
    )]
    Refused {
        /// The program.
        program: String,
        /// The plugin.
        plugin: PathBuf,
        /// The version that the code is written at.
        version: StableHloVersion,
        /// What the plugin said.
        source: ApiError,
    },
    /// An argument of a type that PJRT does not have.
    #[error(
        "argument `{name}` is {array_type}, which PJRT does not have\n  help: pass it as another element type"
    )]
    Input {
        /// The name of the leaf in Python, `params['w']`.
        name: String,
        /// Its type.
        array_type: Box<ArrayType>,
    },
    /// What was compiled does not return what the manifest says.
    #[error(
        "`{program}` does not return what its manifest says: {reason}\n  help: lower the program again"
    )]
    Outputs {
        /// The program.
        program: String,
        /// The difference.
        reason: String,
    },
    /// An executable can't be written as bytes.
    #[error(
        "the PJRT plugin {plugin} can't serialize `{program}`: {source}\n  help: compile it in each process"
    )]
    Serialize {
        /// The program.
        program: String,
        /// The plugin.
        plugin: PathBuf,
        /// What the plugin said.
        source: ApiError,
    },
    /// The bytes of an executable are refused.
    #[error(
        "the PJRT plugin {plugin} can't load this executable: {source}\n  help: compile the program again with this \
         plugin"
    )]
    Deserialize {
        /// The plugin.
        plugin: PathBuf,
        /// What the plugin said.
        source: ApiError,
    },
}

/// Arguments that don't fit the program.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ArgumentError {
    /// Too many or too few of them.
    #[error("`{program}` takes {expected} argument arrays, not {found}\n  help: it takes {}", Signature(.inputs))]
    Count {
        /// The program.
        program: String,
        /// How many it takes.
        expected: usize,
        /// How many were given.
        found: usize,
        /// The types that it takes, in order.
        inputs: Vec<ArrayType>,
    },
    /// One of another element type or shape.
    #[error(
        "argument {index} (`{name}`) of `{program}` is {expected} ({}), but {found} ({}) was given\n  help: pass an \
         array of type {}",
        .expected.rust(), .found.rust(), .expected.rust()
    )]
    Type {
        /// The program.
        program: String,
        /// The position, from 0.
        index: usize,
        /// The name of the leaf in Python, `params['w']`.
        name: String,
        /// The type that the program takes.
        expected: Box<ArrayType>,
        /// The type that was given.
        found: Box<ArrayType>,
    },
    /// An array on the device of another client.
    #[error(
        "argument `{name}` of `{program}` is on the device of another client: the program runs on the PJRT plugin \
         {expected}, the array was made with {found}\n  help: make the array with the client of the program, or bring it to \
         the host first"
    )]
    Client {
        /// The program.
        program: String,
        /// The name of the leaf in Python, `params['w']`.
        name: String,
        /// The plugin that the program runs on.
        expected: PathBuf,
        /// The plugin that the array was made with; it may be the same, with another client.
        found: PathBuf,
    },
    /// An array on the device that the program would take over, but which was only lent to it.
    #[error(
        "`{program}` reuses the memory of its argument `{name}`, which must be given away\n  help: pass it as \
         Argument::Donated, or as an array of the host, which is copied"
    )]
    Donated {
        /// The program.
        program: String,
        /// The name of the leaf in Python, `params['w']`.
        name: String,
    },
}

/// A program that can't run as machine code.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NativeError {
    /// There is none of it.
    #[error(
        "`{program}` has no machine code in this binary: {}\n  help: have it run by a PJRT plugin, with engine = \"auto\"",
        .reason.unwrap_or("none was made when it was built")
    )]
    NoImage {
        /// The program.
        program: String,
        /// What the build says.
        reason: Option<&'static str>,
    },
    /// The machine code can't be loaded here; of several images this is about the least demanding.
    #[cfg(feature = "native")]
    #[error("the machine code of `{program}` can't be loaded: {source}")]
    Load {
        /// The program.
        program: String,
        /// Why not.
        source: cyxla_native::LoadError,
    },
    /// The engine is not part of this binary.
    #[error(
        "`{program}` has machine code, which this binary can't run\n  help: build cyxla with its feature `native`"
    )]
    Feature {
        /// The program.
        program: String,
    },
    /// `CYXLA_ENGINE` is none.
    #[error(
        "CYXLA_ENGINE chooses what runs programs: {0}\n  help: unset it, or set it to one of these"
    )]
    Variable(#[source] cyxla_artifact::UnknownWord),
    /// Neither engine can run it.
    #[error("`{program}` runs neither as machine code ({reason}) nor on a PJRT plugin: {source}")]
    Neither {
        /// The program.
        program: String,
        /// Why not as machine code.
        reason: String,
        /// Why not on PJRT.
        source: Box<Error>,
    },
}

impl NativeError {
    /// Why there is no machine code to run, in one line, for those who have another engine.
    pub(crate) fn reason(&self) -> String {
        let text = match self {
            Self::NoImage { reason, .. } => reason
                .unwrap_or("none was made when it was built")
                .to_owned(),
            #[cfg(feature = "native")]
            Self::Load { source, .. } => source.to_string(),
            error => error.to_string(),
        };
        let text = text.split("\n  help: ").next().unwrap_or_default();
        text.replace('\n', " ")
    }
}

/// A program that failed while it ran.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExecuteError {
    /// The plugin reported an error.
    #[error(
        "`{program}` failed while it ran on the PJRT plugin {plugin}: {source}{}\n  help: the message is the plugin's; call \
         the Python function on the same arguments with JAX to see whether it fails there too",
        Fates(donated)
    )]
    Failed {
        /// The program.
        program: String,
        /// The plugin.
        plugin: PathBuf,
        /// What it said.
        source: ApiError,
        /// The arrays on the device that were given away to the call, and what became of them.
        donated: Vec<Donated>,
    },
    /// The memory for a result has not the size of the result.
    #[error(
        "result {index} of `{program}` takes {needed} bytes, there is room for {found}\n  help: build again, with the same \
         version of cyxla and cyxla-build"
    )]
    Room {
        /// The program.
        program: String,
        /// The position, from 0.
        index: usize,
        /// Bytes of the result; 0 if there is no such result.
        needed: usize,
        /// Bytes that there is room for.
        found: usize,
    },
    /// The arguments of a prepared call need more memory than there can be.
    #[error(
        "the arguments of `{program}` together are larger than any memory\n  help: call the function, with arrays that are \
         there"
    )]
    TooLarge {
        /// The program.
        program: String,
    },
    /// The machine code has failed.
    #[cfg(feature = "native")]
    #[error(transparent)]
    Native(cyxla_native::RunError),
    /// The results of a call were asked for a second time.
    #[error(
        "the results of a started call have been given before\n  help: wait for, or await, each `Pending` once"
    )]
    Taken,
}

/// An array that was given away to a call which failed.
#[derive(Debug)]
#[non_exhaustive]
pub struct Donated {
    /// The name of the leaf in Python, `params['w']`.
    pub name: String,
    /// The array, as it was; none if the program has taken its memory over.
    /// [`Buffer::try_from`](crate::Buffer) gives it its type again.
    pub buffer: Option<DeviceBuffer>,
}

/// Prints what became of donated arrays.
struct Fates<'a>(&'a [Donated]);

impl fmt::Display for Fates<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Donated { name, buffer } in self.0 {
            let fate = match buffer {
                Some(_) => "is unchanged, and is given back in this error",
                None => "is lost",
            };
            write!(f, "; the donated argument `{name}` {fate}")?;
        }
        Ok(())
    }
}

/// An array on the device that can't be made, read or taken for another.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BufferError {
    /// It can't be copied to the device, or from there.
    #[error(
        "the PJRT plugin {plugin} can't copy an array of type {array_type} ({} bytes): {source}\n  help: the message is the \
         plugin's",
        .array_type.nbytes()
    )]
    Copy {
        /// The type of the array.
        array_type: Box<ArrayType>,
        /// The plugin.
        plugin: PathBuf,
        /// What it said.
        source: ApiError,
    },
    /// The program that was to fill it has failed.
    #[error(
        "the program that was to fill an array of type {array_type} failed on the PJRT plugin {plugin}: {source}\n  help: the \
         message is the plugin's; what was donated to the program is lost"
    )]
    NotFilled {
        /// The type of the array.
        array_type: Box<ArrayType>,
        /// The plugin.
        plugin: PathBuf,
        /// What it said.
        source: ApiError,
    },
    /// The host can't read it where it lies.
    #[error(
        "an array of type {array_type} on the device of the PJRT plugin {plugin} can't be viewed: {reason}\n  help: copy it \
         with to_host()"
    )]
    NotVisible {
        /// The type of the array.
        array_type: Box<ArrayType>,
        /// The plugin.
        plugin: PathBuf,
        /// Why.
        reason: &'static str,
    },
    /// It is of another type.
    #[error(
        "an array on the device is {found} ({}), not {expected} ({})\n  help: name its type: Buffer<{}>",
        .found.rust(), .expected.rust(), .found.rust()
    )]
    Type {
        /// The type asked for.
        expected: Box<ArrayType>,
        /// The type that it has.
        found: Box<ArrayType>,
    },
}

/// An error that a function of the PJRT C API returned.
///
/// Source: `PJRT_Error`.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{message} ({code}, {function})")]
pub struct ApiError {
    /// The function, `PJRT_Client_Compile`.
    pub function: &'static str,
    /// The kind of error.
    pub code: ErrorCode,
    /// The plugin's message.
    pub message: String,
}

/// Prints the types of arguments as a list.
struct Signature<'a>(&'a [ArrayType]);

impl fmt::Display for Signature<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("none");
        }
        for (i, array_type) in self.0.iter().enumerate() {
            let comma = if i > 0 { ", " } else { "" };
            write!(f, "{comma}{array_type}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use cyxla_artifact::DType;

    use super::*;

    #[test]
    fn errors_can_be_sent_to_any_thread() {
        fn check<T: Send + Sync + 'static>() {}
        check::<Error>();
    }

    #[test]
    fn a_result_stays_small() {
        assert!(size_of::<Error>() <= 16);
    }

    #[test]
    fn a_wrong_argument_is_named_in_both_notations() {
        let error = Error::from(ArgumentError::Type {
            program: "predict".into(),
            index: 1,
            name: "params['w']".into(),
            expected: Box::new(ArrayType::new(DType::F32, &[8, 4]).unwrap()),
            found: Box::new(ArrayType::new(DType::F64, &[4, 8]).unwrap()),
        });
        assert_eq!(
            error.to_string(),
            "argument 1 (`params['w']`) of `predict` is f32[8,4] ([[f32; 4]; 8]), but f64[4,8] ([[f64; 8]; 4]) was \
             given\n  help: pass an array of type [[f32; 4]; 8]"
        );
    }

    #[test]
    fn every_code_of_the_api_has_its_name() {
        assert_eq!(ErrorCode::from_number(3).to_string(), "INVALID_ARGUMENT");
        assert_eq!(ErrorCode::from_number(16).to_string(), "UNAUTHENTICATED");
        assert_eq!(ErrorCode::from_number(99), ErrorCode::Other(99));
    }
}
