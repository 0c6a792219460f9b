use super::Symbol;

/// Machine code and the read-only data that it uses, linked into one piece.
///
/// References inside are either relative, and hold wherever the piece is mapped, or patches.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Code {
    /// Instructions and read-only data.
    pub bytes: Vec<u8>,
    /// The multiple at which the first byte must lie in memory: a power of two, at most a page (4096).
    pub alignment: u32,
    /// The addresses to write before the code may run, sorted by offset. No two overlap.
    pub patches: Vec<Patch>,
}

/// Eight bytes of the code that hold an address, little endian.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Patch {
    /// Where they begin, from the first byte of the code. Of no particular alignment.
    pub offset: u32,
    /// What address.
    pub value: PatchValue,
}

/// An address that is only known once the code has its place. ELF's `R_X86_64_64`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum PatchValue {
    /// Of this byte of the code; the end of the code is allowed.
    Code(u32),
    /// Of this routine.
    Symbol(Symbol),
}

/// A function in the code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Function {
    /// Its name in XLA; only for people. Functions of equal code share an entry of the table and have the name of the first.
    pub name: String,
    /// How it is called.
    pub kind: FunctionKind,
    /// The offset of its first instruction in the code.
    pub entry: u32,
}

/// How a function of XLA:CPU is called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum FunctionKind {
    /// `XLA_CPU_KernelError *kernel(const XLA_CPU_KernelCallFrame *)`; no error is NULL.
    ///
    /// Source: xla/backends/cpu/runtime/kernel_c_api.h.
    Kernel,
    /// `void comparator(bool *result, const void *run_options, const void **arguments, const void *buffer_table,
    /// const void *status, const void *counters)`.
    ///
    /// `arguments` holds, for each operand of the sort, the address of the left and then of the right element. What lies
    /// behind `result` is one byte; the other arguments may be NULL.
    ///
    /// Source: `FunctionLibrary::Comparator` in xla/backends/cpu/runtime/function_library.h.
    Comparator,
}
