use prost::Message;

use super::hlo::ModuleWithConfig;

/// What XLA:CPU's client serializes, around the executable.
///
/// Source: `ExecutableAndOptionsProto` in xla/pjrt/proto/compile_options.proto.
#[derive(Clone, PartialEq, Message)]
pub(in crate::native) struct Outer {
    #[prost(bytes = "vec", tag = "1")]
    pub(in crate::native) executable: Vec<u8>,
}

/// Source: `CompilationResultProto` in xla/service/cpu/executable.proto.
#[derive(Clone, PartialEq, Message)]
pub(in crate::native) struct CompilationResult {
    #[prost(message, optional, tag = "1")]
    pub(in crate::native) module: Option<ModuleWithConfig>,
    #[prost(bytes = "vec", tag = "2")]
    pub(in crate::native) buffer_assignment: Vec<u8>,
    #[prost(enumeration = "ObjectKind", tag = "5")]
    pub(in crate::native) object_kind: i32,
    #[prost(bytes = "vec", tag = "6")]
    pub(in crate::native) thunk_sequence: Vec<u8>,
    #[prost(message, repeated, tag = "7")]
    pub(in crate::native) symbols: Vec<CompiledSymbol>,
    #[prost(message, repeated, tag = "8")]
    pub(in crate::native) objects: Vec<ObjectFile>,
    #[prost(message, optional, tag = "9")]
    pub(in crate::native) target: Option<TargetMachine>,
}

/// Source: `CompilationResultProto.ObjFileKind`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, prost::Enumeration)]
pub(in crate::native) enum ObjectKind {
    Unknown = 0,
    Classic = 1,
    Kernels = 2,
}

/// Source: `SymbolProto` in xla/service/cpu/executable.proto.
#[derive(Clone, PartialEq, Message)]
pub(in crate::native) struct CompiledSymbol {
    #[prost(enumeration = "FunctionType", tag = "1")]
    pub(in crate::native) function_type: i32,
    #[prost(string, tag = "2")]
    pub(in crate::native) name: String,
}

/// Source: `SymbolProto.FunctionTypeId`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, prost::Enumeration)]
pub(in crate::native) enum FunctionType {
    Unknown = 0,
    Kernel = 1,
    Comparator = 2,
}

/// Source: `ObjFileProto` in xla/service/cpu/executable.proto.
#[derive(Clone, PartialEq, Message)]
pub(in crate::native) struct ObjectFile {
    #[prost(bytes = "vec", tag = "1")]
    pub(in crate::native) contents: Vec<u8>,
    #[prost(string, tag = "2")]
    pub(in crate::native) name: String,
}

/// Source: `TargetMachineOptionsProto` in xla/service/cpu/executable.proto.
#[derive(Clone, PartialEq, Message)]
pub(in crate::native) struct TargetMachine {
    #[prost(string, tag = "1")]
    pub(in crate::native) triple: String,
    #[prost(string, tag = "2")]
    pub(in crate::native) cpu: String,
    /// `+avx,-amx-tile`, …
    #[prost(string, tag = "3")]
    pub(in crate::native) features: String,
}

/// Source: `BufferAssignmentProto` in xla/service/hlo.proto.
#[derive(Clone, PartialEq, Message)]
pub(in crate::native) struct BufferAssignment {
    #[prost(message, repeated, tag = "1")]
    pub(in crate::native) buffers: Vec<LogicalBuffer>,
    #[prost(message, repeated, tag = "2")]
    pub(in crate::native) aliases: Vec<BufferAlias>,
    /// Read one by one, with every field.
    #[prost(bytes = "vec", repeated, tag = "3")]
    pub(in crate::native) allocations: Vec<Vec<u8>>,
}

/// Source: `LogicalBufferProto` in xla/service/hlo.proto.
#[derive(Clone, PartialEq, Message)]
pub(in crate::native) struct LogicalBuffer {
    #[prost(int64, tag = "1")]
    pub(in crate::native) id: i64,
    #[prost(message, optional, tag = "3")]
    pub(in crate::native) defined_at: Option<Location>,
}

/// Source: `LogicalBufferProto.Location`.
#[derive(Clone, PartialEq, Message)]
pub(in crate::native) struct Location {
    #[prost(int64, repeated, tag = "3")]
    pub(in crate::native) shape_index: Vec<i64>,
    #[prost(int64, tag = "4")]
    pub(in crate::native) instruction: i64,
}

/// Source: `BufferAssignmentProto.BufferAlias`.
#[derive(Clone, PartialEq, Message)]
pub(in crate::native) struct BufferAlias {
    #[prost(int64, tag = "1")]
    pub(in crate::native) buffer: i64,
    #[prost(message, optional, tag = "2")]
    pub(in crate::native) location: Option<Location>,
}

/// Source: `BufferAllocationProto` in xla/service/hlo.proto.
#[derive(Clone, PartialEq, Message)]
#[expect(clippy::struct_excessive_bools, reason = "as the message has them")]
pub(in crate::native) struct BufferAllocation {
    #[prost(int64, tag = "1")]
    pub(in crate::native) index: i64,
    #[prost(int64, tag = "2")]
    pub(in crate::native) size: i64,
    #[prost(bool, tag = "3")]
    pub(in crate::native) is_thread_local: bool,
    #[prost(bool, tag = "5")]
    pub(in crate::native) is_parameter: bool,
    #[prost(int64, tag = "6")]
    pub(in crate::native) parameter_number: i64,
    #[prost(bool, tag = "7")]
    pub(in crate::native) maybe_live_out: bool,
    #[prost(int64, tag = "8")]
    pub(in crate::native) color: i64,
    #[prost(message, repeated, tag = "9")]
    pub(in crate::native) assigned: Vec<Assigned>,
    #[prost(int64, repeated, tag = "10")]
    pub(in crate::native) parameter_shape_index: Vec<i64>,
    #[prost(bool, tag = "11")]
    pub(in crate::native) is_tuple: bool,
    #[prost(bool, tag = "12")]
    pub(in crate::native) is_constant: bool,
    #[prost(bool, tag = "13")]
    pub(in crate::native) is_aliased_with_output: bool,
}

/// Source: `BufferAllocationProto.Assigned`.
#[derive(Clone, PartialEq, Message)]
pub(in crate::native) struct Assigned {
    #[prost(int64, tag = "1")]
    pub(in crate::native) buffer: i64,
    #[prost(int64, tag = "2")]
    pub(in crate::native) offset: i64,
    #[prost(int64, tag = "3")]
    pub(in crate::native) size: i64,
    #[prost(int32, tag = "4")]
    pub(in crate::native) element_type: i32,
}
