//! That an image doesn't contradict itself: what the engine relies on.

mod arrays;
mod operations;
mod steps;

use super::{Code, Function, FunctionKind, Image, ImageError, PatchValue, Role, Slice, Target};

/// The largest number of bytes that code may have: what offsets in it can hold, and relative references can bridge.
const MAX_CODE: usize = i32::MAX as usize;

/// A contradiction, in words.
type Check = Result<(), String>;

/// Fails with a reason unless a condition holds.
macro_rules! ensure {
    ($condition:expr, $($reason:tt)*) => {
        if !$condition {
            return Err(format!($($reason)*));
        }
    };
}
use ensure;

impl Image {
    /// Checks that the image doesn't contradict itself.
    ///
    /// After that each of these holds:
    /// - patches, entries of functions and addresses of patches lie in the code, and no patches overlap;
    /// - indices of functions, allocations, arguments and results exist, and functions are of the kind that is called;
    /// - slices lie in their allocations, constant allocations in the constants, sizes don't overflow;
    /// - arrays are as long as their shapes say, layouts are permutations of the axes;
    /// - nothing but kernels has results in a constant, or in an argument that isn't for writing;
    /// - the arguments and results of a step fit together: axes, lengths, number of elements;
    /// - arguments of kernels lie at the multiple that the kernel expects.
    ///
    /// That the code does what its step says, stays within its arguments and writes only what is for writing can't be
    /// checked.
    ///
    /// # Errors
    /// [`ImageError::Inconsistent`] with the first contradiction.
    pub fn validate(&self) -> Result<(), ImageError> {
        let check = || {
            target(&self.target)?;
            code(&self.code)?;
            for (index, function) in self.functions.iter().enumerate() {
                ensure!(
                    (function.entry as usize) < self.code.bytes.len(),
                    "function {index} begins outside of the code"
                );
            }
            self.allocations()?;
            self.ports()?;
            steps::sequence(self, &self.schedule, 0)
        };
        check().map_err(|reason| ImageError::Inconsistent { reason })
    }

    /// The function of an index, which must be of a kind.
    fn function(&self, index: u32, kind: FunctionKind) -> Result<&Function, String> {
        let function = self.functions.get(index as usize);
        let function = function.ok_or_else(|| format!("there is no function {index}"))?;
        ensure!(
            function.kind == kind,
            "function {index} is a {:?}, not a {kind:?}",
            function.kind
        );
        Ok(function)
    }

    fn allocations(&self) -> Check {
        let mut total = 0_usize;
        let mut with_output = vec![false; self.outputs.len()];
        for (index, allocation) in self.allocations.iter().enumerate() {
            let size = allocation.size;
            // Room for the alignment of each.
            total = total
                .checked_add(size)
                .and_then(|total| total.checked_add(64))
                .filter(|&total| isize::try_from(total).is_ok())
                .ok_or("the allocations don't fit into memory")?;
            match allocation.role {
                Role::Input { index: input, .. } => {
                    let known = self.inputs.get(input as usize);
                    ensure!(
                        known.is_some_and(|known| known.allocation as usize == index),
                        "allocation {index} is not where argument {input} is"
                    );
                }
                Role::Output { index: output } => {
                    let all = Slice {
                        allocation: u32::try_from(index).map_err(|_| "too many allocations")?,
                        offset: 0,
                        size,
                    };
                    let known = self.outputs.get(output as usize);
                    ensure!(
                        known.is_some_and(|known| known.slice == all),
                        "allocation {index} is not where result {output} is"
                    );
                    let taken = with_output.get_mut(output as usize);
                    ensure!(
                        taken.is_some_and(|taken| !std::mem::replace(taken, true)),
                        "result {output} has two allocations"
                    );
                }
                Role::Temporary => {}
                Role::Constant { offset } => {
                    let end = offset.checked_add(size);
                    ensure!(
                        offset % 64 == 0 && end.is_some_and(|end| end <= self.constants.len()),
                        "allocation {index} is not among the constants"
                    );
                }
            }
        }
        Ok(())
    }

    fn ports(&self) -> Check {
        for (index, input) in self.inputs.iter().enumerate() {
            let allocation = self.allocations.get(input.allocation as usize);
            let role = allocation.map(|allocation| allocation.role);
            ensure!(
                matches!(role, Some(Role::Input { index: of, .. }) if of as usize == index),
                "argument {index} is in an allocation of something else"
            );
            let size = allocation.map_or(0, |allocation| allocation.size);
            ensure!(
                size == input.array_type.nbytes(),
                "argument {index}, {}, is in an allocation of {size} bytes",
                input.array_type
            );
        }
        for (index, output) in self.outputs.iter().enumerate() {
            let Slice { size, .. } = output.slice;
            self.readable(output.slice)?;
            ensure!(
                size == output.array_type.nbytes(),
                "result {index}, {}, is in {size} bytes",
                output.array_type
            );
        }
        Ok(())
    }

    /// A slice that is read.
    fn readable(&self, slice: Slice) -> Check {
        let Slice {
            allocation,
            offset,
            size,
        } = slice;
        let known = self.allocations.get(allocation as usize);
        let known = known.ok_or_else(|| format!("there is no allocation {allocation}"))?;
        ensure!(
            offset
                .checked_add(size)
                .is_some_and(|end| end <= known.size),
            "{size} bytes from {offset} on are not in allocation {allocation} of {} bytes",
            known.size
        );
        Ok(())
    }

    /// A slice that is written.
    fn writable(&self, slice: Slice) -> Check {
        self.readable(slice)?;
        let role = self.allocations[slice.allocation as usize].role;
        ensure!(
            matches!(
                role,
                Role::Temporary | Role::Output { .. } | Role::Input { written: true, .. }
            ),
            "allocation {} is written and is not for writing",
            slice.allocation
        );
        Ok(())
    }
}

fn target(target: &Target) -> Check {
    ensure!(
        target.features.is_sorted_by(|left, right| left < right),
        "the CPU features are not sorted"
    );
    Ok(())
}

fn code(code: &Code) -> Check {
    let size = code.bytes.len();
    ensure!(size <= MAX_CODE, "the code has {size} bytes");
    ensure!(
        code.alignment.is_power_of_two() && code.alignment <= 4096,
        "the code can't be aligned to {} bytes",
        code.alignment
    );
    let mut end = 0;
    for patch in &code.patches {
        let offset = patch.offset as usize;
        ensure!(
            offset >= end,
            "the patch at {offset} overlaps another or is out of order"
        );
        end = offset + 8;
        ensure!(end <= size, "the patch at {offset} is not in the code");
        if let PatchValue::Code(address) = patch.value {
            ensure!(
                address as usize <= size,
                "the patch at {offset} is an address outside of the code"
            );
        }
    }
    Ok(())
}
