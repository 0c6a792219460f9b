//! Arrays on the device, owned by one call.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use cyxla_pjrt_sys as sys;
use cyxla_pjrt_sys::{
    Args as _, Call as _, PJRT_Buffer, PJRT_Buffer_Destroy_Args, PJRT_Buffer_GetMemoryLayout_Args,
    PJRT_Buffer_MemoryLayout, PJRT_Buffer_MemoryLayout_Tiled, PJRT_Buffer_MemoryLayout_Value,
    PJRT_Buffer_OnDeviceSizeInBytes_Args, PJRT_Buffer_ReadyEvent_Args,
    PJRT_Buffer_ToHostBuffer_Args, PJRT_Buffer_Type, PJRT_Buffer_UnsafePointer_Args, PJRT_Client,
    PJRT_Client_BufferFromHostBuffer_Args, PJRT_Device,
};

use crate::api::{self, Api};
use crate::error::ApiError;
use crate::event::Event;

/// Buffers, destroyed when dropped. NULL stands for one that is not there.
pub(crate) struct Buffers<'a> {
    api: &'a Api,
    raw: Vec<*mut PJRT_Buffer>,
}

impl<'a> Buffers<'a> {
    /// Room for `len` buffers of a plugin.
    pub(crate) fn room(api: &'a Api, len: usize) -> Self {
        Self {
            api,
            raw: vec![std::ptr::null_mut(); len],
        }
    }

    /// The handles.
    pub(crate) fn as_ptr(&self) -> *const *mut PJRT_Buffer {
        self.raw.as_ptr()
    }

    /// The handles, for the plugin to put buffers in, which are then owned by this.
    pub(crate) fn as_mut_ptr(&mut self) -> *mut *mut PJRT_Buffer {
        self.raw.as_mut_ptr()
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.raw.len()
    }

    /// The handle of a buffer that must be there.
    fn get(&self, index: usize, function: &'static str) -> Result<*mut PJRT_Buffer, ApiError> {
        match self.raw.get(index) {
            Some(&buffer) if !buffer.is_null() => Ok(buffer),
            _ => Err(self.api.nothing(function)),
        }
    }

    /// Where a buffer lies in the memory of the device.
    pub(crate) fn pointer(&self, index: usize) -> Result<*const u8, ApiError> {
        let mut args = PJRT_Buffer_UnsafePointer_Args {
            buffer: self.get(index, PJRT_Buffer_UnsafePointer_Args::FUNCTION)?,
            ..PJRT_Buffer_UnsafePointer_Args::new()
        };
        // SAFETY: the buffer is alive.
        unsafe { self.api.call(&mut args)? };
        Ok(std::ptr::with_exposed_provenance(args.buffer_pointer))
    }

    /// Bytes that a buffer takes in the memory of the device.
    pub(crate) fn device_size(&self, index: usize) -> Result<usize, ApiError> {
        let mut args = PJRT_Buffer_OnDeviceSizeInBytes_Args {
            buffer: self.get(index, PJRT_Buffer_OnDeviceSizeInBytes_Args::FUNCTION)?,
            ..PJRT_Buffer_OnDeviceSizeInBytes_Args::new()
        };
        // SAFETY: the buffer is alive.
        unsafe { self.api.call(&mut args)? };
        Ok(args.on_device_size_in_bytes)
    }

    /// Waits until a buffer is filled.
    pub(crate) fn ready(&self, index: usize) -> Result<(), ApiError> {
        let mut args = PJRT_Buffer_ReadyEvent_Args {
            buffer: self.get(index, PJRT_Buffer_ReadyEvent_Args::FUNCTION)?,
            ..PJRT_Buffer_ReadyEvent_Args::new()
        };
        // SAFETY: the buffer is alive, the event is ours.
        let event = unsafe {
            self.api.call(&mut args)?;
            Event::from_raw(self.api, args.event)
        };
        event.map_or(Ok(()), Event::wait)
    }

    /// Whether the elements of a buffer with `rank` axes lie in row major order, one beside the other.
    pub(crate) fn is_row_major(&self, index: usize, rank: usize) -> Result<bool, ApiError> {
        let mut args = PJRT_Buffer_GetMemoryLayout_Args {
            buffer: self.get(index, PJRT_Buffer_GetMemoryLayout_Args::FUNCTION)?,
            ..PJRT_Buffer_GetMemoryLayout_Args::new()
        };
        // SAFETY: the buffer is alive.
        unsafe { self.api.call(&mut args)? };
        if args.layout.type_ != sys::PJRT_Buffer_MemoryLayout_Type_Tiled {
            return Ok(false);
        }
        // SAFETY: the type says which field it is; its lists live as long as the buffer.
        let (order, tiles) = unsafe {
            let tiled = args.layout.value.tiled;
            (
                api::slice(tiled.minor_to_major, tiled.minor_to_major_size),
                tiled.num_tiles,
            )
        };
        Ok(tiles == 0 && order.iter().rev().copied().eq(0..as_i64(rank)))
    }

    /// Has the plugin copy a buffer to the host, row major, and waits for it.
    pub(crate) fn copy_to_host(
        &self,
        index: usize,
        rank: usize,
        target: &mut [MaybeUninit<u8>],
    ) -> Result<(), ApiError> {
        let minor_to_major: Vec<i64> = (0..as_i64(rank)).rev().collect();
        let mut layout = PJRT_Buffer_MemoryLayout {
            value: PJRT_Buffer_MemoryLayout_Value {
                tiled: PJRT_Buffer_MemoryLayout_Tiled {
                    minor_to_major: minor_to_major.as_ptr(),
                    minor_to_major_size: minor_to_major.len(),
                    ..PJRT_Buffer_MemoryLayout_Tiled::new()
                },
            },
            type_: sys::PJRT_Buffer_MemoryLayout_Type_Tiled,
            ..PJRT_Buffer_MemoryLayout::new()
        };
        let mut args = PJRT_Buffer_ToHostBuffer_Args {
            src: self.get(index, PJRT_Buffer_ToHostBuffer_Args::FUNCTION)?,
            host_layout: &raw mut layout,
            dst: target.as_mut_ptr().cast::<c_void>(),
            dst_size: target.len(),
            ..PJRT_Buffer_ToHostBuffer_Args::new()
        };
        // SAFETY: the buffer is alive; the target has that many bytes and is not touched before the event is ready, which
        // is ours and awaited here.
        let event = unsafe {
            self.api.call(&mut args)?;
            Event::from_raw(self.api, args.event)
        };
        event.map_or(Ok(()), Event::wait)
    }

    /// Destroys all, so that none are left.
    fn destroy(&mut self) {
        for buffer in self.raw.drain(..).filter(|buffer| !buffer.is_null()) {
            let mut args = PJRT_Buffer_Destroy_Args {
                buffer,
                ..PJRT_Buffer_Destroy_Args::new()
            };
            // SAFETY: the buffer is ours, also if it was donated: then only its memory is gone. What could be told of an
            // error here is of no use to anybody.
            let _ = unsafe { self.api.call(&mut args) };
        }
    }
}

impl Drop for Buffers<'_> {
    fn drop(&mut self) {
        self.destroy();
    }
}

/// A host array, row major, in the words of PJRT.
#[derive(Clone, Copy)]
pub(crate) struct HostData<'a> {
    /// Its first byte.
    pub(crate) start: *const u8,
    /// The type of its elements.
    pub(crate) element: PJRT_Buffer_Type,
    /// The length of each axis.
    pub(crate) dims: &'a [i64],
}

/// How long the plugin may look at a host array.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lending {
    /// During the call only: the array is copied.
    DuringCall,
    /// Until the arguments are dropped: the array may be used where it lies.
    UntilDropped,
}

/// The buffers of arguments, and the host arrays that they still use.
pub(crate) struct Arguments<'a> {
    buffers: Buffers<'a>,
    /// Each tells that the plugin has let go of a host array.
    returns: Vec<Event<'a>>,
}

impl<'a> Arguments<'a> {
    /// No arguments yet.
    pub(crate) fn with_capacity(api: &'a Api, capacity: usize) -> Self {
        Self {
            buffers: Buffers {
                api,
                raw: Vec::with_capacity(capacity),
            },
            returns: Vec::new(),
        }
    }

    /// The buffers, in order.
    pub(crate) fn buffers(&self) -> &Buffers<'a> {
        &self.buffers
    }

    /// Adds a host array.
    ///
    /// # Errors
    /// The plugin refuses it.
    ///
    /// # Safety
    /// Client and device are alive and belong to the plugin; there are as many bytes as element type and axes say, and they
    /// stay as they are for as long as they are lent.
    pub(crate) unsafe fn put(
        &mut self,
        client: *mut PJRT_Client,
        device: *mut PJRT_Device,
        data: HostData<'_>,
        lending: Lending,
    ) -> Result<(), ApiError> {
        let api = self.buffers.api;
        let mut args = PJRT_Client_BufferFromHostBuffer_Args {
            client,
            data: data.start.cast(),
            type_: data.element,
            dims: data.dims.as_ptr(),
            num_dims: data.dims.len(),
            host_buffer_semantics: match lending {
                Lending::DuringCall => sys::PJRT_HostBufferSemantics_kImmutableOnlyDuringCall,
                Lending::UntilDropped => sys::PJRT_HostBufferSemantics_kImmutableZeroCopy,
            },
            device,
            ..PJRT_Client_BufferFromHostBuffer_Args::new()
        };
        // SAFETY: as the caller promises. Buffer and event are ours from here on.
        let event = unsafe {
            api.call(&mut args)?;
            Event::from_raw(api, args.done_with_host_buffer)
        };
        self.buffers.raw.push(args.buffer);
        if lending == Lending::UntilDropped {
            self.returns.extend(event);
        }
        if args.buffer.is_null() {
            return Err(api.nothing(PJRT_Client_BufferFromHostBuffer_Args::FUNCTION));
        }
        Ok(())
    }
}

impl Drop for Arguments<'_> {
    fn drop(&mut self) {
        // The plugin lets go of a host array when the last use of its buffer ends; ours must end first.
        self.buffers.destroy();
        for event in self.returns.drain(..) {
            // Only the end of the lending matters here; what went wrong in the program is told by its own event.
            let _ = event.wait();
        }
    }
}

/// A number of axes, at most [`cyxla_artifact::MAX_RANK`], in the type that PJRT counts axes with.
fn as_i64(rank: usize) -> i64 {
    i64::try_from(rank).unwrap_or(i64::MAX)
}
