//! Events: the end of work that runs beside the caller.

use std::ffi::c_void;
use std::panic::AssertUnwindSafe;
use std::ptr::NonNull;

use cyxla_pjrt_sys::{
    Args as _, Call as _, PJRT_Error, PJRT_Event, PJRT_Event_Await_Args, PJRT_Event_Destroy_Args,
    PJRT_Event_IsReady_Args, PJRT_Event_OnReady_Args,
};

use crate::api::Api;
use crate::error::ApiError;

/// An event of a plugin, destroyed when dropped.
pub(crate) struct Event {
    api: &'static Api,
    raw: NonNull<PJRT_Event>,
}

// SAFETY: PJRT allows an event to be used from any thread.
unsafe impl Send for Event {}
// SAFETY: as above.
unsafe impl Sync for Event {}

/// What is called at the end of some work, on any thread.
type Callback = Box<dyn FnOnce() + Send>;

impl Event {
    /// Takes an event over; none for NULL.
    ///
    /// # Safety
    /// NULL, or an event of this plugin that is alive and owned by nobody else.
    #[inline]
    pub(crate) unsafe fn from_raw(api: &'static Api, raw: *mut PJRT_Event) -> Option<Self> {
        NonNull::new(raw).map(|raw| Self { api, raw })
    }

    /// Waits until the work is done.
    ///
    /// # Errors
    /// Those of the work.
    #[inline]
    pub(crate) fn wait(&self) -> Result<(), ApiError> {
        let mut args = PJRT_Event_Await_Args {
            event: self.raw.as_ptr(),
            ..PJRT_Event_Await_Args::new()
        };
        // SAFETY: the event is alive.
        unsafe { self.api.call(&mut args) }
    }

    /// Whether the work is done, well or not.
    pub(crate) fn is_ready(&self) -> Result<bool, ApiError> {
        let mut args = PJRT_Event_IsReady_Args {
            event: self.raw.as_ptr(),
            ..PJRT_Event_IsReady_Args::new()
        };
        // SAFETY: the event is alive.
        unsafe { self.api.call(&mut args)? };
        Ok(args.is_ready)
    }

    /// Has `callback` called when the work is done, once, by a thread of the plugin or before this returns. It must not wait
    /// for the plugin. Nobody hears of a panic in it.
    ///
    /// # Errors
    /// The plugin can't; then `callback` is never called.
    pub(crate) fn on_ready(&self, callback: Callback) -> Result<(), ApiError> {
        let waiting = Box::into_raw(Box::new(Waiting {
            api: self.api,
            callback,
        }));
        let mut args = PJRT_Event_OnReady_Args {
            event: self.raw.as_ptr(),
            callback: Some(Waiting::ready),
            user_arg: waiting.cast(),
            ..PJRT_Event_OnReady_Args::new()
        };
        // SAFETY: the event is alive; `ready` takes what `user_arg` points to, once.
        let registered = unsafe { self.api.call(&mut args) };
        if registered.is_err() {
            // SAFETY: made above, and taken by nobody: the plugin has not registered it.
            drop(unsafe { Box::from_raw(waiting) });
        }
        registered
    }
}

impl Drop for Event {
    #[inline]
    fn drop(&mut self) {
        let mut args = PJRT_Event_Destroy_Args {
            event: self.raw.as_ptr(),
            ..PJRT_Event_Destroy_Args::new()
        };
        // SAFETY: the event is alive and ours. What could be told of an error here is of no use to anybody.
        let _ = unsafe { self.api.call(&mut args) };
    }
}

/// A callback on its way through the plugin.
struct Waiting {
    api: &'static Api,
    callback: Callback,
}

impl Waiting {
    /// # Safety
    /// `user_arg` is a boxed `Waiting` that nobody else has; the error is NULL or the receiver's.
    unsafe extern "C" fn ready(error: *mut PJRT_Error, user_arg: *mut c_void) {
        // SAFETY: as the caller promises.
        let waiting = unsafe { Box::from_raw(user_arg.cast::<Self>()) };
        if let Some(error) = NonNull::new(error) {
            // Whoever waits for the event is told it again.
            let _ = waiting
                .api
                .receive(error, PJRT_Event_OnReady_Args::FUNCTION);
        }
        // The frames below are the plugin's, which a panic must not pass.
        let _ = std::panic::catch_unwind(AssertUnwindSafe(waiting.callback));
    }
}
