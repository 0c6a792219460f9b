use std::sync::Arc;

use cyxla_artifact::DType;
use num_complex::Complex;
use rustfft::{FftDirection, FftNum, FftPlanner};

use crate::image;
use crate::image::{FftKind, Slice};
use crate::memory::Bases;

use super::{Scratch, of_type};

/// A Fourier transform over the last axes.
pub(crate) struct Fft {
    input: Slice,
    result: Slice,
    plan: Precision,
}

enum Precision {
    Single(Plan<f32>),
    Double(Plan<f64>),
}

/// One transform after the other, of all in the input.
struct Plan<T> {
    kind: FftKind,
    /// The lengths of the transformed axes, of complex numbers.
    lengths: Vec<usize>,
    /// Of each transformed axis, and the working memory that it wants.
    transforms: Vec<Arc<dyn rustfft::Fft<T>>>,
    /// The length of the last axis as real numbers, of kinds that have them.
    real: usize,
}

impl Fft {
    /// # Errors
    /// Element types without a transform, in words.
    pub(crate) fn new(fft: &image::Fft) -> Result<Self, String> {
        let dtype = fft.input.shape.dtype;
        let plan = match (fft.kind, dtype) {
            (FftKind::Rfft, DType::F32) => Precision::Single(Plan::new(fft)),
            (FftKind::Rfft, DType::F64) => Precision::Double(Plan::new(fft)),
            (FftKind::Rfft, _) => return Err(of_type("Fourier transform", dtype)),
            (_, DType::C64) => Precision::Single(Plan::new(fft)),
            (_, DType::C128) => Precision::Double(Plan::new(fft)),
            _ => return Err(of_type("Fourier transform", dtype)),
        };
        Ok(Self {
            input: fft.input.slice,
            result: fft.result.slice,
            plan,
        })
    }

    /// # Safety
    /// The bases hold input and result.
    pub(crate) unsafe fn run(&self, bases: &Bases, scratch: &mut Scratch) {
        // SAFETY: as the caller promises; the types are those that the plan was made for.
        unsafe {
            match &self.plan {
                Precision::Single(plan) => plan.run(bases, self, scratch),
                Precision::Double(plan) => plan.run(bases, self, scratch),
            }
        }
    }
}

impl<T: FftNum> Plan<T> {
    fn new(fft: &image::Fft) -> Self {
        let direction = match fft.kind {
            FftKind::Fft | FftKind::Rfft => FftDirection::Forward,
            FftKind::Ifft | FftKind::Irfft => FftDirection::Inverse,
        };
        let mut planner = FftPlanner::new();
        Self {
            kind: fft.kind,
            lengths: fft.lengths.clone(),
            transforms: fft
                .lengths
                .iter()
                .map(|&length| planner.plan_fft(length, direction))
                .collect(),
            real: fft.lengths.last().copied().unwrap_or(0),
        }
    }

    /// # Safety
    /// As for [`Fft::run`], of this type.
    unsafe fn run(&self, bases: &Bases, fft: &Fft, scratch: &mut Scratch) {
        let elements: usize = self.lengths.iter().product();
        if elements == 0 {
            return;
        }
        let outer = elements / self.real;
        // Of real data only the first half of the last axis is there in the transform.
        let half = self.real / 2 + 1;
        let work = self
            .transforms
            .iter()
            .map(|transform| transform.get_inplace_scratch_len());
        let work = work.max().unwrap_or(0);
        let longest = self.lengths.iter().copied().max().unwrap_or(0);
        // SAFETY: any bytes are floating-point numbers.
        let room = unsafe { scratch.elements::<Complex<T>>(elements + longest + work) };
        let (all, room) = room.split_at_mut(elements);
        let (line, work) = room.split_at_mut(longest);
        // SAFETY: of the types of the kind, as the caller promises; an image gives a result memory of its own.
        unsafe {
            match self.kind {
                FftKind::Fft | FftKind::Ifft => {
                    let input = bases.read::<Complex<T>>(fft.input);
                    let result = bases.write::<Complex<T>>(fft.result);
                    let parts = input.chunks_exact(elements);
                    for (input, result) in parts.zip(result.chunks_exact_mut(elements)) {
                        all.copy_from_slice(input);
                        self.transform(all, line, work);
                        result.copy_from_slice(all);
                    }
                }
                FftKind::Rfft => {
                    let input = bases.read::<T>(fft.input);
                    let result = bases.write::<Complex<T>>(fft.result);
                    let parts = input.chunks_exact(elements);
                    for (input, result) in parts.zip(result.chunks_exact_mut(outer * half)) {
                        for (complex, &real) in all.iter_mut().zip(input) {
                            *complex = Complex::new(real, T::zero());
                        }
                        self.transform(all, line, work);
                        let rows = all.chunks_exact(self.real);
                        for (row, result) in rows.zip(result.chunks_exact_mut(half)) {
                            result.copy_from_slice(&row[..half]);
                        }
                    }
                }
                FftKind::Irfft => {
                    let input = bases.read::<Complex<T>>(fft.input);
                    let result = bases.write::<T>(fft.result);
                    let parts = input.chunks_exact(outer * half);
                    for (input, result) in parts.zip(result.chunks_exact_mut(elements)) {
                        self.inverse_of_real(input, half, all, line, work);
                        for (real, complex) in result.iter_mut().zip(&*all) {
                            *real = complex.re;
                        }
                    }
                }
            }
        }
    }

    /// The complex transforms over the outer axes, then over the last one that was completed by its symmetry.
    fn inverse_of_real(
        &self,
        input: &[Complex<T>],
        half: usize,
        all: &mut [Complex<T>],
        line: &mut [Complex<T>],
        work: &mut [Complex<T>],
    ) {
        let rows = all.chunks_exact_mut(self.real);
        for (row, input) in rows.zip(input.chunks_exact(half)) {
            row[..half].copy_from_slice(input);
            row[half..].fill(Complex::new(T::zero(), T::zero()));
        }
        let last = self.lengths.len() - 1;
        for axis in 0..last {
            self.along(axis, all, line, work);
        }
        for row in all.chunks_exact_mut(self.real) {
            // What is not real there, a real transform does not have.
            row[0].im = T::zero();
            if self.real.is_multiple_of(2) {
                row[half - 1].im = T::zero();
            }
            for index in half..self.real {
                row[index] = row[self.real - index].conj();
            }
        }
        self.along(last, all, line, work);
    }

    fn transform(&self, all: &mut [Complex<T>], line: &mut [Complex<T>], work: &mut [Complex<T>]) {
        for axis in 0..self.lengths.len() {
            self.along(axis, all, line, work);
        }
    }

    /// Transforms along one axis; an inverse is divided by its length.
    fn along(
        &self,
        axis: usize,
        all: &mut [Complex<T>],
        line: &mut [Complex<T>],
        work: &mut [Complex<T>],
    ) {
        let length = self.lengths[axis];
        let distance: usize = self.lengths[axis + 1..].iter().product();
        let line = &mut line[..length];
        let is_inverse = matches!(self.kind, FftKind::Ifft | FftKind::Irfft);
        let scale = T::one() / T::from_usize(length).unwrap_or_else(T::one);
        for block in all.chunks_exact_mut(length * distance) {
            for first in 0..distance {
                for (at, element) in line.iter_mut().enumerate() {
                    *element = block[first + at * distance];
                }
                self.transforms[axis].process_with_scratch(line, work);
                for (at, element) in line.iter().enumerate() {
                    block[first + at * distance] = if is_inverse {
                        *element * scale
                    } else {
                        *element
                    };
                }
            }
        }
    }
}
