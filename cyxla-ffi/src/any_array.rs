use std::fmt;

use cyxla_artifact::DType;

use crate::array::{Array, ArrayMut};
use crate::element::Element;
use crate::error::Error;
use crate::memory::{Content, Memory, RawArray};

/// Which array of a call.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    kind: &'static str,
    index: usize,
    /// The name of the parameter, or nothing.
    name: &'static str,
}

impl Place {
    pub(crate) const fn argument(index: usize) -> Self {
        let kind = "argument";
        Self {
            kind,
            index,
            name: "",
        }
    }

    pub(crate) const fn result(index: usize) -> Self {
        let kind = "result";
        Self {
            kind,
            index,
            name: "",
        }
    }

    #[cold]
    pub(crate) fn missing(self) -> Error {
        Error::invalid_argument(format_args!("there is no {self}"))
    }
}

/// Prints ``argument 0 (`x`)``.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, index, name } = *self;
        if name.is_empty() {
            write!(f, "{kind} {index}")
        } else {
            write!(f, "{kind} {index} (`{name}`)")
        }
    }
}

/// The type of an array, to be printed: `f32[8,4]`.
fn type_of(dtype: DType, dims: &[usize]) -> RawArray<'_> {
    RawArray {
        dtype,
        dims,
        data: std::ptr::null_mut(),
    }
}

/// What both kinds of arrays are asked for.
fn check_dtype<T: Element>(place: Place, dtype: DType, dims: &[usize]) -> Result<(), Error> {
    if dtype == T::DTYPE {
        return Ok(());
    }
    Err(wrong_type(place, dtype, dims, T::DTYPE.short()))
}

fn check_rank<const N: usize>(
    place: Place,
    dtype: DType,
    dims: &[usize],
) -> Result<[usize; N], Error> {
    let axes = if N == 1 { "axis" } else { "axes" };
    <[usize; N]>::try_from(dims)
        .map_err(|_| wrong_type(place, dtype, dims, format_args!("arrays of {N} {axes}")))
}

#[cold]
fn wrong_type(place: Place, dtype: DType, dims: &[usize], wanted: impl fmt::Display) -> Error {
    Error::invalid_argument(format_args!(
        "{place} is {}, but the handler takes {wanted}\n  help: in Python, call jax.ffi.ffi_call with arrays and results of \
         the types that the handler declares",
        type_of(dtype, dims)
    ))
}

/// An argument of a call, whose type is known at run time only.
#[derive(Clone, Copy)]
pub struct AnyArray<'f> {
    dims: &'f [usize],
    memory: Memory<'f>,
    place: Place,
    /// The result that lies in the same memory.
    shared_with: Option<usize>,
}

impl<'f> AnyArray<'f> {
    /// Stands where an argument will be.
    pub(crate) const NONE: Self = Self {
        dims: &[],
        memory: Memory::EMPTY,
        place: Place::argument(0),
        shared_with: None,
    };

    /// An argument. While it exists, nobody writes to its memory unless it is shared with a result.
    pub(crate) fn new(
        dims: &'f [usize],
        memory: Memory<'f>,
        place: Place,
        shared_with: Option<usize>,
    ) -> Self {
        Self {
            dims,
            memory,
            place,
            shared_with,
        }
    }

    /// The same argument, called by this name in errors.
    #[must_use]
    pub fn named(mut self, name: &'static str) -> Self {
        self.place.name = name;
        self
    }

    /// The type of the elements.
    pub fn dtype(&self) -> DType {
        self.memory.dtype()
    }

    /// The length of each axis, outermost first.
    pub fn dims(&self) -> &'f [usize] {
        self.dims
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.memory.elements()
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The elements.
    ///
    /// # Errors
    /// They are not `T`; or a result lies in the same memory.
    pub fn as_slice<T: Element>(&self) -> Result<&'f [T], Error> {
        check_dtype::<T>(self.place, self.dtype(), self.dims)?;
        self.check_unshared()?;
        // SAFETY: results are the only memory of a call that is written, and this shares none with any. The type is right.
        #[allow(unsafe_code, reason = "the memory belongs to the frame")]
        unsafe {
            self.memory.slice(self.place)
        }
    }

    /// The elements with their axes, of which there are `N`.
    ///
    /// # Errors
    /// The elements are not `T`, or there are not `N` axes; or a result lies in the same memory.
    pub fn typed<T: Element, const N: usize>(&self) -> Result<Array<'f, T, N>, Error> {
        check_dtype::<T>(self.place, self.dtype(), self.dims)?;
        let dims = check_rank(self.place, self.dtype(), self.dims)?;
        Ok(Array::new(self.as_slice()?, dims))
    }

    /// The elements as bytes, in the byte order of the host. 4-bit integers are packed two to a byte.
    ///
    /// # Errors
    /// A result lies in the same memory.
    pub fn bytes(&self) -> Result<&'f [u8], Error> {
        self.check_unshared()?;
        // SAFETY: as in `as_slice`.
        #[allow(unsafe_code, reason = "the memory belongs to the frame")]
        Ok(unsafe { self.memory.bytes() })
    }

    fn check_unshared(&self) -> Result<(), Error> {
        let Some(result) = self.shared_with else {
            return Ok(());
        };
        Err(Error::internal(format_args!(
            "{} shares its memory with result {result}\n  help: the handler should work in place, or call \
             CallFrame::separate first",
            self.place
        )))
    }
}

impl fmt::Debug for AnyArray<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, type_of(self.dtype(), self.dims))
    }
}

/// A result of a call, whose type is known at run time only.
///
/// Nothing is written until a handler does; a handler must fill every result.
pub struct AnyArrayMut<'f> {
    dims: &'f [usize],
    memory: Memory<'f>,
    place: Place,
}

impl<'f> AnyArrayMut<'f> {
    /// Stands where a result will be.
    pub(crate) const NONE: Self = Self {
        dims: &[],
        memory: Memory::EMPTY,
        place: Place::result(0),
    };

    /// A result. This is the only one with its memory for `'f`, but for arguments that know of it.
    pub(crate) fn new(dims: &'f [usize], memory: Memory<'f>, place: Place) -> Self {
        Self {
            dims,
            memory,
            place,
        }
    }

    /// The same result, called by this name in errors.
    #[must_use]
    pub fn named(mut self, name: &'static str) -> Self {
        self.place.name = name;
        self
    }

    /// The type of the elements.
    pub fn dtype(&self) -> DType {
        self.memory.dtype()
    }

    /// The length of each axis, outermost first.
    pub fn dims(&self) -> &'f [usize] {
        self.dims
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.memory.elements()
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The elements, to be written. They hold anything before.
    ///
    /// # Errors
    /// They are not `T`.
    pub fn into_slice<T: Element>(self) -> Result<&'f mut [T], Error> {
        self.filled(Content::Any)
    }

    /// The elements with their axes, of which there are `N`, to be written. They hold anything before.
    ///
    /// # Errors
    /// The elements are not `T`, or there are not `N` axes.
    pub fn into_typed<T: Element, const N: usize>(self) -> Result<ArrayMut<'f, T, N>, Error> {
        check_dtype::<T>(self.place, self.dtype(), self.dims)?;
        let dims = check_rank(self.place, self.dtype(), self.dims)?;
        Ok(ArrayMut::new(self.into_slice()?, dims))
    }

    /// The elements as bytes, to be written, in the byte order of the host. 4-bit integers are packed two to a byte.
    pub fn into_bytes(self) -> &'f mut [u8] {
        // SAFETY: this is the only one with the memory, and it is used up. Arguments that share the memory refuse to be
        // read.
        #[allow(unsafe_code, reason = "the memory belongs to the frame")]
        unsafe {
            self.memory.bytes_mut()
        }
    }

    /// The elements, to be written, which hold those of `argument` before. They are copied unless both share their memory.
    ///
    /// # Errors
    /// Result or argument are not `T`, or have different numbers of elements; or the argument shares memory with another
    /// result.
    pub fn in_place_of<T: Element>(self, argument: &AnyArray<'f>) -> Result<&'f mut [T], Error> {
        check_dtype::<T>(argument.place, argument.dtype(), argument.dims)?;
        if argument.memory.is_same(&self.memory) {
            return self.filled(Content::Kept);
        }
        if argument.len() != self.len() {
            return Err(Error::invalid_argument(format_args!(
                "{} is {}, but {} is {}: the handler takes equal numbers of elements",
                self.place,
                type_of(self.dtype(), self.dims),
                argument.place,
                type_of(argument.dtype(), argument.dims)
            )));
        }
        self.filled(Content::CopyOf(argument.bytes()?))
    }

    fn filled<T: Element>(self, content: Content<'_>) -> Result<&'f mut [T], Error> {
        check_dtype::<T>(self.place, self.dtype(), self.dims)?;
        // SAFETY: as in `into_bytes`; the type is right.
        #[allow(unsafe_code, reason = "the memory belongs to the frame")]
        unsafe {
            self.memory.slice_mut(content, self.place)
        }
    }
}

impl fmt::Debug for AnyArrayMut<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, type_of(self.dtype(), self.dims))
    }
}
