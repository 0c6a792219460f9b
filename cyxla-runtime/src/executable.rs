//! A compiled program on the device of a client.

use std::fmt;
use std::ptr::NonNull;
use std::sync::{Arc, OnceLock};

use cyxla_artifact::{ArrayType, LoweredProgram, StableHloVersion, Weight};
use cyxla_pjrt_sys::{
    Args as _, Call as _, PJRT_Client_Compile_Args, PJRT_Executable_DeserializeAndLoad_Args,
    PJRT_LoadedExecutable, PJRT_LoadedExecutable_Destroy_Args, PJRT_Program,
};

use crate::api::Api;
use crate::client::Client;
use crate::compile_options::compile_options;
use crate::description::Description;
use crate::device::DeviceBuffer;
use crate::error::{ApiError, CompileError, Error};
use crate::error_info::counted;
use crate::execute::{Given, has_room_in_frames};
use crate::frame::Frame;
use crate::host::{HostArray, HostView};
use crate::input::{Input, Staging};
use crate::pending::Pending;
use crate::pool::Pool;
use crate::weights::{self, CurrentWeights, WeightSet};

/// A compiled program that can be called, from any thread and from many at once.
///
/// A clone is another handle of the same executable. It keeps its [`Client`] alive.
///
/// Source: `Executable` of the Python package, `PJRT_LoadedExecutable`.
#[derive(Clone)]
pub struct Executable(Arc<Inner>);

pub(crate) struct Inner {
    /// What calls work with, one at a time.
    pub(crate) frames: Pool<Frame>,
    /// Where the frames have room for arguments.
    pub(crate) staging: Staging,
    pub(crate) handle: Handle,
    /// The name of the program, for messages.
    pub(crate) program: String,
    pub(crate) inputs: Vec<Input>,
    input_types: Vec<ArrayType>,
    pub(crate) output_types: Vec<ArrayType>,
    /// What it is called with behind its arguments.
    pub(crate) weights: CurrentWeights,
    /// What these are called, and their types.
    pub(crate) weight_types: Vec<Weight>,
    /// For each output, whether it can be read where the device has it. Known after the first call.
    pub(crate) in_place: OnceLock<Box<[bool]>>,
}

impl Executable {
    /// Compiles `program` for the device of `client`, without any cache. Its weights are on the device then, once for all
    /// programs that hold them.
    ///
    /// # Blocking
    /// For as long as XLA takes: 50 ms for small programs, minutes for large ones.
    ///
    /// # Errors
    /// The program is for another platform, at a StableHLO version that the plugin does not read, refused by the plugin, or
    /// does not return what its record says.
    ///
    /// Source: `PJRT_Client_Compile`.
    pub fn compile(client: &Client, program: &LoweredProgram) -> Result<Self, Error> {
        client.check_process()?;
        Self::compile_with(client, program, weights::of_program(client, program)?)
    }

    /// Compiles `program`, whose weights are on the device.
    ///
    /// # Errors
    /// Those of [`compile`](Self::compile).
    pub(crate) fn compile_with(
        client: &Client,
        program: &LoweredProgram,
        weights: WeightSet,
    ) -> Result<Self, Error> {
        let record = &program.record;
        let version = readable_version(client, program)?;
        let api = client.api();
        let code = PJRT_Program {
            // The plugin only reads it; the field is shared with functions that write.
            code: program.code.as_ptr().cast_mut().cast(),
            code_size: program.code.len(),
            format: FORMAT.as_ptr().cast(),
            format_size: FORMAT.len(),
            ..PJRT_Program::new()
        };
        let options = compile_options();
        let mut args = PJRT_Client_Compile_Args {
            client: client.raw(),
            program: &raw const code,
            compile_options: options.as_ptr().cast(),
            compile_options_size: options.len(),
            ..PJRT_Client_Compile_Args::new()
        };
        // SAFETY: the client is alive; code and options are only needed during the call. The executable is ours.
        let handle = unsafe {
            api.call(&mut args).and_then(|()| {
                Handle::from_raw(client, args.executable, PJRT_Client_Compile_Args::FUNCTION)
            })
        };
        let handle = handle.map_err(|source| CompileError::Refused {
            program: record.name.clone(),
            plugin: api.library().to_owned(),
            version,
            source,
        })?;
        Self::of_program(handle, program, weights)
    }

    /// Loads an executable that [`serialize`](Self::serialize) wrote, with the same plugin on the same kind of processor.
    ///
    /// Its bytes do not hold the types of the arguments, so the caller gives those. They are trusted: the plugin compares
    /// numbers of bytes only.
    ///
    /// # Blocking
    /// 1 to 10 ms.
    ///
    /// # Errors
    /// The plugin refuses the bytes, or the results are of types that cyxla does not carry.
    ///
    /// # Safety
    /// The bytes are machine code, which the plugin runs as it is: they are what [`serialize`](Self::serialize) gave,
    /// unchanged. Plugins do not notice every damage; keep a checksum with the bytes.
    ///
    /// Source: `PJRT_Executable_DeserializeAndLoad`.
    pub unsafe fn deserialize(
        client: &Client,
        bytes: &[u8],
        input_types: &[ArrayType],
    ) -> Result<Self, Error> {
        let handle = Handle::deserialize(client, bytes)?;
        let description = Description::of(&handle)?;
        let program = description.name()?;
        let output_types = description
            .output_types()?
            .map_err(|reason| CompileError::Outputs {
                program: program.clone(),
                reason,
            })?;
        drop(description);
        let name = |index| format!("arguments[{index}]");
        let inputs = input_types.iter().enumerate();
        // Whether the program reuses the memory of an argument is not known, so none is lent.
        let inputs = inputs.map(|(index, array_type)| Input::new(*array_type, name(index), true));
        let inputs = inputs.collect::<Result<_, _>>()?;
        let weights = WeightSet(Box::default());
        Ok(Self::new(
            handle,
            program,
            inputs,
            output_types,
            (weights, Vec::new()),
        ))
    }

    /// Loads an executable that was compiled from `program`.
    ///
    /// # Errors
    /// The plugin refuses the bytes, or they are those of another program.
    pub(crate) fn deserialize_program(
        client: &Client,
        bytes: &[u8],
        program: &LoweredProgram,
        weights: WeightSet,
    ) -> Result<Self, Error> {
        Self::of_program(Handle::deserialize(client, bytes)?, program, weights)
    }

    /// The executable as bytes, for [`deserialize`](Self::deserialize) in another process.
    ///
    /// The bytes are machine code for this kind of processor, readable by this version of the plugin only. Two compilations
    /// of one program give different bytes.
    ///
    /// # Errors
    /// The plugin can't: XLA for CPUs can't for some programs that sort.
    ///
    /// Source: `PJRT_Executable_Serialize`.
    pub fn serialize(&self) -> Result<Vec<u8>, Error> {
        let client = self.client();
        client.check_process()?;
        let bytes = Description::of(&self.0.handle).and_then(|description| description.serialize());
        bytes.map_err(|source| {
            let program = self.0.program.clone();
            let plugin = client.api().library().to_owned();
            CompileError::Serialize {
                program,
                plugin,
                source,
            }
            .into()
        })
    }

    /// Runs the program on host arrays, whose element types and shapes are checked.
    ///
    /// ```no_run
    /// use cyxla_artifact::LoweredProgram;
    /// use cyxla_runtime::{Client, Error, Executable, HostView, find_plugin};
    ///
    /// fn predict(program: &LoweredProgram, x: &[[f32; 4]; 8]) -> Result<Vec<f32>, Error> {
    ///     let client = Client::new(&find_plugin("cpu")?, &[])?;
    ///     let executable = Executable::compile(&client, program)?;
    ///     let results = executable.run(&[HostView::of(x)])?;
    ///     Ok(results.iter().filter_map(|result| result.as_slice::<f32>()).flatten().copied().collect())
    /// }
    /// ```
    ///
    /// # Shape
    /// Arguments and results are row major, in the byte order of the host. Results are aligned to 64 bytes, and are where the
    /// device has left them if the host can use them there.
    ///
    /// # Blocking
    /// Until all results are there.
    ///
    /// # Errors
    /// An argument does not fit, or the program fails.
    pub fn run(&self, arguments: &[HostView<'_>]) -> Result<Vec<HostArray>, Error> {
        let mut given: Vec<_> = arguments.iter().copied().map(Given::Host).collect();
        // SAFETY: each result is taken with its own type.
        unsafe { self.call_checked(&mut given) }
    }

    /// Runs the program on arrays of the host and of the device, and leaves the results on the device.
    ///
    /// ```no_run
    /// use cyxla_runtime::{Argument, DeviceBuffer, Error, Executable, HostView};
    ///
    /// /// 1000 steps of `state, force -> state`, whose state is donated.
    /// fn simulate(step: &Executable, mut state: DeviceBuffer, force: &[f32; 3]) -> Result<DeviceBuffer, Error> {
    ///     for _ in 0..1000 {
    ///         let force = Argument::Host(HostView::of(force));
    ///         let mut results = step.execute(vec![Argument::Donated(state), force])?;
    ///         state = results.swap_remove(0);
    ///     }
    ///     Ok(state)
    /// }
    /// ```
    ///
    /// # Blocking
    /// Until the program has started, unless an array of the host is large (8 KiB or more): then until all results are there.
    /// Whoever looks at a result that is not there yet waits for it.
    ///
    /// # Errors
    /// An argument does not fit, belongs to another client, or is not donated although the program reuses its memory. If the
    /// program fails before this returns, [`ExecuteError::Failed`](crate::ExecuteError::Failed) gives donated arrays back that
    /// are still there; else its results tell.
    pub fn execute(&self, arguments: Vec<Argument<'_>>) -> Result<Vec<DeviceBuffer>, Error> {
        let types = Argument::types(&arguments);
        let mut given = Argument::given(arguments, &types);
        // SAFETY: each result is taken with its own type.
        unsafe { self.call_checked(&mut given) }
    }

    /// As [`execute`](Self::execute), with one end to wait for, or to await.
    ///
    /// # Errors
    /// An argument does not fit, belongs to another client, or is not donated although the program reuses its memory. What goes
    /// wrong in the program is told by [`Pending::wait`].
    pub fn start(&self, arguments: Vec<Argument<'_>>) -> Result<Pending<Vec<DeviceBuffer>>, Error> {
        let types = Argument::types(&arguments);
        let mut given = Argument::given(arguments, &types);
        counted(self.0.check_types(&given))?;
        // SAFETY: the types of the arguments have been checked; the results carry their own.
        unsafe { Pending::start(self, &mut given) }
    }

    /// The client that it was compiled for.
    pub fn client(&self) -> &Client {
        &self.0.handle.client
    }

    /// The name of the program.
    pub fn program(&self) -> &str {
        &self.0.program
    }

    /// The number of results.
    pub fn num_outputs(&self) -> usize {
        self.0.output_types.len()
    }

    /// The types of the arguments, in order.
    pub fn input_types(&self) -> &[ArrayType] {
        &self.0.input_types
    }

    /// The types of the results, in order.
    pub fn output_types(&self) -> &[ArrayType] {
        &self.0.output_types
    }

    /// The bytes of each result in host memory, in order.
    pub fn output_bytes(&self) -> Vec<usize> {
        self.0.output_types.iter().map(ArrayType::nbytes).collect()
    }

    #[inline]
    pub(crate) fn inner(&self) -> &Inner {
        &self.0
    }

    /// The executable of `program`, after a look at what it really returns.
    fn of_program(
        handle: Handle,
        program: &LoweredProgram,
        weights: WeightSet,
    ) -> Result<Self, Error> {
        let record = &program.record;
        let expected = program.output_types();
        let differs = |reason| CompileError::Outputs {
            program: record.name.clone(),
            reason,
        };
        let found = Description::of(&handle)?.output_types()?.map_err(differs)?;
        if found != expected {
            return Err(differs(format!("it returns {found:?} instead of {expected:?}")).into());
        }
        let inputs = record.inputs.iter();
        let inputs =
            inputs.map(|leaf| Input::new(leaf.array_type, leaf.path.clone(), leaf.donated));
        let inputs = inputs.collect::<Result<_, _>>()?;
        let weights = (weights, record.weights.arrays.clone());
        let name = record.name.clone();
        Ok(Self::new(handle, name, inputs, expected, weights))
    }

    fn new(
        handle: Handle,
        program: String,
        inputs: Vec<Input>,
        output_types: Vec<ArrayType>,
        (weights, weight_types): (WeightSet, Vec<Weight>),
    ) -> Self {
        Self(Arc::new(Inner {
            frames: Pool::new(),
            staging: Staging::of(&inputs, has_room_in_frames),
            handle,
            program,
            input_types: inputs.iter().map(|input| input.array_type).collect(),
            inputs,
            output_types,
            weights: CurrentWeights::new(Arc::new(weights)),
            weight_types,
            in_place: OnceLock::new(),
        }))
    }
}

impl fmt::Debug for Executable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Executable")
            .field("program", &self.0.program)
            .field("input_types", &self.0.input_types)
            .field("output_types", &self.0.output_types)
            .finish_non_exhaustive()
    }
}

/// An argument of [`Executable::execute`].
#[derive(Debug)]
pub enum Argument<'a> {
    /// An array of the host.
    Host(HostView<'a>),
    /// An array on the device, which stays as it is.
    Buffer(&'a DeviceBuffer),
    /// An array on the device whose memory the program may reuse.
    Donated(DeviceBuffer),
}

impl Argument<'_> {
    /// Element type and shape.
    pub fn array_type(&self) -> &ArrayType {
        match self {
            Self::Host(view) => view.array_type(),
            Self::Buffer(buffer) => buffer.array_type(),
            Self::Donated(buffer) => buffer.array_type(),
        }
    }
}

impl<'a> Argument<'a> {
    fn types(arguments: &[Self]) -> Vec<ArrayType> {
        arguments
            .iter()
            .map(|argument| *argument.array_type())
            .collect()
    }

    /// The arguments as calls take them; `types` are theirs.
    fn given<'g>(arguments: Vec<Self>, types: &'g [ArrayType]) -> Vec<Given<'g>>
    where
        'a: 'g,
    {
        let arguments = std::iter::zip(arguments, types);
        arguments
            .map(|(argument, array_type)| match argument {
                Self::Host(view) => Given::Host(view),
                Self::Buffer(buffer) => Given::Device(buffer.stored(), array_type),
                Self::Donated(buffer) => Given::Donated(Some(buffer.into_stored()), array_type),
            })
            .collect()
    }
}

/// The name of StableHLO's formats, text and bytecode, in `PJRT_Program`.
const FORMAT: &str = "mlir";

/// The StableHLO version of the code, if this plugin can run it.
pub(crate) fn readable_version(
    client: &Client,
    program: &LoweredProgram,
) -> Result<StableHloVersion, CompileError> {
    let record = &program.record;
    let plugin = || client.api().library().to_owned();
    if record.platform != client.platform() && record.platform != client.plugin().platform {
        return Err(CompileError::Platform {
            program: record.name.clone(),
            plugin: plugin(),
            found: record.platform.clone(),
            platform: client.platform().to_owned(),
        });
    }
    let Some(found) = StableHloVersion::of_bytecode(&program.code) else {
        return Err(CompileError::NoBytecode {
            program: record.name.clone(),
        });
    };
    match client.stablehlo_versions() {
        Some((minimum, current)) if !(minimum..=current).contains(&found) => {
            Err(CompileError::Version {
                program: record.name.clone(),
                plugin: plugin(),
                found,
                minimum,
                current,
            })
        }
        _ => Ok(found),
    }
}

/// The plugin's executable, destroyed when dropped.
pub(crate) struct Handle {
    pub(crate) client: Client,
    raw: NonNull<PJRT_LoadedExecutable>,
}

// SAFETY: PJRT allows an executable to be used from any thread.
unsafe impl Send for Handle {}
// SAFETY: as above.
unsafe impl Sync for Handle {}

impl Handle {
    /// Takes over the executable that `function` returned.
    ///
    /// # Safety
    /// NULL, or an executable of this client that is alive and owned by nobody else.
    unsafe fn from_raw(
        client: &Client,
        raw: *mut PJRT_LoadedExecutable,
        function: &'static str,
    ) -> Result<Self, ApiError> {
        match NonNull::new(raw) {
            Some(raw) => Ok(Self {
                client: client.clone(),
                raw,
            }),
            None => Err(client.api().nothing(function)),
        }
    }

    fn deserialize(client: &Client, bytes: &[u8]) -> Result<Self, Error> {
        client.check_process()?;
        let api = client.api();
        let mut args = PJRT_Executable_DeserializeAndLoad_Args {
            client: client.raw(),
            serialized_executable: bytes.as_ptr().cast(),
            serialized_executable_size: bytes.len(),
            ..PJRT_Executable_DeserializeAndLoad_Args::new()
        };
        // SAFETY: the client is alive; the bytes are only needed during the call. The executable is ours.
        let handle = unsafe {
            api.call(&mut args).and_then(|()| {
                let function = PJRT_Executable_DeserializeAndLoad_Args::FUNCTION;
                Self::from_raw(client, args.loaded_executable, function)
            })
        };
        handle.map_err(|source| {
            let plugin = api.library().to_owned();
            CompileError::Deserialize { plugin, source }.into()
        })
    }

    /// The functions of the plugin.
    #[inline]
    pub(crate) fn api(&self) -> &'static Api {
        self.client.api()
    }

    /// The handle, for calls into the plugin.
    #[inline]
    pub(crate) fn raw(&self) -> *mut PJRT_LoadedExecutable {
        self.raw.as_ptr()
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        if !self.client.is_of_this_process() {
            return;
        }
        let mut args = PJRT_LoadedExecutable_Destroy_Args {
            executable: self.raw(),
            ..PJRT_LoadedExecutable_Destroy_Args::new()
        };
        // SAFETY: the executable is alive and ours. Programs that still run are the plugin's, which keeps what they need. What
        // could be told of an error here is of no use to anybody.
        let _ = unsafe { self.api().call(&mut args) };
    }
}
