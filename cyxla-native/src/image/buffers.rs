use cyxla_artifact::{ArrayType, DType};

/// A piece of memory that a call works on. It begins at a multiple of 64 bytes unless it is an argument.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Allocation {
    /// Bytes.
    pub size: usize,
    /// What it is for.
    pub role: Role,
}

/// What an allocation is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Role {
    /// The argument of this index, all of it.
    Input {
        /// Which argument.
        index: u32,
        /// Whether the steps write into it: they may if it is donated. Then what was lent must be copied before.
        written: bool,
    },
    /// The result of this index, all of it and nothing else. Each result has at most one.
    Output {
        /// Which result.
        index: u32,
    },
    /// Working memory, of any content when a call begins.
    Temporary,
    /// Bytes of [`Image::constants`](super::Image::constants); the steps don't write into it.
    Constant {
        /// Where they begin, a multiple of 64. There are as many as the allocation has.
        offset: usize,
    },
}

/// A part of an allocation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Slice {
    /// The index of the allocation.
    pub allocation: u32,
    /// Bytes before it.
    pub offset: usize,
    /// Bytes in it.
    pub size: usize,
}

/// The type of an array and the order of its elements in memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shape {
    /// The type of the elements.
    pub dtype: DType,
    /// The length of each axis.
    pub dims: Vec<usize>,
    /// The axes, from the one whose neighbours lie closest in memory. Row major is `[n - 1, …, 1, 0]`.
    ///
    /// Source: `LayoutProto.minor_to_major` in xla/xla_data.proto.
    pub minor_to_major: Vec<u32>,
}

/// An array in memory: its elements lie close, without gaps.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Array {
    /// Where. As long as the shape says.
    pub slice: Slice,
    /// What.
    pub shape: Shape,
}

/// An argument of the program, row major.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Input {
    /// Element type and shape.
    pub array_type: ArrayType,
    /// The allocation that it is; of the role [`Role::Input`], and as long as the type says.
    pub allocation: u32,
}

/// A result of the program, row major.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Output {
    /// Element type and shape.
    pub array_type: ArrayType,
    /// Where it is after the last step. Usually an allocation of the role [`Role::Output`] with the same index; else what
    /// another result, an argument, a constant or working memory holds, and must be copied from there.
    pub slice: Slice,
}
