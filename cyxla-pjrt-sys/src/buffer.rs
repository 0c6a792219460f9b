//! Buffers: arrays on a device.

use std::ffi::c_void;

use crate::PJRT_Event;

opaque! {
    /// An array on a device. Its receiver destroys it.
    PJRT_Buffer;
}

structures! {
    PJRT_Buffer_Destroy_Args {
        buffer: *mut PJRT_Buffer,
    }

    PJRT_Buffer_ElementType_Args {
        buffer: *mut PJRT_Buffer,
        /// Out.
        type_: PJRT_Buffer_Type,
    }

    PJRT_Buffer_Dimensions_Args {
        buffer: *mut PJRT_Buffer,
        /// Out. Lives as long as the buffer.
        dims: *const i64,
        /// Out.
        num_dims: usize,
    }

    PJRT_Buffer_GetMemoryLayout_Args {
        buffer: *mut PJRT_Buffer,
        /// Out. Its pointers live as long as the buffer.
        layout: PJRT_Buffer_MemoryLayout,
    }

    PJRT_Buffer_OnDeviceSizeInBytes_Args {
        buffer: *mut PJRT_Buffer,
        /// Out.
        on_device_size_in_bytes: usize,
    }

    PJRT_Buffer_IsDeleted_Args {
        buffer: *mut PJRT_Buffer,
        /// Out. True also for a buffer that was donated.
        is_deleted: bool,
    }

    PJRT_Buffer_ReadyEvent_Args {
        buffer: *mut PJRT_Buffer,
        /// Out. Its receiver destroys it.
        event: *mut PJRT_Event,
    }

    PJRT_Buffer_UnsafePointer_Args {
        buffer: *mut PJRT_Buffer,
        /// Out. An address in the memory of the device, valid while the buffer lives.
        buffer_pointer: usize,
    }

    PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args {
        buffer: *mut PJRT_Buffer,
        /// Out. An address in the memory of the device, valid while the buffer lives.
        device_memory_ptr: *mut c_void,
    }

    PJRT_Buffer_ToHostBuffer_Args {
        src: *mut PJRT_Buffer,
        /// NULL: the layout of the buffer.
        host_layout: *mut PJRT_Buffer_MemoryLayout,
        /// NULL: only asks for the size.
        dst: *mut c_void,
        /// Bytes. Out, if `dst` is NULL.
        dst_size: usize,
        /// Out. Its receiver destroys it.
        event: *mut PJRT_Event,
    }

    /// How the elements of an array lie in memory.
    PJRT_Buffer_MemoryLayout {
        value: PJRT_Buffer_MemoryLayout_Value,
        type_: PJRT_Buffer_MemoryLayout_Type,
    }

    /// By the order of the axes.
    PJRT_Buffer_MemoryLayout_Tiled {
        /// The axes, the one whose elements are neighbours first. Row major is n - 1, …, 1, 0.
        minor_to_major: *const i64,
        minor_to_major_size: usize,
        tile_dims: *const i64,
        tile_dim_sizes: *const usize,
        num_tiles: usize,
    }

    /// By the distance of neighbours along each axis.
    PJRT_Buffer_MemoryLayout_Strides {
        byte_strides: *const i64,
        num_byte_strides: usize,
    }
}

/// The value of a [`PJRT_Buffer_MemoryLayout`]: the field that its `type_` says. It has no name in the header.
#[repr(C)]
#[derive(Clone, Copy)]
pub union PJRT_Buffer_MemoryLayout_Value {
    pub tiled: PJRT_Buffer_MemoryLayout_Tiled,
    pub strides: PJRT_Buffer_MemoryLayout_Strides,
}

impl std::fmt::Debug for PJRT_Buffer_MemoryLayout_Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PJRT_Buffer_MemoryLayout_Value")
    }
}

constants! {
    /// Which kind of layout a [`PJRT_Buffer_MemoryLayout`] holds.
    PJRT_Buffer_MemoryLayout_Type {
        PJRT_Buffer_MemoryLayout_Type_Tiled = 0,
        PJRT_Buffer_MemoryLayout_Type_Strides = 1,
    }

    /// How long the memory behind a new buffer is needed.
    PJRT_HostBufferSemantics {
        PJRT_HostBufferSemantics_kImmutableOnlyDuringCall = 0,
        PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes = 1,
        PJRT_HostBufferSemantics_kImmutableZeroCopy = 2,
        PJRT_HostBufferSemantics_kMutableZeroCopy = 3,
    }

    /// The type of an element.
    PJRT_Buffer_Type {
        PJRT_Buffer_Type_INVALID = 0,
        PJRT_Buffer_Type_PRED = 1,
        PJRT_Buffer_Type_S8 = 2,
        PJRT_Buffer_Type_S16 = 3,
        PJRT_Buffer_Type_S32 = 4,
        PJRT_Buffer_Type_S64 = 5,
        PJRT_Buffer_Type_U8 = 6,
        PJRT_Buffer_Type_U16 = 7,
        PJRT_Buffer_Type_U32 = 8,
        PJRT_Buffer_Type_U64 = 9,
        PJRT_Buffer_Type_F16 = 10,
        PJRT_Buffer_Type_F32 = 11,
        PJRT_Buffer_Type_F64 = 12,
        PJRT_Buffer_Type_BF16 = 13,
        PJRT_Buffer_Type_C64 = 14,
        PJRT_Buffer_Type_C128 = 15,
        PJRT_Buffer_Type_F8E5M2 = 16,
        PJRT_Buffer_Type_F8E4M3FN = 17,
        PJRT_Buffer_Type_F8E4M3B11FNUZ = 18,
        PJRT_Buffer_Type_F8E5M2FNUZ = 19,
        PJRT_Buffer_Type_F8E4M3FNUZ = 20,
        PJRT_Buffer_Type_S4 = 21,
        PJRT_Buffer_Type_U4 = 22,
        PJRT_Buffer_Type_TOKEN = 23,
        PJRT_Buffer_Type_S2 = 24,
        PJRT_Buffer_Type_U2 = 25,
        PJRT_Buffer_Type_F8E4M3 = 26,
        PJRT_Buffer_Type_F8E3M4 = 27,
        PJRT_Buffer_Type_F8E8M0FNU = 28,
        PJRT_Buffer_Type_F4E2M1FN = 29,
    }
}
