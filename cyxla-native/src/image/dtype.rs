use cyxla_artifact::DType;

macro_rules! numbers {
    ($($number:literal = $dtype:ident,)*) => {
        /// The number of an element type in XLA.
        ///
        /// Source: `PrimitiveType` in xla/xla_data.proto.
        pub const fn xla_number(dtype: DType) -> Option<u8> {
            match dtype { $(DType::$dtype => Some($number),)* _ => None }
        }

        /// The element type of a number in XLA, if it is one that cyxla carries.
        ///
        /// Source: `PrimitiveType` in xla/xla_data.proto.
        pub const fn from_xla_number(number: u8) -> Option<DType> {
            match number { $($number => Some(DType::$dtype),)* _ => None }
        }
    };
}

numbers! {
    1 = Bool,
    2 = I8,
    3 = I16,
    4 = I32,
    5 = I64,
    6 = U8,
    7 = U16,
    8 = U32,
    9 = U64,
    10 = F16,
    11 = F32,
    12 = F64,
    15 = C64,
    16 = BF16,
    18 = C128,
    19 = F8E5M2,
    20 = F8E4M3FN,
    21 = I4,
    22 = U4,
    23 = F8E4M3B11FNUZ,
    24 = F8E5M2FNUZ,
    25 = F8E4M3FNUZ,
    28 = F8E4M3,
    29 = F8E3M4,
    33 = F8E8M0FNU,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_element_type_has_its_number() {
        for &dtype in DType::ALL {
            assert_eq!(xla_number(dtype).and_then(from_xla_number), Some(dtype));
        }
    }
}
