//! What an expansion of `#[cyxla::program]` uses: its checks, which run in the compiler, and its call.

use std::fmt;

use cyxla_artifact::{ArrayType, Text};

use crate::array::{Array, Output, bytes_of};
use crate::call::{self, Outputs};
use crate::device::Buffer;
use crate::engine::Chosen;
use crate::error::Error;
use crate::error_info::counted;
use crate::execute::Given;
use crate::host::HostView;
use crate::native::{Native, OnHost};
use crate::pending::Pending;
use crate::prepared::Prepared;
use crate::program::Program;

/// How an argument of type `A` is passed.
///
/// The check and the call both begin with [`argument`], so that a type that is no [`Array`] is one error, not two.
#[derive(Debug)]
pub struct Argument<A> {
    array_type: ArrayType,
    view: for<'a> fn(&'a A) -> Passed<'a>,
    bytes: for<'a> fn(&'a A) -> &'a [u8],
    buffer: for<'a> fn(&'a Buffer<A>) -> Passed<'a>,
    donated: fn(Buffer<A>) -> Passed<'static>,
}

/// How an argument of type `A` is passed.
pub const fn argument<A: Array>() -> Argument<A> {
    Argument {
        array_type: A::TYPE,
        view: |array| Passed(Given::Host(HostView::of(array))),
        bytes: bytes_of,
        buffer: |buffer| Passed(Given::Device(buffer.stored(), &A::TYPE)),
        donated: |buffer| Passed(Given::Donated(Some(buffer.into_stored()), &A::TYPE)),
    }
}

impl<A> Argument<A> {
    /// An array of the host as an argument of a call.
    #[inline]
    pub fn view<'a>(&self, array: &'a A) -> Passed<'a> {
        (self.view)(array)
    }

    /// The bytes of an array of the host, for machine code.
    #[inline]
    pub fn bytes<'a>(&self, array: &'a A) -> &'a [u8] {
        (self.bytes)(array)
    }

    /// An array on the device as an argument of a call.
    #[inline]
    pub fn buffer<'a>(&self, buffer: &'a Buffer<A>) -> Passed<'a> {
        (self.buffer)(buffer)
    }

    /// An array on the device that is given away to a call.
    #[inline]
    pub fn donated(&self, buffer: Buffer<A>) -> Passed<'static> {
        (self.donated)(buffer)
    }
}

/// An argument on its way into a call.
#[repr(transparent)]
pub struct Passed<'a>(Given<'a>);

impl<'a> Passed<'a> {
    fn all<'p>(passed: &'p mut [Self]) -> &'p mut [Given<'a>] {
        // SAFETY: transparent, so that a list of the one is a list of the other.
        unsafe { &mut *(std::ptr::from_mut(passed) as *mut [Given<'a>]) }
    }
}

impl fmt::Debug for Passed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Passed")
    }
}

/// Stops the compiler unless an argument is declared as the program has it.
///
/// `what` names the argument: `` `x` of model:predict ``.
///
/// # Panics
/// The types differ. The panic is located at the caller, the type that the user wrote.
#[track_caller]
pub const fn check_argument<A>(argument: &Argument<A>, what: &str, expected: ArrayType) {
    check(what, expected, argument.array_type);
}

/// Stops the compiler unless a result is declared as the program has it.
///
/// # Panics
/// The types differ. The panic is located at the caller, the type that the user wrote.
#[track_caller]
pub const fn check_result<O: Output>(what: &str, expected: ArrayType) {
    check(what, expected, O::TYPE);
}

#[track_caller]
const fn check(what: &str, expected: ArrayType, declared: ArrayType) {
    assert!(
        declared.is(&expected),
        "{}",
        mismatch(what, expected, declared).as_str()
    );
}

const fn mismatch(what: &str, expected: ArrayType, declared: ArrayType) -> Text {
    Text::new()
        .str(what)
        .str(" is ")
        .str(expected.rust_text().as_str())
        .str(", which is ")
        .str(expected.text().as_str())
        .str("; declared is ")
        .str(declared.rust_text().as_str())
        .str(", which is ")
        .str(declared.text().as_str())
}

/// What a typed function returns: `cyxla::Result<T>`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not `cyxla::Result<T>`",
    label = "a call fails with `cyxla::Error`",
    note = "write `cyxla::Result<T>`, where `T` is an array type; `Box`, `Host` or `Buffer` of one; or a tuple of these"
)]
pub trait Returned {
    /// The type without its error.
    type Success: Outputs;

    /// The type from what a call gives.
    fn from_result(result: Result<Self::Success, Error>) -> Self;
}

impl<R: Outputs> Returned for Result<R, Error> {
    type Success = R;

    fn from_result(result: Self) -> Self {
        result
    }
}

/// Calls `program`. The expansion has compared its types with those of the arguments and of `S`, and names `S` beside `R`,
/// whose `Result` may be the user's own.
///
/// # Errors
/// The program can't be loaded, or its execution fails.
#[inline(never)]
pub fn call<R: Returned<Success = S>, S: Outputs>(
    program: &'static Program,
    arguments: &mut [Passed<'_>],
) -> R {
    // SAFETY: only expansions call this, each with the program that it has compared.
    R::from_result(unsafe { call::call(program, Passed::all(arguments)) })
}

/// The machine code of a program.
pub struct MachineCode(&'static Native);

impl fmt::Debug for MachineCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MachineCode")
    }
}

/// The machine code of `program`, if it is loaded: the shortest way of a call whose arguments are all on the host.
#[inline]
pub fn machine_code(program: &'static Program) -> Option<MachineCode> {
    match program.chosen_before() {
        Some(Chosen::Native(native)) => Some(MachineCode(native)),
        _ => None,
    }
}

impl MachineCode {
    /// As [`call()`], with the bytes of each argument.
    ///
    /// # Errors
    /// A handler of a custom call fails.
    #[inline]
    pub fn call<R: Returned<Success = S>, S: Outputs>(self, arguments: &[&[u8]]) -> R {
        // SAFETY: only expansions call this, each with the program that it has compared.
        R::from_result(counted(unsafe {
            S::produce(OnHost {
                native: self.0,
                bytes: arguments,
            })
        }))
    }
}

/// Starts `program`. The expansion has compared its types with those of the arguments and of `R`.
///
/// # Errors
/// The program can't be loaded, or an argument can't be taken.
pub fn start<R: Outputs>(
    program: &'static Program,
    arguments: &mut [Passed<'_>],
) -> Result<Pending<R>, Error> {
    // SAFETY: only expansions call this, each with the program that it has compared.
    unsafe { call::start(program, Passed::all(arguments)) }
}

/// Binds a call of `program`. The expansion has compared its types with those of `I` and `O`.
///
/// Without bounds, since what is no array type there is an error of the comparison already.
///
/// # Errors
/// The program can't be loaded.
pub fn prepare<I, O>(program: &'static Program) -> Result<Prepared<I, O>, Error> {
    // SAFETY: only expansions call this, each with the program that it has compared.
    unsafe { Prepared::new(program) }
}

#[cfg(test)]
mod tests {
    use cyxla_artifact::DType;

    use super::*;

    #[test]
    fn the_message_names_both_types_in_both_notations() {
        let expected = ArrayType::scalar(DType::F32).in_array(4).in_array(8);
        let declared = ArrayType::scalar(DType::BF16);
        assert_eq!(
            mismatch("`x` of model:predict", expected, declared).as_str(),
            "`x` of model:predict is [[f32; 4]; 8], which is f32[8,4]; declared is cyxla::BF16, which is bf16[]"
        );
    }

    #[test]
    fn equal_types_pass_in_constants() {
        const F32: ArrayType = ArrayType::scalar(DType::F32);
        const _: () = check_argument(&argument::<[f32; 3]>(), "x", F32.in_array(3));
        const _: () = check_result::<Box<f32>>("result", F32);
    }

    #[test]
    #[should_panic(expected = "declared is [f32; 3]")]
    fn other_types_stop_the_compiler() {
        let scalar = ArrayType::scalar(DType::F32);
        check_argument(&argument::<[f32; 3]>(), "`x` of model:predict", scalar);
    }
}
