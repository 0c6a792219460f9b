//! Element types by their numbers in XLA FFI, which are not those of PJRT.

use cyxla_artifact::DType;
use cyxla_pjrt_sys::xla_ffi as sys;
use cyxla_pjrt_sys::xla_ffi::XLA_FFI_DataType;

/// The element type with this number; none if cyxla does not carry it.
///
/// Source: `XLA_FFI_DataType`.
pub(super) const fn from_xla(number: XLA_FFI_DataType) -> Option<DType> {
    Some(match number {
        sys::XLA_FFI_DataType_PRED => DType::Bool,
        sys::XLA_FFI_DataType_S4 => DType::I4,
        sys::XLA_FFI_DataType_S8 => DType::I8,
        sys::XLA_FFI_DataType_S16 => DType::I16,
        sys::XLA_FFI_DataType_S32 => DType::I32,
        sys::XLA_FFI_DataType_S64 => DType::I64,
        sys::XLA_FFI_DataType_U4 => DType::U4,
        sys::XLA_FFI_DataType_U8 => DType::U8,
        sys::XLA_FFI_DataType_U16 => DType::U16,
        sys::XLA_FFI_DataType_U32 => DType::U32,
        sys::XLA_FFI_DataType_U64 => DType::U64,
        sys::XLA_FFI_DataType_F8E3M4 => DType::F8E3M4,
        sys::XLA_FFI_DataType_F8E4M3 => DType::F8E4M3,
        sys::XLA_FFI_DataType_F8E4M3FN => DType::F8E4M3FN,
        sys::XLA_FFI_DataType_F8E4M3FNUZ => DType::F8E4M3FNUZ,
        sys::XLA_FFI_DataType_F8E4M3B11FNUZ => DType::F8E4M3B11FNUZ,
        sys::XLA_FFI_DataType_F8E5M2 => DType::F8E5M2,
        sys::XLA_FFI_DataType_F8E5M2FNUZ => DType::F8E5M2FNUZ,
        sys::XLA_FFI_DataType_F8E8M0FNU => DType::F8E8M0FNU,
        sys::XLA_FFI_DataType_BF16 => DType::BF16,
        sys::XLA_FFI_DataType_F16 => DType::F16,
        sys::XLA_FFI_DataType_F32 => DType::F32,
        sys::XLA_FFI_DataType_F64 => DType::F64,
        sys::XLA_FFI_DataType_C64 => DType::C64,
        sys::XLA_FFI_DataType_C128 => DType::C128,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_element_type_has_a_number_of_its_own() {
        let found: Vec<_> = (0..64).filter_map(from_xla).collect();
        for dtype in DType::ALL {
            let numbers = found.iter().filter(|found| *found == dtype);
            assert_eq!(numbers.count(), 1, "{dtype}");
        }
    }
}
