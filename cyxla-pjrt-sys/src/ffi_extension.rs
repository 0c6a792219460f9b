//! The extension of a plugin through which handlers of custom calls are registered.
//!
//! Names, order and types are those of `xla/pjrt/c/pjrt_c_api_ffi_extension.h`.

use std::ffi::{c_char, c_int, c_void};

use crate::{PJRT_Error, PJRT_Extension_Base};

/// The number of the extension in the chain of [`PJRT_Api`](crate::PJRT_Api).
pub const PJRT_Extension_Type_FFI: c_int = 5;

/// The extension. A plugin's may be shorter or longer: `base.struct_size` tells.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PJRT_FFI_Extension {
    pub base: PJRT_Extension_Base,
    pub type_id_register: *const c_void,
    pub user_data_add: *const c_void,
    pub register_handler: PJRT_FFI_Register_Handler,
}

/// Registers a handler for a target and a platform, for all clients of the plugin, for good.
///
/// The handler is called once before the function returns, to be asked for its
/// [metadata](crate::xla_ffi::XLA_FFI_Metadata). On the CPU, success is no proof: a handler whose answer the plugin does not
/// like is dropped without an error.
pub type PJRT_FFI_Register_Handler =
    Option<unsafe extern "C" fn(*mut PJRT_FFI_Register_Handler_Args) -> *mut PJRT_Error>;

/// Unlike the arguments of other functions, these have no `extension_start`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PJRT_FFI_Register_Handler_Args {
    pub struct_size: usize,
    pub target_name: *const c_char,
    pub target_name_size: usize,
    /// An [`XLA_FFI_Handler`](crate::xla_ffi::XLA_FFI_Handler).
    pub handler: *const c_void,
    pub platform_name: *const c_char,
    pub platform_name_size: usize,
    /// Bits; 0 is right for handlers on the CPU.
    pub traits: c_int,
}

impl PJRT_FFI_Register_Handler_Args {
    /// What belongs into `struct_size`.
    pub const STRUCT_SIZE: usize = std::mem::offset_of!(Self, traits) + size_of::<c_int>();
}

// The places that plugins of API 0.81 to 0.115 use. Headers from before 0.81 have one field more, in front of the handler.
#[cfg(target_pointer_width = "64")]
const _: () = {
    use std::mem::offset_of;

    assert!(size_of::<PJRT_FFI_Extension>() == 48);
    assert!(offset_of!(PJRT_FFI_Extension, register_handler) == 40);
    assert!(PJRT_FFI_Register_Handler_Args::STRUCT_SIZE == 52);
    assert!(offset_of!(PJRT_FFI_Register_Handler_Args, handler) == 24);
};
