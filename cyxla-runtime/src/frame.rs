//! What one call at a time works with, made once and used by many calls.

use std::ptr::{self, NonNull};
use std::sync::Arc;

use cyxla_pjrt_sys::{
    Args as _, Call as _, PJRT_Buffer, PJRT_Event, PJRT_ExecuteOptions, PJRT_LoadedExecutable,
    PJRT_LoadedExecutable_Execute_Args,
};

use crate::api::Api;
use crate::buffer::{HostData, RawBuffer};
use crate::client::Client;
use crate::device::OwnedBuffer;
use crate::error::ApiError;
use crate::event::Event;
use crate::execute::LENT_FROM;
use crate::host::HostMemory;
use crate::input::{Input, Staging};
use crate::weights::WeightSet;

/// The argument and result lists of a call, and memory for copies of small arguments.
///
/// A *staged* argument has a place in the memory of the frame, which a buffer that lives as long as the frame looks at: a call
/// copies the array there, and has no buffer to make or to destroy. A *lent* argument is read where the caller has it, through a
/// buffer that looks there; the frame keeps it, since callers often come with the same arrays. Other arguments get a buffer for
/// one call.
pub(crate) struct Frame {
    client: Client,
    staging: HostMemory,
    /// For each argument its place in `staging`.
    places: Box<[StagedPlace]>,
    /// For each argument the buffer that looks at its place in `staging`; NULL for one that is not staged.
    staged: Box<[*mut PJRT_Buffer]>,
    /// What the program is called with: between calls the same as `staged`, and behind it the weights.
    arguments: Box<[*mut PJRT_Buffer]>,
    /// Whether they are not.
    is_changed: bool,
    /// What the program has returned; NULL for what is not there, or has been taken.
    results: Box<[*mut PJRT_Buffer]>,
    /// For each argument the buffer that looks at the array which was lent last.
    lent: Box<[Lent]>,
    /// Buffers that were made for this call.
    temporary: Vec<RawBuffer>,
    /// Buffers that were given away to this call, with the number of the argument.
    donated: Vec<(usize, OwnedBuffer)>,
    /// The weights that `arguments` ends with.
    weights: Option<Arc<WeightSet>>,
    /// Which ones these are; 0 if there are none yet.
    weights_generation: usize,
    options: PJRT_ExecuteOptions,
}

/// Where an argument is staged.
#[derive(Clone, Copy)]
struct StagedPlace {
    start: *mut u8,
    /// Bytes; more than any array has, if it is not staged.
    len: usize,
}

/// A buffer that looks at an array of the host. Nothing is read through it but by a program that runs.
#[derive(Clone, Copy)]
struct Lent {
    /// Where the array begins; it may be gone between calls.
    start: *const u8,
    /// NULL as long as none was lent.
    buffer: *mut PJRT_Buffer,
}

impl Lent {
    const NOTHING: Self = Self {
        start: ptr::null(),
        buffer: ptr::null_mut(),
    };
}

/// More bytes than any array has.
const NONE: usize = usize::MAX;

// SAFETY: buffers and events of a plugin, which PJRT allows to be used from any thread; the rest is plain data.
unsafe impl Send for Frame {}

impl Frame {
    /// A frame for programs with these arguments, which `staging` was made for, so many weights, and so many results.
    pub(crate) fn new(
        client: &Client,
        inputs: &[Input],
        staging: &Staging,
        weights: usize,
        results: usize,
    ) -> Box<Self> {
        let memory = HostMemory::zeroed(staging.size);
        let staged = std::iter::zip(inputs, &staging.offsets).map(|(input, offset)| {
            let looks = offset.filter(|_| input.stays_in_place() && client.aliased_inputs());
            looks.map_or(ptr::null_mut(), |offset| {
                look_at(client, input, &memory, offset)
            })
        });
        let staged: Box<[_]> = staged.collect();
        let places = std::iter::zip(inputs, &staging.offsets).zip(&staged);
        let places = places.map(|((input, offset), buffer)| StagedPlace {
            start: memory.as_ptr().as_ptr().wrapping_add(offset.unwrap_or(0)),
            len: if buffer.is_null() {
                NONE
            } else {
                input.array_type.nbytes()
            },
        });
        Box::new(Self {
            places: places.collect(),
            is_changed: false,
            options: PJRT_ExecuteOptions::new(),
            client: client.clone(),
            arguments: staged
                .iter()
                .copied()
                .chain(std::iter::repeat_n(ptr::null_mut(), weights))
                .collect(),
            weights: None,
            weights_generation: 0,
            staged,
            staging: memory,
            results: vec![ptr::null_mut(); results].into(),
            temporary: Vec::with_capacity(inputs.len()),
            lent: vec![Lent::NOTHING; inputs.len()].into(),
            donated: Vec::with_capacity(inputs.iter().filter(|input| input.donated).count()),
        })
    }

    /// Which weights it calls with; 0 if none.
    #[inline]
    pub(crate) fn weights_generation(&self) -> usize {
        self.weights_generation
    }

    /// Has it call with these weights, of the client of this frame and as many as it has room for. No program may run on it.
    pub(crate) fn take_weights(&mut self, weights: Arc<WeightSet>, generation: usize) {
        let places = self.arguments.iter_mut().skip(self.staged.len());
        for (argument, buffer) in places.zip(&weights.0) {
            *argument = buffer.raw().raw().as_ptr();
        }
        self.weights = Some(weights);
        self.weights_generation = generation;
    }

    /// Whether an argument has a buffer that looks at its place in the memory of the frame.
    #[inline]
    pub(crate) fn is_staged(&self, index: usize) -> bool {
        self.staged
            .get(index)
            .is_some_and(|buffer| !buffer.is_null())
    }

    /// Copies an argument to its place, if it is staged and too small to be lent.
    #[inline]
    pub(crate) fn stage_small(&mut self, index: usize, bytes: &[u8]) -> bool {
        bytes.len() < LENT_FROM && self.stage(index, bytes)
    }

    /// Copies an argument to its place, if it is staged.
    #[inline]
    pub(crate) fn stage(&mut self, index: usize, bytes: &[u8]) -> bool {
        match self.places.get(index) {
            Some(place) if place.len == bytes.len() => {
                // SAFETY: the place has that many bytes of the frame's memory, which nobody else borrows.
                unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), place.start, bytes.len()) }
                true
            }
            _ => false,
        }
    }

    /// The memory of the staged arguments. No program may run on it.
    #[inline]
    pub(crate) fn staging(&mut self) -> &mut HostMemory {
        &mut self.staging
    }

    /// Takes an array of the host as an argument that is read where it lies.
    ///
    /// # Errors
    /// The plugin makes no buffer of it.
    ///
    /// # Safety
    /// There are as many bytes as its type says, and that is the type of the argument, which the program does not take over.
    /// They stay as they are until the program is done.
    pub(crate) unsafe fn lend(&mut self, index: usize, data: HostData<'_>) -> Result<(), ApiError> {
        let lent = self.lent[index];
        if lent.buffer.is_null() || !ptr::eq(lent.start, data.start) {
            // SAFETY: the client lives as long as the frame, which owns the buffer; the size is the caller's promise. Between
            // calls nothing is read there.
            let buffer = unsafe { self.client.place().view(data)? };
            self.destroy(lent.buffer);
            self.lent[index] = Lent {
                start: data.start,
                buffer: buffer.raw().as_ptr(),
            };
        }
        self.arguments[index] = self.lent[index].buffer;
        self.is_changed = true;
        Ok(())
    }

    /// Takes a buffer of this client as an argument of the call; it is destroyed with the end of the call.
    pub(crate) fn put_temporary(&mut self, index: usize, buffer: RawBuffer) {
        self.temporary.push(buffer);
        self.put(index, buffer);
    }

    /// Takes a buffer of this client, which the caller keeps alive, as an argument of the call.
    pub(crate) fn put_borrowed(&mut self, index: usize, buffer: &OwnedBuffer) {
        self.put(index, buffer.raw());
    }

    /// Takes a buffer of this client as an argument that the program may take over.
    pub(crate) fn put_donated(&mut self, index: usize, buffer: OwnedBuffer) {
        self.put(index, buffer.raw());
        self.donated.push((index, buffer));
    }

    fn put(&mut self, index: usize, buffer: RawBuffer) {
        self.arguments[index] = buffer.raw().as_ptr();
        self.is_changed = true;
    }

    /// The buffers that were given away to this call, with the numbers of the arguments.
    pub(crate) fn take_donated(&mut self) -> Vec<(usize, OwnedBuffer)> {
        std::mem::take(&mut self.donated)
    }

    /// Starts a program on the arguments.
    ///
    /// # Safety
    /// An executable of the client of this frame, which takes as many arguments and gives as many results as the frame has
    /// room for, and arguments of the types that it was compiled for. Until the event is ready, arrays that are staged or lent
    /// stay as they are; the lists are needed during the call only.
    pub(crate) unsafe fn launch(
        &mut self,
        executable: *mut PJRT_LoadedExecutable,
    ) -> Result<Event, ApiError> {
        let mut done = ptr::null_mut();
        // SAFETY: as the caller promises; room for one event, which is ours.
        let done = unsafe {
            self.execute(executable, &raw mut done)?;
            Event::from_raw(self.api(), done)
        };
        done.ok_or_else(|| {
            let function = PJRT_LoadedExecutable_Execute_Args::FUNCTION;
            self.api().nothing(function)
        })
    }

    /// Starts a program for whose end nobody waits: its results tell of it.
    ///
    /// # Safety
    /// As for [`launch`](Self::launch), with no argument that is staged or lent.
    pub(crate) unsafe fn launch_unwatched(
        &mut self,
        executable: *mut PJRT_LoadedExecutable,
    ) -> Result<(), ApiError> {
        // SAFETY: as the caller promises; no event is asked for.
        unsafe { self.execute(executable, ptr::null_mut()) }
    }

    /// # Safety
    /// As for [`launch`](Self::launch); NULL, or room for one event.
    #[inline]
    unsafe fn execute(
        &mut self,
        executable: *mut PJRT_LoadedExecutable,
        done: *mut *mut PJRT_Event,
    ) -> Result<(), ApiError> {
        let arguments = self.arguments.as_ptr();
        let results = self.results.as_mut_ptr();
        let mut args = PJRT_LoadedExecutable_Execute_Args {
            executable,
            options: &raw mut self.options,
            argument_lists: &raw const arguments,
            num_devices: 1,
            num_args: self.arguments.len(),
            output_lists: &raw const results,
            device_complete_events: done,
            ..PJRT_LoadedExecutable_Execute_Args::new()
        };
        // SAFETY: one device, for which the program was compiled; lists of the lengths that the caller promises, of living
        // buffers and of room for results.
        unsafe { self.api().call(&mut args) }
    }

    /// A result that the program has given.
    ///
    /// # Errors
    /// There is none.
    #[inline]
    pub(crate) fn result(&self, index: usize) -> Result<RawBuffer, ApiError> {
        let result = self.results.get(index).copied().and_then(NonNull::new);
        let Some(result) = result else {
            let function = PJRT_LoadedExecutable_Execute_Args::FUNCTION;
            return Err(self.api().nothing(function));
        };
        // SAFETY: the frame owns it until it is taken or the frame is cleared, which needs the frame exclusively.
        Ok(unsafe { RawBuffer::new(self.api(), result) })
    }

    /// Takes a result out.
    ///
    /// # Errors
    /// There is none.
    pub(crate) fn take_result(
        &mut self,
        index: usize,
        is_filled: bool,
    ) -> Result<OwnedBuffer, ApiError> {
        let result = self.result(index)?;
        self.results[index] = ptr::null_mut();
        // SAFETY: it was the frame's, which has just forgotten it.
        Ok(unsafe { OwnedBuffer::new(self.client.clone(), result, is_filled) })
    }

    /// Destroys the results.
    #[inline]
    pub(crate) fn clear_results(&mut self) {
        for index in 0..self.results.len() {
            let result = std::mem::replace(&mut self.results[index], ptr::null_mut());
            self.destroy(result);
        }
    }

    /// Ends a call: what was made for it goes, and the frame is as it was before. The program is done, or uses nothing of what
    /// is staged or lent; the plugin keeps what else it needs.
    #[inline]
    pub(crate) fn clear(&mut self) {
        self.clear_results();
        if self.is_changed {
            self.is_changed = false;
            self.arguments[..self.staged.len()].copy_from_slice(&self.staged);
            self.donated.clear();
            for buffer in self.temporary.drain(..) {
                // SAFETY: made for this call, which is over.
                unsafe { buffer.destroy() }
            }
        }
    }

    /// Destroys a buffer of the frame, which has forgotten it or is about to; nothing if it is NULL.
    #[inline]
    fn destroy(&self, buffer: *mut PJRT_Buffer) {
        if let Some(buffer) = NonNull::new(buffer) {
            // SAFETY: the callers, all here, have made it or been given it by the plugin, and use it no more.
            unsafe { RawBuffer::new(self.api(), buffer).destroy() }
        }
    }

    #[inline]
    fn api(&self) -> &'static Api {
        self.client.api()
    }
}

impl Drop for Frame {
    fn drop(&mut self) {
        if !self.client.is_of_this_process() {
            // The plugin's things stay with the parent.
            return;
        }
        self.clear();
        let lent = self.lent.iter().map(|lent| lent.buffer);
        for buffer in self.staged.iter().copied().chain(lent) {
            self.destroy(buffer);
        }
    }
}

/// A buffer that looks at `memory`; NULL if the plugin can't.
fn look_at(client: &Client, input: &Input, memory: &HostMemory, offset: usize) -> *mut PJRT_Buffer {
    let start = memory.as_ptr().as_ptr().wrapping_add(offset).cast_const();
    let place = client.place();
    // SAFETY: the client is kept alive by the frame, as is the memory; the staging has as many bytes there as the type of the
    // input says.
    let made = unsafe {
        if input.array_type.nbytes() == 0 {
            // Nothing to look at: one empty array serves all calls.
            place.copy(input.data(start))
        } else {
            place.view(input.data(start))
        }
    };
    let Ok(buffer) = made else {
        return ptr::null_mut();
    };
    let looks = input.array_type.nbytes() == 0
        || buffer
            .pointer()
            .is_ok_and(|pointer| ptr::eq(pointer.cast_const(), start));
    if looks {
        return buffer.raw().as_ptr();
    }
    // SAFETY: made above and used by nobody.
    unsafe { buffer.destroy() }
    ptr::null_mut()
}
