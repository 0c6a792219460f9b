//! Buffers: arrays on a device, as the plugin has them.

use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::ptr::NonNull;

use cyxla_pjrt_sys as sys;
use cyxla_pjrt_sys::{
    Args as _, Call as _, PJRT_Buffer, PJRT_Buffer_Destroy_Args, PJRT_Buffer_GetMemoryLayout_Args,
    PJRT_Buffer_IsDeleted_Args, PJRT_Buffer_MemoryLayout, PJRT_Buffer_MemoryLayout_Tiled,
    PJRT_Buffer_MemoryLayout_Value, PJRT_Buffer_OnDeviceSizeInBytes_Args,
    PJRT_Buffer_ReadyEvent_Args, PJRT_Buffer_ToHostBuffer_Args, PJRT_Buffer_Type,
    PJRT_Buffer_UnsafePointer_Args, PJRT_Client, PJRT_Client_BufferFromHostBuffer_Args,
    PJRT_Client_CreateViewOfDeviceBuffer_Args, PJRT_Device,
};

use crate::api::{self, Api};
use crate::error::ApiError;
use crate::event::Event;

/// The handle of a buffer. Whoever owns the buffer sees to it that handles don't outlive it.
#[derive(Clone, Copy)]
pub(crate) struct RawBuffer {
    api: &'static Api,
    raw: NonNull<PJRT_Buffer>,
}

impl RawBuffer {
    /// # Safety
    /// A buffer of this plugin, which is alive for as long as this handle or a copy of it is used.
    #[inline]
    pub(crate) unsafe fn new(api: &'static Api, raw: NonNull<PJRT_Buffer>) -> Self {
        Self { api, raw }
    }

    /// The handle, for calls into the plugin.
    #[inline]
    pub(crate) fn raw(self) -> NonNull<PJRT_Buffer> {
        self.raw
    }

    /// Where it lies in the memory of the device.
    #[inline]
    pub(crate) fn pointer(self) -> Result<*mut u8, ApiError> {
        let mut args = PJRT_Buffer_UnsafePointer_Args {
            buffer: self.raw.as_ptr(),
            ..PJRT_Buffer_UnsafePointer_Args::new()
        };
        // SAFETY: the buffer is alive.
        unsafe { self.api.call(&mut args)? };
        Ok(std::ptr::with_exposed_provenance_mut(args.buffer_pointer))
    }

    /// Bytes that it takes in the memory of the device.
    pub(crate) fn device_size(self) -> Result<usize, ApiError> {
        let mut args = PJRT_Buffer_OnDeviceSizeInBytes_Args {
            buffer: self.raw.as_ptr(),
            ..PJRT_Buffer_OnDeviceSizeInBytes_Args::new()
        };
        // SAFETY: the buffer is alive.
        unsafe { self.api.call(&mut args)? };
        Ok(args.on_device_size_in_bytes)
    }

    /// Waits until it is filled.
    pub(crate) fn ready(self) -> Result<(), ApiError> {
        let mut args = PJRT_Buffer_ReadyEvent_Args {
            buffer: self.raw.as_ptr(),
            ..PJRT_Buffer_ReadyEvent_Args::new()
        };
        // SAFETY: the buffer is alive, the event is ours.
        let event = unsafe {
            self.api.call(&mut args)?;
            Event::from_raw(self.api, args.event)
        };
        event.map_or(Ok(()), |event| event.wait())
    }

    /// Whether its memory is gone: a program has taken it over.
    pub(crate) fn is_deleted(self) -> Result<bool, ApiError> {
        let mut args = PJRT_Buffer_IsDeleted_Args {
            buffer: self.raw.as_ptr(),
            ..PJRT_Buffer_IsDeleted_Args::new()
        };
        // SAFETY: the buffer is alive, if only its handle.
        unsafe { self.api.call(&mut args)? };
        Ok(args.is_deleted)
    }

    /// Whether the elements lie in row major order, one beside the other, of an array with `rank` axes.
    pub(crate) fn is_row_major(self, rank: usize) -> Result<bool, ApiError> {
        let mut args = PJRT_Buffer_GetMemoryLayout_Args {
            buffer: self.raw.as_ptr(),
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

    /// Has the plugin copy it to the host, row major, and waits for that.
    pub(crate) fn copy_to_host(
        self,
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
            src: self.raw.as_ptr(),
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
        event.map_or(Ok(()), |event| event.wait())
    }

    /// Destroys the buffer.
    ///
    /// # Safety
    /// The caller owns it, and no copy of this handle is used any more.
    #[inline]
    pub(crate) unsafe fn destroy(self) {
        let mut args = PJRT_Buffer_Destroy_Args {
            buffer: self.raw.as_ptr(),
            ..PJRT_Buffer_Destroy_Args::new()
        };
        // SAFETY: as the caller promises; also if it was donated: then only its memory is gone. What could be told of an
        // error here is of no use to anybody.
        let _ = unsafe { self.api.call(&mut args) };
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

/// Where buffers are made: a device of a client.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    /// The functions of the plugin.
    pub(crate) api: &'static Api,
    /// The client.
    pub(crate) client: *mut PJRT_Client,
    /// Its device.
    pub(crate) device: *mut PJRT_Device,
}

impl Place {
    /// Copies a host array to the device.
    ///
    /// # Errors
    /// The plugin refuses it.
    ///
    /// # Safety
    /// Client and device are alive, and outlive the buffer; there are as many bytes as element type and axes say.
    pub(crate) unsafe fn copy(self, data: HostData<'_>) -> Result<RawBuffer, ApiError> {
        let mut args = PJRT_Client_BufferFromHostBuffer_Args {
            client: self.client,
            data: data.start.cast(),
            type_: data.element,
            dims: data.dims.as_ptr(),
            num_dims: data.dims.len(),
            host_buffer_semantics: sys::PJRT_HostBufferSemantics_kImmutableOnlyDuringCall,
            device: self.device,
            ..PJRT_Client_BufferFromHostBuffer_Args::new()
        };
        // SAFETY: as the caller promises; the bytes are borrowed for the call. Buffer and event are ours from here on.
        unsafe {
            self.api.call(&mut args)?;
            drop(Event::from_raw(self.api, args.done_with_host_buffer));
            let function = PJRT_Client_BufferFromHostBuffer_Args::FUNCTION;
            self.made(args.buffer, function)
        }
    }

    /// Makes a buffer of memory that stays the caller's, and may change, or go, while no program runs on it.
    ///
    /// # Errors
    /// The plugin can't.
    ///
    /// # Safety
    /// As for [`copy`](Self::copy); and the memory is there, and stays as it is, while a program runs on the buffer.
    pub(crate) unsafe fn view(self, data: HostData<'_>) -> Result<RawBuffer, ApiError> {
        /// The memory is freed by its owner.
        unsafe extern "C" fn nothing(_: *mut c_void, _: *mut c_void) {}

        let mut args = PJRT_Client_CreateViewOfDeviceBuffer_Args {
            client: self.client,
            device_buffer_ptr: data.start.cast_mut().cast(),
            dims: data.dims.as_ptr(),
            num_dims: data.dims.len(),
            element_type: data.element,
            device: self.device,
            on_delete_callback: Some(nothing),
            ..PJRT_Client_CreateViewOfDeviceBuffer_Args::new()
        };
        // SAFETY: as the caller promises. The buffer is ours from here on.
        unsafe {
            self.api.call(&mut args)?;
            let function = PJRT_Client_CreateViewOfDeviceBuffer_Args::FUNCTION;
            self.made(args.buffer, function)
        }
    }

    /// # Safety
    /// NULL, or a buffer of this client.
    unsafe fn made(
        self,
        buffer: *mut PJRT_Buffer,
        function: &'static str,
    ) -> Result<RawBuffer, ApiError> {
        let buffer = NonNull::new(buffer).ok_or_else(|| self.api.nothing(function))?;
        // SAFETY: as the caller promises.
        Ok(unsafe { RawBuffer::new(self.api, buffer) })
    }
}

/// A number of axes, at most [`cyxla_artifact::MAX_RANK`], in the type that PJRT counts axes with.
fn as_i64(rank: usize) -> i64 {
    i64::try_from(rank).unwrap_or(i64::MAX)
}
