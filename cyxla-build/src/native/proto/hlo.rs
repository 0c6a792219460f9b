use prost::Message;

use super::array::{Literal, Shape};

/// Source: `HloModuleProtoWithConfig` in xla/xla.proto.
#[derive(Clone, PartialEq, Message)]
pub(in crate::native) struct ModuleWithConfig {
    #[prost(message, optional, tag = "1")]
    pub(in crate::native) module: Option<Module>,
}

/// Source: `HloModuleProto` in xla/service/hlo.proto.
#[derive(Clone, PartialEq, Message)]
pub(in crate::native) struct Module {
    #[prost(string, tag = "1")]
    pub(in crate::native) name: String,
    #[prost(message, repeated, tag = "3")]
    pub(in crate::native) computations: Vec<Computation>,
    #[prost(message, optional, tag = "4")]
    pub(in crate::native) host_program_shape: Option<ProgramShape>,
    #[prost(int64, tag = "6")]
    pub(in crate::native) entry_computation: i64,
}

/// Source: `ProgramShapeProto` in xla/xla_data.proto.
#[derive(Clone, PartialEq, Message)]
pub(in crate::native) struct ProgramShape {
    #[prost(message, repeated, tag = "1")]
    pub(in crate::native) parameters: Vec<Shape>,
    #[prost(message, optional, tag = "2")]
    pub(in crate::native) result: Option<Shape>,
}

/// Source: `HloComputationProto` in xla/service/hlo.proto.
#[derive(Clone, PartialEq, Message)]
pub(in crate::native) struct Computation {
    #[prost(message, repeated, tag = "2")]
    pub(in crate::native) instructions: Vec<Instruction>,
    #[prost(int64, tag = "5")]
    pub(in crate::native) id: i64,
    #[prost(int64, tag = "6")]
    pub(in crate::native) root: i64,
}

/// Source: `HloInstructionProto` in xla/service/hlo.proto.
#[derive(Clone, PartialEq, Message)]
pub(in crate::native) struct Instruction {
    #[prost(string, tag = "2")]
    pub(in crate::native) opcode: String,
    #[prost(message, optional, tag = "3")]
    pub(in crate::native) shape: Option<Shape>,
    #[prost(message, optional, tag = "8")]
    pub(in crate::native) literal: Option<Literal>,
    #[prost(int64, tag = "13")]
    pub(in crate::native) tuple_index: i64,
    #[prost(int64, tag = "35")]
    pub(in crate::native) id: i64,
    #[prost(int64, repeated, tag = "36")]
    pub(in crate::native) operands: Vec<i64>,
    #[prost(int64, repeated, tag = "38")]
    pub(in crate::native) called_computations: Vec<i64>,
}
