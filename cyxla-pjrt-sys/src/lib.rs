//! The part of the PJRT C API that cyxla uses, declared by hand.
//!
//! Names, order and types are those of `xla/pjrt/c/pjrt_c_api.h`. Declared are API [0.81](OLDEST_MINOR) up to
//! [0.115](NEWEST_MINOR): the whole table of functions, and the argument structures with every field that a plugin of
//! these versions may ask for. A plugin checks that a caller's `struct_size` is not below its own, so the structures here
//! are those of the newest version; an older plugin reads only the fields that it knows.
//!
//! This crate holds declarations only. Whether a plugin has a function can't be told from its version: whoever calls one
//! compares the place of its pointer, [`Call::SLOT`], with the plugin's `struct_size`, and the pointer with NULL. In
//! cyxla, `cyxla-runtime` is the one place that does.
//!
//! | module | holds |
//! |---|---|
//! | [`declare`] | how structures are declared, and what is known of their layout |
//! | [`table`] | [`PJRT_Api`], the table of functions |
//! | [`error`], [`plugin`], [`event`], [`client`], [`executable`], [`buffer`] | arguments and constants, by subject |
//! | [`ffi_extension`] | the extension through which handlers of custom calls are registered |
//! | [`xla_ffi`] | what such a handler is called with |
//!
//! Tests (`tests/header.rs`, `tests/xla_ffi_header.rs`) compare every offset, size and constant with the C headers.

#![allow(
    missing_docs,
    non_camel_case_types,
    non_snake_case,
    non_upper_case_globals,
    reason = "names and fields are those of the C header, which documents them"
)]

#[macro_use]
pub mod declare;
pub mod buffer;
pub mod client;
pub mod error;
pub mod event;
pub mod executable;
pub mod ffi_extension;
pub mod plugin;
pub mod table;
pub mod xla_ffi;

pub use buffer::*;
pub use client::*;
pub use declare::{Args, Call, Constant, Field, Layout, PJRT_Extension_Base, constants, layouts};
pub use error::*;
pub use event::*;
pub use executable::*;
pub use ffi_extension::*;
pub use plugin::*;
pub use table::{GetPjrtApi, PJRT_Api, PJRT_Api_Version, SLOTS, Slot};

/// The major version of the API.
pub const MAJOR: i32 = 0;

/// The oldest minor version whose table has the order declared here.
pub const OLDEST_MINOR: i32 = 81;

/// The minor version up to which fields and functions are declared here.
pub const NEWEST_MINOR: i32 = 115;
