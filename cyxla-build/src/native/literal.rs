use cyxla_artifact::{ArrayType, DType};

use super::proto::{Instruction, Literal};
use super::{NotExpressible, ensure, shape};

/// The elements of a constant, as they lie in memory.
///
/// A literal holds them in the order of its own layout, which must be that of the instruction.
///
/// Source: `LiteralBase::Piece::WriteToProto` in xla/literal.cc.
pub(super) fn bytes(constant: &Instruction) -> Result<Vec<u8>, NotExpressible> {
    let literal = constant.literal.as_ref();
    let literal = literal.ok_or_else(|| NotExpressible::new("a constant has no value"))?;
    let (Some(given), Some(wanted)) = (&literal.shape, &constant.shape) else {
        return Err(NotExpressible::new("a constant has no shape"));
    };
    let shape = shape::shape(given)?;
    ensure!(
        shape == shape::shape(wanted)?,
        "a constant has another shape than its value"
    );
    let nbytes = ArrayType::new(shape.dtype, &shape.dims)
        .map_err(NotExpressible::new)?
        .nbytes();
    let bytes = elements(literal, shape.dtype)?;
    ensure!(
        bytes.len() == nbytes,
        "a constant of {nbytes} bytes has {} in its literal",
        bytes.len()
    );
    Ok(bytes)
}

fn elements(literal: &Literal, dtype: DType) -> Result<Vec<u8>, NotExpressible> {
    macro_rules! little_endian {
        ($numbers:expr) => {
            $numbers.iter().flat_map(|n| n.to_le_bytes()).collect()
        };
    }
    Ok(match dtype {
        DType::Bool => literal.preds.iter().map(|&bit| u8::from(bit)).collect(),
        DType::I8 => literal.s8s.clone(),
        DType::I16 => literal.s16s.clone(),
        DType::I32 => little_endian!(literal.s32s),
        DType::I64 => little_endian!(literal.s64s),
        DType::U8 => literal.u8s.clone(),
        DType::U16 => literal.u16s.clone(),
        DType::U32 => little_endian!(literal.u32s),
        DType::U64 => little_endian!(literal.u64s),
        DType::F16 => literal.f16s.clone(),
        DType::BF16 => literal.bf16s.clone(),
        DType::F32 => little_endian!(literal.f32s),
        DType::F64 => little_endian!(literal.f64s),
        DType::C64 => little_endian!(literal.c64s),
        DType::C128 => little_endian!(literal.c128s),
        DType::F8E3M4 => literal.f8e3m4s.clone(),
        DType::F8E4M3 => literal.f8e4m3s.clone(),
        DType::F8E4M3FN => literal.f8e4m3fns.clone(),
        DType::F8E4M3FNUZ => literal.f8e4m3fnuzs.clone(),
        DType::F8E4M3B11FNUZ => literal.f8e4m3b11fnuzs.clone(),
        DType::F8E5M2 => literal.f8e5m2s.clone(),
        DType::F8E5M2FNUZ => literal.f8e5m2fnuzs.clone(),
        DType::F8E8M0FNU => literal.f8e8m0fnus.clone(),
        _ => {
            return Err(NotExpressible::new(format!(
                "it has constants of {}",
                dtype.name()
            )));
        }
    })
}
