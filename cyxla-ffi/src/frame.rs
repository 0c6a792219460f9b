use std::fmt;

use crate::any_array::{AnyArray, AnyArrayMut, Place};
use crate::attributes::{Attributes, FromAttribute};
use crate::error::Error;
use crate::memory::{AlignedBytes, Memory, RawArray};

/// One custom call: what a handler gets.
///
/// A handler reads the [attributes](CallFrame::attribute), and takes the arrays apart with [`parts`](CallFrame::parts),
/// which checks how many there are.
///
/// # Shape
/// The axes are those that JAX knows, outermost first. The elements are row major, unless the custom call asked for another
/// layout, which a frame doesn't tell: the matrices of LAPACK's custom calls are column major.
///
/// # Memory that is shared
/// With `input_output_aliases` of `jax.ffi.ffi_call`, XLA may give an argument and a result the same memory.
/// [`AnyArrayMut::in_place_of`] is made for that. Any other look at such an argument is refused, unless
/// [`separate`](CallFrame::separate) was called before: it copies the arguments that share memory.
pub struct CallFrame<'a> {
    arguments: &'a [RawArray<'a>],
    results: &'a [RawArray<'a>],
    attributes: Attributes<'a>,
    /// Copies of arguments, by their index.
    copies: Vec<(usize, AlignedBytes)>,
}

impl<'a> CallFrame<'a> {
    /// The frame of a call that an engine makes.
    ///
    /// # Errors
    /// An array without memory, or of more than there can be; two results that share memory.
    ///
    /// # Safety
    /// For `'a`: the memory of every argument and result holds the bytes of its array, nobody else reads or writes the
    /// memory of results, and nobody writes to that of arguments. An argument may share memory with a result.
    #[allow(unsafe_code, reason = "C hands over memory by address")]
    pub unsafe fn new(
        arguments: &'a [RawArray<'a>],
        results: &'a [RawArray<'a>],
        attributes: Attributes<'a>,
    ) -> Result<Self, Error> {
        let frame = Self {
            arguments,
            results,
            attributes,
            copies: Vec::new(),
        };
        for index in 0..arguments.len() {
            frame.argument(index)?;
        }
        for index in 0..results.len() {
            let result = frame.result(index)?;
            for earlier in 0..index {
                if result.overlaps(&frame.result(earlier)?) {
                    return Err(Error::internal(format_args!(
                        "results {earlier} and {index} share memory"
                    )));
                }
            }
        }
        Ok(frame)
    }

    /// Number of arguments.
    pub fn argument_count(&self) -> usize {
        self.arguments.len()
    }

    /// Number of results.
    pub fn result_count(&self) -> usize {
        self.results.len()
    }

    /// All attributes.
    pub fn attributes(&self) -> Attributes<'a> {
        self.attributes
    }

    /// The attribute of this name: a number, `bool`, `&str`, a slice, [`Attributes`] for a dictionary, an `Option` of these.
    ///
    /// # Errors
    /// There is none, or it is of another type.
    pub fn attribute<T: FromAttribute<'a>>(&self, name: &str) -> Result<T, Error> {
        self.attributes.get(name)
    }

    /// All arrays, of which there are `A` arguments and `R` results.
    ///
    /// # Errors
    /// There are other numbers of them.
    pub fn parts<const A: usize, const R: usize>(&mut self) -> Result<Parts<'_, A, R>, Error> {
        if (self.arguments.len(), self.results.len()) != (A, R) {
            return Err(self.miscounted(A, R));
        }
        let mut arguments = [AnyArray::NONE; A];
        for (index, argument) in arguments.iter_mut().enumerate() {
            *argument = self.any_argument(index)?;
        }
        let mut results = [const { AnyArrayMut::NONE }; R];
        for (index, result) in results.iter_mut().enumerate() {
            *result = self.any_result(index)?;
        }
        Ok(Parts {
            arguments,
            results,
            attributes: self.attributes,
        })
    }

    /// All arrays, however many there are.
    ///
    /// # Errors
    /// None that a frame of an engine has.
    pub fn all_parts(&mut self) -> Result<(Vec<AnyArray<'_>>, Vec<AnyArrayMut<'_>>), Error> {
        let arguments = (0..self.arguments.len()).map(|index| self.any_argument(index));
        let arguments = arguments.collect::<Result<_, _>>()?;
        let results = (0..self.results.len()).map(|index| self.any_result(index));
        Ok((arguments, results.collect::<Result<_, _>>()?))
    }

    /// Copies each argument that shares memory with a result, so that all can be read while results are written.
    ///
    /// # Errors
    /// None that a frame of an engine has.
    pub fn separate(&mut self) -> Result<(), Error> {
        for index in 0..self.arguments.len() {
            if self.shared_with(index)?.is_none() {
                continue;
            }
            let argument = self.argument(index)?;
            // SAFETY: results are only lent by `parts` and `all_parts`, for as long as the frame is borrowed exclusively,
            // as it is here.
            #[allow(unsafe_code, reason = "the memory belongs to the frame")]
            let bytes = unsafe { argument.bytes() };
            self.copies.push((index, AlignedBytes::copy_of(bytes)));
        }
        Ok(())
    }

    #[cold]
    pub(crate) fn miscounted(&self, arguments: usize, results: usize) -> Error {
        Error::invalid_argument(format_args!(
            "called with {} and {}, but takes {} and {}\n  help: in Python, give jax.ffi.ffi_call what the handler takes",
            Count(self.arguments.len(), "argument"),
            Count(self.results.len(), "result"),
            Count(arguments, "argument"),
            Count(results, "result"),
        ))
    }

    /// Where an argument lies now.
    fn argument(&self, index: usize) -> Result<Memory<'_>, Error> {
        let what = Place::argument(index);
        let mut array = *self.arguments.get(index).ok_or_else(|| what.missing())?;
        if let Some((_, copy)) = self.copies.iter().find(|(copied, _)| *copied == index) {
            array.data = copy.as_ptr().cast_mut();
        }
        // SAFETY: the memory lives for `'a`, by the contract of `new`; a copy, as long as the frame.
        #[allow(unsafe_code, reason = "the memory belongs to the frame")]
        unsafe {
            Memory::new(&array, what)
        }
    }

    fn result(&self, index: usize) -> Result<Memory<'_>, Error> {
        let what = Place::result(index);
        let array = self.results.get(index).ok_or_else(|| what.missing())?;
        // SAFETY: the memory lives for `'a`, by the contract of `new`.
        #[allow(unsafe_code, reason = "the memory belongs to the frame")]
        unsafe {
            Memory::new(array, what)
        }
    }

    /// The first result that shares memory with an argument.
    fn shared_with(&self, argument: usize) -> Result<Option<usize>, Error> {
        let argument = self.argument(argument)?;
        for index in 0..self.results.len() {
            if argument.overlaps(&self.result(index)?) {
                return Ok(Some(index));
            }
        }
        Ok(None)
    }

    /// One argument.
    pub(crate) fn any_argument(&self, index: usize) -> Result<AnyArray<'_>, Error> {
        let place = Place::argument(index);
        let array = self.arguments.get(index).ok_or_else(|| place.missing())?;
        let memory = self.argument(index)?;
        Ok(AnyArray::new(
            array.dims,
            memory,
            place,
            self.shared_with(index)?,
        ))
    }

    /// One result. Whoever calls this holds the frame exclusively, and asks once.
    pub(crate) fn any_result(&self, index: usize) -> Result<AnyArrayMut<'_>, Error> {
        let place = Place::result(index);
        let array = self.results.get(index).ok_or_else(|| place.missing())?;
        Ok(AnyArrayMut::new(array.dims, self.result(index)?, place))
    }
}

impl fmt::Debug for CallFrame<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |arrays: &[RawArray<'_>]| {
            let texts = arrays.iter().map(ToString::to_string);
            texts.collect::<Vec<_>>()
        };
        f.debug_struct("CallFrame")
            .field("arguments", &text(self.arguments))
            .field("results", &text(self.results))
            .field("attributes", &self.attributes)
            .finish()
    }
}

/// The arrays of a call, and its attributes.
///
/// ```
/// # fn handler(frame: &mut cyxla_ffi::CallFrame<'_>) -> Result<(), cyxla_ffi::Error> {
/// let cyxla_ffi::Parts { arguments: [x, y], results: [z], attributes, .. } = frame.parts()?;
/// # let _ = (x, y, z, attributes);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct Parts<'f, const A: usize, const R: usize> {
    /// What is read.
    pub arguments: [AnyArray<'f>; A],
    /// What is written.
    pub results: [AnyArrayMut<'f>; R],
    /// All attributes.
    pub attributes: Attributes<'f>,
}

/// A number of things: `1 result`, `2 results`.
pub(crate) struct Count(pub(crate) usize, pub(crate) &'static str);

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Count(number, thing) = *self;
        let plural = if number == 1 { "" } else { "s" };
        write!(f, "{number} {thing}{plural}")
    }
}
