use super::{Convolution, Copy, CustomCall, Dot, Fft, Slice, Sort, TopK};

/// Steps that are run in order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Sequence {
    /// The steps.
    pub steps: Vec<Step>,
}

/// One step of a call.
///
/// Source: `ThunkProto` in xla/backends/cpu/runtime/thunk.proto.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Step {
    /// Machine code.
    Kernel(KernelCall),
    /// A copy, perhaps into another order of elements.
    Copy(Copy),
    /// A sequence of its own.
    Call(Sequence),
    /// A loop.
    While(While),
    /// One of several sequences.
    Conditional(Conditional),
    /// A product of matrices.
    Dot(Dot),
    /// A convolution.
    Convolution(Convolution),
    /// A Fourier transform.
    Fft(Fft),
    /// A sort.
    Sort(Sort),
    /// The largest elements.
    TopK(TopK),
    /// Writes the state of the random number generator and moves it on.
    ///
    /// Source: xla/backends/cpu/runtime/rng_state_lib.cc.
    RngState {
        /// Where the 16 bytes of the state go, a 128-bit number in little endian.
        state: Slice,
        /// What is added to the state then.
        delta: i64,
    },
    /// Writes the `u32` number of this partition, of which there is one: 0.
    PartitionId {
        /// Where it goes, 4 bytes.
        result: Slice,
    },
    /// Writes the `u32` number of this replica, of which there is one: 0.
    ReplicaId {
        /// Where it goes, 4 bytes.
        result: Slice,
    },
    /// A call of a handler.
    CustomCall(CustomCall),
}

/// A call of a kernel, once for each workgroup. Workgroups don't depend on each other.
///
/// Source: `KernelThunkProto`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KernelCall {
    /// The index of the function; of the kind [`FunctionKind::Kernel`](super::FunctionKind::Kernel).
    pub function: u32,
    /// The number of workgroups by x, y and z; none is 0, and their product fits into a `u64`.
    pub workgroups: [u64; 3],
    /// The arguments in the order of the call frame: what is read, then what is written.
    pub arguments: Vec<Slice>,
    /// How many of the arguments, from the last, are results. Those in constants, or in arguments of the program that are
    /// not for writing, are named by XLA for a kernel that holds several operations, and are not written.
    pub results: u32,
    /// The multiple, in bytes, at which the kernel expects each argument to begin: a power of two, at most 64.
    pub alignment: u32,
}

/// A loop: `condition`, and while it wrote true, `body` and `condition` again.
///
/// Source: `WhileThunkProto`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct While {
    /// Writes the predicate.
    pub condition: Sequence,
    /// What is repeated.
    pub body: Sequence,
    /// One byte: 0 ends the loop.
    pub predicate: Slice,
    /// How often the body is run, where it is known; the condition need not be run then.
    pub trip_count: Option<u64>,
}

/// A choice of sequences.
///
/// Source: `ConditionalThunkProto`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Conditional {
    /// What is chosen by. One byte is a truth value: true is the first branch, false the second. Four bytes are an `i32`:
    /// the index of a branch, and the last one if there is none of that index.
    pub index: Slice,
    /// The branches, at least one; two for a truth value.
    pub branches: Vec<Sequence>,
}
