use super::{Array, Slice};

/// A copy of an array. Source and destination don't overlap, or are the same.
///
/// Source: `CopyThunkProto` in xla/backends/cpu/runtime/thunk.proto.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Copy {
    /// What is read.
    pub source: Array,
    /// What is written: the same element type and axes, perhaps in another order in memory.
    pub destination: Array,
}

/// A product of matrices: sums over the contracting axes, for each index of the batch axes.
///
/// The axes of the result are the batch axes, then what is left of `lhs`, then what is left of `rhs`.
///
/// Source: `DotThunkProto`, `DotDimensionNumbers` in xla/xla_data.proto.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dot {
    /// Axes of `lhs` that are summed over, in the order of `rhs_contracting`.
    pub lhs_contracting: Vec<u32>,
    /// Axes of `rhs` that are summed over.
    pub rhs_contracting: Vec<u32>,
    /// Axes of `lhs` that both have, in the order of `rhs_batch`.
    pub lhs_batch: Vec<u32>,
    /// Axes of `rhs` that both have.
    pub rhs_batch: Vec<u32>,
    /// The left factor.
    pub lhs: Array,
    /// The right factor.
    pub rhs: Array,
    /// The product.
    pub result: Array,
}

/// A convolution.
///
/// Source: `ConvolutionThunkProto`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Convolution {
    /// What each axis is.
    pub dimensions: ConvolutionDimensions,
    /// How the kernel moves, for each spatial axis.
    pub window: Vec<WindowDimension>,
    /// In how many groups input and output features are divided.
    pub feature_groups: u64,
    /// What is convolved.
    pub input: Array,
    /// What it is convolved with.
    pub kernel: Array,
    /// The result.
    pub result: Array,
}

/// What the axes of a convolution are.
///
/// Source: `ConvolutionDimensionNumbers` in xla/xla_data.proto.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConvolutionDimensions {
    /// The axis of the input that counts examples.
    pub input_batch: u32,
    /// The axis of the input that counts features.
    pub input_feature: u32,
    /// The axes of the input that are space.
    pub input_spatial: Vec<u32>,
    /// The axis of the kernel that counts features of the input, of one group.
    pub kernel_input_feature: u32,
    /// The axis of the kernel that counts features of the result.
    pub kernel_output_feature: u32,
    /// The axes of the kernel that are space.
    pub kernel_spatial: Vec<u32>,
    /// The axis of the result that counts examples.
    pub output_batch: u32,
    /// The axis of the result that counts features.
    pub output_feature: u32,
    /// The axes of the result that are space.
    pub output_spatial: Vec<u32>,
}

/// How a kernel moves along one axis.
///
/// Source: `WindowDimension` in xla/xla_data.proto.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WindowDimension {
    /// The length of the kernel.
    pub size: u64,
    /// How far it moves for the next element of the result, at least 1.
    pub stride: u64,
    /// Zeros before the input; a negative number leaves elements away.
    pub padding_low: i64,
    /// Zeros behind the input; a negative number leaves elements away.
    pub padding_high: i64,
    /// Distance of neighbours of the kernel, at least 1.
    pub window_dilation: u64,
    /// Distance of neighbours of the input, at least 1.
    pub base_dilation: u64,
    /// Whether the kernel is read backwards.
    pub reversal: bool,
}

/// A Fourier transform over the last axes of an array, row major, each transform for itself.
///
/// Source: `FftThunkProto`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fft {
    /// Which transform.
    pub kind: FftKind,
    /// The lengths of the transformed axes, 1 to 3; of real data their lengths as real numbers.
    pub lengths: Vec<usize>,
    /// What is transformed.
    pub input: Array,
    /// The transform.
    pub result: Array,
}

/// A kind of Fourier transform.
///
/// Source: `FftType` in xla/xla_data.proto.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FftKind {
    /// Complex to complex.
    Fft,
    /// Complex to complex, inverse, divided by the number of elements.
    Ifft,
    /// Real to complex, of the last axis only the first `n / 2 + 1`.
    Rfft,
    /// Complex to real, inverse of [`FftKind::Rfft`].
    Irfft,
}

/// A sort along one axis, in place: the operands are read and written.
///
/// Source: `SortThunkProto`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sort {
    /// The arrays, of the same axes, reordered together.
    pub operands: Vec<Array>,
    /// The axis that is sorted along.
    pub axis: u32,
    /// Whether equal elements keep their order.
    pub stable: bool,
    /// The index of the function that tells whether left comes before right; of the kind
    /// [`FunctionKind::Comparator`](super::FunctionKind::Comparator).
    pub comparator: u32,
    /// That the comparator is a plain less or greater of the first operand, where XLA knew.
    pub direction: Option<SortDirection>,
}

/// What a plain comparator does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SortDirection {
    /// Small before large.
    Ascending,
    /// Large before small.
    Descending,
}

/// The largest elements of each row of `f32`, in falling order; of equal ones the first.
///
/// Source: `TopKThunkProto`, xla/service/cpu/runtime_topk.cc.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TopK {
    /// The number of rows.
    pub rows: usize,
    /// The length of a row.
    pub length: usize,
    /// How many elements of each are wanted, at most its length.
    pub k: usize,
    /// The rows, `f32[rows, length]`.
    pub input: Slice,
    /// The elements, `f32[rows, k]`.
    pub values: Slice,
    /// Their places in their rows, `i32[rows, k]`.
    pub indices: Slice,
}
