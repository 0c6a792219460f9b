use cyxla_artifact::{ArrayType, ArrayTypeError};

/// Memory that is no array of the type asked for.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HostArrayError {
    /// Another number of bytes.
    #[error(
        "{found} bytes are no {array_type}, which has {}\n  help: give exactly the elements of the array, row major",
        .array_type.nbytes()
    )]
    Bytes {
        /// The type asked for.
        array_type: Box<ArrayType>,
        /// Number of bytes given.
        found: usize,
    },
    /// Another number of elements.
    #[error(
        "{found} elements are no {array_type}, which has {}\n  help: give exactly the elements of the array, row major",
        .array_type.size()
    )]
    Elements {
        /// The type asked for.
        array_type: Box<ArrayType>,
        /// Number of elements given.
        found: usize,
    },
    /// A byte that no element of the type has.
    #[error(
        "the byte {byte:#04x} is no part of a {array_type}\n  help: `bool` is 0 or 1, 4-bit integers take a byte \
         of their own and keep to their range"
    )]
    Element {
        /// The type asked for.
        array_type: Box<ArrayType>,
        /// The first such byte.
        byte: u8,
    },
    /// An array of another type.
    #[error(
        "an array of type {found} is no {array_type}\n  help: ask for it as `{}`, or give an array of shape {:?}",
        .found.rust(),
        .array_type.shape()
    )]
    Other {
        /// The type asked for.
        array_type: Box<ArrayType>,
        /// The type of the array given.
        found: Box<ArrayType>,
    },
    /// An array of `ndarray` whose elements do not lie row major, one behind the other.
    #[cfg(feature = "ndarray")]
    #[error(
        "an ndarray of shape {:?} with strides {strides:?} can't be used as {array_type} in place: it is not row \
         major\n  help: copy it with `Host::from_ndarray`, or lay it out anew with `as_standard_layout()`",
        .array_type.shape()
    )]
    Strides {
        /// The type asked for.
        array_type: Box<ArrayType>,
        /// The distance of neighbours along each axis, in elements.
        strides: Vec<isize>,
    },
    /// No such array type.
    #[error(transparent)]
    Type(#[from] ArrayTypeError),
}
