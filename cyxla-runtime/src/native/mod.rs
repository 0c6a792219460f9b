//! Programs as machine code: what is between typed calls and `cyxla-native`.

#[cfg(not(feature = "native"))]
mod absent;
mod arguments;
#[cfg(feature = "native")]
mod bound;
#[cfg(feature = "native")]
mod program;

#[cfg(not(feature = "native"))]
pub(crate) use absent::{Bound, Native};
pub(crate) use arguments::{Anywhere, Arguments, OnHost};
#[cfg(feature = "native")]
pub(crate) use bound::Bound;
#[cfg(feature = "native")]
pub(crate) use program::Native;
