use prost::{Message, Oneof};

use super::array::Shape;

/// Source: `ThunkSequenceProto` in xla/backends/cpu/runtime/thunk.proto, as are all messages here.
#[derive(Clone, PartialEq, Message)]
pub(in crate::native) struct ThunkSequence {
    /// Read one by one, so that what can't be read is told by its kind.
    #[prost(bytes = "vec", repeated, tag = "1")]
    pub(in crate::native) thunks: Vec<Vec<u8>>,
    /// What must not be run at the same time; steps are run in their order.
    #[prost(bytes = "vec", repeated, tag = "2")]
    pub(in crate::native) resources: Vec<Vec<u8>>,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::native) struct Thunk {
    #[prost(string, tag = "1")]
    pub(in crate::native) kind: String,
    #[prost(message, optional, tag = "2")]
    pub(in crate::native) info: Option<Info>,
    #[prost(
        oneof = "Implementation",
        tags = "3, 4, 5, 7, 8, 9, 10, 11, 12, 13, 16, 17, 19, 20"
    )]
    pub(in crate::native) implementation: Option<Implementation>,
}

#[derive(Clone, PartialEq, Message)]
pub(in crate::native) struct Info {
    #[prost(string, tag = "1")]
    pub(in crate::native) op_name: String,
    #[prost(string, tag = "2")]
    pub(in crate::native) module_name: String,
    #[prost(int64, tag = "3")]
    pub(in crate::native) module_id: i64,
}

#[derive(Clone, PartialEq, Oneof)]
pub(in crate::native) enum Implementation {
    #[prost(message, tag = "3")]
    Call(Call),
    #[prost(message, tag = "4")]
    Conditional(Choice),
    #[prost(message, tag = "5")]
    Sort(Sort),
    #[prost(message, tag = "7")]
    Dot(Dot),
    #[prost(message, tag = "8")]
    RngState(RngState),
    #[prost(message, tag = "9")]
    TopK(TopK),
    #[prost(message, tag = "10")]
    While(Repetition),
    #[prost(message, tag = "11")]
    Kernel(Kernel),
    #[prost(message, tag = "12")]
    Copy(Copy),
    #[prost(message, tag = "13")]
    Fft(Fft),
    #[prost(message, tag = "16")]
    CustomCall(CustomCall),
    #[prost(message, tag = "17")]
    Convolution(Convolution),
    #[prost(message, tag = "19")]
    PartitionId(LogicalId),
    #[prost(message, tag = "20")]
    ReplicaId(LogicalId),
}

/// Source: `BufferAllocationSliceProto` in xla/service/buffer_assignment.proto.
#[derive(Clone, PartialEq, Message)]
pub(in crate::native) struct AllocationSlice {
    #[prost(int64, tag = "1")]
    pub(in crate::native) offset: i64,
    #[prost(int64, tag = "2")]
    pub(in crate::native) size: i64,
    #[prost(int64, tag = "3")]
    pub(in crate::native) allocation: i64,
    #[prost(int32, tag = "4")]
    pub(in crate::native) element_type: i32,
}

/// Source: `ShapeBufferAllocationSliceProto`.
#[derive(Clone, PartialEq, Message)]
pub(in crate::native) struct ShapedSlice {
    #[prost(message, optional, tag = "1")]
    pub(in crate::native) shape: Option<Shape>,
    #[prost(message, optional, tag = "2")]
    pub(in crate::native) slice: Option<AllocationSlice>,
}

/// Source: `ShapedSliceProto` in xla/service/shaped_slice.proto.
#[derive(Clone, PartialEq, Message)]
pub(in crate::native) struct KernelSlice {
    #[prost(message, optional, tag = "1")]
    pub(in crate::native) slice: Option<AllocationSlice>,
    #[prost(message, optional, tag = "2")]
    pub(in crate::native) shape: Option<Shape>,
}

/// Source: `Int64Optional`.
#[derive(Clone, PartialEq, Message)]
pub(in crate::native) struct KnownNumber {
    #[prost(int64, tag = "1")]
    pub(in crate::native) value: i64,
    #[prost(bool, tag = "2")]
    pub(in crate::native) is_known: bool,
}

/// Source: `CallThunkProto`.
#[derive(Clone, PartialEq, Message)]
pub(in crate::native) struct Call {
    #[prost(bytes = "vec", optional, tag = "1")]
    pub(in crate::native) sequence: Option<Vec<u8>>,
}

/// Source: `ConditionalThunkProto`.
#[derive(Clone, PartialEq, Message)]
pub(in crate::native) struct Choice {
    #[prost(bytes = "vec", repeated, tag = "1")]
    pub(in crate::native) branches: Vec<Vec<u8>>,
    #[prost(message, optional, tag = "2")]
    pub(in crate::native) index: Option<AllocationSlice>,
}

/// Source: `WhileThunkProto`.
#[derive(Clone, PartialEq, Message)]
pub(in crate::native) struct Repetition {
    #[prost(bytes = "vec", optional, tag = "1")]
    pub(in crate::native) condition: Option<Vec<u8>>,
    #[prost(bytes = "vec", optional, tag = "2")]
    pub(in crate::native) body: Option<Vec<u8>>,
    #[prost(message, optional, tag = "3")]
    pub(in crate::native) trip_count: Option<KnownNumber>,
    #[prost(message, optional, tag = "4")]
    pub(in crate::native) predicate: Option<AllocationSlice>,
}

/// Source: `KernelThunkProto`.
#[derive(Clone, PartialEq, Message)]
pub(in crate::native) struct Kernel {
    #[prost(string, tag = "1")]
    pub(in crate::native) name: String,
    #[prost(message, optional, tag = "2")]
    pub(in crate::native) workgroups: Option<Workgroups>,
    /// Arguments that no result overlaps.
    #[prost(int64, repeated, tag = "3")]
    pub(in crate::native) invariant_arguments: Vec<i64>,
    #[prost(message, optional, tag = "4")]
    pub(in crate::native) alignment: Option<KnownNumber>,
    #[prost(message, repeated, tag = "5")]
    pub(in crate::native) arguments: Vec<KernelSlice>,
    #[prost(message, repeated, tag = "6")]
    pub(in crate::native) results: Vec<KernelSlice>,
}

/// Source: `KernelThunkProto.NumWorkGroups`.
#[derive(Clone, PartialEq, Message)]
pub(in crate::native) struct Workgroups {
    #[prost(int64, tag = "1")]
    pub(in crate::native) x: i64,
    #[prost(int64, tag = "2")]
    pub(in crate::native) y: i64,
    #[prost(int64, tag = "3")]
    pub(in crate::native) z: i64,
}

/// Source: `CopyThunkProto`.
#[derive(Clone, PartialEq, Message)]
pub(in crate::native) struct Copy {
    #[prost(message, optional, tag = "1")]
    pub(in crate::native) source: Option<ShapedSlice>,
    #[prost(message, optional, tag = "2")]
    pub(in crate::native) destination: Option<ShapedSlice>,
}

/// Source: `DotThunkProto`.
#[derive(Clone, PartialEq, Message)]
pub(in crate::native) struct Dot {
    #[prost(message, optional, tag = "1")]
    pub(in crate::native) dimensions: Option<DotDimensions>,
    #[prost(message, optional, tag = "2")]
    pub(in crate::native) lhs: Option<ShapedSlice>,
    #[prost(message, optional, tag = "3")]
    pub(in crate::native) rhs: Option<ShapedSlice>,
    #[prost(message, optional, tag = "4")]
    pub(in crate::native) result: Option<ShapedSlice>,
}

/// Source: `DotDimensionNumbers` in xla/xla_data.proto.
#[derive(Clone, PartialEq, Message)]
pub(in crate::native) struct DotDimensions {
    #[prost(int64, repeated, tag = "1")]
    pub(in crate::native) lhs_contracting: Vec<i64>,
    #[prost(int64, repeated, tag = "2")]
    pub(in crate::native) rhs_contracting: Vec<i64>,
    #[prost(int64, repeated, tag = "3")]
    pub(in crate::native) lhs_batch: Vec<i64>,
    #[prost(int64, repeated, tag = "4")]
    pub(in crate::native) rhs_batch: Vec<i64>,
}

/// Source: `ConvolutionThunkProto`.
#[derive(Clone, PartialEq, Message)]
pub(in crate::native) struct Convolution {
    #[prost(message, optional, tag = "1")]
    pub(in crate::native) dimensions: Option<ConvolutionDimensions>,
    #[prost(message, optional, tag = "2")]
    pub(in crate::native) window: Option<Window>,
    #[prost(int64, tag = "3")]
    pub(in crate::native) feature_groups: i64,
    #[prost(message, optional, tag = "4")]
    pub(in crate::native) input: Option<ShapedSlice>,
    #[prost(message, optional, tag = "5")]
    pub(in crate::native) kernel: Option<ShapedSlice>,
    #[prost(message, optional, tag = "6")]
    pub(in crate::native) result: Option<ShapedSlice>,
    #[prost(message, optional, tag = "7")]
    pub(in crate::native) options: Option<ConvolutionOptions>,
}

/// Source: `ConvolutionThunkProto.Options`.
#[derive(Clone, PartialEq, Message)]
pub(in crate::native) struct ConvolutionOptions {
    #[prost(bool, tag = "1")]
    pub(in crate::native) multi_threaded: bool,
}

/// Source: `ConvolutionDimensionNumbers` in xla/xla_data.proto.
#[derive(Clone, PartialEq, Message)]
pub(in crate::native) struct ConvolutionDimensions {
    #[prost(int64, tag = "3")]
    pub(in crate::native) kernel_input_feature: i64,
    #[prost(int64, tag = "4")]
    pub(in crate::native) kernel_output_feature: i64,
    #[prost(int64, repeated, tag = "6")]
    pub(in crate::native) kernel_spatial: Vec<i64>,
    #[prost(int64, tag = "7")]
    pub(in crate::native) input_batch: i64,
    #[prost(int64, tag = "8")]
    pub(in crate::native) input_feature: i64,
    #[prost(int64, tag = "9")]
    pub(in crate::native) output_batch: i64,
    #[prost(int64, tag = "10")]
    pub(in crate::native) output_feature: i64,
    #[prost(int64, repeated, tag = "11")]
    pub(in crate::native) input_spatial: Vec<i64>,
    #[prost(int64, repeated, tag = "12")]
    pub(in crate::native) output_spatial: Vec<i64>,
}

/// Source: `Window` in xla/xla_data.proto.
#[derive(Clone, PartialEq, Message)]
pub(in crate::native) struct Window {
    #[prost(message, repeated, tag = "1")]
    pub(in crate::native) dimensions: Vec<WindowDimension>,
}

/// Source: `WindowDimension` in xla/xla_data.proto.
#[derive(Clone, PartialEq, Message)]
pub(in crate::native) struct WindowDimension {
    #[prost(int64, tag = "1")]
    pub(in crate::native) size: i64,
    #[prost(int64, tag = "2")]
    pub(in crate::native) stride: i64,
    #[prost(int64, tag = "3")]
    pub(in crate::native) padding_low: i64,
    #[prost(int64, tag = "4")]
    pub(in crate::native) padding_high: i64,
    #[prost(int64, tag = "5")]
    pub(in crate::native) window_dilation: i64,
    #[prost(int64, tag = "6")]
    pub(in crate::native) base_dilation: i64,
    #[prost(bool, tag = "7")]
    pub(in crate::native) reversal: bool,
}

/// Source: `FftThunkProto`.
#[derive(Clone, PartialEq, Message)]
pub(in crate::native) struct Fft {
    #[prost(bool, tag = "1")]
    pub(in crate::native) is_multi_threaded: bool,
    #[prost(int32, tag = "2")]
    pub(in crate::native) kind: i32,
    #[prost(int64, repeated, tag = "3")]
    pub(in crate::native) lengths: Vec<i64>,
    #[prost(message, optional, tag = "4")]
    pub(in crate::native) input: Option<ShapedSlice>,
    #[prost(message, optional, tag = "5")]
    pub(in crate::native) result: Option<ShapedSlice>,
}

/// Source: `SortThunkProto`.
#[derive(Clone, PartialEq, Message)]
pub(in crate::native) struct Sort {
    #[prost(int64, tag = "1")]
    pub(in crate::native) axis: i64,
    #[prost(bool, tag = "2")]
    pub(in crate::native) is_stable: bool,
    #[prost(message, optional, tag = "3")]
    pub(in crate::native) direction: Option<KnownDirection>,
    #[prost(string, tag = "4")]
    pub(in crate::native) comparator: String,
    #[prost(message, repeated, tag = "5")]
    pub(in crate::native) operands: Vec<ShapedSlice>,
}

/// Source: `SortDirectionOptional`.
#[derive(Clone, PartialEq, Message)]
pub(in crate::native) struct KnownDirection {
    #[prost(int32, tag = "1")]
    pub(in crate::native) value: i32,
    #[prost(bool, tag = "2")]
    pub(in crate::native) is_known: bool,
}

/// Source: `TopKThunkProto`.
#[derive(Clone, PartialEq, Message)]
pub(in crate::native) struct TopK {
    #[prost(int64, tag = "1")]
    pub(in crate::native) rows: i64,
    #[prost(int64, tag = "2")]
    pub(in crate::native) length: i64,
    #[prost(int64, tag = "3")]
    pub(in crate::native) k: i64,
    #[prost(message, optional, tag = "4")]
    pub(in crate::native) input: Option<AllocationSlice>,
    #[prost(message, optional, tag = "5")]
    pub(in crate::native) values: Option<AllocationSlice>,
    #[prost(message, optional, tag = "6")]
    pub(in crate::native) indices: Option<AllocationSlice>,
}

/// Source: `RngGetAndUpdateStateThunkProto`.
#[derive(Clone, PartialEq, Message)]
pub(in crate::native) struct RngState {
    #[prost(int64, tag = "1")]
    pub(in crate::native) delta: i64,
    #[prost(message, optional, tag = "2")]
    pub(in crate::native) state: Option<AllocationSlice>,
}

/// Source: `PartitionIdThunkProto`, `ReplicaIdThunkProto`.
#[derive(Clone, PartialEq, Message)]
pub(in crate::native) struct LogicalId {
    #[prost(message, optional, tag = "1")]
    pub(in crate::native) result: Option<AllocationSlice>,
}

/// Source: `CustomCallThunkProto`.
#[derive(Clone, PartialEq, Message)]
pub(in crate::native) struct CustomCall {
    /// The number of a `CustomCallApiVersion`.
    #[prost(int32, tag = "1")]
    pub(in crate::native) api_version: i32,
    #[prost(string, tag = "2")]
    pub(in crate::native) target: String,
    #[prost(string, tag = "3")]
    pub(in crate::native) backend_config: String,
    #[prost(message, optional, tag = "4")]
    pub(in crate::native) buffers: Option<CustomCallBuffers>,
}

/// Source: `CustomCallThunkProto.OpBuffers`.
#[derive(Clone, PartialEq, Message)]
pub(in crate::native) struct CustomCallBuffers {
    #[prost(message, repeated, tag = "1")]
    pub(in crate::native) operands: Vec<ShapedSlice>,
    #[prost(message, repeated, tag = "2")]
    pub(in crate::native) results: Vec<ShapedSlice>,
    #[prost(bool, tag = "3")]
    pub(in crate::native) is_tuple_result: bool,
}
