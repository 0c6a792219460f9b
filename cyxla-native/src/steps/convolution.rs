use cyxla_artifact::DType;
use half::{bf16, f16};

use crate::image;
use crate::image::{Slice, WindowDimension};
use crate::memory::Bases;

use super::product::{Lengths, Matrix, Product};
use super::{Scratch, of_type, product, strides};

/// A convolution, as a product of matrices: a row for each place of the result, with all that the kernel sees there.
pub(crate) struct Convolution {
    product: Product,
    /// The type that the product works on, in bytes of an element.
    element: usize,
    gather: Gather,
    scatter: Scatter,
    input: Slice,
    kernel: Slice,
    result: Slice,
    groups: usize,
    batch: Axis,
    /// Distances in the result, for each example and each feature.
    result_batch: usize,
    result_feature: Axis,
    /// Of the input, per group.
    input_feature: Axis,
    /// Of the kernel.
    kernel_input: usize,
    kernel_output: usize,
    spatial: Vec<Spatial>,
}

/// Length and distance of an axis, in elements.
#[derive(Clone, Copy)]
struct Axis {
    length: usize,
    distance: usize,
}

#[derive(Clone, Copy)]
struct Spatial {
    window: WindowDimension,
    input: Axis,
    kernel: Axis,
    result: Axis,
}

/// Reads elements by their places, zeros where there is none, into a type that has a product.
type Gather = unsafe fn(*const u8, &[Option<usize>], *mut u8);
/// Writes elements of that type to their places.
type Scatter = unsafe fn(*const u8, &[usize], *mut u8);

/// Rows that are multiplied at a time: they stay in the cache.
const ROWS: usize = 256;

impl Convolution {
    /// # Errors
    /// An element type without a product, in words.
    pub(crate) fn new(step: &image::Convolution) -> Result<Self, String> {
        let dtype = step.input.shape.dtype;
        let refused = || of_type("convolution", dtype);
        let (as_type, gather, scatter): (_, Gather, Scatter) = match dtype {
            DType::F16 => (DType::F32, widen::<f16>, narrow::<f16>),
            DType::BF16 => (DType::F32, widen::<bf16>, narrow::<bf16>),
            DType::F32 => (dtype, pick::<u32>, put::<u32>),
            DType::F64 | DType::C64 => (dtype, pick::<u64>, put::<u64>),
            DType::C128 => (dtype, pick::<[u64; 2]>, put::<[u64; 2]>),
            _ => return Err(refused()),
        };
        if step.kernel.shape.dtype != dtype || step.result.shape.dtype != dtype {
            return Err(refused());
        }
        let dimensions = &step.dimensions;
        let axis = |array: &image::Array, axis: u32| Axis {
            length: array.shape.dims[axis as usize],
            distance: strides(&array.shape)[axis as usize],
        };
        let groups = usize::try_from(step.feature_groups)
            .map_err(|_| refused())?
            .max(1);
        let spatial = step
            .window
            .iter()
            .enumerate()
            .map(|(index, &window)| Spatial {
                window,
                input: axis(&step.input, dimensions.input_spatial[index]),
                kernel: axis(&step.kernel, dimensions.kernel_spatial[index]),
                result: axis(&step.result, dimensions.output_spatial[index]),
            });
        Ok(Self {
            product: product::of(as_type).ok_or_else(refused)?,
            element: as_type.size(),
            gather,
            scatter,
            input: step.input.slice,
            kernel: step.kernel.slice,
            result: step.result.slice,
            groups,
            batch: axis(&step.input, dimensions.input_batch),
            result_batch: axis(&step.result, dimensions.output_batch).distance,
            result_feature: axis(&step.result, dimensions.output_feature),
            input_feature: Axis {
                length: axis(&step.kernel, dimensions.kernel_input_feature).length,
                ..axis(&step.input, dimensions.input_feature)
            },
            kernel_input: axis(&step.kernel, dimensions.kernel_input_feature).distance,
            kernel_output: axis(&step.kernel, dimensions.kernel_output_feature).distance,
            spatial: spatial.collect(),
        })
    }

    /// # Safety
    /// The bases hold input, kernel and result.
    pub(crate) unsafe fn run(&self, bases: &Bases, scratch: &mut Scratch) {
        let places: usize = self.spatial.iter().map(|axis| axis.result.length).product();
        let window: usize = self.spatial.iter().map(|axis| axis.kernel.length).product();
        let (inputs, outputs) = (
            self.input_feature.length,
            self.result_feature.length / self.groups,
        );
        let inner = window * inputs;
        let rows = places.min(ROWS);
        let sizes = [rows * inner, inner * outputs, rows * outputs];
        let sizes = sizes.map(|elements| (elements * self.element).next_multiple_of(64));
        let patches = scratch.room(sizes.iter().sum());
        let kernel = patches.wrapping_add(sizes[0]);
        let products = kernel.wrapping_add(sizes[1]);
        let (mut seen, mut targets) = (Vec::new(), Vec::new());
        for group in 0..self.groups {
            self.see_kernel(group * outputs, outputs, &mut seen);
            // SAFETY: places inside of the kernel, and as much room.
            unsafe { (self.gather)(bases.at(self.kernel), &seen, kernel) };
            for example in 0..self.batch.length {
                for first in (0..places).step_by(ROWS) {
                    let rows = (places - first).min(ROWS);
                    seen.clear();
                    targets.clear();
                    for place in first..first + rows {
                        self.see_input(example, group * inputs, place, &mut seen);
                        self.see_result(example, group * outputs, outputs, place, &mut targets);
                    }
                    let matrix = |start: *mut u8, row: usize| Matrix {
                        start: start.cast_const(),
                        row,
                        column: 1,
                    };
                    let to = Matrix {
                        start: products,
                        row: outputs,
                        column: 1,
                    };
                    let lengths = Lengths {
                        rows,
                        inner,
                        columns: outputs,
                    };
                    // SAFETY: places inside of input and result, and as much room in the scratch as each part takes.
                    unsafe {
                        (self.gather)(bases.at(self.input), &seen, patches);
                        let (left, right) = (matrix(patches, inner), matrix(kernel, outputs));
                        (self.product)(lengths, &left, &right, &to);
                        (self.scatter)(products, &targets, bases.at(self.result));
                    }
                }
            }
        }
    }

    /// Where the kernel's elements are: those of the window, the features of the input, and of the result.
    fn see_kernel(&self, first: usize, outputs: usize, seen: &mut Vec<Option<usize>>) {
        seen.clear();
        let mut windows = vec![0];
        for axis in &self.spatial {
            windows = product_of(&windows, axis.kernel);
        }
        for window in windows {
            for input in 0..self.input_feature.length {
                let start = window + input * self.kernel_input;
                let features = first..first + outputs;
                seen.extend(features.map(|output| Some(start + output * self.kernel_output)));
            }
        }
    }

    /// Where the input's elements are that the kernel sees at a place of the result; none in the padding.
    fn see_input(
        &self,
        example: usize,
        feature: usize,
        place: usize,
        seen: &mut Vec<Option<usize>>,
    ) {
        let start = example * self.batch.distance + feature * self.input_feature.distance;
        let mut offsets = vec![Some(start)];
        for (axis, at) in self.spatial.iter().zip(self.index_of(place)) {
            let mut next = Vec::with_capacity(offsets.len() * axis.kernel.length);
            for offset in offsets {
                next.extend(
                    (0..axis.kernel.length)
                        .map(|tap| Some(offset? + axis.input_at(at, tap)? * axis.input.distance)),
                );
            }
            offsets = next;
        }
        for offset in offsets {
            let features = 0..self.input_feature.length;
            seen.extend(
                features.map(|feature| Some(offset? + feature * self.input_feature.distance)),
            );
        }
    }

    fn see_result(
        &self,
        example: usize,
        first: usize,
        outputs: usize,
        place: usize,
        targets: &mut Vec<usize>,
    ) {
        let index = self.index_of(place);
        let spatial = self.spatial.iter().zip(index);
        let spatial: usize = spatial.map(|(axis, at)| at * axis.result.distance).sum();
        let start = example * self.result_batch + spatial;
        let features = first..first + outputs;
        targets.extend(features.map(|output| start + output * self.result_feature.distance));
    }

    /// The index of a place of the result, by axis.
    fn index_of(&self, mut place: usize) -> Vec<usize> {
        let mut index = vec![0; self.spatial.len()];
        for (at, axis) in index.iter_mut().zip(&self.spatial).rev() {
            *at = place % axis.result.length;
            place /= axis.result.length;
        }
        index
    }
}

impl Spatial {
    /// Which element of the input lies under an element of the kernel at a place of the result.
    fn input_at(&self, place: usize, tap: usize) -> Option<usize> {
        let tap = if self.window.reversal {
            self.kernel.length - 1 - tap
        } else {
            tap
        };
        let number = |value: u64| i128::from(value);
        let at = i128::try_from(place).ok()? * number(self.window.stride)
            + i128::try_from(tap).ok()? * number(self.window.window_dilation)
            - i128::from(self.window.padding_low);
        let dilation = number(self.window.base_dilation);
        if at < 0 || at % dilation != 0 {
            return None;
        }
        let at = usize::try_from(at / dilation).ok()?;
        (at < self.input.length).then_some(at)
    }
}

/// Each offset with each index of an axis added.
fn product_of(offsets: &[usize], axis: Axis) -> Vec<usize> {
    let indices = |&offset: &usize| (0..axis.length).map(move |at| offset + at * axis.distance);
    offsets.iter().flat_map(indices).collect()
}

/// # Safety
/// An element at each place, and room for as many.
unsafe fn pick<T: Copy + Default>(from: *const u8, places: &[Option<usize>], to: *mut u8) {
    for (index, place) in places.iter().enumerate() {
        // SAFETY: as the caller promises.
        unsafe {
            let element = place.map(|place| from.cast::<T>().add(place).read());
            to.cast::<T>().add(index).write(element.unwrap_or_default());
        }
    }
}

/// # Safety
/// As many elements, and room for one at each place.
unsafe fn put<T: Copy>(from: *const u8, places: &[usize], to: *mut u8) {
    for (index, &place) in places.iter().enumerate() {
        // SAFETY: as the caller promises.
        unsafe {
            let element = from.cast::<T>().add(index).read();
            to.cast::<T>().add(place).write(element);
        }
    }
}

/// A type that is multiplied as `f32`.
trait Half: Copy {
    fn widen(self) -> f32;
    fn narrow(wide: f32) -> Self;
}

macro_rules! halves {
    ($($type:ty),*) => {$(
        impl Half for $type {
            fn widen(self) -> f32 {
                self.to_f32()
            }
            fn narrow(wide: f32) -> Self {
                Self::from_f32(wide)
            }
        }
    )*};
}

halves!(f16, bf16);

/// # Safety
/// As for [`pick`], with room for `f32`.
#[expect(clippy::cast_ptr_alignment, reason = "room is aligned to 64")]
unsafe fn widen<T: Half>(from: *const u8, places: &[Option<usize>], to: *mut u8) {
    for (index, place) in places.iter().enumerate() {
        // SAFETY: as the caller promises.
        unsafe {
            let element = place.map(|place| from.cast::<T>().add(place).read().widen());
            to.cast::<f32>().add(index).write(element.unwrap_or(0.0));
        }
    }
}

/// # Safety
/// As for [`put`], of `f32`.
#[expect(clippy::cast_ptr_alignment, reason = "room is aligned to 64")]
unsafe fn narrow<T: Half>(from: *const u8, places: &[usize], to: *mut u8) {
    for (index, &place) in places.iter().enumerate() {
        // SAFETY: as the caller promises.
        unsafe {
            let element = from.cast::<f32>().add(index).read();
            to.cast::<T>().add(place).write(T::narrow(element));
        }
    }
}
