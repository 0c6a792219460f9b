//! The one gate for calls into a plugin.
//!
//! Whether a plugin has a function can't be told from the version of its API: the place of the pointer must lie inside the
//! plugin's own table, and the pointer must not be NULL. Both are looked at before every call, here and nowhere else. Every
//! `PJRT_Error` becomes an [`ApiError`] here and is destroyed.

use std::ffi::{c_char, c_int};
use std::path::Path;
use std::ptr::NonNull;

use cyxla_pjrt_sys::{
    Args as _, Call, MAJOR, OLDEST_MINOR, PJRT_Api, PJRT_Error, PJRT_Error_Destroy_Args,
    PJRT_Error_GetCode_Args, PJRT_Error_Message_Args, PJRT_Extension_Base, Slot,
};

use crate::error::{ApiError, ErrorCode};
use crate::plugin::PluginError;

/// The lowest version of the PJRT C API that a plugin may have, major and minor. Another major version is another API.
pub(crate) const MINIMUM_VERSION: (i32, i32) = (MAJOR, OLDEST_MINOR);

/// The smallest table of any use: the one that can at least tell its errors.
const SMALLEST_TABLE: usize = std::mem::offset_of!(PJRT_Api, PJRT_Plugin_Initialize);

/// Far beyond any table; a plugin that names more bytes does not name the size of a table.
const LARGEST_TABLE: usize = 1 << 16;

/// The functions of a loaded plugin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Api {
    table: NonNull<PJRT_Api>,
    /// Bytes of the table, as the plugin says.
    struct_size: usize,
    version: (i32, i32),
    library: &'static Path,
}

// SAFETY: the table belongs to a library that is never unloaded, and nobody writes to it. PJRT's functions may be called
// from any thread.
unsafe impl Send for Api {}
// SAFETY: as above.
unsafe impl Sync for Api {}

impl Api {
    /// The functions in the table that `GetPjrtApi` of `library` returned.
    ///
    /// # Errors
    /// There is no table, or it is of another version.
    ///
    /// # Safety
    /// `table` is NULL or the address of a table whose head (size, extensions, version) can be read; it stays as it is until
    /// the process ends, and its functions are those of the version that it names.
    pub(crate) unsafe fn from_table(
        table: *const PJRT_Api,
        library: &'static Path,
    ) -> Result<Self, PluginError> {
        let no_api = |reason: String| PluginError::NoApi {
            path: library.to_owned(),
            reason,
        };
        let Some(table) = NonNull::new(table.cast_mut()) else {
            return Err(no_api("GetPjrtApi returned NULL".into()));
        };
        // SAFETY: the head can be read. Only the two fields are read, never the table as a whole, which may be shorter.
        let (struct_size, version) = unsafe {
            let table = table.as_ptr();
            let version = &raw const (*table).pjrt_api_version;
            (
                (&raw const (*table).struct_size).read(),
                (
                    (&raw const (*version).major_version).read(),
                    (&raw const (*version).minor_version).read(),
                ),
            )
        };
        if version.0 != MINIMUM_VERSION.0 || version < MINIMUM_VERSION {
            return Err(PluginError::Version {
                path: library.to_owned(),
                found: version,
                minimum: MINIMUM_VERSION,
            });
        }
        if !(SMALLEST_TABLE..LARGEST_TABLE).contains(&struct_size) {
            return Err(no_api(format!("its table has {struct_size} bytes")));
        }
        Ok(Self {
            table,
            struct_size,
            version,
            library,
        })
    }

    /// The version of the PJRT C API, major and minor.
    pub(crate) fn version(&self) -> (i32, i32) {
        self.version
    }

    /// The library of the plugin.
    pub(crate) fn library(&self) -> &'static Path {
        self.library
    }

    /// Calls the function that takes these arguments.
    ///
    /// # Errors
    /// The plugin lacks the function, or returns an error.
    ///
    /// # Safety
    /// The arguments are what the function asks for: handles of this plugin that are alive, pointers to as much memory as
    /// they are said to have.
    #[inline]
    pub(crate) unsafe fn call<A: Call>(&self, args: &mut A) -> Result<(), ApiError> {
        // SAFETY: `Call` promises that this is the type of the slot.
        let Some(function) = (unsafe { self.slot::<Slot<A>>(A::SLOT) }).flatten() else {
            return Err(self.missing(A::FUNCTION));
        };
        // SAFETY: `Call` promises the signature, the caller the arguments.
        match NonNull::new(unsafe { function(args) }) {
            None => Ok(()),
            Some(error) => Err(self.receive(error, A::FUNCTION)),
        }
    }

    /// An extension of the table by its number, and how many bytes it has; none if the plugin lacks it.
    pub(crate) fn extension(&self, number: c_int) -> Option<(NonNull<PJRT_Extension_Base>, usize)> {
        // SAFETY: the field lies in any table that `from_table` accepts.
        let mut link = unsafe { (&raw const (*self.table.as_ptr()).extension_start).read() };
        // More than any chain has: one that ends nowhere is not followed for ever.
        for _ in 0..256 {
            let extension = NonNull::new(link)?;
            // SAFETY: a link of the chain begins with this head, and lives as long as the table.
            let head = unsafe { extension.read() };
            if head.type_ == number {
                return Some((extension, head.struct_size));
            }
            link = head.next;
        }
        None
    }

    /// Reads the slot at `offset` of the table, if the table reaches that far.
    ///
    /// # Safety
    /// The slot has the type `S`.
    #[inline]
    unsafe fn slot<S: Copy>(&self, offset: usize) -> Option<S> {
        if offset + size_of::<S>() > self.struct_size {
            return None;
        }
        // SAFETY: inside the table, which lives as long as the process; of type `S`, as the caller promises.
        Some(unsafe { self.table.byte_add(offset).cast::<S>().read() })
    }

    #[cold]
    fn missing(&self, function: &'static str) -> ApiError {
        let (major, minor) = self.version;
        ApiError {
            function,
            code: ErrorCode::Unimplemented,
            message: format!(
                "the PJRT plugin {} (API {major}.{minor}) has no such function",
                self.library.display()
            ),
        }
    }

    /// The error that a function succeeded without giving what it promises.
    #[cold]
    pub(crate) fn nothing(&self, function: &'static str) -> ApiError {
        ApiError {
            function,
            code: ErrorCode::Internal,
            message: format!(
                "the PJRT plugin {} reports success, but gives nothing",
                self.library.display()
            ),
        }
    }

    /// Turns an error into a value, and destroys it.
    #[cold]
    pub(crate) fn receive(&self, error: NonNull<PJRT_Error>, function: &'static str) -> ApiError {
        let error = error.as_ptr();
        let mut message = PJRT_Error_Message_Args {
            error,
            ..PJRT_Error_Message_Args::new()
        };
        let mut code = PJRT_Error_GetCode_Args {
            error,
            ..PJRT_Error_GetCode_Args::new()
        };
        let mut destroy = PJRT_Error_Destroy_Args {
            error,
            ..PJRT_Error_Destroy_Args::new()
        };
        // SAFETY: the three slots lie in any table that `from_table` accepts and have the types named; the error is alive
        // until it is destroyed, which is last; its text is copied before.
        unsafe {
            let table = self.table.as_ptr();
            if let Some(function) = (&raw const (*table).PJRT_Error_Message).read() {
                function(&raw mut message);
            }
            if let Some(function) = (&raw const (*table).PJRT_Error_GetCode).read() {
                let second = function(&raw mut code);
                self.discard(second);
            }
            let text = text(message.message, message.message_size);
            if let Some(function) = (&raw const (*table).PJRT_Error_Destroy).read() {
                function(&raw mut destroy);
            }
            ApiError {
                function,
                code: ErrorCode::from_number(code.code),
                message: text.trim_end().to_owned(),
            }
        }
    }

    /// Destroys the error, if it is one, that came up while another was looked at.
    ///
    /// # Safety
    /// NULL, or an error of this plugin that is alive and used by nobody else.
    unsafe fn discard(&self, error: *mut PJRT_Error) {
        let mut destroy = PJRT_Error_Destroy_Args {
            error,
            ..PJRT_Error_Destroy_Args::new()
        };
        // SAFETY: the slot lies in any table that `from_table` accepts; the error is the caller's.
        unsafe {
            let function = (&raw const (*self.table.as_ptr()).PJRT_Error_Destroy).read();
            if let (Some(function), false) = (function, error.is_null()) {
                function(&raw mut destroy);
            }
        }
    }
}

/// Copies a text of a plugin.
///
/// # Safety
/// NULL, or the address of that many bytes.
pub(crate) unsafe fn text(start: *const c_char, size: usize) -> String {
    // SAFETY: as the caller promises.
    String::from_utf8_lossy(unsafe { slice(start.cast(), size) }).into_owned()
}

/// A list of a plugin. NULL is an empty list.
///
/// # Safety
/// NULL, or the address of that many elements, which stay as they are for `'a`.
pub(crate) unsafe fn slice<'a, T>(start: *const T, len: usize) -> &'a [T] {
    if start.is_null() {
        return &[];
    }
    // SAFETY: as the caller promises.
    unsafe { std::slice::from_raw_parts(start, len) }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use cyxla_pjrt_sys::{
        PJRT_Client_Compile_Args, PJRT_Event_Await_Args, PJRT_Event_IsReady_Args,
    };

    use super::*;

    static DESTROYED: AtomicUsize = AtomicUsize::new(0);

    unsafe extern "C" fn destroy(_: *mut PJRT_Error_Destroy_Args) {
        DESTROYED.fetch_add(1, Ordering::Relaxed);
    }

    unsafe extern "C" fn message(args: *mut PJRT_Error_Message_Args) {
        let text = "out of memory";
        // SAFETY: called by `receive` with arguments of this type.
        unsafe {
            (*args).message = text.as_ptr().cast();
            (*args).message_size = text.len();
        }
    }

    unsafe extern "C" fn code(args: *mut PJRT_Error_GetCode_Args) -> *mut PJRT_Error {
        // SAFETY: called by `receive` with arguments of this type.
        unsafe { (*args).code = 8 };
        std::ptr::null_mut()
    }

    unsafe extern "C" fn fails(_: *mut PJRT_Event_IsReady_Args) -> *mut PJRT_Error {
        std::ptr::dangling_mut()
    }

    /// A table of its own for each test, with `change` applied. It is never freed, as that of a plugin.
    fn table(change: impl FnOnce(&mut PJRT_Api)) -> *const PJRT_Api {
        let table = Box::leak(Box::new(std::mem::MaybeUninit::<PJRT_Api>::zeroed()));
        // SAFETY: NULL slots and zeros are a table.
        let table = unsafe { table.assume_init_mut() };
        table.struct_size = size_of::<PJRT_Api>();
        table.pjrt_api_version.minor_version = OLDEST_MINOR;
        table.PJRT_Error_Destroy = Some(destroy);
        table.PJRT_Error_Message = Some(message);
        table.PJRT_Error_GetCode = Some(code);
        change(table);
        table
    }

    fn api(change: impl FnOnce(&mut PJRT_Api)) -> Result<Api, PluginError> {
        // SAFETY: the table is never freed or changed.
        unsafe { Api::from_table(table(change), Path::new("/p.so")) }
    }

    #[test]
    fn an_error_of_the_plugin_becomes_a_value_and_is_destroyed() {
        let api = api(|table| table.PJRT_Event_IsReady = Some(fails)).unwrap();
        let before = DESTROYED.load(Ordering::Relaxed);
        // SAFETY: the function looks at nothing.
        let error = unsafe { api.call(&mut PJRT_Event_IsReady_Args::new()) }.unwrap_err();
        assert_eq!(
            error.to_string(),
            "out of memory (RESOURCE_EXHAUSTED, PJRT_Event_IsReady)"
        );
        assert_eq!(DESTROYED.load(Ordering::Relaxed) - before, 1);
    }

    #[test]
    fn a_null_slot_is_an_error_that_names_function_and_plugin() {
        let api = api(|_| {}).unwrap();
        // SAFETY: nothing is called.
        let error = unsafe { api.call(&mut PJRT_Client_Compile_Args::new()) }.unwrap_err();
        assert_eq!(error.code, ErrorCode::Unimplemented);
        assert_eq!(
            error.to_string(),
            "the PJRT plugin /p.so (API 0.81) has no such function (UNIMPLEMENTED, PJRT_Client_Compile)"
        );
    }

    #[test]
    fn a_slot_behind_the_end_of_the_table_is_not_read() {
        let api = api(|table| {
            table.struct_size = PJRT_Event_Await_Args::SLOT;
            table.PJRT_Event_IsReady = Some(fails);
        })
        .unwrap();
        // SAFETY: the one function that is called looks at nothing.
        unsafe {
            let inside = api.call(&mut PJRT_Event_IsReady_Args::new()).unwrap_err();
            assert_eq!(inside.code, ErrorCode::ResourceExhausted);
            let outside = api.call(&mut PJRT_Event_Await_Args::new()).unwrap_err();
            assert_eq!(outside.code, ErrorCode::Unimplemented);
        }
    }

    #[test]
    fn versions_that_cyxla_does_not_know_are_refused() {
        for found in [(0, 80), (0, 54), (1, 0), (1, 90), (-1, 100)] {
            let error = api(|table| {
                table.pjrt_api_version.major_version = found.0;
                table.pjrt_api_version.minor_version = found.1;
            })
            .unwrap_err();
            assert!(
                matches!(error, PluginError::Version { found: f, minimum: (0, 81), .. } if f == found),
                "{error}"
            );
        }
        assert!(api(|table| table.pjrt_api_version.minor_version = 500).is_ok());
    }

    #[test]
    fn tables_of_impossible_size_are_refused() {
        for size in [0, 24, 63, 1 << 20, usize::MAX] {
            let error = api(|table| table.struct_size = size).unwrap_err();
            assert!(matches!(error, PluginError::NoApi { .. }), "{error}");
        }
        // SAFETY: NULL is allowed.
        let error = unsafe { Api::from_table(std::ptr::null(), Path::new("/p.so")) }.unwrap_err();
        assert!(matches!(error, PluginError::NoApi { .. }), "{error}");
    }
}
