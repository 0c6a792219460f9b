use crate::any_array::{AnyArray, AnyArrayMut};
use crate::array::{Array, ArrayMut};
use crate::attributes::FromAttribute;
use crate::element::Element;
use crate::error::Error;
use crate::frame::{CallFrame, Count};

/// What a parameter of a function under `#[cyxla::ffi_handler]` may be.
///
/// | type | is |
/// |---|---|
/// | [`Array`], [`AnyArray`] | the next argument |
/// | [`ArrayMut`], [`AnyArrayMut`] | the next result |
/// | any other | the [attribute](FromAttribute) of the parameter's name |
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be a parameter of a handler",
    label = "no parameter of handlers",
    note = "parameters are `ffi::Array<f32, 2>` for an argument, `ffi::ArrayMut<f32, 2>` for a result, and for attributes `bool`, `i8` … `u64`, `f32`, `f64`, `&str`, slices such as `&[i64]`, `ffi::Attributes`, and `Option`s of these"
)]
pub trait Parameter<'f>: Sized {
    /// Takes the parameter of this name.
    ///
    /// # Errors
    /// There is none, or it is of another type.
    #[doc(hidden)]
    fn take(from: &mut Parameters<'f>, name: &'static str) -> Result<Self, Error>;
}

/// The arrays of a call that are still to be taken. For the expansion of `#[cyxla::ffi_handler]`.
#[doc(hidden)]
#[derive(Debug)]
pub struct Parameters<'f> {
    frame: &'f CallFrame<'f>,
    arguments: usize,
    results: usize,
}

impl<'f> Parameters<'f> {
    /// All of a call, with arguments in memory of their own.
    ///
    /// # Errors
    /// None that a frame of an engine has.
    pub fn new(frame: &'f mut CallFrame<'_>) -> Result<Self, Error> {
        frame.separate()?;
        Ok(Self {
            frame,
            arguments: 0,
            results: 0,
        })
    }

    /// Looks that everything was taken.
    ///
    /// # Errors
    /// There are arguments or results that the handler does not take.
    pub fn finish(self) -> Result<(), Error> {
        let taken = (self.arguments, self.results);
        let given = (self.frame.argument_count(), self.frame.result_count());
        if taken == given {
            return Ok(());
        }
        Err(self.frame.miscounted(taken.0, taken.1))
    }

    fn argument(&mut self, name: &'static str) -> Result<AnyArray<'f>, Error> {
        let index = self.arguments;
        if index == self.frame.argument_count() {
            return Err(missing(name, index, "argument"));
        }
        self.arguments += 1;
        Ok(self.frame.any_argument(index)?.named(name))
    }

    fn result(&mut self, name: &'static str) -> Result<AnyArrayMut<'f>, Error> {
        let index = self.results;
        if index == self.frame.result_count() {
            return Err(missing(name, index, "result"));
        }
        self.results += 1;
        // Each is given once, and the frame is borrowed exclusively by `new`.
        Ok(self.frame.any_result(index)?.named(name))
    }
}

#[cold]
fn missing(name: &str, count: usize, thing: &'static str) -> Error {
    Error::invalid_argument(format_args!(
        "called with {} only: there is none for `{name}`\n  help: in Python, give jax.ffi.ffi_call what the handler takes",
        Count(count, thing)
    ))
}

impl<'f, T: Element, const N: usize> Parameter<'f> for Array<'f, T, N> {
    fn take(from: &mut Parameters<'f>, name: &'static str) -> Result<Self, Error> {
        from.argument(name)?.typed()
    }
}

impl<'f> Parameter<'f> for AnyArray<'f> {
    fn take(from: &mut Parameters<'f>, name: &'static str) -> Result<Self, Error> {
        from.argument(name)
    }
}

impl<'f, T: Element, const N: usize> Parameter<'f> for ArrayMut<'f, T, N> {
    fn take(from: &mut Parameters<'f>, name: &'static str) -> Result<Self, Error> {
        from.result(name)?.into_typed()
    }
}

impl<'f> Parameter<'f> for AnyArrayMut<'f> {
    fn take(from: &mut Parameters<'f>, name: &'static str) -> Result<Self, Error> {
        from.result(name)
    }
}

// Whoever gives another type may have meant an array.
#[diagnostic::do_not_recommend]
impl<'f, A: FromAttribute<'f>> Parameter<'f> for A {
    fn take(from: &mut Parameters<'f>, name: &'static str) -> Result<Self, Error> {
        from.frame.attributes().get(name)
    }
}

/// What a function under `#[cyxla::ffi_handler]` may return: nothing, or a `Result` with an error that becomes an [`Error`].
#[diagnostic::on_unimplemented(
    message = "a handler can't return `{Self}`",
    label = "nothing that handlers return",
    note = "a handler returns nothing, or `Result<(), ffi::Error>`; its results are parameters: `mut out: ffi::ArrayMut<f32, 2>`"
)]
pub trait Returned {
    /// The error, if it is one.
    ///
    /// # Errors
    /// What the handler returned.
    #[doc(hidden)]
    fn into_result(self) -> Result<(), Error>;
}

impl Returned for () {
    fn into_result(self) -> Result<(), Error> {
        Ok(())
    }
}

impl<E: Into<Error>> Returned for Result<(), E> {
    fn into_result(self) -> Result<(), Error> {
        self.map_err(Into::into)
    }
}
