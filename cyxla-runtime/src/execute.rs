//! A call of a compiled program: arguments in, wait, results out.

use std::fmt;
use std::mem::MaybeUninit;
use std::ptr::NonNull;

use cyxla_artifact::ArrayType;

use crate::buffer::HostData;
use crate::call::Outputs;
use crate::device::{DeviceBuffer, OwnedBuffer, Stored, address, in_place};
use crate::error::{ApiError, ArgumentError, Donated, Error, ExecuteError};
use crate::error_info::counted;
use crate::event::Event;
use crate::executable::{Executable, Inner};
use crate::frame::Frame;
use crate::host::{ALIGNMENT, HostArray, HostMemory, HostView};
use crate::input::Input;
use crate::validity::make_valid;

/// Bytes from which an aligned array is read where it lies: to make a buffer for it costs as much as to copy this.
pub(crate) const LENT_FROM: usize = 8 << 10;

/// Bytes up to which there is room for an argument in every frame, which keeps it. Larger arrays that are not aligned are
/// copied by the plugin, into memory that it frees after the call.
const STAGED_UP_TO: usize = 64 << 10;

/// Whether the frames of a program have room for this argument.
pub(crate) fn has_room_in_frames(input: &Input) -> bool {
    input.stays_in_place() && input.array_type.nbytes() <= STAGED_UP_TO
}

/// An argument on its way into a call.
pub(crate) enum Given<'a> {
    /// A host array.
    Host(HostView<'a>),
    /// An array that stays where it is, usually on the device.
    Device(&'a Stored, &'a ArrayType),
    /// The same, whose memory the program may take over. None once it is on its way.
    Donated(Option<Stored>, &'a ArrayType),
}

impl Given<'_> {
    fn array_type(&self) -> &ArrayType {
        match self {
            Self::Host(view) => view.array_type(),
            Self::Device(_, array_type) | Self::Donated(_, array_type) => array_type,
        }
    }

    /// Whether it is an array that is better waited for than copied.
    fn is_large_on_host(&self) -> bool {
        matches!(self, Self::Host(view) if view.bytes().len() >= LENT_FROM)
    }
}

/// Who stays until the program is done. It decides where arrays of the host may lie meanwhile.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Staying {
    /// The caller: they may be read where they lie, or in the memory of the frame.
    Caller,
    /// The frame: they are copied, to its memory if there is room.
    Frame,
    /// Nobody: they are copied by the plugin.
    Nobody,
}

impl Executable {
    /// Runs the program.
    ///
    /// # Errors
    /// The number of arguments is wrong, one belongs to another client, this is a forked child of the client's process, or
    /// the program fails.
    ///
    /// # Safety
    /// The arguments are of the types that the program takes, and the results of those that it gives.
    #[inline]
    pub(crate) unsafe fn call<R: Outputs>(&self, given: &mut [Given<'_>]) -> Result<R, Error> {
        let inner = self.inner();
        // Without results nobody would hear of an error.
        let is_awaited = !R::ON_DEVICE
            || inner.output_types.is_empty()
            || given.iter().any(Given::is_large_on_host);
        let lease = if is_awaited {
            inner.run_to_end(given)
        } else {
            inner.run_beside(given)
        };
        counted(lease.and_then(|mut lease| {
            // SAFETY: the program is done, or its results stay on the device. They are of the types of `R`, as the caller
            // promises.
            unsafe { R::receive(&mut lease.results(is_awaited)) }
        }))
    }

    /// As [`call`](Self::call), with arguments of any types, which are compared with those that the program takes.
    ///
    /// # Safety
    /// `R` takes results of any types.
    pub(crate) unsafe fn call_checked<R: Outputs>(
        &self,
        given: &mut [Given<'_>],
    ) -> Result<R, Error> {
        counted(self.inner().check_types(given))?;
        // SAFETY: the types of the arguments have just been compared, those of the results are the caller's promise.
        unsafe { self.call(given) }
    }
}

impl Inner {
    /// A frame for one call, from the pool.
    #[inline]
    pub(crate) fn frame(&self) -> Box<Frame> {
        let mut frame = self.frames.take().unwrap_or_else(|| self.new_frame());
        self.weights.refresh(&mut frame);
        frame
    }

    #[cold]
    fn new_frame(&self) -> Box<Frame> {
        let client = &self.handle.client;
        let (weights, results) = (self.weights.count(), self.output_types.len());
        Frame::new(client, &self.inputs, &self.staging, weights, results)
    }

    /// Runs the program and waits until it is done.
    #[inline]
    fn run_to_end(&self, given: &mut [Given<'_>]) -> Result<Lease<'_>, Error> {
        self.handle.client.check_process()?;
        let mut lease = self.lease();
        let frame = lease.frame();
        let done = self.start(frame, given, Staying::Caller)?;
        done.wait().map_err(|source| self.failed(source, frame))?;
        Ok(lease)
    }

    /// Starts the program, which runs beside the caller; whoever looks at its results waits for them. The frame is free at
    /// once: the program has its arguments, which the plugin keeps as long as they are needed, and its results have theirs.
    fn run_beside(&self, given: &mut [Given<'_>]) -> Result<Lease<'_>, Error> {
        self.handle.client.check_process()?;
        let mut lease = self.lease();
        let frame = lease.frame();
        self.put_all(frame, given, Staying::Nobody)?;
        // SAFETY: as in `launch`; all has been copied.
        let started = unsafe { frame.launch_unwatched(self.handle.raw()) };
        started.map_err(|source| self.failed(source, frame))?;
        Ok(lease)
    }

    #[inline]
    fn lease(&self) -> Lease<'_> {
        Lease {
            inner: self,
            frame: Some(self.frame()),
        }
    }

    /// Starts the program. What the arguments need until it is done is kept by who stays.
    pub(crate) fn start(
        &self,
        frame: &mut Frame,
        given: &mut [Given<'_>],
        staying: Staying,
    ) -> Result<Event, Error> {
        self.put_all(frame, given, staying)?;
        self.launch(frame)
    }

    /// Puts the arguments in.
    #[inline]
    fn put_all(
        &self,
        frame: &mut Frame,
        given: &mut [Given<'_>],
        staying: Staying,
    ) -> Result<(), Error> {
        if given.len() != self.inputs.len() {
            return Err(self.wrong_count(given.len()));
        }
        for (index, given) in given.iter_mut().enumerate() {
            if let Given::Host(view) = given
                && staying != Staying::Nobody
                && frame.stage_small(index, view.bytes())
            {
                continue;
            }
            self.put(frame, index, given, staying)?;
        }
        Ok(())
    }

    /// Runs the program on the arguments in the memory of the frame, each at its place there.
    pub(crate) fn run_on_staged(
        &self,
        frame: &mut Frame,
        places: impl Iterator<Item = usize>,
    ) -> Result<(), Error> {
        for (index, (input, place)) in std::iter::zip(&self.inputs, places).enumerate() {
            if frame.is_staged(index) {
                continue;
            }
            let bytes = place..place + input.array_type.nbytes();
            let data = input.data(frame.staging().bytes()[bytes].as_ptr());
            self.put_temporary(frame, index, data)?;
        }
        let done = self.launch(frame)?;
        done.wait().map_err(|source| self.failed(source, frame))
    }

    #[inline]
    fn launch(&self, frame: &mut Frame) -> Result<Event, Error> {
        // SAFETY: the frame was made for this executable, and each argument has been put in. What the program may read in
        // the caller's memory or the frame's is there until the event is ready: callers wait for it, keep the frame until
        // then, or have had everything copied. The types of the arguments are the callers' duty: pinned by the compiler, or
        // checked.
        let started = unsafe { frame.launch(self.handle.raw()) };
        started.map_err(|source| self.failed(source, frame))
    }

    fn put(
        &self,
        frame: &mut Frame,
        index: usize,
        given: &mut Given<'_>,
        staying: Staying,
    ) -> Result<(), Error> {
        match given {
            Given::Host(view) => self.put_host(frame, index, view.bytes(), staying),
            Given::Device(Stored::Host(memory), _) => {
                self.put_host(frame, index, memory.bytes(), staying)
            }
            Given::Donated(Some(Stored::Host(memory)), _) => {
                self.put_host(frame, index, memory.bytes(), staying)
            }
            Given::Device(Stored::Device(buffer), _) => {
                if self.inputs[index].donated {
                    return Err(self.must_be_given_away(index));
                }
                self.check_client(index, buffer)?;
                frame.put_borrowed(index, buffer);
                Ok(())
            }
            Given::Donated(buffer, _) => {
                if let Some(Stored::Device(buffer)) = buffer {
                    self.check_client(index, buffer)?;
                }
                match buffer.take() {
                    Some(Stored::Device(buffer)) => frame.put_donated(index, buffer),
                    _ => return Err(self.must_be_given_away(index)),
                }
                Ok(())
            }
        }
    }

    /// Puts in an array that is not small enough to be staged in any case.
    fn put_host(
        &self,
        frame: &mut Frame,
        index: usize,
        bytes: &[u8],
        staying: Staying,
    ) -> Result<(), Error> {
        let input = &self.inputs[index];
        let is_lent = bytes.len() >= LENT_FROM
            && staying == Staying::Caller
            && !input.donated
            && bytes.as_ptr().addr().is_multiple_of(ALIGNMENT)
            && self.handle.client.aliased_inputs();
        if !is_lent && staying != Staying::Nobody && frame.stage(index, bytes) {
            return Ok(());
        }
        let data = input.data(bytes.as_ptr());
        if !is_lent {
            return self.put_temporary(frame, index, data);
        }
        // SAFETY: a view has as many bytes as its own type says, and callers have seen to it that this is the type of the
        // argument. The caller, who has lent the array, stays until the program is done.
        let lent = unsafe { frame.lend(index, data) };
        lent.map_err(|source| self.failed(source, frame))
    }

    /// Makes a buffer for a host array of the type of the argument. It lives as long as the call.
    fn put_temporary(
        &self,
        frame: &mut Frame,
        index: usize,
        data: HostData<'_>,
    ) -> Result<(), Error> {
        // SAFETY: the executable keeps the client alive. There are as many bytes as the type of the input says: a view has as
        // many as its own type says, and callers have seen to it that the two are the same.
        let made = unsafe { self.handle.client.place().copy(data) };
        let buffer = made.map_err(|source| self.failed(source, frame))?;
        frame.put_temporary(index, buffer);
        Ok(())
    }

    /// PJRT compares numbers of bytes only, and would take `f32[8,4]` for `f32[4,8]`.
    pub(crate) fn check_types(&self, given: &[Given<'_>]) -> Result<(), Error> {
        if given.len() != self.inputs.len() {
            return Err(self.wrong_count(given.len()));
        }
        for (index, (input, given)) in std::iter::zip(&self.inputs, given).enumerate() {
            if input.array_type != *given.array_type() {
                return Err(self.wrong_type(index, given.array_type()));
            }
        }
        Ok(())
    }

    #[inline]
    fn check_client(&self, index: usize, buffer: &OwnedBuffer) -> Result<(), Error> {
        if buffer.client().is_same(&self.handle.client) {
            return Ok(());
        }
        Err(self.of_other_client(index, buffer))
    }

    #[cold]
    fn of_other_client(&self, index: usize, buffer: &OwnedBuffer) -> Error {
        ArgumentError::Client {
            program: self.program.clone(),
            name: self.inputs[index].name.clone(),
            expected: self.handle.api().library().to_owned(),
            found: buffer.client().api().library().to_owned(),
        }
        .into()
    }

    #[cold]
    fn must_be_given_away(&self, index: usize) -> Error {
        ArgumentError::Donated {
            program: self.program.clone(),
            name: self.inputs[index].name.clone(),
        }
        .into()
    }

    #[cold]
    fn wrong_count(&self, found: usize) -> Error {
        ArgumentError::Count {
            program: self.program.clone(),
            expected: self.inputs.len(),
            found,
            inputs: self.inputs.iter().map(|input| input.array_type).collect(),
        }
        .into()
    }

    #[cold]
    fn wrong_type(&self, index: usize, found: &ArrayType) -> Error {
        let input = &self.inputs[index];
        ArgumentError::Type {
            program: self.program.clone(),
            index,
            name: input.name.clone(),
            expected: Box::new(input.array_type),
            found: Box::new(*found),
        }
        .into()
    }

    /// The error of a call, with what became of the arguments that were given away to it.
    #[cold]
    pub(crate) fn failed(&self, source: ApiError, frame: &mut Frame) -> Error {
        let donated = frame.take_donated().into_iter();
        let donated = donated.map(|(index, buffer)| {
            let input = &self.inputs[index];
            // Where the plugin does not say, the memory must not be used again.
            let is_gone = buffer.raw().is_deleted().unwrap_or(true);
            Donated {
                name: input.name.clone(),
                buffer: (!is_gone)
                    .then(|| DeviceBuffer::new(Stored::Device(buffer), input.array_type)),
            }
        });
        ExecuteError::Failed {
            program: self.program.clone(),
            plugin: self.handle.api().library().to_owned(),
            source,
            donated: donated.collect(),
        }
        .into()
    }

    /// For each result, whether it can be read where the device has it.
    fn in_place(&self, frame: &Frame) -> &[bool] {
        // The layout of results is part of the compiled program, so that the first ones tell of all.
        self.in_place.get_or_init(|| {
            let types = self.output_types.iter().enumerate();
            let client = &self.handle.client;
            types
                .map(|(index, array_type)| {
                    let result = frame.result(index);
                    result.is_ok_and(|result| in_place(client, result, array_type))
                })
                .collect()
        })
    }
}

/// A frame from the pool, for one call; back there when dropped.
struct Lease<'a> {
    inner: &'a Inner,
    frame: Option<Box<Frame>>,
}

impl Lease<'_> {
    #[inline]
    fn frame(&mut self) -> &mut Frame {
        // None only after the drop.
        self.frame.get_or_insert_with(|| self.inner.frame())
    }

    /// The results of the program. If it is not done, they can only be taken as they are.
    #[inline]
    fn results(&mut self, is_done: bool) -> Results<'_> {
        let inner = self.inner;
        Results {
            is_done,
            ..Results::new(inner, self.frame())
        }
    }
}

impl Drop for Lease<'_> {
    #[inline]
    fn drop(&mut self) {
        if let Some(mut frame) = self.frame.take() {
            frame.clear();
            self.inner.frames.put(frame);
        }
    }
}

/// The results of a program. Each can be had once.
#[doc(hidden)]
pub struct Results<'a> {
    inner: &'a Inner,
    frame: &'a mut Frame,
    /// Whether the program is done. If not, results can only be [taken](Self::take).
    is_done: bool,
}

impl fmt::Debug for Results<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Results({})", self.inner.program)
    }
}

impl<'a> Results<'a> {
    /// Those of a program that is done.
    #[inline]
    pub(crate) fn new(inner: &'a Inner, frame: &'a mut Frame) -> Self {
        Self {
            inner,
            frame,
            is_done: true,
        }
    }

    /// Copies a result: all of `target` is filled, with elements of the type of the result.
    ///
    /// # Errors
    /// The result is of another size, or the plugin fails.
    #[inline]
    pub(crate) fn copy_into(
        &mut self,
        index: usize,
        target: &mut [MaybeUninit<u8>],
    ) -> Result<(), Error> {
        let array_type = self.array_type(index, target.len())?;
        if target.is_empty() {
            return Ok(());
        }
        let copied = if self.inner.in_place(self.frame)[index] {
            self.address(index).map(|start| {
                // SAFETY: the program is done, so that the buffer holds its result: as many bytes as `in_place` has made
                // sure of, in memory that the host can read.
                let bytes =
                    unsafe { std::slice::from_raw_parts(start.as_ptr().cast(), target.len()) };
                target.copy_from_slice(bytes);
            })
        } else {
            let rank = array_type.shape().len();
            let result = self.frame.result(index);
            result.and_then(|result| result.copy_to_host(rank, target))
        };
        copied.map_err(|source| self.failed(source))?;
        // SAFETY: filled above.
        unsafe { make_valid(array_type.dtype(), target) };
        Ok(())
    }

    /// Where the host can read a result: on the device, or in `memory`, to which it is copied then.
    ///
    /// # Errors
    /// The result is of another size than `memory`, or the plugin fails.
    pub(crate) fn show(
        &mut self,
        index: usize,
        memory: &mut HostMemory,
    ) -> Result<NonNull<u8>, Error> {
        let array_type = self.array_type(index, memory.len())?;
        if self.inner.in_place(self.frame)[index] {
            let start = self.address(index).map_err(|source| self.failed(source))?;
            // SAFETY: the program is done, so that the buffer holds its result: as many bytes as `in_place` has made sure
            // of, which are the frame's.
            unsafe {
                let bytes = start.cast::<MaybeUninit<u8>>().as_ptr();
                let bytes = std::slice::from_raw_parts_mut(bytes, memory.len());
                make_valid(array_type.dtype(), bytes);
            }
            return Ok(start);
        }
        let bytes = memory.bytes_mut();
        // SAFETY: `copy_into` writes initialised bytes only.
        let bytes = unsafe { &mut *(std::ptr::from_mut(bytes) as *mut [MaybeUninit<u8>]) };
        let copied = self.copy_into(index, bytes);
        if copied.is_err() {
            // What has arrived may be no elements.
            memory.bytes_mut().fill(0);
        }
        copied.map(|()| memory.as_ptr())
    }

    /// A result as memory of the host: that of the device where the host can use it, else a copy.
    ///
    /// # Errors
    /// The result has not `len` bytes, or the plugin fails.
    pub(crate) fn memory(&mut self, index: usize, len: usize) -> Result<HostMemory, Error> {
        let array_type = self.array_type(index, len)?;
        if len > 0 && self.inner.in_place(self.frame)[index] {
            let start = self.address(index).map_err(|source| self.failed(source))?;
            if start.addr().get().is_multiple_of(ALIGNMENT) {
                let owner = self.take(index)?;
                let bytes = start.cast::<MaybeUninit<u8>>();
                // SAFETY: the program is done, so that the buffer holds its result: as many bytes as `in_place` has made sure
                // of. The buffer goes into the memory, so that nobody else has them.
                return Ok(unsafe {
                    let bytes = std::slice::from_raw_parts_mut(bytes.as_ptr(), len);
                    make_valid(array_type.dtype(), bytes);
                    HostMemory::adopt(start, len, owner)
                });
            }
        }
        let mut memory = HostMemory::uninit(len);
        self.copy_into(index, memory.bytes())?;
        // SAFETY: `copy_into` has filled it.
        Ok(unsafe { memory.filled() })
    }

    /// A result that stays on the device.
    ///
    /// # Errors
    /// The plugin gave none.
    pub(crate) fn take(&mut self, index: usize) -> Result<OwnedBuffer, Error> {
        self.frame
            .take_result(index, self.is_done)
            .map_err(|source| self.failed(source))
    }

    /// Every result as an array of the host.
    pub(crate) fn host_arrays(&mut self) -> Result<Vec<HostArray>, Error> {
        let types = self.inner.output_types.iter().enumerate();
        types
            .map(|(index, array_type)| {
                let memory = self.memory(index, array_type.nbytes())?;
                // SAFETY: `memory` gives elements of this type.
                Ok(unsafe { HostArray::from_memory(*array_type, memory) })
            })
            .collect()
    }

    /// Every result as an array on the device.
    pub(crate) fn device_buffers(&mut self) -> Result<Vec<DeviceBuffer>, Error> {
        let types = self.inner.output_types.iter().enumerate();
        types
            .map(|(index, array_type)| {
                let stored = Stored::Device(self.take(index)?);
                Ok(DeviceBuffer::new(stored, *array_type))
            })
            .collect()
    }

    /// Where a result that is `in_place` lies.
    #[inline]
    fn address(&self, index: usize) -> Result<NonNull<u8>, ApiError> {
        address(&self.inner.handle.client, self.frame.result(index)?)
    }

    /// The type of a result, which must have this many bytes.
    #[inline]
    fn array_type(&self, index: usize, len: usize) -> Result<&'a ArrayType, Error> {
        match self.inner.output_types.get(index) {
            Some(array_type) if array_type.nbytes() == len => Ok(array_type),
            _ => Err(self.no_room(index, len)),
        }
    }

    #[cold]
    fn no_room(&self, index: usize, found: usize) -> Error {
        ExecuteError::Room {
            program: self.inner.program.clone(),
            index,
            needed: self
                .inner
                .output_types
                .get(index)
                .map_or(0, ArrayType::nbytes),
            found,
        }
        .into()
    }

    #[cold]
    fn failed(&mut self, source: ApiError) -> Error {
        self.inner.failed(source, self.frame)
    }
}
