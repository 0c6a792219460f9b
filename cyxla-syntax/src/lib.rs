//! What a user of cyxla writes: the attribute `#[cyxla::program(…)]` and the signature under it.
//!
//! The build script reads declarations from source files, the macro from the compiler. Both parse them here, so that they
//! agree on what a declaration says and word its mistakes alike.
//!
//! ```
//! use cyxla_syntax::{Declaration, Passing};
//! use quote::quote;
//!
//! let declaration = Declaration::parse(
//!     quote!("model:predict", x64 = true),
//!     quote!(fn predict(x: &[[f32; 4]; 8], scale: f32) -> cyxla::Result<[f32; 8]>;),
//! )?;
//! assert_eq!(declaration.target.to_string(), "model:predict");
//! assert_eq!(declaration.function.name(), "predict");
//! assert_eq!(declaration.function.parameters[0].by, Passing::Reference);
//! # Ok::<(), syn::Error>(())
//! ```
//!
//! In the order of reading: [`Declaration`], its [`EntryPoint`] and [`Options`] (the attribute), its [`Function`] (the
//! signature). The wording of every mistake stands in `mistake.rs`.

#![forbid(unsafe_code)]

mod declaration;
mod entry_point;
mod function;
mod mistake;
mod nearest;
mod normal;
mod options;
mod report;
mod types;

pub use declaration::{Declaration, is_program_attribute};
pub use entry_point::{EntryPoint, EntryPointError};
pub use function::{Function, Parameter, Passing, Returned, ReturnedShape, ReturnedValue, Slot};
pub use options::Options;
pub use report::Report;
pub use types::Holder;
