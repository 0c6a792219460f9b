//! The attributes of a call, read where XLA has them.

use std::ffi::c_void;

use cyxla_ffi::{ArrayAttribute, Attribute, AttributeSource, Attributes, Error, Scalar};
use cyxla_pjrt_sys::Args as _;
use cyxla_pjrt_sys::xla_ffi as sys;
use cyxla_pjrt_sys::xla_ffi::{
    XLA_FFI_Array, XLA_FFI_AttrType, XLA_FFI_Attrs, XLA_FFI_ByteSpan, XLA_FFI_Scalar,
};

use super::data_type;
use super::decode::{LONGEST, list, looked_at};

/// Attributes in XLA's structure. Each is looked at when it is asked for.
#[repr(transparent)]
pub(super) struct XlaAttributes(XLA_FFI_Attrs);

impl XlaAttributes {
    /// Looks at a structure before it is used.
    ///
    /// # Errors
    /// NULL, not aligned, or another structure than is known here.
    ///
    /// # Safety
    /// For `'a`: if there is a `struct_size` at the address, there are as many bytes, and they and what they point to is as
    /// XLA's header says.
    pub(super) unsafe fn at<'a>(attributes: *const XLA_FFI_Attrs) -> Result<&'a Self, Error> {
        // SAFETY: as the caller promises.
        let attributes = unsafe { looked_at(attributes, XLA_FFI_Attrs::STRUCT_SIZE)? };
        if !(0..=LONGEST).contains(&attributes.size) {
            return Err(damaged("attributes"));
        }
        // SAFETY: a transparent wrapper of the same, for the same time.
        Ok(unsafe { &*std::ptr::from_ref(attributes).cast() })
    }

    fn index(&self, index: usize) -> Result<usize, Error> {
        if index < self.len() {
            Ok(index)
        } else {
            Err(damaged("attributes"))
        }
    }
}

impl AttributeSource for XlaAttributes {
    fn len(&self) -> usize {
        usize::try_from(self.0.size).unwrap_or(0)
    }

    fn name(&self, index: usize) -> Result<&[u8], Error> {
        let index = self.index(index)?;
        // SAFETY: `at` was promised what XLA's header says: there are as many names as attributes, each a span.
        unsafe { text(list(self.0.names, self.len())?[index]) }
    }

    fn attribute(&self, index: usize) -> Result<Attribute<'_>, Error> {
        let index = self.index(index)?;
        // SAFETY: `at` was promised what XLA's header says: there are as many types and values as attributes, and the type
        // says what the value points to.
        unsafe {
            let type_ = list(self.0.types, self.len())?[index];
            let value = list(self.0.attrs, self.len())?[index];
            read(type_, value)
        }
    }
}

/// Reads the value of an attribute.
///
/// # Safety
/// For `'a`: `value` is NULL, or points to what XLA's header says for this type.
unsafe fn read<'a>(type_: XLA_FFI_AttrType, value: *mut c_void) -> Result<Attribute<'a>, Error> {
    // SAFETY: as the caller promises, for each type.
    unsafe {
        match type_ {
            sys::XLA_FFI_AttrType_SCALAR => {
                let scalar = looked_at::<XLA_FFI_Scalar>(value.cast(), 0)?;
                let dtype =
                    data_type::from_xla(scalar.dtype).ok_or_else(|| unknown(scalar.dtype))?;
                let bytes = list(scalar.value.cast_const().cast::<u8>(), dtype.size())?;
                let scalar = Scalar::from_bytes(dtype, bytes);
                scalar
                    .map(Attribute::Scalar)
                    .ok_or_else(|| damaged("a scalar"))
            }
            sys::XLA_FFI_AttrType_STRING => text(value.cast()).map(Attribute::String),
            sys::XLA_FFI_AttrType_ARRAY => {
                let array = looked_at::<XLA_FFI_Array>(value.cast(), 0)?;
                let dtype = data_type::from_xla(array.dtype).ok_or_else(|| unknown(array.dtype))?;
                let bytes = array.size.checked_mul(dtype.size());
                let bytes = bytes.filter(|bytes| isize::try_from(*bytes).is_ok());
                let bytes = bytes.ok_or_else(|| damaged("an array"))?;
                let bytes = list(array.data.cast_const().cast::<u8>(), bytes)?;
                Ok(Attribute::Array(ArrayAttribute::new(dtype, bytes)))
            }
            sys::XLA_FFI_AttrType_DICTIONARY => {
                let attributes = XlaAttributes::at(value.cast_const().cast())?;
                Ok(Attribute::Dictionary(Attributes::new(attributes)))
            }
            _ => Err(Error::internal(format_args!(
                "an attribute is of the kind {type_}, which this version of cyxla does not know"
            ))),
        }
    }
}

/// The bytes of a span.
///
/// # Safety
/// For `'a`: `span` is NULL, or points to a span, and that to as many bytes as it says.
unsafe fn text<'a>(span: *mut XLA_FFI_ByteSpan) -> Result<&'a [u8], Error> {
    // SAFETY: as the caller promises.
    unsafe {
        let span = looked_at::<XLA_FFI_ByteSpan>(span, 0)?;
        list(span.ptr.cast(), span.len)
    }
}

#[cold]
fn damaged(what: &str) -> Error {
    Error::internal(format_args!("XLA gave {what} that can't be read"))
}

#[cold]
fn unknown(dtype: i32) -> Error {
    Error::internal(format_args!(
        "an attribute has the element type {dtype} of XLA, which cyxla does not carry"
    ))
}
