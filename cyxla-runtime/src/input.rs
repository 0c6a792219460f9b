//! The arguments of a program, and where copies of them lie.

use cyxla_artifact::{ArrayType, DType};
use cyxla_pjrt_sys::PJRT_Buffer_Type;

use crate::buffer::HostData;
use crate::element_type;
use crate::error::CompileError;
use crate::host::ALIGNMENT;

/// An argument of a program.
pub(crate) struct Input {
    pub(crate) array_type: ArrayType,
    /// The name of the leaf in Python, `params['w']`.
    pub(crate) name: String,
    /// Whether the program may reuse the memory, so that it must not be the caller's.
    pub(crate) donated: bool,
    element: PJRT_Buffer_Type,
    dims: Box<[i64]>,
}

impl Input {
    /// # Errors
    /// PJRT has no such arrays.
    pub(crate) fn new(
        array_type: ArrayType,
        name: String,
        donated: bool,
    ) -> Result<Self, CompileError> {
        let dims = array_type.shape().iter().map(|&n| i64::try_from(n).ok());
        match (element_type::to_pjrt(array_type.dtype()), dims.collect()) {
            (Some(element), Some(dims)) => Ok(Self {
                array_type,
                name,
                donated,
                element,
                dims,
            }),
            _ => Err(CompileError::Input {
                name,
                array_type: Box::new(array_type),
            }),
        }
    }

    /// Whether the program can read it, call after call, from one place in host memory: not if the program writes there, and
    /// not 4-bit integers, which share bytes on the device.
    pub(crate) fn stays_in_place(&self) -> bool {
        !self.donated && !matches!(self.array_type.dtype(), DType::I4 | DType::U4)
    }

    /// An array of this type in the words of PJRT.
    #[inline]
    pub(crate) fn data(&self, start: *const u8) -> HostData<'_> {
        HostData {
            start,
            element: self.element,
            dims: &self.dims,
        }
    }
}

/// Where the arguments of a program lie in the staging memory of a frame, each aligned.
pub(crate) struct Staging {
    /// For each argument the offset of its first byte; none for one that is not staged.
    pub(crate) offsets: Box<[Option<usize>]>,
    /// Bytes of the whole.
    pub(crate) size: usize,
}

impl Staging {
    /// Room for the arguments that `is_staged` names.
    pub(crate) fn of(inputs: &[Input], is_staged: impl Fn(&Input) -> bool) -> Self {
        let mut size = 0_usize;
        let offset = |input: &Input| {
            let start = size;
            let end = start
                .checked_add(input.array_type.nbytes())?
                .checked_next_multiple_of(ALIGNMENT)?;
            // Memory has no more bytes than this; what does not fit is not staged.
            if !is_staged(input) || isize::try_from(end).is_err() {
                return None;
            }
            size = end;
            Some(start)
        };
        let offsets = inputs.iter().map(offset).collect();
        Self { offsets, size }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inputs(shapes: &[&[usize]]) -> Vec<Input> {
        let input = |shape: &&[usize]| {
            let array_type = ArrayType::new(DType::F32, shape).unwrap();
            Input::new(array_type, "x".into(), false).unwrap()
        };
        shapes.iter().map(input).collect()
    }

    #[test]
    fn staged_arguments_are_aligned_and_apart() {
        let inputs = inputs(&[&[2], &[17], &[], &[16]]);
        let staging = Staging::of(&inputs, |_| true);
        // 8, 68, 4 and 64 bytes.
        assert_eq!(*staging.offsets, [Some(0), Some(64), Some(192), Some(256)]);
        assert_eq!(staging.size, 320);
    }

    #[test]
    fn what_is_not_staged_takes_no_room() {
        let inputs = inputs(&[&[2], &[1 << 20], &[0], &[1]]);
        let staging = Staging::of(&inputs, |input| input.array_type.nbytes() < 100);
        assert_eq!(*staging.offsets, [Some(0), None, Some(64), Some(64)]);
        assert_eq!(staging.size, 128);
    }

    #[test]
    fn sizes_beyond_all_memory_are_not_staged() {
        // 2^62 bytes on machines of 64 bits: two of them are more than addresses can tell apart.
        let half = 1 << (usize::BITS - 4);
        let staging = Staging::of(&inputs(&[&[half], &[half], &[1]]), |_| true);
        assert_eq!(*staging.offsets, [Some(0), None, Some(4 * half)]);
    }
}
