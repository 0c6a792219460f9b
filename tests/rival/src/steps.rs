//! A state that stays on the device and is moved through a program, step by step.

use cyxla_pjrt_sys::{
    Args as _, PJRT_Buffer, PJRT_Buffer_Type_F32, PJRT_Client_BufferFromHostBuffer_Args,
    PJRT_Event_Await_Args, PJRT_Event_Destroy_Args,
    PJRT_HostBufferSemantics_kImmutableOnlyDuringCall,
};

use crate::{Call, Client, Failure, Program};

/// A program whose first argument, donated or not, becomes its first result.
#[derive(Debug)]
pub struct Steps {
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
        Ok(Self { call })
    }

    /// The elements of another argument, row major.
    ///
    /// # Panics
    /// There is no such input.
    pub fn input(&mut self, index: usize) -> &mut [f32] {
        self.call.input(index)
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
        // SAFETY: the new state is alive until it is taken out again; the one before is used by nobody.
        unsafe {
            let before = self.call.replace(0, state);
            self.call.destroy(before);
        }
        Ok(())
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
        let mut wait = PJRT_Event_Await_Args {
            event: args.done_with_host_buffer,
            ..PJRT_Event_Await_Args::new()
        };
        let mut destroy = PJRT_Event_Destroy_Args {
            event: args.done_with_host_buffer,
            ..PJRT_Event_Destroy_Args::new()
        };
        client.functions().call(&mut wait)?;
        client.functions().call(&mut destroy)?;
    }
    Ok(args.buffer)
}
