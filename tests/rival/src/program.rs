//! A compiled program.

use std::sync::Arc;

use cyxla_pjrt_sys::{
    Args as _, PJRT_Buffer_Type_F32, PJRT_Client_Compile_Args, PJRT_Executable_Destroy_Args,
    PJRT_Executable_OutputDimensions_Args, PJRT_Executable_OutputElementTypes_Args,
    PJRT_LoadedExecutable, PJRT_LoadedExecutable_Destroy_Args,
    PJRT_LoadedExecutable_GetExecutable_Args, PJRT_Program,
};

use crate::{Client, Failure};

/// A compiled program. A clone is the same program.
#[derive(Clone)]
pub struct Program(Arc<Inner>);

struct Inner {
    client: Client,
    raw: *mut PJRT_LoadedExecutable,
    /// The number of elements of each result.
    lengths: Vec<usize>,
}

// SAFETY: PJRT allows executables to be used from any thread.
unsafe impl Send for Inner {}
// SAFETY: as above.
unsafe impl Sync for Inner {}

impl Program {
    /// Compiles StableHLO bytecode. `options` is a serialized `CompileOptionsProto`.
    ///
    /// # Blocking
    /// For 50 ms to minutes.
    ///
    /// # Errors
    /// The plugin refuses the program, or its results are not `f32` arrays.
    pub fn compile(client: &Client, code: &[u8], options: &[u8]) -> Result<Self, Failure> {
        let format = "mlir";
        let program = PJRT_Program {
            code: code.as_ptr().cast_mut().cast(),
            code_size: code.len(),
            format: format.as_ptr().cast(),
            format_size: format.len(),
            ..PJRT_Program::new()
        };
        let mut args = PJRT_Client_Compile_Args {
            client: client.raw(),
            program: &raw const program,
            compile_options: options.as_ptr().cast(),
            compile_options_size: options.len(),
            ..PJRT_Client_Compile_Args::new()
        };
        // SAFETY: the client is alive; code and options are only read, during the call.
        unsafe { client.functions().call(&mut args)? };
        let mut inner = Inner {
            client: client.clone(),
            raw: args.executable,
            lengths: Vec::new(),
        };
        inner.lengths = inner.result_lengths()?;
        Ok(Self(Arc::new(inner)))
    }

    pub(crate) fn client(&self) -> &Client {
        &self.0.client
    }

    pub(crate) fn raw(&self) -> *mut PJRT_LoadedExecutable {
        self.0.raw
    }

    /// The number of elements of each result.
    pub(crate) fn lengths(&self) -> &[usize] {
        &self.0.lengths
    }
}

impl std::fmt::Debug for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Program").finish_non_exhaustive()
    }
}

impl Inner {
    fn result_lengths(&self) -> Result<Vec<usize>, Failure> {
        let functions = self.client.functions();
        let mut get = PJRT_LoadedExecutable_GetExecutable_Args {
            loaded_executable: self.raw,
            ..PJRT_LoadedExecutable_GetExecutable_Args::new()
        };
        // SAFETY: the executable is alive.
        unsafe { functions.call(&mut get)? };
        let mut types = PJRT_Executable_OutputElementTypes_Args {
            executable: get.executable,
            ..PJRT_Executable_OutputElementTypes_Args::new()
        };
        let mut dimensions = PJRT_Executable_OutputDimensions_Args {
            executable: get.executable,
            ..PJRT_Executable_OutputDimensions_Args::new()
        };
        let mut destroy = PJRT_Executable_Destroy_Args {
            executable: get.executable,
            ..PJRT_Executable_Destroy_Args::new()
        };
        // SAFETY: the description is alive until it is destroyed, which is last; its lists are as long as it says.
        unsafe {
            functions.call(&mut types)?;
            functions.call(&mut dimensions)?;
            let types = slice(types.output_types, types.num_output_types);
            let are_floats = types.iter().all(|&of| of == PJRT_Buffer_Type_F32);
            let ranks = slice(dimensions.dim_sizes, dimensions.num_outputs);
            let mut rest = slice(dimensions.dims, ranks.iter().sum());
            let mut lengths = Vec::with_capacity(ranks.len());
            for &rank in ranks {
                let (dims, others) = rest.split_at(rank);
                lengths.push(usize::try_from(dims.iter().product::<i64>()).unwrap_or(0));
                rest = others;
            }
            functions.call(&mut destroy)?;
            if are_floats && types.len() == lengths.len() {
                Ok(lengths)
            } else {
                Err(Failure::Program("a result is no f32 array"))
            }
        }
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        let mut args = PJRT_LoadedExecutable_Destroy_Args {
            executable: self.raw,
            ..PJRT_LoadedExecutable_Destroy_Args::new()
        };
        // SAFETY: alive, and called by nobody: calls hold the program.
        let _ = unsafe { self.client.functions().call(&mut args) };
    }
}

/// A list of the plugin; NULL is an empty one.
///
/// # Safety
/// NULL, or the address of that many elements which stay for `'a`.
unsafe fn slice<'a, T>(start: *const T, len: usize) -> &'a [T] {
    if start.is_null() {
        return &[];
    }
    // SAFETY: as the caller promises.
    unsafe { std::slice::from_raw_parts(start, len) }
}
