//! A state that stays on the device and is moved through a program, step by step.

use cyxla_pjrt_sys::{
    Args as _, PJRT_Buffer, PJRT_Buffer_ReadyEvent_Args, PJRT_Buffer_Type_F32,
    PJRT_Client_BufferFromHostBuffer_Args, PJRT_Event, PJRT_Event_Await_Args,
    PJRT_Event_Destroy_Args, PJRT_HostBufferSemantics_kImmutableOnlyDuringCall,
};

use crate::client::Functions;
use crate::{Call, Client, Failure, Program};

/// A program whose first argument, donated or not, becomes its first result.
pub struct Steps {
    functions: Functions,
    /// The state, which is the first argument of the call.
    state: *mut PJRT_Buffer,
    call: Call,
}

impl Steps {
    /// Puts a state of zeros on the device. The shapes are those of all arguments, the state's first.
    ///
    /// # Errors
    /// There is no memory, or the plugin makes no buffer of it.
    pub fn new(program: &Program, shapes: &[&[i64]]) -> Result<Self, Failure> {
        let Some((shape, _)) = shapes.split_first() else {
            return Err(Failure::Program("it has no arguments"));
        };
        let mut call = Call::new(program, shapes)?;
        let state = copy(program.client(), call.input(0), shape)?;
        // SAFETY: the state is alive until it is taken out again; the view is destroyed here.
        unsafe {
            let view = call.replace(0, state);
            call.destroy(view);
        }
        Ok(Self {
            functions: program.client().functions(),
            state,
            call,
        })
    }

    /// The elements of another argument, row major. Waits until all steps are done.
    ///
    /// # Errors
    /// One of them failed.
    ///
    /// # Panics
    /// There is no such input.
    pub fn input(&mut self, index: usize) -> Result<&mut [f32], Failure> {
        self.finish()?;
        Ok(self.call.input(index))
    }

    /// Moves the state through the program, and waits until it is done.
    ///
    /// # Blocking
    /// For as long as the program takes.
    ///
    /// # Errors
    /// The program fails.
    #[inline]
    pub fn step(&mut self) -> Result<(), Failure> {
        let state = self.call.run()?.take(0);
        self.put(state);
        Ok(())
    }

    /// Moves the state through the program without waiting for it.
    ///
    /// # Errors
    /// The program can't be started.
    #[inline]
    pub fn start(&mut self) -> Result<(), Failure> {
        // SAFETY: the other inputs are borrowed from `self` and written before the first step only: `input` waits.
        let state = unsafe { self.call.start()? };
        self.put(state);
        Ok(())
    }

    /// Waits until all steps are done.
    ///
    /// # Errors
    /// One of them failed.
    pub fn finish(&mut self) -> Result<(), Failure> {
        let functions = self.functions;
        let mut ready = PJRT_Buffer_ReadyEvent_Args {
            buffer: self.state,
            ..PJRT_Buffer_ReadyEvent_Args::new()
        };
        // SAFETY: the state is alive; the event is ours.
        unsafe { functions.call(&mut ready)? };
        // SAFETY: as above.
        unsafe { wait(functions, ready.event) }
    }

    fn put(&mut self, state: *mut PJRT_Buffer) {
        self.state = state;
        // SAFETY: the new state is alive until it is taken out again; that before is used by nobody but the program, which
        // keeps what it needs.
        unsafe {
            let before = self.call.replace(0, state);
            self.call.destroy(before);
        }
    }
}

impl std::fmt::Debug for Steps {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Steps").finish_non_exhaustive()
    }
}

impl Drop for Steps {
    fn drop(&mut self) {
        // The memory of the inputs goes with the call. How the steps have ended is of no use to anybody now.
        let _ = self.finish();
    }
}

/// Waits for an event, and destroys it.
///
/// # Safety
/// An event that is alive, and owned by the caller.
unsafe fn wait(functions: Functions, event: *mut PJRT_Event) -> Result<(), Failure> {
    let mut wait = PJRT_Event_Await_Args {
        event,
        ..PJRT_Event_Await_Args::new()
    };
    let mut destroy = PJRT_Event_Destroy_Args {
        event,
        ..PJRT_Event_Destroy_Args::new()
    };
    // SAFETY: as the caller promises.
    unsafe {
        let waited = functions.call(&mut wait);
        functions.call(&mut destroy)?;
        waited
    }
}

/// A buffer with a copy of these elements.
fn copy(client: &Client, data: &[f32], shape: &[i64]) -> Result<*mut PJRT_Buffer, Failure> {
    let mut args = PJRT_Client_BufferFromHostBuffer_Args {
        client: client.raw(),
        data: data.as_ptr().cast(),
        type_: PJRT_Buffer_Type_F32,
        dims: shape.as_ptr(),
        num_dims: shape.len(),
        host_buffer_semantics: PJRT_HostBufferSemantics_kImmutableOnlyDuringCall,
        device: client.device(),
        ..PJRT_Client_BufferFromHostBuffer_Args::new()
    };
    // SAFETY: client and device are alive; the data is as long as the shape says, and is copied during the call. The event
    // is ours.
    unsafe {
        client.functions().call(&mut args)?;
        wait(client.functions(), args.done_with_host_buffer)?;
    }
    Ok(args.buffer)
}
