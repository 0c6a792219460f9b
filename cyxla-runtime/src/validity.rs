//! Bytes that came from a program, made into bytes that Rust allows.

use std::mem::MaybeUninit;

use cyxla_artifact::DType;

/// Makes each byte one that Rust's type of the element can have.
///
/// XLA takes any byte but 0 for true, and leaves the upper half of the byte around a 4-bit integer open.
///
/// # Safety
/// All bytes are initialised.
#[inline]
pub(crate) unsafe fn make_valid(dtype: DType, bytes: &mut [MaybeUninit<u8>]) {
    let valid: fn(u8) -> u8 = match dtype {
        DType::Bool => |byte| u8::from(byte != 0),
        DType::U4 => |byte| byte & 0x0F,
        DType::I4 => |byte| ((byte << 4).cast_signed() >> 4).cast_unsigned(),
        _ => return,
    };
    for byte in bytes {
        // SAFETY: as the caller promises.
        byte.write(valid(unsafe { byte.assume_init() }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn valid(dtype: DType, bytes: &[u8]) -> Vec<u8> {
        let mut bytes: Vec<_> = bytes.iter().copied().map(MaybeUninit::new).collect();
        // SAFETY: all were initialized above.
        unsafe { make_valid(dtype, &mut bytes) };
        // SAFETY: as above.
        bytes
            .iter()
            .map(|byte| unsafe { byte.assume_init() })
            .collect()
    }

    #[test]
    fn any_byte_but_zero_is_true() {
        assert_eq!(valid(DType::Bool, &[0, 1, 2, 255]), [0, 1, 1, 1]);
        assert_eq!(valid(DType::U8, &[0, 1, 2, 255]), [0, 1, 2, 255]);
    }

    #[test]
    fn four_bits_are_extended_by_their_sign() {
        // -1 is 1111 in binary, -8 is 1000.
        assert_eq!(
            valid(DType::I4, &[0x0F, 0xF8, 0x07, 0x38]),
            [0xFF, 0xF8, 7, 0xF8]
        );
        assert_eq!(valid(DType::U4, &[0x0F, 0xF8, 0x07]), [15, 8, 7]);
    }
}
