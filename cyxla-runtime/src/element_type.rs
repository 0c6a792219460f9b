//! Element types by their numbers in PJRT.

use cyxla_artifact::DType;
use cyxla_pjrt_sys as sys;
use cyxla_pjrt_sys::PJRT_Buffer_Type;

/// The number of an element type; none for one that this version of cyxla can't carry.
///
/// Source: `PJRT_Buffer_Type`.
pub(crate) const fn to_pjrt(dtype: DType) -> Option<PJRT_Buffer_Type> {
    Some(match dtype {
        DType::Bool => sys::PJRT_Buffer_Type_PRED,
        DType::I4 => sys::PJRT_Buffer_Type_S4,
        DType::I8 => sys::PJRT_Buffer_Type_S8,
        DType::I16 => sys::PJRT_Buffer_Type_S16,
        DType::I32 => sys::PJRT_Buffer_Type_S32,
        DType::I64 => sys::PJRT_Buffer_Type_S64,
        DType::U4 => sys::PJRT_Buffer_Type_U4,
        DType::U8 => sys::PJRT_Buffer_Type_U8,
        DType::U16 => sys::PJRT_Buffer_Type_U16,
        DType::U32 => sys::PJRT_Buffer_Type_U32,
        DType::U64 => sys::PJRT_Buffer_Type_U64,
        DType::F8E3M4 => sys::PJRT_Buffer_Type_F8E3M4,
        DType::F8E4M3 => sys::PJRT_Buffer_Type_F8E4M3,
        DType::F8E4M3FN => sys::PJRT_Buffer_Type_F8E4M3FN,
        DType::F8E4M3FNUZ => sys::PJRT_Buffer_Type_F8E4M3FNUZ,
        DType::F8E4M3B11FNUZ => sys::PJRT_Buffer_Type_F8E4M3B11FNUZ,
        DType::F8E5M2 => sys::PJRT_Buffer_Type_F8E5M2,
        DType::F8E5M2FNUZ => sys::PJRT_Buffer_Type_F8E5M2FNUZ,
        DType::F8E8M0FNU => sys::PJRT_Buffer_Type_F8E8M0FNU,
        DType::BF16 => sys::PJRT_Buffer_Type_BF16,
        DType::F16 => sys::PJRT_Buffer_Type_F16,
        DType::F32 => sys::PJRT_Buffer_Type_F32,
        DType::F64 => sys::PJRT_Buffer_Type_F64,
        DType::C64 => sys::PJRT_Buffer_Type_C64,
        DType::C128 => sys::PJRT_Buffer_Type_C128,
        _ => return None,
    })
}

/// The element type with this number; none if cyxla does not carry it.
pub(crate) fn from_pjrt(number: PJRT_Buffer_Type) -> Option<DType> {
    let mut all = DType::ALL.iter().copied();
    all.find(|&dtype| to_pjrt(dtype) == Some(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_element_type_has_a_number_of_its_own() {
        for &dtype in DType::ALL {
            assert_eq!(to_pjrt(dtype).and_then(from_pjrt), Some(dtype));
        }
    }

    #[test]
    fn numbers_that_cyxla_does_not_carry_are_none() {
        for number in [
            sys::PJRT_Buffer_Type_INVALID,
            sys::PJRT_Buffer_Type_TOKEN,
            sys::PJRT_Buffer_Type_S2,
            99,
        ] {
            assert_eq!(from_pjrt(number), None);
        }
    }
}
