use crate::attributes::{
    ArrayAttribute, Attribute, AttributeSource, Attributes, Scalar, no_attribute,
};
use crate::element::Element;
use crate::error::Error;
use crate::memory::{AlignedBytes, bytes_of};
use cyxla_artifact::DType;
use half::{bf16, f16};
use num_complex::Complex;

/// Owned attributes, by name.
///
/// ```
/// use cyxla_ffi::Dictionary;
///
/// let dictionary = Dictionary::new().with("uplo", b'L').with("name", "cholesky");
/// assert_eq!(dictionary.attributes().get::<u8>("uplo")?, 76);
/// assert_eq!(dictionary.attributes().get::<&str>("name")?, "cholesky");
/// # Ok::<(), cyxla_ffi::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Dictionary {
    /// Sorted by name, as XLA has them.
    entries: Vec<(String, OwnedAttribute)>,
}

/// The value of an attribute, owned. Made from numbers, strings, slices and [`Dictionary`].
#[derive(Clone, Debug)]
pub struct OwnedAttribute(Kind);

#[derive(Clone, Debug)]
enum Kind {
    Scalar(Scalar),
    String(Vec<u8>),
    Array(DType, AlignedBytes),
    Dictionary(Dictionary),
}

impl Dictionary {
    /// No attributes.
    pub fn new() -> Self {
        Self::default()
    }

    /// With this attribute more, or in the place of one of the same name.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<OwnedAttribute>) -> Self {
        let value = value.into();
        let search = |(other, _): &(String, OwnedAttribute)| other.as_str().cmp(name);
        match self.entries.binary_search_by(search) {
            Ok(index) => self.entries[index].1 = value,
            Err(index) => self.entries.insert(index, (name.to_owned(), value)),
        }
        self
    }

    /// A view of all.
    pub fn attributes(&self) -> Attributes<'_> {
        Attributes::new(self)
    }
}

impl AttributeSource for Dictionary {
    fn len(&self) -> usize {
        self.entries.len()
    }

    fn name(&self, index: usize) -> Result<&[u8], Error> {
        let entry = self.entries.get(index);
        entry
            .map(|(name, _)| name.as_bytes())
            .ok_or_else(|| no_attribute(index))
    }

    fn attribute(&self, index: usize) -> Result<Attribute<'_>, Error> {
        let (_, value) = self.entries.get(index).ok_or_else(|| no_attribute(index))?;
        Ok(match &value.0 {
            Kind::Scalar(scalar) => Attribute::Scalar(*scalar),
            Kind::String(text) => Attribute::String(text),
            Kind::Array(dtype, bytes) => {
                Attribute::Array(ArrayAttribute::new(*dtype, bytes.bytes()))
            }
            Kind::Dictionary(dictionary) => Attribute::Dictionary(dictionary.attributes()),
        })
    }
}

macro_rules! scalars {
    ($($rust:ty),*) => {$(
        impl From<$rust> for OwnedAttribute {
            fn from(value: $rust) -> Self {
                Self(Kind::Scalar(Scalar::of(value)))
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

impl From<Scalar> for OwnedAttribute {
    fn from(value: Scalar) -> Self {
        Self(Kind::Scalar(value))
    }
}

impl From<&str> for OwnedAttribute {
    fn from(text: &str) -> Self {
        Self(Kind::String(text.into()))
    }
}

impl<T: Element> From<&[T]> for OwnedAttribute {
    fn from(elements: &[T]) -> Self {
        let bytes = AlignedBytes::copy_of(bytes_of(elements));
        Self(Kind::Array(T::DTYPE, bytes))
    }
}

impl<T: Element, const N: usize> From<&[T; N]> for OwnedAttribute {
    fn from(elements: &[T; N]) -> Self {
        elements.as_slice().into()
    }
}

impl From<Dictionary> for OwnedAttribute {
    fn from(dictionary: Dictionary) -> Self {
        Self(Kind::Dictionary(dictionary))
    }
}
