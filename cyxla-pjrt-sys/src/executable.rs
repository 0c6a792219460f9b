//! Executables: compiled programs.

use std::ffi::{c_char, c_int, c_void};

use crate::{PJRT_Buffer, PJRT_Buffer_Type, PJRT_Client, PJRT_Device, PJRT_Event};

opaque! {
    /// What is known of a compiled program. Its receiver destroys it.
    PJRT_Executable;
    /// A compiled program on the devices of a client. Its receiver destroys it.
    PJRT_LoadedExecutable;
    /// The owner of the bytes of a serialized executable.
    PJRT_SerializedExecutable;
    /// State that is shared between a call and the handlers of custom calls.
    PJRT_ExecuteContext;
    /// How a program is spread over several slices of devices.
    PJRT_MultiSlice_Config;
    /// How to load an executable.
    PJRT_LoadOptions;
    /// A callback for outputs that a program sends while it runs.
    PJRT_HloOutputCallbackInfo;
}

structures! {
    PJRT_Executable_Destroy_Args {
        executable: *mut PJRT_Executable,
    }

    PJRT_Executable_Name_Args {
        executable: *mut PJRT_Executable,
        /// Out. Lives as long as the executable. Not terminated by a zero.
        executable_name: *const c_char,
        /// Out. Bytes.
        executable_name_size: usize,
    }

    PJRT_Executable_NumOutputs_Args {
        executable: *mut PJRT_Executable,
        /// Out.
        num_outputs: usize,
    }

    PJRT_Executable_OutputElementTypes_Args {
        executable: *mut PJRT_Executable,
        /// Out. Lives as long as the executable.
        output_types: *mut PJRT_Buffer_Type,
        /// Out.
        num_output_types: usize,
    }

    PJRT_Executable_OutputDimensions_Args {
        executable: *mut PJRT_Executable,
        num_outputs: usize,
        /// Out. The dimensions of all outputs, one behind the other. Lives as long as the executable.
        dims: *const i64,
        /// Out. The number of dimensions of each output. Lives as long as the executable.
        dim_sizes: *const usize,
    }

    PJRT_Executable_Serialize_Args {
        executable: *const PJRT_Executable,
        /// Out. Belongs to `serialized_executable`.
        serialized_bytes: *const c_char,
        /// Out. Bytes.
        serialized_bytes_size: usize,
        /// Out.
        serialized_executable: *mut PJRT_SerializedExecutable,
        /// Out. Frees `serialized_executable`.
        serialized_executable_deleter: Option<unsafe extern "C" fn(*mut PJRT_SerializedExecutable)>,
    }

    PJRT_Executable_DeserializeAndLoad_Args {
        client: *mut PJRT_Client,
        serialized_executable: *const c_char,
        /// Bytes.
        serialized_executable_size: usize,
        /// Out. Its receiver destroys it.
        loaded_executable: *mut PJRT_LoadedExecutable,
        /// A `CompileOptionsProto`, or NULL.
        overridden_serialized_compile_options: *const c_char,
        /// Bytes.
        overridden_serialized_compile_options_size: usize,
        /// Since 0.111.
        load_options: *mut PJRT_LoadOptions,
    }

    PJRT_LoadedExecutable_Destroy_Args {
        executable: *mut PJRT_LoadedExecutable,
    }

    PJRT_LoadedExecutable_GetExecutable_Args {
        loaded_executable: *mut PJRT_LoadedExecutable,
        /// Out. Its receiver destroys it.
        executable: *mut PJRT_Executable,
    }

    PJRT_LoadedExecutable_Execute_Args {
        executable: *mut PJRT_LoadedExecutable,
        /// Only needed during the call.
        options: *mut PJRT_ExecuteOptions,
        /// For each device, the arguments.
        argument_lists: *const *const *mut PJRT_Buffer,
        num_devices: usize,
        num_args: usize,
        /// For each device, room for the outputs. Their receiver destroys them.
        output_lists: *const *mut *mut PJRT_Buffer,
        /// For each device, room for an event which its receiver destroys. NULL: no events.
        device_complete_events: *mut *mut PJRT_Event,
        /// NULL: the devices that the program was compiled for.
        execute_device: *mut PJRT_Device,
    }

    PJRT_ExecuteOptions {
        send_callbacks: *mut *mut c_void,
        recv_callbacks: *mut *mut c_void,
        num_send_ops: usize,
        num_recv_ops: usize,
        launch_id: c_int,
        /// Arguments that stay alive although the program may reuse their memory.
        non_donatable_input_indices: *const i64,
        num_non_donatable_input_indices: usize,
        context: *mut PJRT_ExecuteContext,
        call_location: *const c_char,
        num_tasks: usize,
        task_ids: *mut c_int,
        incarnation_ids: *mut i64,
        /// Since 0.97.
        multi_slice_config: *mut PJRT_MultiSlice_Config,
        /// Since 0.108.
        use_major_to_minor_data_layout_for_callbacks: bool,
        /// Since 0.112.
        hlo_output_callbacks: *mut PJRT_HloOutputCallbackInfo,
        /// Since 0.112.
        num_hlo_output_callbacks: usize,
    }
}
