//! The messages of XLA that a serialized executable is made of, as far as they are read.
//!
//! Numbers and types are those of jaxlib 0.10 to 0.12. Fields that are not declared are skipped by the decoder; where that
//! would be a guess, [`exactly`] makes it an error.

mod array;
mod executable;
mod hlo;
mod thunk;

pub(super) use array::{Literal, Shape};
pub(super) use executable::{
    BufferAllocation, BufferAssignment, CompilationResult, CompiledSymbol, FunctionType,
    ObjectFile, ObjectKind, Outer, TargetMachine,
};
pub(super) use hlo::{Computation, Instruction, Module};
pub(super) use thunk::{
    AllocationSlice, Choice, Convolution, CustomCall, Dot, Fft, Implementation, Kernel, Repetition,
    ShapedSlice, Sort, Thunk, ThunkSequence,
};

use prost::Message;

use super::NotExpressible;

/// Reads a message of which every field must be known.
///
/// What was read is as long, written again, as what was there, only if nothing was skipped: XLA leaves out what has its
/// default, as prost does.
pub(super) fn exactly<M: Message + Default>(bytes: &[u8], what: &str) -> Result<M, NotExpressible> {
    let message = some(bytes, what)?;
    if M::encoded_len(&message) != bytes.len() {
        return Err(NotExpressible::new(format!(
            "{what} has a field that this version of cyxla doesn't know"
        )));
    }
    Ok(message)
}

/// Reads a message of which some fields are enough.
pub(super) fn some<M: Message + Default>(bytes: &[u8], what: &str) -> Result<M, NotExpressible> {
    M::decode(bytes).map_err(|error| NotExpressible::new(format!("{what} can't be read: {error}")))
}
