//! The attributes `#[cyxla::program]` and `#[cyxla::ffi_handler]` (`ffi_handler.rs`); documented where users meet them, in the
//! crate `cyxla`.
//!
//! The stages of an expansion, a file each: [`cyxla_syntax`] parses the declaration, `locate.rs` finds the artifact of the
//! build script, `lookup.rs` the record of the program in it, `check.rs` compares the two, `expand.rs` writes the function
//! and `beside.rs` the type of its name.
//! Shapes are compared by the compiler itself, in constants that the expansion holds: only it knows what constants and
//! aliases mean.

#![forbid(unsafe_code)]

mod beside;
mod check;
mod expand;
mod ffi_handler;
mod locate;
mod lookup;
mod mistake;
mod program;
#[cfg(test)]
mod snapshots;
#[cfg(test)]
mod testing;
mod types;
mod weights;

use locate::Surroundings;

/// Turns a signature into a typed call of a JAX program.
#[proc_macro_attribute]
pub fn program(
    attribute: proc_macro::TokenStream,
    item: proc_macro::TokenStream,
) -> proc_macro::TokenStream {
    program::expand(attribute.into(), item.into(), &Surroundings::of_compiler()).into()
}

/// Makes a function the handler of a custom call.
#[proc_macro_attribute]
pub fn ffi_handler(
    attribute: proc_macro::TokenStream,
    item: proc_macro::TokenStream,
) -> proc_macro::TokenStream {
    ffi_handler::expand(attribute.into(), item.into()).into()
}
