//! A call that is prepared once and run many times.

use std::ffi::c_void;

use cyxla_pjrt_sys::{
    Args as _, Call as _, PJRT_Buffer, PJRT_Buffer_Destroy_Args, PJRT_Buffer_Type_F32,
    PJRT_Buffer_UnsafePointer_Args, PJRT_Client_CreateViewOfDeviceBuffer_Args, PJRT_Event,
    PJRT_Event_Await_Args, PJRT_Event_Destroy_Args, PJRT_ExecuteOptions,
    PJRT_LoadedExecutable_Execute_Args,
};

use crate::client::Function;
use crate::memory::Aligned;
use crate::{Client, Failure, Program};

/// A call of a program, with input arrays of its own that the plugin reads where they lie. One thread runs it at a time.
pub struct Call {
    program: Program,
    inputs: Box<[Aligned]>,
    arguments: Box<[*mut PJRT_Buffer]>,
    results: Box<[*mut PJRT_Buffer]>,
    frame: Box<Frame>,
}

/// The functions of a call and their arguments, all that stays the same filled in.
struct Frame {
    functions: Functions,
    options: PJRT_ExecuteOptions,
    argument_list: *const *mut PJRT_Buffer,
    result_list: *mut *mut PJRT_Buffer,
    done: *mut PJRT_Event,
    execute: PJRT_LoadedExecutable_Execute_Args,
    wait: PJRT_Event_Await_Args,
    destroy_event: PJRT_Event_Destroy_Args,
    pointer: PJRT_Buffer_UnsafePointer_Args,
    destroy_buffer: PJRT_Buffer_Destroy_Args,
}

#[derive(Clone, Copy)]
struct Functions {
    execute: Function<PJRT_LoadedExecutable_Execute_Args>,
    wait: Function<PJRT_Event_Await_Args>,
    destroy_event: Function<PJRT_Event_Destroy_Args>,
    pointer: Function<PJRT_Buffer_UnsafePointer_Args>,
    destroy_buffer: Function<PJRT_Buffer_Destroy_Args>,
}

// SAFETY: buffers may be used from any thread; the memory behind them is the call's own.
unsafe impl Send for Call {}

impl Call {
    /// Prepares a call with `f32` arrays of these shapes, filled with zeros.
    ///
    /// # Errors
    /// There is no memory, or the plugin makes no view of it.
    pub fn new(program: &Program, shapes: &[&[i64]]) -> Result<Self, Failure> {
        let client = program.client();
        let mut inputs = Vec::new();
        let mut call = Self {
            program: program.clone(),
            inputs: Box::default(),
            arguments: vec![std::ptr::null_mut(); shapes.len()].into(),
            results: vec![std::ptr::null_mut(); program.lengths().len()].into(),
            frame: Box::new(Frame::new(program, shapes.len())?),
        };
        for (shape, argument) in std::iter::zip(shapes, &mut call.arguments) {
            let len: i64 = shape.iter().product();
            let input = Aligned::zeros(usize::try_from(len).unwrap_or(0))?;
            *argument = view(client, &input, shape)?;
            inputs.push(input);
        }
        call.inputs = inputs.into();
        Ok(call)
    }

    /// The elements of an input, row major.
    ///
    /// # Panics
    /// There is no such input.
    #[inline]
    pub fn input(&mut self, index: usize) -> &mut [f32] {
        self.inputs[index].as_mut_slice()
    }

    /// Runs the program with what the inputs hold, and waits until it is done.
    ///
    /// # Blocking
    /// For as long as the program takes.
    ///
    /// # Errors
    /// The program fails.
    #[inline]
    pub fn run(&mut self) -> Result<Results<'_>, Failure> {
        match self.execute() {
            Ok(()) => Ok(Results { call: self }),
            Err(failure) => {
                drop(Results { call: self });
                Err(failure)
            }
        }
    }

    /// Starts the program without an event, and gives its first result, which may not be there yet. The caller destroys it.
    ///
    /// # Safety
    /// The inputs stay as they are until the result is there.
    #[inline]
    pub(crate) unsafe fn start(&mut self) -> Result<*mut PJRT_Buffer, Failure> {
        let functions = self.program.client().functions();
        let frame = self.filled_frame();
        frame.execute.device_complete_events = std::ptr::null_mut();
        // SAFETY: as in `execute`, but that nobody waits; an event is not asked for.
        unsafe {
            let error = (frame.functions.execute)(&raw mut frame.execute);
            functions.check(error, PJRT_LoadedExecutable_Execute_Args::FUNCTION)?;
        }
        Ok(Results { call: self }.take(0))
    }

    #[inline]
    fn execute(&mut self) -> Result<(), Failure> {
        let functions = self.program.client().functions();
        let frame = self.filled_frame();
        frame.execute.device_complete_events = &raw mut frame.done;
        // SAFETY: one device, for which the program was compiled; as many arguments as there are living buffers, whose memory
        // nobody writes while `self` is borrowed; room for as many results as the program has, and for one event, which is
        // destroyed here. A plugin that has no error has put all of them there.
        unsafe {
            let error = (frame.functions.execute)(&raw mut frame.execute);
            functions.check(error, PJRT_LoadedExecutable_Execute_Args::FUNCTION)?;
            frame.wait.event = frame.done;
            let error = (frame.functions.wait)(&raw mut frame.wait);
            let waited = functions.check(error, PJRT_Event_Await_Args::FUNCTION);
            frame.destroy_event.event = frame.done;
            let error = (frame.functions.destroy_event)(&raw mut frame.destroy_event);
            functions.check(error, PJRT_Event_Destroy_Args::FUNCTION)?;
            waited
        }
    }

    /// The frame, with the places of its lists.
    #[inline]
    fn filled_frame(&mut self) -> &mut Frame {
        let frame = &mut *self.frame;
        frame.argument_list = self.arguments.as_ptr();
        frame.result_list = self.results.as_mut_ptr();
        frame.execute.options = &raw mut frame.options;
        frame.execute.argument_lists = &raw const frame.argument_list;
        frame.execute.output_lists = &raw const frame.result_list;
        frame
    }

    /// Puts a buffer in the place of an input's own for the runs to come, and gives that of before.
    ///
    /// # Safety
    /// The buffer is alive for as long as it is there. Whoever takes one out destroys it.
    pub(crate) unsafe fn replace(
        &mut self,
        index: usize,
        buffer: *mut PJRT_Buffer,
    ) -> *mut PJRT_Buffer {
        std::mem::replace(&mut self.arguments[index], buffer)
    }

    /// Destroys a buffer.
    ///
    /// # Safety
    /// NULL, or a buffer of this client that is alive, owned by the caller, and not used from now on.
    #[inline]
    pub(crate) unsafe fn destroy(&mut self, buffer: *mut PJRT_Buffer) {
        if buffer.is_null() {
            return;
        }
        let frame = &mut *self.frame;
        frame.destroy_buffer.buffer = buffer;
        let functions = self.program.client().functions();
        // SAFETY: as the caller promises. What could be told of an error here is of no use to anybody.
        let _ = unsafe {
            let error = (frame.functions.destroy_buffer)(&raw mut frame.destroy_buffer);
            functions.check(error, PJRT_Buffer_Destroy_Args::FUNCTION)
        };
    }
}

impl std::fmt::Debug for Call {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Call").finish_non_exhaustive()
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        for index in 0..self.arguments.len() {
            let argument = self.arguments[index];
            // SAFETY: alive and owned by this, which goes; the memory behind it is freed later.
            unsafe { self.destroy(argument) };
        }
    }
}

impl Frame {
    fn new(program: &Program, arguments: usize) -> Result<Self, Failure> {
        let functions = program.client().functions();
        Ok(Self {
            functions: Functions {
                execute: functions.get()?,
                wait: functions.get()?,
                destroy_event: functions.get()?,
                pointer: functions.get()?,
                destroy_buffer: functions.get()?,
            },
            options: PJRT_ExecuteOptions::new(),
            argument_list: std::ptr::null(),
            result_list: std::ptr::null_mut(),
            done: std::ptr::null_mut(),
            execute: PJRT_LoadedExecutable_Execute_Args {
                executable: program.raw(),
                num_devices: 1,
                num_args: arguments,
                ..PJRT_LoadedExecutable_Execute_Args::new()
            },
            wait: PJRT_Event_Await_Args::new(),
            destroy_event: PJRT_Event_Destroy_Args::new(),
            pointer: PJRT_Buffer_UnsafePointer_Args::new(),
            destroy_buffer: PJRT_Buffer_Destroy_Args::new(),
        })
    }
}

/// The results of a run, where the plugin has them. They are destroyed when this is dropped.
#[derive(Debug)]
pub struct Results<'c> {
    call: &'c mut Call,
}

impl Results<'_> {
    /// The elements of a result, row major, in the memory of the plugin.
    ///
    /// # Errors
    /// The plugin does not show them.
    ///
    /// # Panics
    /// There is no such result.
    #[inline]
    pub fn view(&mut self, index: usize) -> Result<&[f32], Failure> {
        let Call {
            program,
            results,
            frame,
            ..
        } = &mut *self.call;
        let len = program.lengths()[index];
        let functions = program.client().functions();
        frame.pointer.buffer = results[index];
        // SAFETY: the result is alive, as the run is done; on a CPU its memory is that of the process, dense and row major.
        unsafe {
            let error = (frame.functions.pointer)(&raw mut frame.pointer);
            functions.check(error, PJRT_Buffer_UnsafePointer_Args::FUNCTION)?;
            let start = std::ptr::with_exposed_provenance(frame.pointer.buffer_pointer);
            Ok(std::slice::from_raw_parts(start, len))
        }
    }

    /// Copies the elements of a result.
    ///
    /// # Errors
    /// The plugin does not show them, or there is another number of them.
    ///
    /// # Panics
    /// There is no such result.
    #[inline]
    pub fn read(&mut self, index: usize, into: &mut [f32]) -> Result<(), Failure> {
        let view = self.view(index)?;
        if view.len() != into.len() {
            return Err(Failure::Length {
                found: into.len(),
                expected: view.len(),
            });
        }
        into.copy_from_slice(view);
        Ok(())
    }

    /// Copies the elements of a result into memory that is allocated for them.
    ///
    /// # Errors
    /// The plugin does not show them.
    ///
    /// # Panics
    /// There is no such result.
    #[inline]
    pub fn read_new(&mut self, index: usize) -> Result<Box<[f32]>, Failure> {
        self.view(index).map(Box::from)
    }

    /// Takes a result out. The caller destroys it.
    pub(crate) fn take(&mut self, index: usize) -> *mut PJRT_Buffer {
        std::mem::replace(&mut self.call.results[index], std::ptr::null_mut())
    }
}

impl Drop for Results<'_> {
    #[inline]
    fn drop(&mut self) {
        for index in 0..self.call.results.len() {
            let result = self.take(index);
            // SAFETY: alive, ours, and taken out of its place.
            unsafe { self.call.destroy(result) };
        }
    }
}

/// A buffer whose memory is `memory`.
fn view(client: &Client, memory: &Aligned, shape: &[i64]) -> Result<*mut PJRT_Buffer, Failure> {
    unsafe extern "C" fn nothing(_: *mut c_void, _: *mut c_void) {}

    let mut args = PJRT_Client_CreateViewOfDeviceBuffer_Args {
        client: client.raw(),
        device_buffer_ptr: memory.as_ptr().cast(),
        dims: shape.as_ptr(),
        num_dims: shape.len(),
        element_type: PJRT_Buffer_Type_F32,
        device: client.device(),
        // Without one, plugins for the CPU end the process.
        on_delete_callback: Some(nothing),
        ..PJRT_Client_CreateViewOfDeviceBuffer_Args::new()
    };
    // SAFETY: client and device are alive, the memory holds as many elements as the shape says and outlives the buffer.
    unsafe { client.functions().call(&mut args)? };
    Ok(args.buffer)
}
