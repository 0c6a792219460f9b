//! The case runner: real JAX programs, each lowered, compiled, called, and compared with what JAX itself computes.
//!
//! A case is a Python module with `fn(*args)` and `example_args()`, in any folder. It may also have `X64 = True` (64-bit
//! types, on before import), `JIT = {…}` (options of `jax.jit`, such as donation) and `TOL` (relative tolerance).
//! `export_args()`, symbolic arguments, is not read: a program is specialised to its example arguments at build time.
//!
//! In the order of the way of a case: [`list`] finds it, [`process`] gives it a process of its own, and there
//! [`trial`] has JAX answer first ([`reference`](mod@reference)), lowers it, compiles it, loads it from the disk
//! cache, calls it and compares ([`difference`]). With the native engine, it is compiled to machine code instead (`native.rs`). What came of it is a [`Row`], and [`table`] prints those.

pub mod arguments;
pub mod difference;
pub mod list;
mod native;
pub mod process;
pub mod reference;
mod row;
pub mod table;
pub mod trial;

pub use row::{Outcome, Row};
