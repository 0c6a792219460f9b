//! A typed call: what the function under `#[cyxla::program]` does.

use crate::array::Output;
use crate::device::DeviceBuffer;
use crate::error::Error;
use crate::execute::{Given, Results};
use crate::host::HostArray;
use crate::pending::Pending;
use crate::program::Program;

/// All results of a program: an [`Output`], or a tuple of them.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be the result of a program",
    label = "no result type",
    note = "results are array types such as `[[f32; 4]; 8]`; `Box`, `Host` or `Buffer` of these; and tuples of all of them"
)]
pub trait Outputs: Sized {
    /// Whether all stay on the device, so that nobody has to wait for them yet.
    #[doc(hidden)]
    const ON_DEVICE: bool;

    /// Takes the results of a program, which is done unless they stay on the device.
    ///
    /// # Errors
    /// The plugin can't give one.
    ///
    /// # Safety
    /// The results are of these types.
    #[doc(hidden)]
    unsafe fn receive(results: &mut Results<'_>) -> Result<Self, Error>;
}

impl<O: Output> Outputs for O {
    const ON_DEVICE: bool = O::ON_DEVICE;

    #[inline]
    unsafe fn receive(results: &mut Results<'_>) -> Result<Self, Error> {
        // SAFETY: as the caller promises.
        unsafe { O::receive(results, 0) }
    }
}

macro_rules! tuples {
    ($($name:ident)*) => {
        // The list of all tuples says nothing about what is wrong with one.
        #[diagnostic::do_not_recommend]
        impl<$($name: Output),*> Outputs for ($($name,)*) {
            const ON_DEVICE: bool = $($name::ON_DEVICE)&&*;

            #[inline]
            unsafe fn receive(results: &mut Results<'_>) -> Result<Self, Error> {
                let mut indices = 0_usize..;
                // SAFETY: as the caller promises, for each. Elements are evaluated from left to right.
                Ok(unsafe { ($($name::receive(results, indices.next().unwrap_or(usize::MAX))?,)*) })
            }
        }
    };
}

#[diagnostic::do_not_recommend]
impl Outputs for () {
    const ON_DEVICE: bool = false;

    unsafe fn receive(_: &mut Results<'_>) -> Result<Self, Error> {
        Ok(())
    }
}

/// What the dynamic API gives: results of any types, each with its own.
#[diagnostic::do_not_recommend]
impl Outputs for Vec<HostArray> {
    const ON_DEVICE: bool = false;

    unsafe fn receive(results: &mut Results<'_>) -> Result<Self, Error> {
        results.host_arrays()
    }
}

/// As above, on the device.
#[diagnostic::do_not_recommend]
impl Outputs for Vec<DeviceBuffer> {
    const ON_DEVICE: bool = true;

    unsafe fn receive(results: &mut Results<'_>) -> Result<Self, Error> {
        results.device_buffers()
    }
}

macro_rules! all_tuples {
    ($first:ident $($rest:ident)*) => {
        tuples! { $first $($rest)* }
        all_tuples! { $($rest)* }
    };
    () => {};
}

// The macro refuses declarations with more results; the dynamic API has no such limit.
all_tuples! { A B C D E F G H I J K L M N O P Q R S T U V W X }

/// Calls `program`.
///
/// # Errors
/// The program can't be loaded, or its execution fails.
///
/// # Safety
/// The arguments and `R` are of the types of the program.
#[inline]
pub(crate) unsafe fn call<R: Outputs>(
    program: &Program,
    given: &mut [Given<'_>],
) -> Result<R, Error> {
    let executable = program.executable()?;
    // SAFETY: as the caller promises: the executable is that of the program.
    unsafe { executable.call(given) }
}

/// Starts `program`.
///
/// # Errors
/// The program can't be loaded, or an argument can't be taken.
///
/// # Safety
/// The arguments and `R` are of the types of the program.
pub(crate) unsafe fn start<R: Outputs>(
    program: &Program,
    given: &mut [Given<'_>],
) -> Result<Pending<R>, Error> {
    let executable = program.executable()?;
    // SAFETY: as the caller promises: the executable is that of the program.
    unsafe { Pending::start(executable, given) }
}
