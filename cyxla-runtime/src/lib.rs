//! Runs lowered JAX programs through a PJRT plugin.
//!
//! The way of a program: a [plugin](find_plugin) is loaded, a [`Client`] owns its device, a program is
//! [compiled](Executable::compile) once for a client, and an [`Executable`] is called with host arrays.
//!
//! Every call into the plugin passes one gate (`api.rs`), which checks what the plugin has before it is called and turns
//! every error into a value. Data types and shapes of arguments are checked here, on every call: PJRT itself only looks at
//! the number of bytes.

mod api;
mod array;
mod buffer;
mod cache;
mod call;
mod check;
mod client;
mod compile;
mod compile_options;
mod description;
mod device;
mod element;
mod element_type;
mod engine;
mod error;
mod error_info;
mod event;
mod executable;
mod execute;
mod ffi;
mod fork;
mod frame;
#[cfg(fuzzing)]
#[doc(hidden)]
pub mod fuzzing;
mod host;
mod input;
mod minifloat;
mod native;
mod pending;
mod plugin;
mod pool;
mod prepared;
mod program;
mod runtime;
mod statistics;
mod threads;
mod validity;
mod weights;

pub use array::{Array, AsArray, Output};
pub use cache::{
    CacheError, CacheKey, CacheOutcome, CacheStatistics, CachedProgram, DiskCache, cache,
};
pub use client::Client;
pub use compile::{Compiled, compile_program, compile_program_in};
pub use compile_options::compile_options;
pub use device::{Buffer, DeviceBuffer};
pub use element::{
    BF16, Complex, Element, F8E3M4, F8E4M3, F8E4M3B11FNUZ, F8E4M3FN, F8E4M3FNUZ, F8E5M2,
    F8E5M2FNUZ, F8E8M0FNU, F16, I4, U4,
};
pub use engine::RunsOn;
pub use error::{
    ApiError, ArgumentError, BufferError, ClientError, CompileError, Donated, Error, ErrorCode,
    ExecuteError, NativeError, Result,
};
pub use error_info::{ErrorInfo, error_info};
pub use executable::{Argument, Executable};
pub use ffi::{FfiError, register_ffi_target, register_static_ffi_target};
pub use host::{
    Host, HostArray, HostArrayError, HostView, as_mut_slice, as_slice, from_slice, from_slice_mut,
};
#[cfg(feature = "ndarray")]
pub use host::{NdArray, as_mut_ndarray, as_ndarray, from_ndarray, from_ndarray_mut};
/// The version of `ndarray` whose views are taken and given.
#[cfg(feature = "ndarray")]
pub use ndarray;
pub use pending::Pending;
pub use plugin::{
    OptionValue, PLATFORM_PREFERENCE, Plugin, PluginError, PluginModule, PluginSource, Searched,
    available_plugins, default_plugin, find_plugin, register_plugin,
};
pub use prepared::{Bound, Prepared};
pub use program::{Parameter, Program};
pub use runtime::{Options, RuntimeInfo, default_client, initialize, is_initialized, runtime_info};
pub use statistics::CompileStatistics;
pub use weights::{ProgramWeight, WeightsError};

/// For the expansions of `#[cyxla::program]` only.
#[doc(hidden)]
pub mod __private {
    pub use cyxla_artifact::{ArrayType, DType, Engine, StableHloVersion};

    pub use crate::check::{
        Argument, MachineCode, Passed, Returned, argument, call, check_argument, check_result,
        machine_code, prepare, start,
    };
    pub use crate::program::{NativeParts, Parameter, PlatformParts, ProgramParts};
    pub use crate::weights::{ProgramWeight, WeightSource};
}
