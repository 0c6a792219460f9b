//! Events: the end of work that runs beside the caller.

use std::ffi::c_void;

use crate::PJRT_Error;

opaque! {
    /// An event. Its receiver destroys it.
    PJRT_Event;
}

structures! {
    PJRT_Event_Destroy_Args {
        event: *mut PJRT_Event,
    }

    PJRT_Event_IsReady_Args {
        event: *mut PJRT_Event,
        /// Out.
        is_ready: bool,
    }

    /// Blocks until the event is ready, and fails with the error of the work.
    PJRT_Event_Await_Args {
        event: *mut PJRT_Event,
    }

    /// Has `callback` called once, when the event is ready: on any thread, or before the function returns.
    PJRT_Event_OnReady_Args {
        event: *mut PJRT_Event,
        callback: PJRT_Event_OnReadyCallback,
        /// Passed on to `callback`.
        user_arg: *mut c_void,
    }
}

/// Receives the error of an event, or NULL, and the `user_arg` that it was registered with. The error is the receiver's, who
/// destroys it.
pub type PJRT_Event_OnReadyCallback =
    Option<unsafe extern "C" fn(error: *mut PJRT_Error, user_arg: *mut c_void)>;
