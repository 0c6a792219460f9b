use crate::{CallFrame, Error};

/// What a custom call of a program runs.
///
/// Functions and closures of a frame are handlers:
///
/// ```
/// use cyxla_ffi::{CallFrame, Error, Handler, OwnedCall};
///
/// fn double(frame: &mut CallFrame<'_>) -> Result<(), Error> {
///     let parts = frame.parts::<1, 1>()?;
///     let [x] = parts.arguments;
///     let [y] = parts.results;
///     for (y, x) in y.into_slice::<f32>()?.iter_mut().zip(x.as_slice::<f32>()?) {
///         *y = 2.0 * x;
///     }
///     Ok(())
/// }
///
/// let mut call = OwnedCall::new().argument(&[1.0_f32, 2.0], &[2])?.result::<f32>(&[2])?;
/// call.run(&double)?;
/// assert_eq!(call.result_slice::<f32>(0)?, [2.0, 4.0]);
/// # Ok::<(), Error>(())
/// ```
///
/// A handler may be called from several threads at once, and from threads that are not the program's caller. It must not
/// call programs of cyxla itself: such a call fails. Its panics become errors of the program.
pub trait Handler: Send + Sync + 'static {
    /// Reads arguments and attributes, and fills all results.
    ///
    /// # Errors
    /// Whatever is wrong; the program fails with the same message.
    fn call(&self, frame: &mut CallFrame<'_>) -> Result<(), Error>;
}

impl<F> Handler for F
where
    F: Fn(&mut CallFrame<'_>) -> Result<(), Error> + Send + Sync + 'static,
{
    fn call(&self, frame: &mut CallFrame<'_>) -> Result<(), Error> {
        self(frame)
    }
}
