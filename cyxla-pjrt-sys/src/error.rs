//! Errors.

use std::ffi::{c_char, c_int};

opaque! {
    /// An error. Its receiver destroys it.
    PJRT_Error;
}

structures! {
    /// Never fails.
    PJRT_Error_Destroy_Args {
        error: *mut PJRT_Error,
    }

    /// Never fails.
    PJRT_Error_Message_Args {
        error: *const PJRT_Error,
        /// Out. Lives as long as the error. Not terminated by a zero.
        message: *const c_char,
        /// Out. Bytes.
        message_size: usize,
    }

    PJRT_Error_GetCode_Args {
        error: *const PJRT_Error,
        /// Out.
        code: PJRT_Error_Code,
    }
}

/// Makes an error in a callback.
pub type PJRT_CallbackError =
    Option<unsafe extern "C" fn(PJRT_Error_Code, *const c_char, usize) -> *mut PJRT_Error>;

// The codes of `absl::StatusCode`.
constants! {
    /// The kind of an error.
    PJRT_Error_Code {
        PJRT_Error_Code_CANCELLED = 1,
        PJRT_Error_Code_UNKNOWN = 2,
        PJRT_Error_Code_INVALID_ARGUMENT = 3,
        PJRT_Error_Code_DEADLINE_EXCEEDED = 4,
        PJRT_Error_Code_NOT_FOUND = 5,
        PJRT_Error_Code_ALREADY_EXISTS = 6,
        PJRT_Error_Code_PERMISSION_DENIED = 7,
        PJRT_Error_Code_RESOURCE_EXHAUSTED = 8,
        PJRT_Error_Code_FAILED_PRECONDITION = 9,
        PJRT_Error_Code_ABORTED = 10,
        PJRT_Error_Code_OUT_OF_RANGE = 11,
        PJRT_Error_Code_UNIMPLEMENTED = 12,
        PJRT_Error_Code_INTERNAL = 13,
        PJRT_Error_Code_UNAVAILABLE = 14,
        PJRT_Error_Code_DATA_LOSS = 15,
        PJRT_Error_Code_UNAUTHENTICATED = 16,
    }
}

// A C enumeration is an `int` where the plugins run.
const _: () = assert!(size_of::<PJRT_Error_Code>() == size_of::<c_int>());
