//! The shortest way: a program that is one kernel, called straight from the arguments.

use std::mem::MaybeUninit;

use crate::image::{Image, Role};
use crate::kernel::{Kernel, KernelArgument, KernelFailed};
use crate::memory::ALIGNMENT;
use crate::schedule::Schedule;

/// A kernel whose arguments are those of its program, then its results, in order: it needs no frame.
pub(crate) struct Direct(Kernel);

/// Programs with more arguments and results are called by way of a frame.
const MOST: usize = 8;

/// Bytes on the stack for arguments that are not aligned.
const STAGE: usize = 1024;

#[repr(C, align(64))]
struct Stage([MaybeUninit<u8>; STAGE]);

const _: () = assert!(align_of::<Stage>() == ALIGNMENT);

impl Direct {
    /// The way of a program, if it is so simple.
    pub(crate) fn new(image: &Image, schedule: &Schedule) -> Option<Self> {
        let kernel = schedule.only_kernel()?;
        let ports = image.inputs.len() + image.outputs.len();
        if ports > MOST || schedule.arguments.len() != ports || !kernel.is_one() {
            return None;
        }
        for (number, slice) in schedule.arguments.iter().enumerate() {
            let allocation = image.allocations.get(slice.allocation as usize)?;
            let port = match allocation.role {
                Role::Input {
                    index,
                    written: false,
                } => index as usize,
                Role::Output { index } => image.inputs.len() + index as usize,
                _ => return None,
            };
            if port != number || slice.offset != 0 || slice.size != allocation.size {
                return None;
            }
        }
        Some(Self(kernel))
    }

    /// The kernel.
    pub(crate) fn kernel(&self) -> &Kernel {
        &self.0
    }

    /// Calls the kernel, unless results are not aligned, or arguments that are not have no room on the stack.
    ///
    /// # Safety
    /// As for [`Program::call`](crate::Program::call), of the program that this was made for.
    #[expect(
        clippy::inline_always,
        reason = "numbers and sizes are constants of typed callers"
    )]
    #[inline(always)]
    pub(crate) unsafe fn call(
        &self,
        inputs: &[&[u8]],
        outputs: &[*mut [u8]],
    ) -> Option<Result<(), KernelFailed>> {
        let mut stage = Stage([MaybeUninit::uninit(); STAGE]);
        let mut used = 0;
        let mut arguments = [const { MaybeUninit::<KernelArgument>::uninit() }; MOST];
        let (ins, outs) = arguments.split_at_mut_checked(inputs.len())?;
        for (argument, input) in ins.iter_mut().zip(inputs) {
            let mut data = input.as_ptr().cast_mut();
            if !data.addr().is_multiple_of(ALIGNMENT) {
                let room = stage.0.get_mut(used..)?.get_mut(..input.len())?;
                data = room.as_mut_ptr().cast();
                // SAFETY: as many bytes at both places, of which one is new.
                unsafe { std::ptr::copy_nonoverlapping(input.as_ptr(), data, input.len()) };
                used += input.len().next_multiple_of(ALIGNMENT);
            }
            argument.write(KernelArgument {
                data,
                size: input.len(),
            });
        }
        for (argument, output) in outs.iter_mut().zip(outputs) {
            let data = output.cast::<u8>();
            if !data.addr().is_multiple_of(ALIGNMENT) {
                return None;
            }
            argument.write(KernelArgument {
                data,
                size: output.len(),
            });
        }
        // SAFETY: `new` has seen that there are at most as many, so that each was written. They are what the kernel was compiled
        // for, as the image says, and aligned.
        Some(unsafe {
            let arguments = arguments.as_ptr().cast::<KernelArgument>();
            let count = inputs.len() + outputs.len();
            self.0
                .call_first(std::slice::from_raw_parts(arguments, count))
        })
    }
}
