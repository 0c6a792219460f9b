use cyxla_artifact::DType;

use super::Array;

/// A call of a handler.
///
/// Source: `CustomCallThunkProto` in xla/backends/cpu/runtime/thunk.proto.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CustomCall {
    /// The name that the handler is registered under.
    pub target: String,
    /// How it is called.
    pub api_version: ApiVersion,
    /// What it is told besides arrays, sorted by name.
    pub attributes: Vec<(String, Attribute)>,
    /// What it reads.
    pub operands: Vec<Array>,
    /// What it writes. A result may lie where an operand does.
    pub results: Vec<Array>,
}

/// How a handler is called.
///
/// Source: `CustomCallApiVersion` in xla/service/hlo.proto; older ways than this one are not expressible.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ApiVersion {
    /// XLA's typed FFI: `XLA_FFI_Error *handler(XLA_FFI_CallFrame *)`.
    TypedFfi,
}

/// The value of an attribute.
///
/// Source: `XLA_FFI_AttrType` in xla/ffi/api/c_api.h.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Attribute {
    /// A number or truth value.
    Scalar {
        /// Its type.
        dtype: DType,
        /// The element, little endian.
        bytes: Vec<u8>,
    },
    /// A string, or bytes.
    String(Vec<u8>),
    /// A flat array of numbers.
    Array {
        /// Their type.
        dtype: DType,
        /// The elements, little endian.
        bytes: Vec<u8>,
    },
    /// Attributes by name, sorted.
    Dictionary(Vec<(String, Attribute)>),
}
