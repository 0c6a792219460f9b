//! What a handler of a custom call is called with.
//!
//! Names, order and types are those of `xla/ffi/api/c_api.h`, of the versions [0.1 to 0.3](NEWEST_FFI_MINOR). All that is
//! pointed to belongs to the caller, and lives as long as the call. A structure may be longer or shorter than here:
//! `struct_size` tells.

use std::ffi::{c_char, c_int, c_void};

use crate::declare::Layout;

/// The major version of the interface.
pub const FFI_MAJOR: c_int = 0;

/// The minor version up to which the interface is declared here.
pub const NEWEST_FFI_MINOR: c_int = 3;

/// A handler. Returns NULL, or an error that then is the caller's.
pub type XLA_FFI_Handler = unsafe extern "C" fn(*mut XLA_FFI_CallFrame) -> *mut XLA_FFI_Error;

opaque! {
    /// An error.
    XLA_FFI_Error;

    /// The device, and what else belongs to one execution.
    XLA_FFI_ExecutionContext;
}

structures! {
    chained by XLA_FFI_Extension_Base;

    XLA_FFI_Api_Version {
        major_version: c_int,
        minor_version: c_int,
    }

    XLA_FFI_Error_Create_Args {
        /// Terminated by a zero. Copied.
        message: *const c_char,
        errc: c_int,
    }

    /// An argument or a result.
    XLA_FFI_Buffer {
        dtype: XLA_FFI_DataType,
        data: *mut c_void,
        rank: i64,
        /// As many as `rank`.
        dims: *mut i64,
    }

    XLA_FFI_Args {
        size: i64,
        /// What each is: a [`XLA_FFI_ArgType_BUFFER`].
        types: *mut XLA_FFI_ArgType,
        args: *mut *mut c_void,
    }

    XLA_FFI_Rets {
        size: i64,
        /// What each is: a [`XLA_FFI_RetType_BUFFER`].
        types: *mut XLA_FFI_RetType,
        rets: *mut *mut c_void,
    }

    /// Sorted by name.
    XLA_FFI_Attrs {
        size: i64,
        types: *mut XLA_FFI_AttrType,
        names: *mut *mut XLA_FFI_ByteSpan,
        /// By the type: an [`XLA_FFI_Array`], [`XLA_FFI_Attrs`], an [`XLA_FFI_Scalar`], an [`XLA_FFI_ByteSpan`].
        attrs: *mut *mut c_void,
    }

    /// One call. The header has a field more behind these, outside of `struct_size`.
    XLA_FFI_CallFrame {
        api: *const XLA_FFI_Api,
        ctx: *mut XLA_FFI_ExecutionContext,
        stage: XLA_FFI_ExecutionStage,
        args: XLA_FFI_Args,
        rets: XLA_FFI_Rets,
        attrs: XLA_FFI_Attrs,
    }

    /// The beginning of the table of functions; there are more, which cyxla does not use.
    XLA_FFI_Api {
        api_version: XLA_FFI_Api_Version,
        internal_api: *const c_void,
        XLA_FFI_Error_Create: Option<unsafe extern "C" fn(*mut XLA_FFI_Error_Create_Args) -> *mut XLA_FFI_Error>,
    }
}

/// Declares structures without a `struct_size`, or without `extension_start` behind it.
macro_rules! plain {
    ($($(#[$attribute:meta])* $name:ident { $($(#[$note:meta])* $field:ident: $type:ty,)* })*) => {
        $(
            $(#[$attribute])*
            #[repr(C)]
            #[derive(Clone, Copy, Debug)]
            pub struct $name {
                $($(#[$note])* pub $field: $type,)*
            }
        )*

        const PLAIN_LAYOUTS: &[Layout] = &[$(Layout {
            name: stringify!($name),
            struct_size: 0,
            size: size_of::<$name>(),
            fields: &[$(structures!(@field $name $field: $type),)*],
        },)*];
    };
}

plain! {
    /// The head of an extension: one link of the chain that begins at `extension_start`.
    XLA_FFI_Extension_Base {
        struct_size: usize,
        type_: XLA_FFI_Extension_Type,
        next: *mut XLA_FFI_Extension_Base,
    }

    /// Text, not terminated.
    XLA_FFI_ByteSpan {
        ptr: *const c_char,
        len: usize,
    }

    XLA_FFI_Scalar {
        dtype: XLA_FFI_DataType,
        value: *mut c_void,
    }

    XLA_FFI_Array {
        dtype: XLA_FFI_DataType,
        /// Number of elements.
        size: usize,
        data: *mut c_void,
    }

    /// Out: what a handler says of itself. The header has a field more behind these, outside of `struct_size`.
    XLA_FFI_Metadata {
        struct_size: usize,
        /// The version that the handler was made for.
        api_version: XLA_FFI_Api_Version,
        /// Bits; 0 is right for handlers on the CPU.
        traits: u32,
    }

    /// Asks for the [metadata](XLA_FFI_Metadata): a frame whose first extension this is wants nothing else.
    XLA_FFI_Metadata_Extension {
        extension_base: XLA_FFI_Extension_Base,
        metadata: *mut XLA_FFI_Metadata,
    }
}

impl XLA_FFI_Metadata {
    /// Bytes that a caller must have for all fields here.
    pub const STRUCT_SIZE: usize = std::mem::offset_of!(Self, traits) + size_of::<u32>();
}

constants! {
    /// What an extension is.
    XLA_FFI_Extension_Type {
        XLA_FFI_Extension_Metadata = 1,
    }

    /// The type of elements.
    XLA_FFI_DataType {
        XLA_FFI_DataType_INVALID = 0,
        XLA_FFI_DataType_PRED = 1,
        XLA_FFI_DataType_S8 = 2,
        XLA_FFI_DataType_S16 = 3,
        XLA_FFI_DataType_S32 = 4,
        XLA_FFI_DataType_S64 = 5,
        XLA_FFI_DataType_U8 = 6,
        XLA_FFI_DataType_U16 = 7,
        XLA_FFI_DataType_U32 = 8,
        XLA_FFI_DataType_U64 = 9,
        XLA_FFI_DataType_F16 = 10,
        XLA_FFI_DataType_F32 = 11,
        XLA_FFI_DataType_F64 = 12,
        XLA_FFI_DataType_C64 = 15,
        XLA_FFI_DataType_BF16 = 16,
        XLA_FFI_DataType_TOKEN = 17,
        XLA_FFI_DataType_C128 = 18,
        XLA_FFI_DataType_F8E5M2 = 19,
        XLA_FFI_DataType_F8E4M3FN = 20,
        XLA_FFI_DataType_S4 = 21,
        XLA_FFI_DataType_U4 = 22,
        XLA_FFI_DataType_F8E4M3B11FNUZ = 23,
        XLA_FFI_DataType_F8E5M2FNUZ = 24,
        XLA_FFI_DataType_F8E4M3FNUZ = 25,
        XLA_FFI_DataType_S2 = 26,
        XLA_FFI_DataType_U2 = 27,
        XLA_FFI_DataType_F8E4M3 = 28,
        XLA_FFI_DataType_F8E3M4 = 29,
        XLA_FFI_DataType_F8E8M0FNU = 33,
    }

    /// What an argument is.
    XLA_FFI_ArgType {
        XLA_FFI_ArgType_BUFFER = 1,
    }

    /// What a result is.
    XLA_FFI_RetType {
        XLA_FFI_RetType_BUFFER = 1,
    }

    /// What an attribute is.
    XLA_FFI_AttrType {
        XLA_FFI_AttrType_ARRAY = 1,
        XLA_FFI_AttrType_DICTIONARY = 2,
        XLA_FFI_AttrType_SCALAR = 3,
        XLA_FFI_AttrType_STRING = 4,
    }

    /// What a handler is called for.
    XLA_FFI_ExecutionStage {
        XLA_FFI_ExecutionStage_INSTANTIATE = 0,
        XLA_FFI_ExecutionStage_PREPARE = 1,
        XLA_FFI_ExecutionStage_INITIALIZE = 2,
        XLA_FFI_ExecutionStage_EXECUTE = 3,
    }

    /// What kind of error it is; other numbers are those of `PJRT_Error_Code` too.
    XLA_FFI_Error_Code {
        XLA_FFI_Error_Code_INVALID_ARGUMENT = 3,
        XLA_FFI_Error_Code_INTERNAL = 13,
    }
}

/// The layout of every structure of this module.
pub fn xla_ffi_layouts() -> impl Iterator<Item = &'static Layout> {
    LAYOUTS.iter().chain(PLAIN_LAYOUTS)
}

/// Every constant of this module.
pub fn xla_ffi_constants() -> impl Iterator<Item = &'static crate::Constant> {
    CONSTANTS.iter()
}
