//! The steps of a schedule that are no machine code, each of them prepared once and run in every call.

mod convolution;
mod copy;
mod custom_call;
mod dot;
mod fft;
mod product;
mod sort;
mod top_k;

use cyxla_artifact::DType;

pub(crate) use convolution::Convolution;
pub(crate) use copy::Copy;
pub(crate) use custom_call::CustomCall;
pub(crate) use dot::Dot;
pub(crate) use fft::Fft;
pub(crate) use sort::Sort;
pub(crate) use top_k::TopK;

use crate::image::Shape;
use crate::memory::AlignedBytes;

/// Memory that steps use while they run, one after the other. It grows to the most that any has needed.
#[derive(Default)]
pub(crate) struct Scratch {
    bytes: Option<(usize, AlignedBytes)>,
}

impl Scratch {
    /// Room for so many bytes, of any content.
    pub(crate) fn room(&mut self, size: usize) -> *mut u8 {
        match &self.bytes {
            Some((room, bytes)) if *room >= size => bytes.as_ptr(),
            _ => {
                let bytes = AlignedBytes::zeroed(size);
                let start = bytes.as_ptr();
                self.bytes = Some((size, bytes));
                start
            }
        }
    }

    /// Room for so many elements, with what was there before: bytes of any earlier use, or zeros.
    ///
    /// # Safety
    /// Any bytes are elements of this type.
    pub(crate) unsafe fn elements<T: std::marker::Copy>(&mut self, len: usize) -> &mut [T] {
        let start = self.room(len * size_of::<T>());
        // SAFETY: initialised and aligned room for as many; any bytes will do, as the caller promises.
        unsafe { std::slice::from_raw_parts_mut(start.cast(), len) }
    }
}

/// For each axis the distance of neighbours, in elements.
fn strides(shape: &Shape) -> Vec<usize> {
    let mut strides = vec![0; shape.dims.len()];
    let mut distance = 1_usize;
    for &axis in &shape.minor_to_major {
        strides[axis as usize] = distance;
        distance = distance.saturating_mul(shape.dims[axis as usize].max(1));
    }
    strides
}

/// The element type in words, of a step that does not do it.
fn of_type(step: &str, dtype: DType) -> String {
    format!("a {step} of {dtype}")
}
