//! Arrays that stay on the device.

use std::fmt;
use std::marker::PhantomData;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, Ordering};

use cyxla_artifact::{ArrayType, DType};
use cyxla_pjrt_sys::{Call as _, PJRT_Buffer, PJRT_Buffer_UnsafePointer_Args};

use crate::array::{Array, AsArray, bytes_of};
use crate::buffer::RawBuffer;
use crate::client::Client;
use crate::error::{ApiError, BufferError, Error};
use crate::error_info::counted;
use crate::host::{ALIGNMENT, Host, HostArray, HostMemory, HostView};
use crate::input::Input;
use crate::runtime::default_client;
use crate::validity::make_valid;

/// An array on the device, of a type that the compiler knows.
///
/// As `&Buffer<A>` it is an argument that is already where the program runs; as `Buffer<A>`, by value, it is *donated*: the
/// program reuses its memory for a result of the same type, and the compiler sees to it that nobody uses it again. As a
/// result, `cyxla::Result<Buffer<A>>`, it stays on the device.
///
/// ```ignore
/// #[cyxla::program("model:step")]
/// fn step(state: Buffer<[[f32; 3]; 1024]>, force: &[f32; 3]) -> cyxla::Result<Buffer<[[f32; 3]; 1024]>>;
///
/// let mut state = Buffer::from(&start)?;
/// for force in &forces {
///     state = step(state, force)?;             // one state in memory, whatever the number of steps
/// }
/// println!("{:?}", state.view()?[0]);
/// ```
///
/// It keeps its [`Client`] alive, and can be used from any thread.
///
/// # Blocking
/// A call whose results are all `Buffer`s returns as soon as the program has started, as in JAX, unless it borrows large arrays
/// of the host (8 KiB or more). The next call can take them at once; [`view`](Self::view) and [`to_host`](Self::to_host) wait
/// for them. So do errors: if the program fails, they, or the next call, say so, and what was donated to it is lost. Look at the
/// last result before the process ends: a program that still runs then can crash inside the plugin.
///
/// A call that fails before it starts, as the program can't be loaded or an argument does not fit, drops what was donated to it,
/// as any Rust function does with what is moved in.
///
/// # Shape
/// That of `A`; on the host row major, in its byte order.
///
/// Source: `PJRT_Buffer`.
pub struct Buffer<A> {
    stored: Stored,
    array: PhantomData<fn() -> A>,
}

impl<A: Array> Buffer<A> {
    /// A copy of `array` on the device of the default client, which is loaded first if need be. Where no plugin is found, and
    /// programs run as machine code, it is in memory of the host.
    ///
    /// # Blocking
    /// Until the copy is there.
    ///
    /// # Errors
    /// There is no default client, or the device has no room.
    ///
    /// Source: `PJRT_Client_BufferFromHostBuffer`.
    pub fn from(array: &impl AsArray<Array = A>) -> Result<Self, Error> {
        match default_client() {
            Err(Error::Plugin(error)) if cfg!(feature = "native") && error.is_not_found() => {
                let bytes = bytes_of(array.as_array());
                let stored = Stored::Host(HostMemory::copy_of(bytes));
                // SAFETY: of type `A`, as the array is.
                Ok(unsafe { Self::from_stored(stored) })
            }
            client => Self::on(&client?, array),
        }
    }

    /// A copy of `array` on the device of `client`.
    ///
    /// # Blocking
    /// Until the copy is there.
    ///
    /// # Errors
    /// The device has no room, or this is a forked child of the client's process.
    pub fn on(client: &Client, array: &impl AsArray<Array = A>) -> Result<Self, Error> {
        let view = HostView::of(array.as_array());
        let owned = counted(OwnedBuffer::copy(client, &view))?;
        // SAFETY: of type `A`, as the array is.
        Ok(unsafe { Self::from_stored(Stored::Device(owned)) })
    }

    /// # Safety
    /// It is an array of type `A`.
    pub(crate) unsafe fn from_stored(stored: Stored) -> Self {
        let array = PhantomData;
        Self { stored, array }
    }

    /// A copy on the host. [`view`](Self::view) reads without one where the host can.
    ///
    /// # Blocking
    /// Until the program that fills it is done, and the copy is there.
    ///
    /// # Errors
    /// That program has failed, the plugin can't copy, or this is a forked child of the client's process.
    ///
    /// Source: `PJRT_Buffer_ToHostBuffer`.
    pub fn to_host(&self) -> Result<Host<A>, Error> {
        let memory = counted(self.stored.to_host(&A::TYPE))?;
        // SAFETY: `to_host` has filled it with elements of type `A`.
        Ok(unsafe { Host::from_memory(memory) })
    }

    /// The array where it lies, without a copy.
    ///
    /// # Blocking
    /// Until the program that fills it is done.
    ///
    /// # Errors
    /// That program has failed. Or the host can't read it there: the plugin's memory is another than the host's (see
    /// [`RuntimeInfo::inplace_outputs`](crate::RuntimeInfo::inplace_outputs)), the elements are 4-bit integers, which share
    /// bytes there, or booleans of which one is neither 0 nor 1. [`to_host`](Self::to_host) works in any case.
    ///
    /// Source: `PJRT_Buffer_UnsafePointer`.
    pub fn view(&self) -> Result<&A, Error> {
        let pointer = counted(self.stored.view(&A::TYPE))?;
        // SAFETY: `view` has made sure that an `A` lies there, which changes only when the buffer is donated; the borrow
        // keeps it from that.
        Ok(unsafe { pointer.cast::<A>().as_ref() })
    }

    /// The client that it belongs to; none of an array in memory of the host, which machine code has made.
    pub fn client(&self) -> Option<&Client> {
        self.stored.client()
    }

    pub(crate) fn stored(&self) -> &Stored {
        &self.stored
    }

    pub(crate) fn into_stored(self) -> Stored {
        self.stored
    }
}

impl<A: Array> fmt::Debug for Buffer<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Buffer({})", A::TYPE)
    }
}

impl<A: Array> TryFrom<DeviceBuffer> for Buffer<A> {
    type Error = Error;

    /// # Errors
    /// The array is of another type.
    fn try_from(buffer: DeviceBuffer) -> Result<Self, Error> {
        if buffer.array_type == A::TYPE {
            // SAFETY: of that type.
            return Ok(unsafe { Self::from_stored(buffer.stored) });
        }
        Err(BufferError::Type {
            expected: Box::new(A::TYPE),
            found: Box::new(buffer.array_type),
        }
        .into())
    }
}

/// An array on the device, of a type that is known at run time only.
///
/// What [`Executable::execute`](crate::Executable::execute) takes and gives.
///
/// Source: `PJRT_Buffer`.
pub struct DeviceBuffer {
    stored: Stored,
    array_type: ArrayType,
}

impl DeviceBuffer {
    /// A copy of a host array on the device of `client`.
    ///
    /// # Blocking
    /// Until the copy is there.
    ///
    /// # Errors
    /// PJRT has no such element type, the device has no room, or this is a forked child of the client's process.
    pub fn on(client: &Client, array: &HostView<'_>) -> Result<Self, Error> {
        let owned = counted(OwnedBuffer::copy(client, array))?;
        Ok(Self::new(Stored::Device(owned), *array.array_type()))
    }

    pub(crate) fn new(stored: Stored, array_type: ArrayType) -> Self {
        Self { stored, array_type }
    }

    /// Element type and shape.
    pub fn array_type(&self) -> &ArrayType {
        &self.array_type
    }

    /// A copy on the host.
    ///
    /// # Blocking
    /// As [`Buffer::to_host`].
    ///
    /// # Errors
    /// As for [`Buffer::to_host`].
    pub fn to_host(&self) -> Result<HostArray, Error> {
        let memory = counted(self.stored.to_host(&self.array_type))?;
        // SAFETY: `to_host` has filled it with elements of this type.
        Ok(unsafe { HostArray::from_memory(self.array_type, memory) })
    }

    /// The array where it lies, without a copy.
    ///
    /// # Blocking
    /// As [`Buffer::view`].
    ///
    /// # Errors
    /// As for [`Buffer::view`].
    pub fn view(&self) -> Result<HostView<'_>, Error> {
        let pointer = counted(self.stored.view(&self.array_type))?;
        // SAFETY: `view` has made sure that an array of this type lies there, which changes only when the buffer is
        // donated; the borrow keeps it from that.
        let bytes =
            unsafe { std::slice::from_raw_parts(pointer.as_ptr(), self.array_type.nbytes()) };
        Ok(HostView::new(&self.array_type, bytes)?)
    }

    /// The client that it belongs to; none of an array in memory of the host, which machine code has made.
    pub fn client(&self) -> Option<&Client> {
        self.stored.client()
    }

    pub(crate) fn stored(&self) -> &Stored {
        &self.stored
    }

    pub(crate) fn into_stored(self) -> Stored {
        self.stored
    }
}

impl<A: Array> From<Buffer<A>> for DeviceBuffer {
    fn from(buffer: Buffer<A>) -> Self {
        Self::new(buffer.stored, A::TYPE)
    }
}

impl fmt::Debug for DeviceBuffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DeviceBuffer({})", self.array_type)
    }
}

/// Where a [`Buffer`] is.
pub(crate) enum Stored {
    /// On a device of PJRT.
    Device(OwnedBuffer),
    /// In memory of the host, where machine code reads and writes it.
    Host(HostMemory),
}

impl Stored {
    fn client(&self) -> Option<&Client> {
        match self {
            Self::Device(owned) => Some(owned.client()),
            Self::Host(_) => None,
        }
    }

    /// A copy on the host.
    ///
    /// # Errors
    /// As for [`Buffer::to_host`].
    pub(crate) fn to_host(&self, array_type: &ArrayType) -> Result<HostMemory, Error> {
        match self {
            Self::Device(owned) => owned.to_host(array_type),
            Self::Host(memory) => Ok(HostMemory::copy_of(memory.bytes())),
        }
    }

    /// Where the host can read an array of this type.
    ///
    /// # Errors
    /// As for [`Buffer::view`].
    fn view(&self, array_type: &ArrayType) -> Result<NonNull<u8>, Error> {
        match self {
            Self::Device(owned) => owned.view(array_type),
            Self::Host(memory) => Ok(memory.as_ptr()),
        }
    }

    /// Its memory, if it is the host's. That of a device is not to be written to: a program that was started may still read it.
    pub(crate) fn into_memory(self) -> Result<HostMemory, Self> {
        match self {
            Self::Host(memory) => Ok(memory),
            Self::Device(_) => Err(self),
        }
    }

    /// The bytes of an array of this type, where the host can read it.
    ///
    /// # Errors
    /// As for [`Buffer::view`].
    pub(crate) fn bytes(&self, array_type: &ArrayType) -> Result<&[u8], Error> {
        let start = self.view(array_type)?;
        // SAFETY: `view` has made sure that such an array lies there, which changes only when it is donated; the borrow keeps
        // it from that.
        Ok(unsafe { std::slice::from_raw_parts(start.as_ptr(), array_type.nbytes()) })
    }
}

/// A buffer, and the client that it belongs to. Destroyed when dropped.
pub(crate) struct OwnedBuffer {
    raw: NonNull<PJRT_Buffer>,
    client: Client,
    /// Whether it is known to be filled: the program that does so may still run.
    is_filled: AtomicBool,
}

// SAFETY: PJRT allows a buffer to be used from any thread.
unsafe impl Send for OwnedBuffer {}
// SAFETY: as above.
unsafe impl Sync for OwnedBuffer {}

impl OwnedBuffer {
    /// Takes a buffer over.
    ///
    /// # Safety
    /// A buffer of this client that is alive and owned by nobody else; filled, if it is said to be.
    #[inline]
    pub(crate) unsafe fn new(client: Client, buffer: RawBuffer, is_filled: bool) -> Self {
        Self {
            raw: buffer.raw(),
            client,
            is_filled: is_filled.into(),
        }
    }

    /// Waits until it is filled.
    ///
    /// # Errors
    /// The program that was to fill it has failed.
    fn wait(&self, array_type: &ArrayType) -> Result<(), Error> {
        // What was written before is seen by whoever sees this.
        if self.is_filled.load(Ordering::Acquire) {
            return Ok(());
        }
        self.raw()
            .ready()
            .map_err(|source| BufferError::NotFilled {
                array_type: Box::new(*array_type),
                plugin: self.client.api().library().to_owned(),
                source,
            })?;
        self.is_filled.store(true, Ordering::Release);
        Ok(())
    }

    /// The client that it belongs to.
    #[inline]
    pub(crate) fn client(&self) -> &Client {
        &self.client
    }

    /// The handle.
    #[inline]
    pub(crate) fn raw(&self) -> RawBuffer {
        // SAFETY: alive for as long as this is. That handles don't outlive it is held by those who ask: all are in this
        // crate, and use them while they hold the borrow, or keep this alive beside them.
        unsafe { RawBuffer::new(self.client.api(), self.raw) }
    }

    /// An array of memory that stays as it is until the process ends: looked at where it lies if the plugin can, else copied.
    ///
    /// # Errors
    /// The bytes are no array of this type, or the device has no room.
    pub(crate) fn look_at(
        client: &Client,
        array_type: &ArrayType,
        bytes: &'static [u8],
    ) -> Result<Self, Error> {
        client.check_process()?;
        let array = HostView::new(array_type, bytes)?;
        let input = Input::new(*array_type, "weights".to_owned(), false)?;
        let start = bytes.as_ptr();
        let is_seen = client.aliased_inputs()
            && input.stays_in_place()
            && array_type.nbytes() > 0
            && start.addr().is_multiple_of(ALIGNMENT);
        if is_seen {
            // SAFETY: the client is alive and kept so; a view has as many bytes as its type says, and these are there for ever.
            // The buffer is ours.
            let looks = unsafe {
                let buffer = client.place().view(input.data(start));
                buffer.map(|buffer| Self::new(client.clone(), buffer, true))
            };
            if let Ok(buffer) = looks {
                return Ok(buffer);
            }
        }
        Self::copy(client, &array)
    }

    /// A copy of a host array on the device of `client`.
    pub(crate) fn copy(client: &Client, array: &HostView<'_>) -> Result<Self, Error> {
        client.check_process()?;
        let array_type = array.array_type();
        let input = Input::new(*array_type, "buffer".to_owned(), false)?;
        let data = input.data(array.bytes().as_ptr());
        // SAFETY: the client is alive and kept so; a view has as many bytes as its type says. The buffer is ours.
        let buffer = unsafe {
            let buffer = client.place().copy(data);
            buffer.map(|buffer| Self::new(client.clone(), buffer, true))
        };
        let filled = buffer.and_then(|buffer| {
            buffer.raw().ready()?;
            Ok(buffer)
        });
        filled.map_err(|source| {
            BufferError::Copy {
                array_type: Box::new(*array_type),
                plugin: client.api().library().to_owned(),
                source,
            }
            .into()
        })
    }

    /// The memory of a copy on the host, which is filled.
    fn to_host(&self, array_type: &ArrayType) -> Result<HostMemory, Error> {
        self.client.check_process()?;
        self.wait(array_type)?;
        let mut memory = HostMemory::uninit(array_type.nbytes());
        let target = memory.bytes();
        if !target.is_empty() {
            let copied = self.raw().copy_to_host(array_type.shape().len(), target);
            copied.map_err(|source| BufferError::Copy {
                array_type: Box::new(*array_type),
                plugin: self.client.api().library().to_owned(),
                source,
            })?;
            // SAFETY: filled by the copy.
            unsafe { make_valid(array_type.dtype(), target) };
        }
        // SAFETY: as above.
        Ok(unsafe { memory.filled() })
    }

    /// Where the host can read an array of this type.
    fn view(&self, array_type: &ArrayType) -> Result<NonNull<u8>, Error> {
        self.client.check_process()?;
        self.wait(array_type)?;
        if array_type.nbytes() == 0 {
            // Any address will do, also one that the plugin has not.
            return Ok(HostMemory::zeroed(0).as_ptr());
        }
        let pointer = if in_place(&self.client, self.raw(), array_type) {
            NonNull::new(self.raw().pointer()?)
        } else {
            None
        };
        let Some(pointer) = pointer else {
            return Err(self.not_visible(array_type, "the host can't read it there"));
        };
        if array_type.dtype() == DType::Bool {
            // SAFETY: `in_place` has made sure of that many bytes.
            let bytes = unsafe {
                std::slice::from_raw_parts(pointer.as_ptr().cast_const(), array_type.nbytes())
            };
            if bytes.iter().any(|byte| *byte > 1) {
                return Err(self.not_visible(array_type, "an element is neither 0 nor 1"));
            }
        }
        Ok(pointer)
    }

    #[cold]
    fn not_visible(&self, array_type: &ArrayType, reason: &'static str) -> Error {
        BufferError::NotVisible {
            array_type: Box::new(*array_type),
            plugin: self.client.api().library().to_owned(),
            reason,
        }
        .into()
    }
}

impl Drop for OwnedBuffer {
    fn drop(&mut self) {
        if self.client.is_of_this_process() {
            // SAFETY: ours, and not used any more.
            unsafe { self.raw().destroy() }
        }
    }
}

/// Whether the bytes of a buffer on the device are those of the host: in memory that the host can read, row major, one byte
/// or more for each element. What the plugin does not tell is taken as a no.
pub(crate) fn in_place(client: &Client, buffer: RawBuffer, array_type: &ArrayType) -> bool {
    let rank = array_type.shape().len();
    client.inplace_outputs()
        && array_type.nbytes() > 0
        && !matches!(array_type.dtype(), DType::I4 | DType::U4)
        && buffer
            .device_size()
            .is_ok_and(|size| size == array_type.nbytes())
        && buffer.is_row_major(rank).unwrap_or(false)
}

/// The memory of a buffer as that of a host array.
///
/// # Errors
/// The plugin does not say where it is.
pub(crate) fn address(client: &Client, buffer: RawBuffer) -> Result<NonNull<u8>, ApiError> {
    let pointer = buffer.pointer()?;
    NonNull::new(pointer).ok_or_else(|| {
        let function = PJRT_Buffer_UnsafePointer_Args::FUNCTION;
        client.api().nothing(function)
    })
}
