//! Arrays in host memory: borrowed or owned, their type known to the compiler or at run time only.

mod array;
mod error;
mod memory;
#[cfg(feature = "ndarray")]
mod ndarray;
mod owned;
mod slice;
mod view;

pub use array::HostArray;
pub use error::HostArrayError;
pub(crate) use memory::{HostMemory, Unfilled};
#[cfg(feature = "ndarray")]
pub use ndarray::{NdArray, as_mut_ndarray, as_ndarray, from_ndarray, from_ndarray_mut};
pub use owned::Host;
pub use slice::{as_mut_slice, as_slice, from_slice, from_slice_mut};
pub use view::HostView;

/// Alignment at which a plugin can use host memory in place, in bytes.
pub(crate) const ALIGNMENT: usize = 64;
