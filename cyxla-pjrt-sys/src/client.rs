//! Clients and their devices.

use std::ffi::{c_char, c_void};

use crate::{
    PJRT_Buffer, PJRT_Buffer_MemoryLayout, PJRT_Buffer_Type, PJRT_Error, PJRT_Event,
    PJRT_HostBufferSemantics, PJRT_LoadedExecutable, PJRT_NamedValue,
};

opaque! {
    /// A client: the devices of one process and what lives on them.
    PJRT_Client;
    /// A device. It belongs to its client.
    PJRT_Device;
    /// What a device is. It belongs to the client.
    PJRT_DeviceDescription;
    /// A memory of a device. It belongs to its client.
    PJRT_Memory;
}

structures! {
    PJRT_Client_Create_Args {
        create_options: *const PJRT_NamedValue,
        num_options: usize,
        kv_get_callback: PJRT_KeyValueGetCallback,
        kv_get_user_arg: *mut c_void,
        kv_put_callback: PJRT_KeyValuePutCallback,
        kv_put_user_arg: *mut c_void,
        /// Out.
        client: *mut PJRT_Client,
        kv_try_get_callback: PJRT_KeyValueTryGetCallback,
        kv_try_get_user_arg: *mut c_void,
    }

    PJRT_Client_Destroy_Args {
        client: *mut PJRT_Client,
    }

    PJRT_Client_PlatformName_Args {
        client: *mut PJRT_Client,
        /// Out. Lives as long as the client. Not terminated by a zero.
        platform_name: *const c_char,
        /// Out. Bytes.
        platform_name_size: usize,
    }

    PJRT_Client_PlatformVersion_Args {
        client: *mut PJRT_Client,
        /// Out. Lives as long as the client. Not terminated by a zero.
        platform_version: *const c_char,
        /// Out. Bytes.
        platform_version_size: usize,
    }

    PJRT_Client_AddressableDevices_Args {
        client: *mut PJRT_Client,
        /// Out. Lives as long as the client.
        addressable_devices: *const *mut PJRT_Device,
        /// Out.
        num_addressable_devices: usize,
    }

    PJRT_Device_GetDescription_Args {
        device: *mut PJRT_Device,
        /// Out. Lives as long as the device.
        device_description: *mut PJRT_DeviceDescription,
    }

    PJRT_DeviceDescription_Kind_Args {
        device_description: *mut PJRT_DeviceDescription,
        /// Out. Lives as long as the device. Not terminated by a zero.
        device_kind: *const c_char,
        /// Out. Bytes.
        device_kind_size: usize,
    }

    /// Code to compile.
    PJRT_Program {
        code: *mut c_char,
        /// Bytes.
        code_size: usize,
        /// `mlir`, for text and bytecode of StableHLO.
        format: *const c_char,
        /// Bytes.
        format_size: usize,
    }

    PJRT_Client_Compile_Args {
        client: *mut PJRT_Client,
        /// Only needed during the call.
        program: *const PJRT_Program,
        /// A `CompileOptionsProto`, only needed during the call.
        compile_options: *const c_char,
        /// Bytes.
        compile_options_size: usize,
        /// Out. Its receiver destroys it.
        executable: *mut PJRT_LoadedExecutable,
    }

    PJRT_Client_BufferFromHostBuffer_Args {
        client: *mut PJRT_Client,
        /// How long it is needed is told by `host_buffer_semantics`.
        data: *const c_void,
        type_: PJRT_Buffer_Type,
        dims: *const i64,
        num_dims: usize,
        /// NULL: row major.
        byte_strides: *const i64,
        num_byte_strides: usize,
        host_buffer_semantics: PJRT_HostBufferSemantics,
        device: *mut PJRT_Device,
        /// NULL: the default memory of the device.
        memory: *mut PJRT_Memory,
        /// NULL: the default layout of the device.
        device_layout: *mut PJRT_Buffer_MemoryLayout,
        /// Out. Its receiver destroys it.
        done_with_host_buffer: *mut PJRT_Event,
        /// Out. Its receiver destroys it.
        buffer: *mut PJRT_Buffer,
    }

    /// Makes a buffer of memory that stays the caller's.
    PJRT_Client_CreateViewOfDeviceBuffer_Args {
        client: *mut PJRT_Client,
        device_buffer_ptr: *mut c_void,
        dims: *const i64,
        num_dims: usize,
        element_type: PJRT_Buffer_Type,
        /// NULL: row major.
        layout: *mut PJRT_Buffer_MemoryLayout,
        device: *mut PJRT_Device,
        /// Called when the buffer no longer needs the memory. The header lets it be NULL; XLA's plugins for the CPU end the
        /// process then.
        on_delete_callback: Option<unsafe extern "C" fn(device_buffer_ptr: *mut c_void, user_arg: *mut c_void)>,
        on_delete_callback_arg: *mut c_void,
        stream: isize,
        /// Out. Its receiver destroys it.
        buffer: *mut PJRT_Buffer,
        /// NULL: the default memory of the device.
        memory: *mut PJRT_Memory,
    }
}

/// Gets a value that the processes of a client share.
pub type PJRT_KeyValueGetCallback =
    Option<unsafe extern "C" fn(*mut PJRT_KeyValueGetCallback_Args) -> *mut PJRT_Error>;

/// Puts a value that the processes of a client share.
pub type PJRT_KeyValuePutCallback =
    Option<unsafe extern "C" fn(*mut PJRT_KeyValuePutCallback_Args) -> *mut PJRT_Error>;

/// Gets a value that the processes of a client share, if it is there.
pub type PJRT_KeyValueTryGetCallback =
    Option<unsafe extern "C" fn(*mut PJRT_KeyValueTryGetCallback_Args) -> *mut PJRT_Error>;

opaque! {
    /// The arguments of a [`PJRT_KeyValueGetCallback`].
    PJRT_KeyValueGetCallback_Args;
    /// The arguments of a [`PJRT_KeyValuePutCallback`].
    PJRT_KeyValuePutCallback_Args;
    /// The arguments of a [`PJRT_KeyValueTryGetCallback`].
    PJRT_KeyValueTryGetCallback_Args;
}
