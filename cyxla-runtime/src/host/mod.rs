//! Arrays in host memory: borrowed or owned, their type known to the compiler or at run time only.

mod array;
mod error;
mod memory;
mod owned;
mod slice;
mod view;

pub use array::HostArray;
pub use error::HostArrayError;
pub(crate) use memory::HostMemory;
#[allow(unused_imports, reason = "for results that are filled on the heap")]
pub(crate) use memory::Unfilled;
pub use owned::Host;
pub use slice::{as_mut_slice, as_slice, from_slice, from_slice_mut};
pub use view::HostView;

/// Alignment at which a plugin can use host memory in place, in bytes.
pub(crate) const ALIGNMENT: usize = 64;
