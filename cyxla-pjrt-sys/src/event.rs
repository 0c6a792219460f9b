//! Events: the end of work that runs beside the caller.

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
}
