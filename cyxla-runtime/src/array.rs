//! Nested Rust arrays are the array types.

use std::mem::MaybeUninit;

use cyxla_artifact::{ArrayType, DType};

use crate::element::{
    BF16, Complex, Element, F8E3M4, F8E4M3, F8E4M3B11FNUZ, F8E4M3FN, F8E4M3FNUZ, F8E5M2,
    F8E5M2FNUZ, F8E8M0FNU, F16, I4, U4,
};

mod sealed {
    pub trait Sealed {}
    pub trait SealedOutput {}
}
use sealed::{Sealed, SealedOutput};

/// A host array of fixed type: an element, or a nested Rust array of elements.
///
/// ```
/// use cyxla_runtime::Array;
///
/// assert_eq!(<[[f32; 4]; 8]>::TYPE.to_string(), "f32[8,4]");
/// assert_eq!(bool::TYPE.to_string(), "bool[]");
/// ```
///
/// # Shape
/// Row major: the last axis is the innermost array. Elements are in the byte order of the host.
///
/// # Safety
/// Sealed. Every implementation is plain data without padding, of exactly `TYPE.nbytes()` bytes: `TYPE.size()` elements of
/// type `Elem`, whose `DTYPE` is `TYPE.dtype()`. All elements are valid when their bytes are 0.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no array type of JAX",
    label = "no array type",
    note = "array types are elements (`bool`, `i8` … `u64`, `f32`, `f64`, `cyxla::BF16`, `cyxla::Complex<f32>`, …) and nested arrays of these, such as `[[f32; 4]; 8]`"
)]
pub unsafe trait Array: Copy + Send + Sync + Sealed + 'static {
    /// Element type and shape.
    const TYPE: ArrayType;

    /// The type of the elements; of an element, its own.
    type Elem: Element;
}

macro_rules! elements {
    ($($rust:ty: $dtype:ident;)*) => {$(
        impl Sealed for $rust {}

        // SAFETY: a primitive or a transparent wrapper of one; complex numbers are `repr(C)` pairs. The sizes are
        // compared by the constant below.
        unsafe impl Array for $rust {
            const TYPE: ArrayType = ArrayType::scalar(DType::$dtype);
            type Elem = Self;
        }

        impl Element for $rust {
            const DTYPE: DType = DType::$dtype;
        }

        const _: () = assert!(size_of::<$rust>() == DType::$dtype.size());

        impl SealedOutput for $rust {}

        impl Output for $rust {
            const TYPE: ArrayType = <$rust as Array>::TYPE;
            type Slot = MaybeUninit<Self>;

            fn slot() -> Self::Slot {
                MaybeUninit::uninit()
            }

            fn bytes(slot: &mut Self::Slot) -> &mut [MaybeUninit<u8>] {
                array_bytes(slot)
            }

            unsafe fn filled(slot: Self::Slot) -> Self {
                // SAFETY: the caller has filled it.
                unsafe { slot.assume_init() }
            }
        }
    )*};
}

elements! {
    bool: Bool;
    I4: I4;
    i8: I8;
    i16: I16;
    i32: I32;
    i64: I64;
    U4: U4;
    u8: U8;
    u16: U16;
    u32: U32;
    u64: U64;
    F8E3M4: F8E3M4;
    F8E4M3: F8E4M3;
    F8E4M3FN: F8E4M3FN;
    F8E4M3FNUZ: F8E4M3FNUZ;
    F8E4M3B11FNUZ: F8E4M3B11FNUZ;
    F8E5M2: F8E5M2;
    F8E5M2FNUZ: F8E5M2FNUZ;
    F8E8M0FNU: F8E8M0FNU;
    BF16: BF16;
    F16: F16;
    f32: F32;
    f64: F64;
    Complex<f32>: C64;
    Complex<f64>: C128;
}

impl<A: Array, const N: usize> Sealed for [A; N] {}

// SAFETY: an array of plain data without padding is that too, and `N` times as large.
unsafe impl<A: Array, const N: usize> Array for [A; N] {
    const TYPE: ArrayType = A::TYPE.in_array(N);
    type Elem = A::Elem;
}

/// The bytes of an array that is still to be filled.
fn array_bytes<A: Array>(slot: &mut MaybeUninit<A>) -> &mut [MaybeUninit<u8>] {
    // SAFETY: `A` takes `size_of::<A>()` bytes, which may all be uninitialised; the borrow goes on.
    unsafe { std::slice::from_raw_parts_mut(slot.as_mut_ptr().cast(), size_of::<A>()) }
}

/// The bytes of an array, row major.
pub(crate) fn bytes_of<A: Array>(array: &A) -> &[u8] {
    // SAFETY: an `Array` is plain data without padding, so all its bytes are initialised.
    unsafe { std::slice::from_raw_parts(std::ptr::from_ref(array).cast(), size_of::<A>()) }
}

/// A result of a program: an array by value, or on the heap. Sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be a result of a program",
    label = "no result type",
    note = "results are array types such as `[[f32; 4]; 8]`, `Box`es of these, and tuples of both"
)]
pub trait Output: SealedOutput + Sized {
    /// Element type and shape.
    const TYPE: ArrayType;

    /// Memory for the result, not yet filled.
    #[doc(hidden)]
    type Slot;

    #[doc(hidden)]
    fn slot() -> Self::Slot;

    #[doc(hidden)]
    fn bytes(slot: &mut Self::Slot) -> &mut [MaybeUninit<u8>];

    /// # Safety
    /// Every byte of the slot has been filled with elements of the type.
    #[doc(hidden)]
    unsafe fn filled(slot: Self::Slot) -> Self;
}

impl<A: Array, const N: usize> SealedOutput for [A; N] {}

impl<A: Array, const N: usize> Output for [A; N] {
    const TYPE: ArrayType = <Self as Array>::TYPE;
    type Slot = MaybeUninit<Self>;

    fn slot() -> Self::Slot {
        MaybeUninit::uninit()
    }

    fn bytes(slot: &mut Self::Slot) -> &mut [MaybeUninit<u8>] {
        array_bytes(slot)
    }

    unsafe fn filled(slot: Self::Slot) -> Self {
        // SAFETY: the caller has filled it.
        unsafe { slot.assume_init() }
    }
}

impl<T: Array> SealedOutput for Box<T> {}

/// On the heap from the start: never through the stack.
impl<T: Array> Output for Box<T> {
    const TYPE: ArrayType = T::TYPE;
    type Slot = Box<MaybeUninit<T>>;

    fn slot() -> Self::Slot {
        Box::new_uninit()
    }

    fn bytes(slot: &mut Self::Slot) -> &mut [MaybeUninit<u8>] {
        array_bytes(slot)
    }

    unsafe fn filled(slot: Self::Slot) -> Self {
        // SAFETY: the caller has filled it.
        unsafe { slot.assume_init() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_follow_the_nesting() {
        assert_eq!(<[[[f64; 2]; 3]; 5] as Array>::TYPE.shape(), [5, 3, 2]);
        assert_eq!(
            <[[[[[[[[u8; 1]; 2]; 1]; 2]; 1]; 2]; 1]; 2] as Array>::TYPE.to_string(),
            "u8[2,1,2,1,2,1,2,1]"
        );
        assert_eq!(<[BF16; 0] as Array>::TYPE.nbytes(), 0);
    }

    #[test]
    fn bytes_are_row_major() {
        assert_eq!(bytes_of(&[[1u8, 2], [3, 4], [5, 6]]), [1, 2, 3, 4, 5, 6]);
        assert_eq!(
            bytes_of(&[Complex::new(1.0f32, 2.0)]),
            [1f32.to_ne_bytes(), 2f32.to_ne_bytes()].concat()
        );
    }

    #[test]
    fn boxes_of_64_megabytes_do_not_touch_the_stack() {
        type Large = [[f32; 4096]; 4096];
        let mut slot = <Box<Large> as Output>::slot();
        <Box<Large> as Output>::bytes(&mut slot).fill(MaybeUninit::new(0));
        // SAFETY: filled above, and zeros are floats.
        let large = unsafe { <Box<Large> as Output>::filled(slot) };
        assert_eq!(large[4095][4095], 0.0);
    }
}
