//! A program at rest: machine code, constants, buffers and a schedule.
//!
//! An [`Image`] is what XLA:CPU's executable is, freed of everything that only the compiler needed: its objects linked
//! into one piece of code, its protos read, its literals laid out. It mirrors `CompilationResultProto`
//! (xla/service/cpu/executable.proto).
//!
//! ```text
//! Image
//! ├── target       the processor that it needs
//! ├── code         text and read-only data, and where addresses must be written in
//! ├── functions    where kernels and comparators begin in the code
//! ├── constants    bytes that constant allocations point into
//! ├── allocations  the memory of a call, by role
//! ├── inputs, outputs   types, and where they lie
//! └── schedule     the steps of a call, in order
//! ```
//!
//! This module is safe code. Every number of an image that was read is in bounds, see [`Image::validate`].

#![forbid(unsafe_code)]

mod buffers;
mod bytes;
mod code;
mod coded;
mod custom_call;
mod dtype;
mod error;
mod schedule;
mod step;
mod symbol;
mod target;
#[cfg(test)]
mod tests;
mod validate;
mod wire;

pub use buffers::{Allocation, Array, Input, Output, Role, Shape, Slice};
pub use bytes::{MAGIC, VERSION};
pub use code::{Code, Function, FunctionKind, Patch, PatchValue};
pub use coded::UnknownName;
pub use custom_call::{ApiVersion, Attribute, CustomCall};
pub use dtype::{from_xla_number, xla_number};
pub use error::ImageError;
pub use schedule::{Conditional, KernelCall, Sequence, Step, While};
pub use step::{
    Convolution, ConvolutionDimensions, Copy, Dot, Fft, FftKind, Sort, SortDirection, TopK,
    WindowDimension,
};
pub use symbol::Symbol;
pub use target::{Architecture, CpuFeature, Target};

/// One program, translated.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Image {
    /// The name of the module in XLA, `jit_predict`; only for people.
    pub name: String,
    /// The processor that it needs.
    pub target: Target,
    /// Machine code and the data that it reads.
    pub code: Code,
    /// What is called in the code.
    pub functions: Vec<Function>,
    /// The bytes that constant allocations point into, from their [`Role::Constant`]. Each begins at a multiple of 64.
    pub constants: Vec<u8>,
    /// The memory that a call works on.
    pub allocations: Vec<Allocation>,
    /// The arguments, in calling order.
    pub inputs: Vec<Input>,
    /// The results, in order.
    pub outputs: Vec<Output>,
    /// The steps of a call. They are run in order; each sees all that those before it wrote.
    pub schedule: Sequence,
}
