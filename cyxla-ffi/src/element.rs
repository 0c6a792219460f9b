use cyxla_artifact::DType;
use half::{bf16, f16};
use num_complex::Complex;

/// The type of one array element, as handlers see it.
///
/// Implemented for `bool`, `i8` to `i64`, `u8` to `u64`, `f16`, `bf16`, `f32`, `f64` and complex numbers of the last two;
/// `cyxla` adds its 8-bit floats. Arrays of 4-bit integers can only be seen as bytes: XLA packs two into each.
///
/// # Safety
/// The type is plain data without padding, of [`DType::size`] bytes, and aligned to no more than 64. Zero bytes are a
/// value of it, and so are any bytes that [`DType::holds`]. The type is not one of 4-bit integers.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no element type of a custom call",
    label = "no element type",
    note = "element types are `bool`, `i8` … `u64`, `f32`, `f64`, `cyxla::F16`, `cyxla::BF16`, `cyxla::Complex<f32>`, …"
)]
#[allow(
    unsafe_code,
    reason = "what the trait promises is what the views of memory rest on"
)]
pub unsafe trait Element: Copy + Send + Sync + 'static {
    /// The element type by its name in JAX.
    const DTYPE: DType;
}

macro_rules! elements {
    ($($rust:ty: $dtype:ident;)*) => {$(
        // SAFETY: a primitive, a transparent wrapper of one, or a `repr(C)` pair of these; the size is compared below. The
        // one type that not all bytes are values of is `bool`, of which `DType::holds` knows.
        #[allow(unsafe_code, reason = "as the trait")]
        unsafe impl Element for $rust {
            const DTYPE: DType = DType::$dtype;
        }

        const _: () = assert!(size_of::<$rust>() == DType::$dtype.size());
    )*};
}

elements! {
    bool: Bool;
    i8: I8;
    i16: I16;
    i32: I32;
    i64: I64;
    u8: U8;
    u16: U16;
    u32: U32;
    u64: U64;
    bf16: BF16;
    f16: F16;
    f32: F32;
    f64: F64;
    Complex<f32>: C64;
    Complex<f64>: C128;
}
