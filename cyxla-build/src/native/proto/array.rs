use prost::Message;

/// Source: `ShapeProto` in xla/xla_data.proto.
#[derive(Clone, PartialEq, Message)]
pub(in crate::native) struct Shape {
    /// The number of a `PrimitiveType`.
    #[prost(int32, tag = "2")]
    pub(in crate::native) element_type: i32,
    #[prost(int64, repeated, tag = "3")]
    pub(in crate::native) dimensions: Vec<i64>,
    #[prost(message, repeated, tag = "4")]
    pub(in crate::native) tuple_shapes: Vec<Shape>,
    #[prost(message, optional, tag = "5")]
    pub(in crate::native) layout: Option<Layout>,
    #[prost(bool, repeated, tag = "6")]
    pub(in crate::native) is_dynamic_dimension: Vec<bool>,
}

/// Tiles, padding, packed elements and other memories are not declared: the elements of an array lie close.
///
/// Source: `LayoutProto` in xla/xla_data.proto.
#[derive(Clone, PartialEq, Message)]
pub(in crate::native) struct Layout {
    #[prost(int64, repeated, tag = "1")]
    pub(in crate::native) minor_to_major: Vec<i64>,
    #[prost(int64, tag = "16")]
    pub(in crate::native) tail_padding_alignment_in_elements: i64,
}

/// Source: `LiteralProto` in xla/xla_data.proto.
#[derive(Clone, PartialEq, Message)]
pub(in crate::native) struct Literal {
    #[prost(message, optional, tag = "1")]
    pub(in crate::native) shape: Option<Shape>,
    #[prost(bool, repeated, tag = "2")]
    pub(in crate::native) preds: Vec<bool>,
    #[prost(bytes = "vec", tag = "3")]
    pub(in crate::native) u8s: Vec<u8>,
    #[prost(int32, repeated, tag = "4")]
    pub(in crate::native) s32s: Vec<i32>,
    #[prost(int64, repeated, tag = "5")]
    pub(in crate::native) s64s: Vec<i64>,
    #[prost(uint32, repeated, tag = "6")]
    pub(in crate::native) u32s: Vec<u32>,
    #[prost(uint64, repeated, tag = "7")]
    pub(in crate::native) u64s: Vec<u64>,
    #[prost(float, repeated, tag = "8")]
    pub(in crate::native) f32s: Vec<f32>,
    #[prost(double, repeated, tag = "9")]
    pub(in crate::native) f64s: Vec<f64>,
    #[prost(bytes = "vec", tag = "11")]
    pub(in crate::native) f16s: Vec<u8>,
    #[prost(float, repeated, tag = "12")]
    pub(in crate::native) c64s: Vec<f32>,
    #[prost(bytes = "vec", tag = "13")]
    pub(in crate::native) bf16s: Vec<u8>,
    #[prost(bytes = "vec", tag = "15")]
    pub(in crate::native) s8s: Vec<u8>,
    #[prost(bytes = "vec", tag = "16")]
    pub(in crate::native) u16s: Vec<u8>,
    #[prost(bytes = "vec", tag = "17")]
    pub(in crate::native) s16s: Vec<u8>,
    #[prost(double, repeated, tag = "18")]
    pub(in crate::native) c128s: Vec<f64>,
    #[prost(bytes = "vec", tag = "19")]
    pub(in crate::native) f8e5m2s: Vec<u8>,
    #[prost(bytes = "vec", tag = "20")]
    pub(in crate::native) f8e4m3fns: Vec<u8>,
    #[prost(bytes = "vec", tag = "23")]
    pub(in crate::native) f8e4m3b11fnuzs: Vec<u8>,
    #[prost(bytes = "vec", tag = "24")]
    pub(in crate::native) f8e5m2fnuzs: Vec<u8>,
    #[prost(bytes = "vec", tag = "25")]
    pub(in crate::native) f8e4m3fnuzs: Vec<u8>,
    #[prost(bytes = "vec", tag = "28")]
    pub(in crate::native) f8e4m3s: Vec<u8>,
    #[prost(bytes = "vec", tag = "29")]
    pub(in crate::native) f8e3m4s: Vec<u8>,
    #[prost(bytes = "vec", tag = "33")]
    pub(in crate::native) f8e8m0fnus: Vec<u8>,
}
