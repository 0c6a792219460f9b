use std::fmt;

use cyxla_artifact::DType;
use half::{bf16, f16};
use num_complex::Complex;

use crate::element::Element;
use crate::error::Error;
use crate::memory::{bytes_of, elements_of};

/// Where an engine has the attributes of a call, or of a dictionary.
pub trait AttributeSource {
    /// Number of attributes.
    fn len(&self) -> usize;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The name of an attribute, in UTF-8.
    ///
    /// # Errors
    /// There is no attribute of this index, or what there is can't be read.
    fn name(&self, index: usize) -> Result<&[u8], Error>;

    /// The value of an attribute.
    ///
    /// # Errors
    /// There is no attribute of this index, or what there is can't be read.
    fn attribute(&self, index: usize) -> Result<Attribute<'_>, Error>;
}

/// The attributes of a call, or of a dictionary among them.
///
/// They are what `jax.ffi.ffi_call` was given by keyword, and don't change from call to call.
#[derive(Clone, Copy)]
pub struct Attributes<'a>(&'a (dyn AttributeSource + 'a));

impl<'a> Attributes<'a> {
    /// No attributes.
    pub const NONE: Attributes<'static> = Attributes(&NoAttributes);

    /// What an engine has.
    pub fn new(source: &'a (dyn AttributeSource + 'a)) -> Self {
        Self(source)
    }

    /// Number of attributes.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The attribute of this name: a number, `bool`, `&str`, a slice, [`Attributes`] for a dictionary, an `Option` of these.
    ///
    /// # Errors
    /// There is none, or it is of another type.
    pub fn get<T: FromAttribute<'a>>(&self, name: &str) -> Result<T, Error> {
        match self.find(name)? {
            Some(attribute) => T::from_attribute(attribute).map_err(|error| error.into(name)),
            None => T::absent().ok_or_else(|| {
                Error::invalid_argument(format_args!(
                    "there is no attribute `{name}`\n  help: in Python, give it to jax.ffi.ffi_call by keyword"
                ))
            }),
        }
    }

    /// The attribute of this name, if there is one.
    ///
    /// # Errors
    /// It can't be read.
    pub fn find(&self, name: &str) -> Result<Option<Attribute<'a>>, Error> {
        for index in 0..self.0.len() {
            if self.0.name(index)? == name.as_bytes() {
                return self.0.attribute(index).map(Some);
            }
        }
        Ok(None)
    }

    /// All attributes with their names.
    pub fn iter(&self) -> impl Iterator<Item = Result<(&'a [u8], Attribute<'a>), Error>> + use<'a> {
        let source = self.0;
        (0..source.len()).map(move |index| Ok((source.name(index)?, source.attribute(index)?)))
    }
}

impl fmt::Debug for Attributes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut map = f.debug_map();
        for entry in self.iter() {
            match entry {
                Ok((name, attribute)) => map.entry(&String::from_utf8_lossy(name), &attribute),
                Err(error) => map.entry(&"?", &error),
            };
        }
        map.finish()
    }
}

struct NoAttributes;

impl AttributeSource for NoAttributes {
    fn len(&self) -> usize {
        0
    }

    fn name(&self, index: usize) -> Result<&[u8], Error> {
        Err(no_attribute(index))
    }

    fn attribute(&self, index: usize) -> Result<Attribute<'_>, Error> {
        Err(no_attribute(index))
    }
}

/// The error that there is no attribute of an index.
#[cold]
pub(crate) fn no_attribute(index: usize) -> Error {
    Error::invalid_argument(format_args!("there is no attribute {index}"))
}

/// The value of an attribute.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub enum Attribute<'a> {
    /// A number or truth value.
    Scalar(Scalar),
    /// A string, or bytes of Python. Usually UTF-8.
    String(&'a [u8]),
    /// A flat array of numbers.
    Array(ArrayAttribute<'a>),
    /// Attributes by name.
    Dictionary(Attributes<'a>),
}

/// Prints the type: `f32`, `string`.
impl fmt::Debug for Attribute<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Attribute::Scalar(scalar) => write!(f, "{}", scalar.dtype),
            Attribute::String(_) => f.write_str("a string"),
            Attribute::Array(array) => write!(f, "an array of {}", array.dtype),
            Attribute::Dictionary(_) => f.write_str("a dictionary"),
        }
    }
}

/// A number or truth value of any element type.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(16))]
pub struct Scalar {
    bytes: [u8; 16],
    dtype: DType,
}

impl Scalar {
    /// The value.
    pub fn of<T: Element>(value: T) -> Self {
        let mut bytes = [0; 16];
        bytes[..size_of::<T>()].copy_from_slice(bytes_of(&[value]));
        Self {
            bytes,
            dtype: T::DTYPE,
        }
    }

    /// The value with these bytes, in the byte order of the host; none unless there are as many as the type has.
    pub fn from_bytes(dtype: DType, value: &[u8]) -> Option<Self> {
        let mut bytes = [0; 16];
        if value.len() != dtype.size() || !value.iter().all(|&byte| dtype.holds(byte)) {
            return None;
        }
        bytes.get_mut(..value.len())?.copy_from_slice(value);
        Some(Self { bytes, dtype })
    }

    /// The type.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// The value, if it is of this type.
    pub fn get<T: Element>(&self) -> Option<T> {
        if self.dtype != T::DTYPE {
            return None;
        }
        let value = elements_of(self.bytes.get(..size_of::<T>())?, "a scalar").ok()?;
        value.first().copied()
    }
}

/// A flat array of numbers among the attributes.
#[derive(Clone, Copy, Debug)]
pub struct ArrayAttribute<'a> {
    dtype: DType,
    bytes: &'a [u8],
}

impl<'a> ArrayAttribute<'a> {
    /// The elements as bytes, in the byte order of the host.
    pub fn new(dtype: DType, bytes: &'a [u8]) -> Self {
        Self { dtype, bytes }
    }

    /// The type of the elements.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// The elements as bytes, in the byte order of the host.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The elements, if they are of this type.
    ///
    /// # Errors
    /// The bytes are no elements of the type.
    pub fn as_slice<T: Element>(&self) -> Result<Option<&'a [T]>, Error> {
        if self.dtype != T::DTYPE {
            return Ok(None);
        }
        elements_of(self.bytes, "an attribute").map(Some)
    }
}

/// What an attribute is read as: numbers, `bool`, `&str`, slices, [`Attributes`], and `Option`s of these.
///
/// Types must be those that Python gave:
///
/// | Python | Rust |
/// |---|---|
/// | `True` | `bool` |
/// | `7` | `i64` |
/// | `0.5` | `f64`, whatever JAX's x64 mode |
/// | `numpy.float32(0.5)`, `numpy.int32(7)`, … | `f32`, `i32`, … |
/// | `"text"` | `&str` |
/// | `numpy.array([1, 2])` | `&[i64]`; arrays of `bool` and tuples are refused by XLA |
/// | `{"name": 7}` | [`Attributes`] |
#[diagnostic::on_unimplemented(
    message = "an attribute can't be read as `{Self}`",
    label = "no type of attributes",
    note = "attributes are `bool`, `i8` … `u64`, `f32`, `f64`, `&str`, slices such as `&[i64]`, `ffi::Attributes`, and `Option`s of these"
)]
pub trait FromAttribute<'a>: Sized {
    /// Reads an attribute.
    ///
    /// # Errors
    /// It is of another type.
    fn from_attribute(attribute: Attribute<'a>) -> Result<Self, NotReadable>;

    /// What there is without an attribute; none if there must be one.
    fn absent() -> Option<Self> {
        None
    }
}

/// Why an attribute can't be read as what it should be.
#[derive(Debug)]
pub struct NotReadable(String);

impl NotReadable {
    /// It is another than what is `expected`.
    pub fn new(attribute: Attribute<'_>, expected: impl fmt::Display) -> Self {
        Self(format!(
            "is {attribute:?}, but the handler takes {expected}"
        ))
    }

    fn into(self, name: &str) -> Error {
        Error::invalid_argument(format_args!(
            "attribute `{name}` {}\n  help: in Python, give jax.ffi.ffi_call that very type: numpy.float32(…), \
             numpy.int64(…)",
            self.0
        ))
    }
}

macro_rules! scalars {
    ($($rust:ty),*) => {$(
        impl FromAttribute<'_> for $rust {
            fn from_attribute(attribute: Attribute<'_>) -> Result<Self, NotReadable> {
                let value = match attribute {
                    Attribute::Scalar(scalar) => scalar.get(),
                    _ => None,
                };
                value.ok_or_else(|| NotReadable::new(attribute, <$rust>::DTYPE))
            }
        }
    )*};
}

scalars!(
    bool,
    i8,
    i16,
    i32,
    i64,
    u8,
    u16,
    u32,
    u64,
    bf16,
    f16,
    f32,
    f64,
    Complex<f32>,
    Complex<f64>
);

impl<'a> FromAttribute<'a> for &'a str {
    fn from_attribute(attribute: Attribute<'a>) -> Result<Self, NotReadable> {
        let text = match attribute {
            Attribute::String(text) => std::str::from_utf8(text).ok(),
            _ => None,
        };
        text.ok_or_else(|| NotReadable::new(attribute, "text in UTF-8"))
    }
}

/// An array; a string is a slice of `u8` too.
impl<'a, T: Element> FromAttribute<'a> for &'a [T] {
    fn from_attribute(attribute: Attribute<'a>) -> Result<Self, NotReadable> {
        let elements = match attribute {
            Attribute::Array(array) => array
                .as_slice()
                .map_err(|error| NotReadable(format!("is damaged: {error}")))?,
            Attribute::String(text) if T::DTYPE == DType::U8 => elements_of(text, "text").ok(),
            _ => None,
        };
        let expected = format_args!("an array of {}", T::DTYPE);
        elements.ok_or_else(|| NotReadable::new(attribute, expected))
    }
}

impl<'a> FromAttribute<'a> for Attributes<'a> {
    fn from_attribute(attribute: Attribute<'a>) -> Result<Self, NotReadable> {
        match attribute {
            Attribute::Dictionary(attributes) => Ok(attributes),
            _ => Err(NotReadable::new(attribute, "a dictionary")),
        }
    }
}

impl<'a> FromAttribute<'a> for Attribute<'a> {
    fn from_attribute(attribute: Attribute<'a>) -> Result<Self, NotReadable> {
        Ok(attribute)
    }
}

/// None where there is no such attribute.
impl<'a, T: FromAttribute<'a>> FromAttribute<'a> for Option<T> {
    fn from_attribute(attribute: Attribute<'a>) -> Result<Self, NotReadable> {
        T::from_attribute(attribute).map(Some)
    }

    fn absent() -> Option<Self> {
        Some(None)
    }
}
