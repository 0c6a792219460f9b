//! The routines that machine code of XLA may call: this table, and nothing else of the process.
//!
//! Elementary functions are those of Rust's standard library, which are the system's, as in XLA's own process.

use std::ffi::{c_int, c_void};

use half::{bf16, f16};

use crate::image::Symbol;

/// Where a routine begins.
#[expect(clippy::too_many_lines, reason = "a table")]
pub(crate) fn address_of(symbol: Symbol) -> usize {
    macro_rules! table {
        ($($variant:ident: $type:ty = $function:expr;)*) => {
            match symbol {
                $(Symbol::$variant => {
                    let function: $type = $function;
                    function as usize
                })*
            }
        };
    }
    type Unary = extern "C" fn(f64) -> f64;
    type UnaryF = extern "C" fn(f32) -> f32;
    type Binary = extern "C" fn(f64, f64) -> f64;
    type BinaryF = extern "C" fn(f32, f32) -> f32;
    /// A function of the standard library, or of `libm`, as C calls it.
    macro_rules! c {
        ($float:ty, $function:path) => {{
            extern "C" fn call(x: $float) -> $float {
                $function(x)
            }
            call
        }};
        ($float:ty, $float2:ty, $function:path) => {{
            extern "C" fn call(x: $float, y: $float2) -> $float {
                $function(x, y)
            }
            call
        }};
    }
    table! {
        Memcpy: unsafe extern "C" fn(*mut c_void, *const c_void, usize) -> *mut c_void = memcpy;
        Memmove: unsafe extern "C" fn(*mut c_void, *const c_void, usize) -> *mut c_void = memmove;
        Memset: unsafe extern "C" fn(*mut c_void, c_int, usize) -> *mut c_void = memset;
        Sin: Unary = c!(f64, f64::sin);
        Sinf: UnaryF = c!(f32, f32::sin);
        Cos: Unary = c!(f64, f64::cos);
        Cosf: UnaryF = c!(f32, f32::cos);
        Sincos: unsafe extern "C" fn(f64, *mut f64, *mut f64) = sincos;
        Sincosf: unsafe extern "C" fn(f32, *mut f32, *mut f32) = sincosf;
        Tan: Unary = c!(f64, f64::tan);
        Tanf: UnaryF = c!(f32, f32::tan);
        Asin: Unary = c!(f64, f64::asin);
        Asinf: UnaryF = c!(f32, f32::asin);
        Acos: Unary = c!(f64, f64::acos);
        Acosf: UnaryF = c!(f32, f32::acos);
        Atan: Unary = c!(f64, f64::atan);
        Atanf: UnaryF = c!(f32, f32::atan);
        Atan2: Binary = c!(f64, f64, f64::atan2);
        Atan2f: BinaryF = c!(f32, f32, f32::atan2);
        Sinh: Unary = c!(f64, f64::sinh);
        Sinhf: UnaryF = c!(f32, f32::sinh);
        Cosh: Unary = c!(f64, f64::cosh);
        Coshf: UnaryF = c!(f32, f32::cosh);
        Tanh: Unary = c!(f64, f64::tanh);
        Tanhf: UnaryF = c!(f32, f32::tanh);
        Asinh: Unary = c!(f64, libm::asinh);
        Asinhf: UnaryF = c!(f32, libm::asinhf);
        Acosh: Unary = c!(f64, libm::acosh);
        Acoshf: UnaryF = c!(f32, libm::acoshf);
        Atanh: Unary = c!(f64, libm::atanh);
        Atanhf: UnaryF = c!(f32, libm::atanhf);
        Exp: Unary = c!(f64, f64::exp);
        Expf: UnaryF = c!(f32, f32::exp);
        Exp2: Unary = c!(f64, f64::exp2);
        Exp2f: UnaryF = c!(f32, f32::exp2);
        Expm1: Unary = c!(f64, f64::exp_m1);
        Expm1f: UnaryF = c!(f32, f32::exp_m1);
        Log: Unary = c!(f64, f64::ln);
        Logf: UnaryF = c!(f32, f32::ln);
        Log2: Unary = c!(f64, f64::log2);
        Log2f: UnaryF = c!(f32, f32::log2);
        Log10: Unary = c!(f64, f64::log10);
        Log10f: UnaryF = c!(f32, f32::log10);
        Log1p: Unary = c!(f64, f64::ln_1p);
        Log1pf: UnaryF = c!(f32, f32::ln_1p);
        Pow: Binary = c!(f64, f64, f64::powf);
        Powf: BinaryF = c!(f32, f32, f32::powf);
        Cbrt: Unary = c!(f64, f64::cbrt);
        Cbrtf: UnaryF = c!(f32, f32::cbrt);
        Sqrt: Unary = c!(f64, f64::sqrt);
        Sqrtf: UnaryF = c!(f32, f32::sqrt);
        Hypot: Binary = c!(f64, f64, f64::hypot);
        Hypotf: BinaryF = c!(f32, f32, f32::hypot);
        Erf: Unary = c!(f64, libm::erf);
        Erff: UnaryF = c!(f32, libm::erff);
        Erfc: Unary = c!(f64, libm::erfc);
        Erfcf: UnaryF = c!(f32, libm::erfcf);
        Tgamma: Unary = c!(f64, libm::tgamma);
        Tgammaf: UnaryF = c!(f32, libm::tgammaf);
        Powidf2: extern "C" fn(f64, c_int) -> f64 = c!(f64, c_int, f64::powi);
        Powisf2: extern "C" fn(f32, c_int) -> f32 = c!(f32, c_int, f32::powi);
        Copysign: Binary = c!(f64, f64, f64::copysign);
        Copysignf: BinaryF = c!(f32, f32, f32::copysign);
        Fmod: Binary = c!(f64, f64, libm::fmod);
        Fmodf: BinaryF = c!(f32, f32, libm::fmodf);
        Fma: extern "C" fn(f64, f64, f64) -> f64 = fma;
        Fmaf: extern "C" fn(f32, f32, f32) -> f32 = fmaf;
        Floor: Unary = c!(f64, f64::floor);
        Floorf: UnaryF = c!(f32, f32::floor);
        Ceil: Unary = c!(f64, f64::ceil);
        Ceilf: UnaryF = c!(f32, f32::ceil);
        Trunc: Unary = c!(f64, f64::trunc);
        Truncf: UnaryF = c!(f32, f32::trunc);
        Round: Unary = c!(f64, f64::round);
        Roundf: UnaryF = c!(f32, f32::round);
        Roundeven: Unary = c!(f64, f64::round_ties_even);
        Roundevenf: UnaryF = c!(f32, f32::round_ties_even);
        Rint: Unary = c!(f64, f64::round_ties_even);
        Rintf: UnaryF = c!(f32, f32::round_ties_even);
        Nearbyint: Unary = c!(f64, f64::round_ties_even);
        Nearbyintf: UnaryF = c!(f32, f32::round_ties_even);
        TruncSfHf: UnaryF = f32_to_half;
        TruncDfHf: extern "C" fn(f64) -> f32 = f64_to_half;
        ExtendHfSf: UnaryF = half_to_f32;
        GnuF2h: UnaryF = f32_to_half;
        GnuH2f: UnaryF = half_to_f32;
        TruncSfBf: UnaryF = f32_to_bfloat;
        TruncDfBf: extern "C" fn(f64) -> f32 = f64_to_bfloat;
    }
}

/// # Safety
/// As in C: that many bytes at both places, which don't overlap.
unsafe extern "C" fn memcpy(to: *mut c_void, from: *const c_void, size: usize) -> *mut c_void {
    // SAFETY: as the caller promises.
    unsafe { std::ptr::copy_nonoverlapping(from.cast::<u8>(), to.cast::<u8>(), size) }
    to
}

/// # Safety
/// As in C: that many bytes at both places.
unsafe extern "C" fn memmove(to: *mut c_void, from: *const c_void, size: usize) -> *mut c_void {
    // SAFETY: as the caller promises.
    unsafe { std::ptr::copy(from.cast::<u8>(), to.cast::<u8>(), size) }
    to
}

/// # Safety
/// As in C: room for that many bytes.
unsafe extern "C" fn memset(to: *mut c_void, byte: c_int, size: usize) -> *mut c_void {
    // SAFETY: as the caller promises. C takes the lowest byte.
    unsafe { std::ptr::write_bytes(to.cast::<u8>(), byte.to_le_bytes()[0], size) }
    to
}

/// # Safety
/// Room for a number at both places.
unsafe extern "C" fn sincos(x: f64, sin: *mut f64, cos: *mut f64) {
    let values = x.sin_cos();
    // SAFETY: as the caller promises.
    unsafe {
        sin.write(values.0);
        cos.write(values.1);
    }
}

/// # Safety
/// Room for a number at both places.
unsafe extern "C" fn sincosf(x: f32, sin: *mut f32, cos: *mut f32) {
    let values = x.sin_cos();
    // SAFETY: as the caller promises.
    unsafe {
        sin.write(values.0);
        cos.write(values.1);
    }
}

extern "C" fn fma(x: f64, y: f64, z: f64) -> f64 {
    x.mul_add(y, z)
}

extern "C" fn fmaf(x: f32, y: f32, z: f32) -> f32 {
    x.mul_add(y, z)
}

// The calling convention of x86-64 has 16-bit floats in the lower bits of a register of `float`.

fn in_register(bits: u16) -> f32 {
    f32::from_bits(u32::from(bits))
}

extern "C" fn f32_to_half(x: f32) -> f32 {
    in_register(f16::from_f32(x).to_bits())
}

extern "C" fn f64_to_half(x: f64) -> f32 {
    in_register(f16::from_f64(x).to_bits())
}

extern "C" fn half_to_f32(x: f32) -> f32 {
    let [low, high, ..] = x.to_bits().to_le_bytes();
    f16::from_le_bytes([low, high]).to_f32()
}

extern "C" fn f32_to_bfloat(x: f32) -> f32 {
    in_register(bf16::from_f32(x).to_bits())
}

extern "C" fn f64_to_bfloat(x: f64) -> f32 {
    in_register(bf16::from_f64(x).to_bits())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_symbol_has_an_address_of_its_own_or_shares_it_with_what_is_the_same() {
        assert_ne!(address_of(Symbol::Sin), address_of(Symbol::Cos));
        assert_ne!(address_of(Symbol::Memcpy), 0);
    }

    #[test]
    fn halves_are_in_the_lower_bits() {
        assert_eq!(f32_to_half(1.0).to_bits(), 0x3C00);
        assert_eq!(half_to_f32(f32::from_bits(0xFFFF_3C00)), 1.0);
        assert_eq!(f32_to_bfloat(1.0).to_bits(), 0x3F80);
        // Between 1 and the next half, and nearer to 1; a tie goes to the even one.
        assert_eq!(f64_to_half(1.0 + 1.0 / 4096.0).to_bits(), 0x3C00);
        assert_eq!(f64_to_half(1.0 + 1.0 / 2048.0).to_bits(), 0x3C00);
        assert_eq!(f64_to_bfloat(1.0 + 3.0 / 256.0).to_bits(), 0x3F82);
    }
}
