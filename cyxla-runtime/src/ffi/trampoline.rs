//! The C functions that XLA calls, and how each finds its handler.
//!
//! XLA calls a handler with a frame only: nothing in it says which target is called, and there is no pointer of ours. So each
//! target needs a C function of its own. The functions here are made when cyxla is compiled, one for each place in a table;
//! a target gets the next free place for good, and its function looks there. That serves handlers with state as well as
//! plain functions, and costs some 20 bytes for a place.

use std::any::Any;
use std::ffi::CString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use cyxla_ffi::{Error, ErrorCode, Handler};
use cyxla_pjrt_sys::Args as _;
use cyxla_pjrt_sys::xla_ffi as sys;
use cyxla_pjrt_sys::xla_ffi::{
    XLA_FFI_Api, XLA_FFI_CallFrame, XLA_FFI_Error, XLA_FFI_Error_Create_Args,
    XLA_FFI_Extension_Base, XLA_FFI_Handler, XLA_FFI_Metadata, XLA_FFI_Metadata_Extension,
};

use super::decode::{looked_at, with_frame};
use super::inside::Inside;

const ROWS: usize = 16;
const COLUMNS: usize = 32;

/// How many targets can have a handler.
pub(super) const PLACES: usize = ROWS * COLUMNS;

/// A handler in its place.
pub(super) struct Placed {
    target: &'static str,
    handler: &'static dyn Handler,
    /// How often XLA has asked for the metadata, above 32 bits; below, the minor version that was last answered.
    asked: AtomicU64,
}

static HANDLERS: [OnceLock<Placed>; PLACES] = [const { OnceLock::new() }; PLACES];

/// Puts a handler into a place, and gives the C function that calls it; none if the place is taken, or there is none.
pub(super) fn place(
    index: usize,
    target: &'static str,
    handler: &'static dyn Handler,
) -> Option<XLA_FFI_Handler> {
    let function = FUNCTIONS.get(index / COLUMNS)?[index % COLUMNS];
    let placed = Placed {
        target,
        handler,
        asked: AtomicU64::new(0),
    };
    HANDLERS[index].set(placed).ok()?;
    Some(function)
}

/// How often XLA has asked the handler in a place for its metadata, and the minor version that was last answered.
pub(super) fn asked(index: usize) -> (u32, u32) {
    let placed = HANDLERS.get(index).and_then(OnceLock::get);
    let asked = placed.map_or(0, |placed| placed.asked.load(Ordering::Relaxed));
    #[expect(
        clippy::cast_possible_truncation,
        reason = "each half is taken for itself"
    )]
    ((asked >> 32) as u32, asked as u32)
}

/// The C function of one place.
///
/// # Safety
/// As [`answer`].
unsafe extern "C" fn function<const ROW: usize, const COLUMN: usize>(
    frame: *mut XLA_FFI_CallFrame,
) -> *mut XLA_FFI_Error {
    // SAFETY: as the caller promises.
    unsafe { answer(frame, ROW * COLUMNS + COLUMN) }
}

macro_rules! functions {
    ($($row:literal)*) => {
        [$(functions!(@row $row
            0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31),)*]
    };
    (@row $row:literal $($column:literal)*) => {
        [$(function::<$row, $column>,)*]
    };
}

static FUNCTIONS: [[XLA_FFI_Handler; COLUMNS]; ROWS] =
    functions!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);

/// What XLA calls: tells the metadata, or calls the handler.
///
/// # Safety
/// `frame` is NULL or a frame of XLA, as its header says.
unsafe fn answer(frame: *mut XLA_FFI_CallFrame, place: usize) -> *mut XLA_FFI_Error {
    // SAFETY: as the caller promises.
    let api = unsafe { api_of(frame) };
    // SAFETY: as above.
    if let Some(metadata) = unsafe { metadata_of(frame) } {
        // SAFETY: XLA gave the address, to be written to.
        let answered = unsafe { describe(metadata, api) };
        if let Some(placed) = HANDLERS.get(place).and_then(OnceLock::get) {
            let times = placed.asked.load(Ordering::Relaxed) >> 32;
            let asked = (times + 1) << 32 | u64::from(answered);
            placed.asked.store(asked, Ordering::Relaxed);
        }
        return std::ptr::null_mut();
    }
    // SAFETY: as the caller promises.
    match unsafe { call(frame, place) } {
        Ok(()) => std::ptr::null_mut(),
        // SAFETY: the table is that of the frame.
        Err(error) => unsafe { report(api, &error) },
    }
}

/// Calls the handler in a place.
///
/// # Safety
/// As [`answer`].
unsafe fn call(frame: *const XLA_FFI_CallFrame, place: usize) -> Result<(), Error> {
    let placed = HANDLERS.get(place).and_then(OnceLock::get);
    let placed = placed.ok_or_else(|| Error::internal("XLA called a handler that is not there"))?;
    let _inside = Inside::enter();
    // A handler that panicked may leave its own state as it was then; that is what its locks are for.
    let returned = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: as the caller promises.
        unsafe { with_frame(frame, |frame| placed.handler.call(frame)) }
    }));
    let target = placed.target;
    match returned {
        Ok(Ok(())) => Ok(()),
        Ok(Err(error)) => Err(Error::new(
            error.code(),
            format_args!("the custom call `{target}` failed: {}", error.message()),
        )),
        Err(panic) => Err(Error::internal(format_args!(
            "the handler of the custom call `{target}` panicked: {}",
            panic_text(panic)
        ))),
    }
}

/// What a panic said.
fn panic_text(panic: Box<dyn Any + Send>) -> String {
    let panic = match panic.downcast::<String>() {
        Ok(text) => return *text,
        Err(other) => other,
    };
    match panic.downcast::<&'static str>() {
        Ok(text) => (*text).to_owned(),
        Err(other) => {
            // Dropping it might panic again.
            std::mem::forget(other);
            "with a value that is no text".to_owned()
        }
    }
}

/// The table of functions of a frame.
///
/// # Safety
/// As [`answer`].
unsafe fn api_of<'a>(frame: *const XLA_FFI_CallFrame) -> Option<&'a XLA_FFI_Api> {
    let needed = std::mem::offset_of!(XLA_FFI_CallFrame, ctx);
    // SAFETY: as the caller promises; the field lies within the size that the frame says.
    unsafe {
        if frame.is_null() || !frame.is_aligned() || frame.cast::<usize>().read() < needed {
            return None;
        }
        looked_at((&raw const (*frame).api).read(), XLA_FFI_Api::STRUCT_SIZE).ok()
    }
}

/// Where XLA wants the metadata, if it asks for it.
///
/// # Safety
/// As [`answer`].
unsafe fn metadata_of(frame: *const XLA_FFI_CallFrame) -> Option<*mut XLA_FFI_Metadata> {
    let needed = std::mem::offset_of!(XLA_FFI_CallFrame, api);
    // SAFETY: as the caller promises; each field lies within the size that its structure says.
    unsafe {
        if frame.is_null() || !frame.is_aligned() || frame.cast::<usize>().read() < needed {
            return None;
        }
        let mut link = (&raw const (*frame).extension_start).read();
        // More than any chain has: one that ends nowhere is not followed for ever.
        for _ in 0..64 {
            // So it is in every call but the question: no error, which would be made in vain.
            if link.is_null() {
                return None;
            }
            let size = size_of::<XLA_FFI_Extension_Base>();
            let base = looked_at(link.cast_const(), size).ok()?;
            if base.type_ == sys::XLA_FFI_Extension_Metadata {
                let size = size_of::<XLA_FFI_Metadata_Extension>();
                let extension =
                    looked_at(link.cast_const().cast::<XLA_FFI_Metadata_Extension>(), size);
                return Some(extension.ok()?.metadata);
            }
            link = base.next;
        }
        None
    }
}

/// Tells XLA which version of the interface the handler is made for: XLA's own, or the newest that is known here. Some
/// plugins drop a handler without a word if it names one that they don't know, or none.
///
/// Gives the minor version that was told.
///
/// # Safety
/// `metadata` is NULL, or can be written to as far as its `struct_size` says.
unsafe fn describe(metadata: *mut XLA_FFI_Metadata, api: Option<&XLA_FFI_Api>) -> u32 {
    // SAFETY: as the caller promises; nothing is written beyond what the structure says to have.
    unsafe {
        if metadata.is_null()
            || !metadata.is_aligned()
            || metadata.cast::<usize>().read() < XLA_FFI_Metadata::STRUCT_SIZE
        {
            return 0;
        }
        let version = api.map_or(1, |api| api.api_version.minor_version);
        let minor = version.clamp(1, sys::NEWEST_FFI_MINOR);
        let told = &raw mut (*metadata).api_version;
        (&raw mut (*told).major_version).write(sys::FFI_MAJOR);
        (&raw mut (*told).minor_version).write(minor);
        (&raw mut (*metadata).traits).write(0);
        minor.unsigned_abs()
    }
}

/// Makes an error of XLA.
///
/// A plugin that gives no way to tell an error has broken what it agreed to when it asked for the metadata. To go on would
/// be to compute with whatever the results hold, so the process ends.
///
/// # Safety
/// The table is that of the call.
#[cold]
unsafe fn report(api: Option<&XLA_FFI_Api>, error: &Error) -> *mut XLA_FFI_Error {
    let create = api.and_then(|api| api.XLA_FFI_Error_Create);
    // A text of C ends at the first zero.
    let message = CString::new(error.message().replace('\0', "\u{FFFD}")).unwrap_or_default();
    let code = match error.code() {
        // It would mean success.
        ErrorCode::Other(_) => ErrorCode::Unknown,
        code => code,
    };
    let mut args = XLA_FFI_Error_Create_Args {
        message: message.as_ptr(),
        errc: code.number(),
        ..XLA_FFI_Error_Create_Args::new()
    };
    // SAFETY: the function of this table takes these arguments, and copies the text.
    let created = create.map(|create| unsafe { create(&raw mut args) });
    match created {
        Some(created) if !created.is_null() => created,
        _ => {
            eprintln!("cyxla: {error}\ncyxla: the PJRT plugin takes no errors of custom calls");
            std::process::abort()
        }
    }
}

#[cfg(test)]
mod tests;
