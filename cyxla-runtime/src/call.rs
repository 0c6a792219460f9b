//! A typed call: what the function under `#[cyxla::program]` does.

use cyxla_artifact::ArrayType;

use crate::array::Output;
use crate::device::{DeviceBuffer, Stored};
use crate::engine::Chosen;
use crate::error::Error;
use crate::error_info::counted;
use crate::execute::{Given, Results};
use crate::host::{HostArray, HostMemory};
use crate::native::{Anywhere, Arguments};
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

    /// The results of machine code, which writes them to their places.
    ///
    /// # Errors
    /// Those of [`Arguments::run`].
    ///
    /// # Safety
    /// The arguments are of the types that the program takes, and the results of these types.
    #[doc(hidden)]
    unsafe fn produce(arguments: impl Arguments) -> Result<Self, Error>;
}

impl<O: Output> Outputs for O {
    const ON_DEVICE: bool = O::ON_DEVICE;

    #[inline]
    unsafe fn receive(results: &mut Results<'_>) -> Result<Self, Error> {
        // SAFETY: as the caller promises.
        unsafe { O::receive(results, 0) }
    }

    #[expect(
        clippy::inline_always,
        reason = "numbers and sizes are constants of typed callers"
    )]
    #[inline(always)]
    unsafe fn produce(mut arguments: impl Arguments) -> Result<Self, Error> {
        let mut place = O::place(|| arguments.spare(0));
        // SAFETY: as the caller promises; `run` has written the result, unless it has failed.
        unsafe {
            arguments.run(&[O::bytes(&mut place)])?;
            Ok(O::written(place))
        }
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

            #[inline(always)]
            #[expect(non_snake_case, reason = "places are named by their types")]
            unsafe fn produce(mut arguments: impl Arguments) -> Result<Self, Error> {
                let mut indices = 0_usize..;
                $(
                    let index = indices.next().unwrap_or(usize::MAX);
                    let mut $name = $name::place(|| arguments.spare(index));
                )*
                // SAFETY: as the caller promises; `run` has written the results, unless it has failed.
                unsafe {
                    arguments.run(&[$($name::bytes(&mut $name)),*])?;
                    Ok(($($name::written($name),)*))
                }
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

    unsafe fn produce(arguments: impl Arguments) -> Result<Self, Error> {
        // SAFETY: as the caller promises.
        unsafe { arguments.run(&[]) }
    }
}

/// What the dynamic API gives: results of any types, each with its own.
#[diagnostic::do_not_recommend]
impl Outputs for Vec<HostArray> {
    const ON_DEVICE: bool = false;

    unsafe fn receive(results: &mut Results<'_>) -> Result<Self, Error> {
        results.host_arrays()
    }

    unsafe fn produce(arguments: impl Arguments) -> Result<Self, Error> {
        // SAFETY: as the caller promises.
        let arrays = unsafe { produced(arguments)? };
        let array = |(array_type, memory)| {
            // SAFETY: `produced` gives elements of these types.
            unsafe { HostArray::from_memory(array_type, memory) }
        };
        Ok(arrays.into_iter().map(array).collect())
    }
}

/// As above, on the device.
#[diagnostic::do_not_recommend]
impl Outputs for Vec<DeviceBuffer> {
    const ON_DEVICE: bool = true;

    unsafe fn receive(results: &mut Results<'_>) -> Result<Self, Error> {
        results.device_buffers()
    }

    unsafe fn produce(arguments: impl Arguments) -> Result<Self, Error> {
        // SAFETY: as the caller promises.
        let arrays = unsafe { produced(arguments)? };
        let array = |(array_type, memory)| DeviceBuffer::new(Stored::Host(memory), array_type);
        Ok(arrays.into_iter().map(array).collect())
    }
}

/// The results of machine code, each with its type.
///
/// # Errors
/// Those of [`Arguments::run`].
///
/// # Safety
/// The arguments are of the types that the program takes.
unsafe fn produced(arguments: impl Arguments) -> Result<Vec<(ArrayType, HostMemory)>, Error> {
    let types = arguments.output_types().iter().copied();
    let place = |array_type: ArrayType| (array_type, HostMemory::zeroed(array_type.nbytes()));
    let mut results: Vec<_> = types.map(place).collect();
    let places = results.iter_mut();
    let places: Vec<_> = places
        .map(|(_, memory)| &raw mut *memory.bytes_mut())
        .collect();
    // SAFETY: as the caller promises; the places are of the sizes of the results.
    unsafe { arguments.run(&places)? };
    for (array_type, memory) in &mut results {
        memory.make_valid(array_type.dtype());
    }
    Ok(results)
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
    match program.chosen()? {
        // SAFETY: as the caller promises: the machine code is that of the program.
        Chosen::Native(native) => counted(unsafe { R::produce(Anywhere { native, given }) }),
        // SAFETY: as the caller promises: the executable is that of the program.
        Chosen::Pjrt(_) => unsafe { program.executable()?.call(given) },
    }
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
    match program.chosen()? {
        // SAFETY: as the caller promises: the machine code is that of the program.
        Chosen::Native(native) => Ok(Pending::done(unsafe {
            R::produce(Anywhere { native, given })
        })),
        // SAFETY: as the caller promises: the executable is that of the program.
        Chosen::Pjrt(_) => unsafe { Pending::start(program.executable()?, given) },
    }
}
