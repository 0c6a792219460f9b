//! A typed call: what the function under `#[cyxla::program]` does.

use std::mem::MaybeUninit;

use crate::array::{Array, Output};
use crate::error::Error;
use crate::host::HostView;
use crate::program::Program;

/// All results of a program: an [`Output`], or a tuple of them.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be the result of a program",
    label = "no result type",
    note = "results are array types such as `[[f32; 4]; 8]`, `Box`es of these, and tuples of both"
)]
pub trait Outputs: Sized {
    /// Makes room for every result, has `fill` fill it, and gives the results out.
    ///
    /// # Safety
    /// `fill` fills every byte of each result with elements of its type, or fails.
    #[doc(hidden)]
    unsafe fn receive(
        fill: impl FnOnce(&mut [&mut [MaybeUninit<u8>]]) -> Result<(), Error>,
    ) -> Result<Self, Error>;
}

impl<O: Output> Outputs for O {
    unsafe fn receive(
        fill: impl FnOnce(&mut [&mut [MaybeUninit<u8>]]) -> Result<(), Error>,
    ) -> Result<Self, Error> {
        let mut slot = O::slot();
        fill(&mut [O::bytes(&mut slot)])?;
        // SAFETY: `fill` has filled it, as the caller promises.
        Ok(unsafe { O::filled(slot) })
    }
}

macro_rules! tuples {
    ($($name:ident)*) => {
        // The list of all tuples says nothing about what is wrong with one.
        #[diagnostic::do_not_recommend]
        impl<$($name: Output),*> Outputs for ($($name,)*) {
            #[allow(non_snake_case, reason = "each slot is named for its type")]
            unsafe fn receive(
                fill: impl FnOnce(&mut [&mut [MaybeUninit<u8>]]) -> Result<(), Error>,
            ) -> Result<Self, Error> {
                $(let mut $name = $name::slot();)*
                fill(&mut [$($name::bytes(&mut $name)),*])?;
                // SAFETY: `fill` has filled each, as the caller promises.
                Ok(unsafe { ($($name::filled($name),)*) })
            }
        }
    };
}

#[diagnostic::do_not_recommend]
impl Outputs for () {
    unsafe fn receive(
        fill: impl FnOnce(&mut [&mut [MaybeUninit<u8>]]) -> Result<(), Error>,
    ) -> Result<Self, Error> {
        fill(&mut [])
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

/// An argument of a typed call.
pub(crate) fn argument<A: Array>(array: &A) -> HostView<'_> {
    HostView::of(array)
}

/// Calls `program`, whose types the expansion has compared with those of the arguments and of `R`.
///
/// # Errors
/// The program can't be loaded, or its execution fails.
pub(crate) fn call<R: Outputs>(program: &Program, arguments: &[HostView<'_>]) -> Result<R, Error> {
    let executable = program.executable()?;
    // SAFETY: `call_into` fills each output with elements of the executable's output types; it refuses slots of
    // another size, and the expansion has pinned the types of `R` to those of the program.
    unsafe { R::receive(|outputs| executable.call_into(arguments, outputs)) }
}
