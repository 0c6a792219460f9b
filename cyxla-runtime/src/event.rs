//! Events: the end of work that runs beside the caller.

use std::ptr::NonNull;

use cyxla_pjrt_sys::{Args as _, PJRT_Event, PJRT_Event_Await_Args, PJRT_Event_Destroy_Args};

use crate::api::Api;
use crate::error::ApiError;

/// An event of a plugin, destroyed when dropped.
pub(crate) struct Event<'a> {
    api: &'a Api,
    raw: NonNull<PJRT_Event>,
}

impl<'a> Event<'a> {
    /// Takes an event over; none for NULL.
    ///
    /// # Safety
    /// NULL, or an event of this plugin that is alive and owned by nobody else.
    pub(crate) unsafe fn from_raw(api: &'a Api, raw: *mut PJRT_Event) -> Option<Self> {
        NonNull::new(raw).map(|raw| Self { api, raw })
    }

    /// Waits until the work is done.
    ///
    /// # Errors
    /// Those of the work.
    pub(crate) fn wait(self) -> Result<(), ApiError> {
        let mut args = PJRT_Event_Await_Args {
            event: self.raw.as_ptr(),
            ..PJRT_Event_Await_Args::new()
        };
        // SAFETY: the event is alive.
        unsafe { self.api.call(&mut args) }
    }
}

impl Drop for Event<'_> {
    fn drop(&mut self) {
        let mut args = PJRT_Event_Destroy_Args {
            event: self.raw.as_ptr(),
            ..PJRT_Event_Destroy_Args::new()
        };
        // SAFETY: the event is alive and ours. What could be told of an error here is of no use to anybody.
        let _ = unsafe { self.api.call(&mut args) };
    }
}
