//! Nested Rust arrays are the array types.

use std::mem::MaybeUninit;

use cyxla_artifact::{ArrayType, DType};

use crate::device::{Buffer, Stored};
use crate::element::{
    BF16, Complex, Element, F8E3M4, F8E4M3, F8E4M3B11FNUZ, F8E4M3FN, F8E4M3FNUZ, F8E5M2,
    F8E5M2FNUZ, F8E8M0FNU, F16, I4, U4,
};
use crate::error::Error;
use crate::execute::Results;
use crate::host::{ALIGNMENT, Host, HostMemory, Unfilled};
use crate::validity::make_valid;

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

        impl AsArray for $rust {
            type Array = Self;

            fn as_array(&self) -> &Self {
                self
            }
        }

        impl Output for $rust {
            const TYPE: ArrayType = <$rust as Array>::TYPE;

            #[inline]
            unsafe fn receive(results: &mut Results<'_>, index: usize) -> Result<Self, Error> {
                // SAFETY: as the caller promises.
                unsafe { by_value(results, index) }
            }

            type Place = Place<Self>;

            #[inline]
            fn place(_: impl FnOnce() -> Option<Unfilled>) -> Place<Self> {
                Place::new()
            }

            #[inline]
            fn bytes(place: &mut Place<Self>) -> *mut [u8] {
                place.bytes()
            }

            #[inline]
            unsafe fn written(place: Place<Self>) -> Self {
                // SAFETY: as the caller promises.
                unsafe { place.written() }
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

/// The bytes of an array, row major.
pub(crate) fn bytes_of<A: Array>(array: &A) -> &[u8] {
    // SAFETY: an `Array` is plain data without padding, so all its bytes are initialised.
    unsafe { std::slice::from_raw_parts(std::ptr::from_ref(array).cast(), size_of::<A>()) }
}

/// What holds an array in host memory: the array itself, a [`Box`] or a [`Host`] of it. Sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` holds no array type of JAX",
    note = "arrays are elements and nested arrays, such as `[[f32; 4]; 8]`, and `Box` and `Host` of these; `cyxla::from_slice` makes a slice one"
)]
pub trait AsArray: SealedOutput {
    /// The type of the array.
    type Array: Array;

    /// The array.
    fn as_array(&self) -> &Self::Array;
}

impl<A: Array, const N: usize> AsArray for [A; N] {
    type Array = Self;

    fn as_array(&self) -> &Self {
        self
    }
}

impl<T: Array> AsArray for Box<T> {
    type Array = T;

    fn as_array(&self) -> &T {
        self
    }
}

impl<A: Array> AsArray for Host<A> {
    type Array = A;

    fn as_array(&self) -> &A {
        self
    }
}

/// A result of a program: an array by value, on the heap, or on the device. Sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be a result of a program",
    label = "no result type",
    note = "results are array types such as `[[f32; 4]; 8]`; `Box`, `Host` or `Buffer` of these; and tuples of all of them"
)]
pub trait Output: SealedOutput + Sized {
    /// Element type and shape.
    const TYPE: ArrayType;

    /// Whether it stays on the device.
    #[doc(hidden)]
    const ON_DEVICE: bool = false;

    /// The result of this number from a PJRT plugin.
    ///
    /// # Errors
    /// The plugin can't give the result.
    ///
    /// # Safety
    /// The result of this number is of this type.
    #[doc(hidden)]
    unsafe fn receive(results: &mut Results<'_>, index: usize) -> Result<Self, Error>;

    /// Where machine code writes the result.
    #[doc(hidden)]
    type Place;

    /// A place for the result, in `spare` memory if there is some of the size and it can be used.
    #[doc(hidden)]
    fn place(spare: impl FnOnce() -> Option<Unfilled>) -> Self::Place;

    /// The bytes of a place.
    #[doc(hidden)]
    fn bytes(place: &mut Self::Place) -> *mut [u8];

    /// The result in its place.
    ///
    /// # Safety
    /// All bytes of the place have been written, by machine code that gives results of this type.
    #[doc(hidden)]
    unsafe fn written(place: Self::Place) -> Self;
}

/// A place for an array by value, aligned as machine code needs it.
#[doc(hidden)]
#[repr(C, align(64))]
#[derive(Debug)]
pub struct Place<A>(MaybeUninit<A>);

const _: () = assert!(align_of::<Place<u8>>() == ALIGNMENT);

/// Bytes up to which arrays are moved by elements.
const SMALL: usize = 64;

/// Reads an array of few elements one by one, as machine code has just written them: a processor waits for elements that are
/// written apart and read together.
///
/// # Safety
/// There is an `A`.
#[inline]
unsafe fn by_elements<A: Array>(array: *const A) -> A {
    let mut copy = MaybeUninit::<A>::uninit();
    let (from, to) = (array.cast::<A::Elem>(), copy.as_mut_ptr().cast::<A::Elem>());
    // SAFETY: an array is its elements, all of which are copied.
    unsafe {
        for index in 0..size_of::<A>() / size_of::<A::Elem>() {
            to.add(index).write(from.add(index).read_volatile());
        }
        copy.assume_init()
    }
}

impl<A: Array> Place<A> {
    #[inline]
    fn new() -> Self {
        Self(MaybeUninit::uninit())
    }

    #[inline]
    fn bytes(&mut self) -> *mut [u8] {
        bytes_at(&mut self.0)
    }

    /// # Safety
    /// As for [`Output::written`].
    #[inline]
    unsafe fn written(mut self) -> A {
        // SAFETY: as the caller promises; made valid before it is taken for an `A`.
        unsafe {
            make_all_valid::<A>(self.bytes());
            if size_of::<A>() <= SMALL {
                return by_elements(self.0.as_ptr());
            }
            self.0.assume_init()
        }
    }
}

#[inline]
fn bytes_at<A>(place: &mut MaybeUninit<A>) -> *mut [u8] {
    std::ptr::slice_from_raw_parts_mut(place.as_mut_ptr().cast(), size_of::<A>())
}

/// Makes bytes that machine code has written those of an `A`.
///
/// # Safety
/// All have been written, and nobody else uses them.
#[inline]
unsafe fn make_all_valid<A: Array>(bytes: *mut [u8]) {
    // SAFETY: as the caller promises.
    unsafe { make_valid(A::TYPE.dtype(), &mut *(bytes as *mut [MaybeUninit<u8>])) }
}

/// A result as it is.
///
/// # Safety
/// It is of type `A`.
#[inline]
unsafe fn by_value<A: Array>(results: &mut Results<'_>, index: usize) -> Result<A, Error> {
    let mut array = MaybeUninit::<A>::uninit();
    // SAFETY: `copy_into` fills it with elements of the type of the result, which is `A`.
    unsafe {
        fill(results, index, array.as_mut_ptr())?;
        Ok(array.assume_init())
    }
}

/// Copies a result to `array`.
///
/// # Safety
/// There is room for an `A`, and the result is of type `A`.
#[inline]
unsafe fn fill<A: Array>(
    results: &mut Results<'_>,
    index: usize,
    array: *mut A,
) -> Result<(), Error> {
    // SAFETY: `A` takes `size_of::<A>()` bytes, which may all be uninitialised.
    let bytes = unsafe { std::slice::from_raw_parts_mut(array.cast(), size_of::<A>()) };
    results.copy_into(index, bytes)
}

impl<A: Array, const N: usize> SealedOutput for [A; N] {}

impl<A: Array, const N: usize> Output for [A; N] {
    const TYPE: ArrayType = <Self as Array>::TYPE;

    #[inline]
    unsafe fn receive(results: &mut Results<'_>, index: usize) -> Result<Self, Error> {
        // SAFETY: as the caller promises.
        unsafe { by_value(results, index) }
    }

    type Place = Place<Self>;

    #[inline]
    fn place(_: impl FnOnce() -> Option<Unfilled>) -> Place<Self> {
        Place::new()
    }

    #[inline]
    fn bytes(place: &mut Place<Self>) -> *mut [u8] {
        place.bytes()
    }

    #[inline]
    unsafe fn written(place: Place<Self>) -> Self {
        // SAFETY: as the caller promises.
        unsafe { place.written() }
    }
}

impl<T: Array> SealedOutput for Box<T> {}

/// On the heap from the start: never through the stack.
impl<T: Array> Output for Box<T> {
    const TYPE: ArrayType = T::TYPE;

    #[inline]
    unsafe fn receive(results: &mut Results<'_>, index: usize) -> Result<Self, Error> {
        let mut array = Box::<T>::new_uninit();
        // SAFETY: `fill` fills it with elements of the type of the result, which is `T`.
        unsafe {
            fill(results, index, array.as_mut_ptr())?;
            Ok(array.assume_init())
        }
    }

    type Place = Box<MaybeUninit<T>>;

    #[inline]
    fn place(_: impl FnOnce() -> Option<Unfilled>) -> Self::Place {
        Box::new_uninit()
    }

    #[inline]
    fn bytes(place: &mut Self::Place) -> *mut [u8] {
        bytes_at(place)
    }

    #[inline]
    unsafe fn written(mut place: Self::Place) -> Self {
        // SAFETY: as the caller promises; made valid before it is taken for a `T`.
        unsafe {
            make_all_valid::<T>(Self::bytes(&mut place));
            place.assume_init()
        }
    }
}

impl<A: Array> SealedOutput for Host<A> {}

/// In the memory where the device has left it, if the host can use that; else copied to the heap.
impl<A: Array> Output for Host<A> {
    const TYPE: ArrayType = A::TYPE;

    #[inline]
    unsafe fn receive(results: &mut Results<'_>, index: usize) -> Result<Self, Error> {
        let memory = results.memory(index, size_of::<A>())?;
        // SAFETY: an `A`, as the caller promises.
        Ok(unsafe { Self::from_memory(memory) })
    }

    type Place = Unfilled;

    #[inline]
    fn place(spare: impl FnOnce() -> Option<Unfilled>) -> Unfilled {
        spare().unwrap_or_else(|| HostMemory::uninit(size_of::<A>()))
    }

    #[inline]
    fn bytes(place: &mut Unfilled) -> *mut [u8] {
        let bytes = place.bytes();
        std::ptr::slice_from_raw_parts_mut(bytes.as_mut_ptr().cast(), bytes.len())
    }

    #[inline]
    unsafe fn written(mut place: Unfilled) -> Self {
        // SAFETY: as the caller promises; made valid before it is taken for an `A`.
        unsafe {
            make_all_valid::<A>(Self::bytes(&mut place));
            Self::from_memory(place.filled())
        }
    }
}

impl<A: Array> SealedOutput for Buffer<A> {}

/// On the device.
impl<A: Array> Output for Buffer<A> {
    const TYPE: ArrayType = A::TYPE;
    const ON_DEVICE: bool = true;

    #[inline]
    unsafe fn receive(results: &mut Results<'_>, index: usize) -> Result<Self, Error> {
        let owned = results.take(index)?;
        // SAFETY: an `A`, as the caller promises.
        Ok(unsafe { Self::from_stored(Stored::Device(owned)) })
    }

    type Place = Unfilled;

    #[inline]
    fn place(spare: impl FnOnce() -> Option<Unfilled>) -> Unfilled {
        spare().unwrap_or_else(|| HostMemory::uninit(size_of::<A>()))
    }

    #[inline]
    fn bytes(place: &mut Unfilled) -> *mut [u8] {
        let bytes = place.bytes();
        std::ptr::slice_from_raw_parts_mut(bytes.as_mut_ptr().cast(), bytes.len())
    }

    #[inline]
    unsafe fn written(mut place: Unfilled) -> Self {
        // SAFETY: as the caller promises; made valid before it is taken for an `A`.
        unsafe {
            make_all_valid::<A>(Self::bytes(&mut place));
            Self::from_stored(Stored::Host(place.filled()))
        }
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
}
