//! Custom calls of JAX programs, written in safe Rust.
//!
//! A JAX program makes a custom call with `jax.ffi.ffi_call("my_target", …)`, and XLA calls the handler that is registered
//! for that name. This crate is what a handler sees, whatever engine makes the call:
//!
//! | | |
//! |---|---|
//! | [`Handler`] | what is called: a function of a frame |
//! | [`CallFrame`] | one call: arguments, results, attributes |
//! | [`AnyArray`], [`AnyArrayMut`] | an argument and a result, of a type known at run time |
//! | [`Array`], [`ArrayMut`] | the same with element type and number of axes checked |
//! | [`Attributes`] | numbers, strings, arrays and dictionaries that the program gives by name |
//! | [`Error`] | why a handler failed |
//! | [`OwnedCall`] | a call without an engine, for tests of handlers |
//!
//! Handlers are registered with `cyxla::register_ffi_target`.
//!
//! Source: `xla/ffi/api/c_api.h`, whose structures `cyxla-runtime` turns into frames.

#![deny(unsafe_code)]

mod any_array;
mod array;
mod attributes;
mod dictionary;
mod element;
mod error;
mod frame;
mod handler;
mod memory;
mod owned_call;
mod parameter;

pub use any_array::{AnyArray, AnyArrayMut};
pub use array::{Array, ArrayMut};
pub use attributes::{
    ArrayAttribute, Attribute, AttributeSource, Attributes, FromAttribute, NotReadable, Scalar,
};
pub use cyxla_artifact::DType;
pub use dictionary::{Dictionary, OwnedAttribute};
pub use element::Element;
pub use error::{Error, ErrorCode};
pub use frame::{CallFrame, Parts};
pub use handler::Handler;
pub use memory::RawArray;
pub use owned_call::OwnedCall;
#[doc(hidden)]
pub use parameter::Parameters;
pub use parameter::{Parameter, Returned};
