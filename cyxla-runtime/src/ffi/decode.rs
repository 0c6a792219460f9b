//! From XLA's structures to the frame that a handler sees.
//!
//! Everything is looked at before it is used: sizes of structures, numbers of things, pointers. What can't be looked at is
//! whether a pointer that is not NULL points to what it should; there, XLA is trusted.

use std::ffi::{c_int, c_void};

use cyxla_artifact::DType;
use cyxla_ffi::{Attributes, CallFrame, Error, RawArray};
use cyxla_pjrt_sys::Args as _;
use cyxla_pjrt_sys::xla_ffi as sys;
use cyxla_pjrt_sys::xla_ffi::{XLA_FFI_Args, XLA_FFI_Buffer, XLA_FFI_CallFrame, XLA_FFI_Rets};

use super::attributes::XlaAttributes;
use super::data_type;

/// More things than any call has.
pub(super) const LONGEST: i64 = 1 << 20;

/// More axes than any array has.
const MOST_AXES: i64 = 1 << 10;

/// Arrays of a call, and their axes, for which there is room without an allocation.
const ARRAYS: usize = 16;
const AXES: usize = 64;

/// Calls `handler` with what XLA calls with.
///
/// # Errors
/// Those of the handler; and a frame that is not as XLA's header says.
///
/// # Safety
/// `frame` is NULL, or points to a frame: `struct_size`, and as many bytes. If these are enough for all fields, then what
/// the fields point to is NULL or as XLA's header says; arguments are not written to during the call, and results are used
/// by nobody else.
pub(super) unsafe fn with_frame(
    frame: *const XLA_FFI_CallFrame,
    handler: impl FnOnce(&mut CallFrame<'_>) -> Result<(), Error>,
) -> Result<(), Error> {
    // SAFETY: as the caller promises. Arguments and results are lists of buffers, once their types were looked at.
    unsafe {
        let frame = looked_at(frame, XLA_FFI_CallFrame::STRUCT_SIZE)?;
        if frame.stage != sys::XLA_FFI_ExecutionStage_EXECUTE {
            return Err(Error::internal(format_args!(
                "called at the stage {}, but handlers are for execution",
                frame.stage
            )));
        }
        let arguments = buffers_of_arguments(&frame.args)?;
        let results = buffers_of_results(&frame.rets)?;
        let attributes = XlaAttributes::at(&raw const frame.attrs)?;

        let number = arguments.len() + results.len();
        let mut axes = 0;
        for &buffer in arguments.iter().chain(results) {
            axes += dims(buffer)?.len();
        }
        let mut here = [0; AXES];
        let mut elsewhere = Vec::new();
        let axes = room(&mut here, &mut elsewhere, axes, 0);
        fill(axes, arguments.iter().chain(results))?;

        let mut here = [RawArray {
            dtype: DType::U8,
            dims: &[],
            data: std::ptr::null_mut(),
        }; ARRAYS];
        let mut elsewhere = Vec::new();
        let none = here[0];
        let arrays = room(&mut here, &mut elsewhere, number, none);
        let mut axes = &*axes;
        for (index, (array, &buffer)) in arrays
            .iter_mut()
            .zip(arguments.iter().chain(results))
            .enumerate()
        {
            let of_this;
            (of_this, axes) = axes.split_at(dims(buffer)?.len());
            *array = described(buffer, of_this, index, arguments.len())?;
        }
        let (arguments, results) = arrays.split_at(arguments.len());
        let attributes = Attributes::new(attributes);
        handler(&mut CallFrame::new(arguments, results, attributes)?)
    }
}

/// Room for as many, here if possible.
fn room<'a, T: Clone>(
    here: &'a mut [T],
    elsewhere: &'a mut Vec<T>,
    number: usize,
    none: T,
) -> &'a mut [T] {
    if number <= here.len() {
        return &mut here[..number];
    }
    elsewhere.resize(number, none);
    elsewhere
}

/// Writes the axes of all buffers, one after the other.
///
/// # Safety
/// As [`dims`], for each.
unsafe fn fill<'a>(
    axes: &mut [usize],
    buffers: impl Iterator<Item = &'a *mut XLA_FFI_Buffer>,
) -> Result<(), Error> {
    let mut places = axes.iter_mut();
    for &buffer in buffers {
        // SAFETY: as the caller promises.
        for (&length, place) in unsafe { dims(buffer)? }.iter().zip(&mut places) {
            *place = usize::try_from(length).map_err(|_| {
                Error::internal(format_args!("XLA gave an axis of length {length}"))
            })?;
        }
    }
    Ok(())
}

/// The lengths of a buffer's axes.
///
/// # Safety
/// For `'a`: as [`looked_at`]; `dims` points to as many lengths as there are axes.
unsafe fn dims<'a>(buffer: *const XLA_FFI_Buffer) -> Result<&'a [i64], Error> {
    // SAFETY: as the caller promises.
    unsafe {
        let buffer = looked_at(buffer, XLA_FFI_Buffer::STRUCT_SIZE)?;
        match usize::try_from(buffer.rank) {
            Ok(rank) if buffer.rank <= MOST_AXES => list(buffer.dims, rank),
            _ => Err(Error::internal(format_args!(
                "XLA gave an array of {} axes",
                buffer.rank
            ))),
        }
    }
}

/// # Safety
/// As [`looked_at`].
unsafe fn described(
    buffer: *const XLA_FFI_Buffer,
    dims: &[usize],
    index: usize,
    arguments: usize,
) -> Result<RawArray<'_>, Error> {
    // SAFETY: as the caller promises.
    let buffer = unsafe { looked_at(buffer, XLA_FFI_Buffer::STRUCT_SIZE)? };
    let Some(dtype) = data_type::from_xla(buffer.dtype) else {
        let (kind, index) = match index.checked_sub(arguments) {
            Some(index) => ("result", index),
            None => ("argument", index),
        };
        return Err(Error::invalid_argument(format_args!(
            "{kind} {index} has the element type {} of XLA, which cyxla does not carry",
            buffer.dtype
        )));
    };
    Ok(RawArray {
        dtype,
        dims,
        data: buffer.data.cast(),
    })
}

/// # Safety
/// For `'a`: the lists have as many elements as they say, or are NULL.
unsafe fn buffers_of_arguments<'a>(
    arguments: &XLA_FFI_Args,
) -> Result<&'a [*mut XLA_FFI_Buffer], Error> {
    let size = part(
        (arguments.struct_size, XLA_FFI_Args::STRUCT_SIZE),
        arguments.size,
        "arguments",
    )?;
    // SAFETY: as the caller promises.
    unsafe {
        let types = list(arguments.types, size)?;
        buffers(
            types,
            sys::XLA_FFI_ArgType_BUFFER,
            list(arguments.args, size)?,
        )
    }
}

/// # Safety
/// For `'a`: the lists have as many elements as they say, or are NULL.
unsafe fn buffers_of_results<'a>(
    results: &XLA_FFI_Rets,
) -> Result<&'a [*mut XLA_FFI_Buffer], Error> {
    let size = part(
        (results.struct_size, XLA_FFI_Rets::STRUCT_SIZE),
        results.size,
        "results",
    )?;
    // SAFETY: as the caller promises.
    unsafe {
        let types = list(results.types, size)?;
        buffers(
            types,
            sys::XLA_FFI_RetType_BUFFER,
            list(results.rets, size)?,
        )
    }
}

/// The number of things in a part of the frame. Its size must be exactly that which is declared: what is behind it in the
/// frame would lie elsewhere otherwise.
fn part((found, known): (usize, usize), size: i64, what: &str) -> Result<usize, Error> {
    match usize::try_from(size) {
        Ok(number) if found == known && size <= LONGEST => Ok(number),
        _ => Err(Error::internal(format_args!(
            "XLA gave {size} {what} in a structure of {found} bytes, where cyxla knows one of {known}"
        ))),
    }
}

fn buffers<'a>(
    types: &[c_int],
    buffer: c_int,
    things: &'a [*mut c_void],
) -> Result<&'a [*mut XLA_FFI_Buffer], Error> {
    if let Some(other) = types.iter().find(|type_| **type_ != buffer) {
        return Err(Error::internal(format_args!(
            "XLA gave something of the kind {other}, where cyxla knows arrays only"
        )));
    }
    let start = things.as_ptr().cast::<*mut XLA_FFI_Buffer>();
    // SAFETY: the same pointers, by the name of what they point to.
    Ok(unsafe { std::slice::from_raw_parts(start, things.len()) })
}

/// A structure, once its address and its size were looked at. A size of 0 says that it has none to look at.
///
/// # Errors
/// NULL, not aligned, or a structure that lacks fields.
///
/// # Safety
/// For `'a`: NULL, or the address of a structure of which there are as many bytes as its first word says, if `size` is not
/// 0; else of a whole structure. Nobody writes to it.
#[inline]
pub(super) unsafe fn looked_at<'a, T>(structure: *const T, size: usize) -> Result<&'a T, Error> {
    if structure.is_null() || !structure.is_aligned() {
        return Err(Error::internal("XLA gave no structure where one should be"));
    }
    if size > 0 {
        // SAFETY: the structure begins with its size, by the caller's promise; aligned, as `T` begins with a word.
        let found = unsafe { structure.cast::<usize>().read() };
        if found < size {
            return Err(Error::internal(format_args!(
                "XLA gave a structure of {found} bytes, where cyxla needs {size}"
            )));
        }
    }
    // SAFETY: by the caller's promise, as many bytes are there.
    Ok(unsafe { &*structure })
}

/// A list, once its address was looked at.
///
/// # Errors
/// NULL or not aligned, though there should be elements.
///
/// # Safety
/// For `'a`: NULL, or the address of as many elements, which nobody writes to.
#[inline]
pub(super) unsafe fn list<'a, T>(start: *const T, number: usize) -> Result<&'a [T], Error> {
    if number == 0 {
        return Ok(&[]);
    }
    let fits = number
        .checked_mul(size_of::<T>())
        .is_some_and(|bytes| isize::try_from(bytes).is_ok());
    if start.is_null() || !start.is_aligned() || !fits {
        return Err(Error::internal(format_args!(
            "XLA gave no list where one of {number} should be"
        )));
    }
    // SAFETY: by the caller's promise, as many elements are there.
    Ok(unsafe { std::slice::from_raw_parts(start, number) })
}

#[cfg(test)]
mod fuzz;
#[cfg(test)]
mod tests;
