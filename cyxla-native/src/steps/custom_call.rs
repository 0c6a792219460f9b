use std::panic::{AssertUnwindSafe, catch_unwind};

use cyxla_artifact::DType;
use cyxla_ffi::{
    ArrayAttribute, Attribute, AttributeSource, Attributes, CallFrame, Error, Handler, RawArray,
    Scalar,
};

use smallvec::SmallVec;

use crate::error::RunError;
use crate::image;
use crate::image::{Array, Slice};
use crate::memory::{AlignedBytes, Bases};

/// Handlers of as many arrays are called without an allocation.
const FEW: usize = 8;

/// A call of a handler in Rust.
pub(crate) struct CustomCall {
    target: String,
    handler: &'static dyn Handler,
    attributes: Dictionary,
    operands: Vec<Port>,
    results: Vec<Port>,
}

struct Port {
    slice: Slice,
    dtype: DType,
    dims: Vec<usize>,
}

impl Port {
    fn new(array: &Array) -> Result<Self, String> {
        let dtype = array.shape.dtype;
        if matches!(dtype, DType::I4 | DType::U4) {
            return Err(super::of_type("custom call", dtype));
        }
        Ok(Self {
            slice: array.slice,
            dtype,
            dims: array.shape.dims.clone(),
        })
    }

    fn raw(&self, bases: &Bases) -> RawArray<'_> {
        RawArray {
            dtype: self.dtype,
            dims: &self.dims,
            data: bases.at(self.slice),
        }
    }
}

impl CustomCall {
    /// # Errors
    /// A type that handlers don't get from here, in words.
    pub(crate) fn new(
        call: &image::CustomCall,
        handler: &'static dyn Handler,
    ) -> Result<Self, String> {
        let ports = |arrays: &[Array]| arrays.iter().map(Port::new).collect::<Result<_, _>>();
        Ok(Self {
            target: call.target.clone(),
            handler,
            attributes: Dictionary::new(&call.attributes)?,
            operands: ports(&call.operands)?,
            results: ports(&call.results)?,
        })
    }

    /// # Errors
    /// The handler fails, or panics.
    ///
    /// # Safety
    /// The bases hold operands and results.
    pub(crate) unsafe fn run(&self, program: &str, bases: &Bases) -> Result<(), RunError> {
        let operands = self.operands.iter().map(|port| port.raw(bases));
        let operands: SmallVec<[_; FEW]> = operands.collect();
        let results = self.results.iter().map(|port| port.raw(bases));
        let results: SmallVec<[_; FEW]> = results.collect();
        let call = || {
            // SAFETY: the arrays of a validated image, with as many bytes as they say; nobody else uses them during this
            // step.
            let frame =
                unsafe { CallFrame::new(&operands, &results, Attributes::new(&self.attributes)) };
            self.handler.call(&mut frame?)
        };
        let failed = |message: String| RunError::Handler {
            program: program.to_owned(),
            message,
        };
        let target = &self.target;
        match catch_unwind(AssertUnwindSafe(call)) {
            Ok(done) => done.map_err(|error| {
                let message = error.message();
                failed(format!("the custom call `{target}` failed: {message}"))
            }),
            Err(panic) => {
                let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
                let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
                let text = text.unwrap_or_else(|| "something that is no text".to_owned());
                Err(failed(format!(
                    "the handler of the custom call `{target}` panicked: {text}"
                )))
            }
        }
    }
}

/// The attributes of a call, as handlers read them.
struct Dictionary(Vec<(String, Value)>);

enum Value {
    Scalar(Scalar),
    String(Vec<u8>),
    Array(DType, AlignedBytes, usize),
    Dictionary(Dictionary),
}

impl Dictionary {
    fn new(attributes: &[(String, image::Attribute)]) -> Result<Self, String> {
        let values = attributes.iter().map(|(name, attribute)| {
            let value = match attribute {
                image::Attribute::Scalar { dtype, bytes } => {
                    let scalar = Scalar::from_bytes(*dtype, bytes);
                    Value::Scalar(
                        scalar.ok_or_else(|| format!("an attribute `{name}` of {dtype}"))?,
                    )
                }
                image::Attribute::String(text) => Value::String(text.clone()),
                image::Attribute::Array { dtype, bytes } => {
                    Value::Array(*dtype, AlignedBytes::of(bytes), bytes.len())
                }
                image::Attribute::Dictionary(inner) => Value::Dictionary(Self::new(inner)?),
            };
            Ok((name.clone(), value))
        });
        Ok(Self(values.collect::<Result<_, String>>()?))
    }

    fn entry(&self, index: usize) -> Result<&(String, Value), Error> {
        let none = || Error::internal(format_args!("there is no attribute {index}"));
        self.0.get(index).ok_or_else(none)
    }
}

impl AttributeSource for Dictionary {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn name(&self, index: usize) -> Result<&[u8], Error> {
        Ok(self.entry(index)?.0.as_bytes())
    }

    fn attribute(&self, index: usize) -> Result<Attribute<'_>, Error> {
        Ok(match &self.entry(index)?.1 {
            Value::Scalar(scalar) => Attribute::Scalar(*scalar),
            Value::String(text) => Attribute::String(text),
            Value::Array(dtype, bytes, len) => {
                // SAFETY: as many bytes, which live as long as the attributes.
                let bytes = unsafe { std::slice::from_raw_parts(bytes.as_ptr(), *len) };
                Attribute::Array(ArrayAttribute::new(*dtype, bytes))
            }
            Value::Dictionary(inner) => Attribute::Dictionary(Attributes::new(inner)),
        })
    }
}
