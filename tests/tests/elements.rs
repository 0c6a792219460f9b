//! Every element type goes in and comes out unchanged, and means to JAX what it means to Rust.

use cyxla::{
    BF16, Complex, F8E3M4, F8E4M3, F8E4M3B11FNUZ, F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ,
    F8E8M0FNU, F16, I4, U4,
};

mod identity {
    use super::*;

    macro_rules! unchanged {
        ($($name:ident: $value:expr;)*) => {$(
            #[test]
            fn $name() {
                let value = $value;
                let text = format!("{value:?}");
                assert_eq!(format!("{:?}", super::$name(&value).unwrap()), text);
            }
        )*};
    }

    unchanged! {
        bools: [[true, false], [false, false], [true, true]];
        i4s: [-8, -1, 7].map(|x| I4::new(x).unwrap());
        i8s: [i8::MIN, -1, i8::MAX];
        i16s: [i16::MIN, -1, i16::MAX];
        i32s: [i32::MIN, -1, i32::MAX];
        i64s: [i64::MIN, -1, i64::MAX];
        u4s: [0, 1, 15].map(|x| U4::new(x).unwrap());
        u8s: [0, 1, u8::MAX];
        u16s: [0, 1, u16::MAX];
        u32s: [0, 1, u32::MAX];
        u64s: [0, 1, u64::MAX];
        f16s: [-0.0, 6e-8, 65504.0].map(F16::from_f32);
        bf16s: [-0.0, 1e-38, 3e38].map(BF16::from_f32);
        f32s: [-0.0, f32::MIN_POSITIVE, f32::INFINITY];
        f64s: [-0.0, f64::MIN_POSITIVE, f64::NEG_INFINITY];
        c64s: [Complex::new(1.0f32, -2.0), Complex::new(-0.0, f32::INFINITY)];
        c128s: [Complex::new(1.0f64, -2.0), Complex::new(1e300, 1e-300)];
    }
}

#[cyxla::program("elements:identity")]
fn bools(x: &[[bool; 2]; 3]) -> cyxla::Result<[[bool; 2]; 3]>;
#[cyxla::program("elements:identity")]
fn i4s(x: &[I4; 3]) -> cyxla::Result<[I4; 3]>;
#[cyxla::program("elements:identity")]
fn i8s(x: &[i8; 3]) -> cyxla::Result<[i8; 3]>;
#[cyxla::program("elements:identity")]
fn i16s(x: &[i16; 3]) -> cyxla::Result<[i16; 3]>;
#[cyxla::program("elements:identity")]
fn i32s(x: &[i32; 3]) -> cyxla::Result<[i32; 3]>;
#[cyxla::program("elements:identity")]
fn i64s(x: &[i64; 3]) -> cyxla::Result<[i64; 3]>;
#[cyxla::program("elements:identity")]
fn u4s(x: &[U4; 3]) -> cyxla::Result<[U4; 3]>;
#[cyxla::program("elements:identity")]
fn u8s(x: &[u8; 3]) -> cyxla::Result<[u8; 3]>;
#[cyxla::program("elements:identity")]
fn u16s(x: &[u16; 3]) -> cyxla::Result<[u16; 3]>;
#[cyxla::program("elements:identity")]
fn u32s(x: &[u32; 3]) -> cyxla::Result<[u32; 3]>;
#[cyxla::program("elements:identity")]
fn u64s(x: &[u64; 3]) -> cyxla::Result<[u64; 3]>;
#[cyxla::program("elements:identity")]
fn f16s(x: &[F16; 3]) -> cyxla::Result<[F16; 3]>;
#[cyxla::program("elements:identity")]
fn bf16s(x: &[BF16; 3]) -> cyxla::Result<[BF16; 3]>;
#[cyxla::program("elements:identity")]
fn f32s(x: &[f32; 3]) -> cyxla::Result<[f32; 3]>;
#[cyxla::program("elements:identity")]
fn f64s(x: &[f64; 3]) -> cyxla::Result<[f64; 3]>;
#[cyxla::program("elements:identity")]
fn c64s(x: &[Complex<f32>; 2]) -> cyxla::Result<[Complex<f32>; 2]>;
#[cyxla::program("elements:identity")]
fn c128s(x: &[Complex<f64>; 2]) -> cyxla::Result<[Complex<f64>; 2]>;

mod all_bytes_of {
    use super::*;

    /// All 256 values of an 8-bit float go through JAX unchanged, and JAX's conversion to `float32` is ours.
    macro_rules! eight_bit_floats {
        ($($name:ident: $float:ident;)*) => {$(
            #[test]
            fn $name() {
                let mut all = [$float::from_bits(0); 256];
                for (bits, value) in (0..=255).zip(&mut all) {
                    *value = $float::from_bits(bits);
                }
                let (same, wide) = super::$name(&all).unwrap();
                for ((value, same), wide) in all.iter().zip(&same).zip(wide) {
                    let ours = value.to_f32();
                    // XLA may flush subnormal float32 to zero: only the two smallest E8M0 are.
                    let flushed = ours.is_subnormal() && wide == 0.0;
                    let equal = ours.to_bits() == wide.to_bits() || (ours.is_nan() && wide.is_nan());
                    assert!(equal || flushed, "{:#x} is {ours:e} here, {wide:e} there", value.to_bits());
                    assert_eq!(value.to_bits(), same.to_bits());
                }
            }
        )*};
    }

    eight_bit_floats! {
        e3m4: F8E3M4;
        e4m3: F8E4M3;
        e4m3fn: F8E4M3FN;
        e4m3fnuz: F8E4M3FNUZ;
        e4m3b11fnuz: F8E4M3B11FNUZ;
        e5m2: F8E5M2;
        e5m2fnuz: F8E5M2FNUZ;
        e8m0fnu: F8E8M0FNU;
    }
}

#[cyxla::program("elements:same_and_wide")]
fn e3m4(x: &[F8E3M4; 256]) -> cyxla::Result<([F8E3M4; 256], [f32; 256])>;
#[cyxla::program("elements:same_and_wide")]
fn e4m3(x: &[F8E4M3; 256]) -> cyxla::Result<([F8E4M3; 256], [f32; 256])>;
#[cyxla::program("elements:same_and_wide")]
fn e4m3fn(x: &[F8E4M3FN; 256]) -> cyxla::Result<([F8E4M3FN; 256], [f32; 256])>;
#[cyxla::program("elements:same_and_wide")]
fn e4m3fnuz(x: &[F8E4M3FNUZ; 256]) -> cyxla::Result<([F8E4M3FNUZ; 256], [f32; 256])>;
#[cyxla::program("elements:same_and_wide")]
fn e4m3b11fnuz(x: &[F8E4M3B11FNUZ; 256]) -> cyxla::Result<([F8E4M3B11FNUZ; 256], [f32; 256])>;
#[cyxla::program("elements:same_and_wide")]
fn e5m2(x: &[F8E5M2; 256]) -> cyxla::Result<([F8E5M2; 256], [f32; 256])>;
#[cyxla::program("elements:same_and_wide")]
fn e5m2fnuz(x: &[F8E5M2FNUZ; 256]) -> cyxla::Result<([F8E5M2FNUZ; 256], [f32; 256])>;
#[cyxla::program("elements:same_and_wide")]
fn e8m0fnu(x: &[F8E8M0FNU; 256]) -> cyxla::Result<([F8E8M0FNU; 256], [f32; 256])>;

#[cyxla::program("elements:successor")]
fn next_i4(x: I4) -> cyxla::Result<I4>;
#[cyxla::program("elements:successor")]
fn next_u4(x: &[[U4; 3]; 1]) -> cyxla::Result<[[U4; 3]; 1]>;
#[cyxla::program("elements:negate")]
fn negate(x: bool) -> cyxla::Result<bool>;
#[cyxla::program("elements:conjugate")]
fn conjugate(x: Complex<f64>) -> cyxla::Result<Complex<f64>>;
#[cyxla::program("elements:widen")]
fn widen_half(x: F16) -> cyxla::Result<f32>;
#[cyxla::program("elements:widen")]
fn widen_brain(x: BF16) -> cyxla::Result<f32>;

#[test]
fn four_bit_integers_wrap_around_in_four_bits() {
    assert_eq!(next_i4(I4::MAX).unwrap(), I4::MIN);
    let [zero, seven, fifteen] = [0, 7, 15].map(|x| U4::new(x).unwrap());
    let next = next_u4(&[[zero, seven, fifteen]]).unwrap();
    assert_eq!(next[0].map(U4::get), [1, 8, 0]);
}

#[test]
fn truth_values_are_negated() {
    assert!(negate(false).unwrap());
    assert!(!negate(true).unwrap());
}

#[test]
fn complex_numbers_are_pairs_of_real_and_imaginary_part() {
    assert_eq!(
        conjugate(Complex::new(3.0, 4.0)).unwrap(),
        Complex::new(3.0, -4.0)
    );
}

#[test]
fn halves_are_widened_exactly() {
    // 1/3 in half precision is 0x3555 = 1365 / 4096.
    assert_eq!(
        widen_half(F16::from_f32(1.0 / 3.0)).unwrap(),
        1365.0 / 4096.0
    );
    // 1/3 in bfloat16 is 0x3eab = 171 / 512.
    assert_eq!(
        widen_brain(BF16::from_f32(1.0 / 3.0)).unwrap(),
        171.0 / 512.0
    );
}

type Rank3 = [[[f32; 2]; 1]; 2];
type Rank8 = [[[[[Rank3; 3]; 1]; 2]; 1]; 2];

#[cyxla::program("elements:reverse")]
fn reverse_rank_8(x: &Rank8) -> cyxla::Result<Rank8>;
#[cyxla::program("elements:reverse")]
fn reverse_empty(x: &[[f64; 0]; 3]) -> cyxla::Result<[[f64; 0]; 3]>;

#[test]
fn arrays_of_rank_8_are_row_major() {
    let mut x = [[[[[[[[0f32; 2]; 1]; 2]; 3]; 1]; 2]; 1]; 2];
    let mut number = 0u8;
    for a in &mut x {
        for b in &mut a[0] {
            for c in &mut b[0] {
                for d in c {
                    for e in &mut d[0] {
                        *e = f32::from(number);
                        number += 1;
                    }
                }
            }
        }
    }
    let reversed = reverse_rank_8(&x).unwrap();
    // 2 * 2 * 3 * 2 * 2 = 48 elements, counted down from 47.
    assert_eq!(reversed[0][0][0][0][0][0][0], [47.0, 46.0]);
    assert_eq!(reversed[1][0][1][0][2][1][0], [1.0, 0.0]);
}

#[test]
fn axes_of_length_zero_are_fine() {
    assert_eq!(reverse_empty(&[[]; 3]).unwrap(), [[0.0; 0]; 3]);
}
