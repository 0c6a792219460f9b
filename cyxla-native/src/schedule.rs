//! The steps of a call, ready to be run, and their run.

use crate::error::{LoadError, RunError};
use crate::image::{FunctionKind, Image, Sequence, Slice, Step};
use crate::kernel::{Comparator, Kernel, KernelArgument};
use crate::load::Loading;
use crate::memory::Bases;
use crate::steps::{Convolution, Copy, CustomCall, Dot, Fft, Scratch, Sort, TopK};

/// One step.
enum Op {
    Kernel {
        kernel: Kernel,
        /// Where its arguments are in the list of all, and how many.
        first: usize,
        count: usize,
    },
    Copy(Copy),
    While {
        condition: Vec<Op>,
        body: Vec<Op>,
        predicate: Slice,
        trip_count: Option<u64>,
    },
    Conditional {
        index: Slice,
        branches: Vec<Vec<Op>>,
    },
    Dot(Dot),
    Convolution(Convolution),
    Fft(Fft),
    Sort(Sort),
    TopK(TopK),
    /// Writes the number of this replica or partition: the first.
    Zero(Slice),
    CustomCall(CustomCall),
}

/// All steps of a program.
pub(crate) struct Schedule {
    ops: Vec<Op>,
    /// The arguments of all kernels, one after the other.
    pub(crate) arguments: Vec<Slice>,
}

/// What the steps of one call work with.
pub(crate) struct Workplace<'a> {
    pub(crate) program: &'a str,
    pub(crate) bases: &'a Bases,
    /// The arguments of all kernels, in place.
    pub(crate) arguments: &'a [KernelArgument],
    pub(crate) scratch: &'a mut Scratch,
}

impl Schedule {
    /// The schedule of an image.
    ///
    /// # Errors
    /// It has a step that can't be run here.
    pub(crate) fn new(loading: &Loading<'_>) -> Result<Self, LoadError> {
        let mut arguments = Vec::new();
        let ops = ops(loading, &loading.image.schedule, &mut arguments)?;
        Ok(Self { ops, arguments })
    }

    /// The kernel that is all of the program, if so.
    pub(crate) fn only_kernel(&self) -> Option<Kernel> {
        match self.ops[..] {
            [Op::Kernel { kernel, .. }] => Some(kernel),
            _ => None,
        }
    }

    /// Runs all steps.
    ///
    /// # Errors
    /// A kernel or a handler fails.
    ///
    /// # Safety
    /// The bases are those of memory as the image describes it, aligned, with the arguments in it, which nobody else uses.
    pub(crate) unsafe fn run(&self, workplace: &mut Workplace<'_>) -> Result<(), RunError> {
        // SAFETY: as the caller promises.
        unsafe { workplace.run(&self.ops) }
    }
}

fn ops(
    loading: &Loading<'_>,
    sequence: &Sequence,
    arguments: &mut Vec<Slice>,
) -> Result<Vec<Op>, LoadError> {
    let mut ops = Vec::with_capacity(sequence.steps.len());
    for step in &sequence.steps {
        ops.push(match step {
            Step::Kernel(call) => {
                let first = arguments.len();
                arguments.extend_from_slice(&call.arguments);
                Op::Kernel {
                    kernel: loading.kernel(call.function, call.workgroups),
                    first,
                    count: call.arguments.len(),
                }
            }
            Step::Copy(copy) => Op::Copy(Copy::new(copy)),
            Step::Call(inner) => {
                ops.extend(self::ops(loading, inner, arguments)?);
                continue;
            }
            Step::While(step) => Op::While {
                condition: self::ops(loading, &step.condition, arguments)?,
                body: self::ops(loading, &step.body, arguments)?,
                predicate: step.predicate,
                trip_count: step.trip_count,
            },
            Step::Conditional(step) => {
                let branches = step.branches.iter();
                let branches = branches.map(|branch| self::ops(loading, branch, arguments));
                Op::Conditional {
                    index: step.index,
                    branches: branches.collect::<Result<_, _>>()?,
                }
            }
            Step::Dot(dot) => Op::Dot(Dot::new(dot).map_err(|step| loading.refused(step))?),
            Step::Convolution(step) => {
                let convolution = Convolution::new(step);
                Op::Convolution(convolution.map_err(|step| loading.refused(step))?)
            }
            Step::Fft(fft) => Op::Fft(Fft::new(fft).map_err(|step| loading.refused(step))?),
            Step::Sort(sort) => Op::Sort(Sort::new(sort, loading.comparator(sort.comparator))),
            Step::TopK(top_k) => Op::TopK(TopK::new(top_k)),
            Step::PartitionId { result } | Step::ReplicaId { result } => Op::Zero(*result),
            Step::CustomCall(call) => Op::CustomCall(loading.custom_call(call)?),
            Step::RngState { .. } => {
                return Err(loading.refused("XLA's own random number state".to_owned()));
            }
        });
    }
    Ok(ops)
}

impl Workplace<'_> {
    /// # Safety
    /// As for [`Schedule::run`].
    unsafe fn run(&mut self, ops: &[Op]) -> Result<(), RunError> {
        for op in ops {
            // SAFETY: the bases hold what the image says, as the caller promises, and the image was validated: slices lie
            // in their allocations, arrays are as long as their shapes, and steps fit together. One call is run by one
            // thread, so that nobody else reads or writes its memory.
            unsafe {
                match op {
                    Op::Kernel {
                        kernel,
                        first,
                        count,
                    } => {
                        let called = kernel.call(&self.arguments[*first..first + count]);
                        called.map_err(|_| RunError::Kernel {
                            program: self.program.to_owned(),
                        })?;
                    }
                    Op::Copy(copy) => copy.run(self.bases),
                    Op::While {
                        condition,
                        body,
                        predicate,
                        trip_count,
                    } => match *trip_count {
                        Some(trips) => {
                            for _ in 0..trips {
                                self.run(body)?;
                            }
                        }
                        None => loop {
                            self.run(condition)?;
                            if self.bases.at(*predicate).read() == 0 {
                                break;
                            }
                            self.run(body)?;
                        },
                    },
                    Op::Conditional { index, branches } => {
                        let branch = self.branch(*index, branches.len());
                        if let Some(branch) = branches.get(branch) {
                            self.run(branch)?;
                        }
                    }
                    Op::Dot(dot) => dot.run(self.bases, self.scratch),
                    Op::Convolution(convolution) => convolution.run(self.bases, self.scratch),
                    Op::Fft(fft) => fft.run(self.bases, self.scratch),
                    Op::Sort(sort) => sort.run(self.bases, self.scratch),
                    Op::TopK(top_k) => top_k.run(self.bases, self.scratch),
                    Op::Zero(result) => self.bases.at(*result).write_bytes(0, result.size),
                    Op::CustomCall(call) => call.run(self.program, self.bases)?,
                }
            }
        }
        Ok(())
    }

    /// Which branch is chosen: true is the first of two; an index that there is none of is the last.
    ///
    /// # Safety
    /// As for [`Schedule::run`].
    unsafe fn branch(&self, index: Slice, branches: usize) -> usize {
        let place = self.bases.at(index);
        if index.size == 1 {
            // SAFETY: the slice lies in its allocation.
            return usize::from(unsafe { place.read() } == 0);
        }
        // SAFETY: as above; of four bytes.
        let chosen = unsafe { place.cast::<i32>().read_unaligned() };
        let chosen = usize::try_from(chosen).unwrap_or(usize::MAX);
        chosen.min(branches.saturating_sub(1))
    }
}

/// Functions of an image by number.
impl Loading<'_> {
    fn kernel(&self, function: u32, workgroups: [u64; 3]) -> Kernel {
        let entry = self.entry(function, FunctionKind::Kernel);
        // SAFETY: the image says that a kernel begins there, which whoever loads it promises. The program keeps the code as
        // long as its schedule.
        unsafe { Kernel::new(entry, workgroups) }
    }

    fn comparator(&self, function: u32) -> Comparator {
        let entry = self.entry(function, FunctionKind::Comparator);
        // SAFETY: as above.
        unsafe { Comparator::new(entry) }
    }

    fn entry(&self, function: u32, kind: FunctionKind) -> *const u8 {
        let function = &self.image.functions[function as usize];
        debug_assert_eq!(function.kind, kind);
        self.code.entry(function)
    }

    fn custom_call(&self, call: &crate::image::CustomCall) -> Result<CustomCall, LoadError> {
        let handler = (self.handlers)(&call.target);
        let handler = handler.ok_or_else(|| LoadError::Handler {
            program: self.image.name.clone(),
            target: call.target.clone(),
        })?;
        CustomCall::new(call, handler).map_err(|step| self.refused(step))
    }

    fn refused(&self, step: String) -> LoadError {
        LoadError::Step {
            program: self.image.name.clone(),
            step,
        }
    }
}

/// The alignment at which each allocation must begin, in bytes: that of the kernels which see it, or of any element.
pub(crate) fn alignments(image: &Image) -> Vec<usize> {
    let mut alignments = vec![16; image.allocations.len()];
    visit(&image.schedule, &mut |step| {
        if let Step::Kernel(call) = step {
            for slice in &call.arguments {
                let alignment = &mut alignments[slice.allocation as usize];
                *alignment = (*alignment).max(call.alignment as usize);
            }
        }
    });
    alignments
}

fn visit(sequence: &Sequence, see: &mut impl FnMut(&Step)) {
    for step in &sequence.steps {
        see(step);
        match step {
            Step::Call(inner) => visit(inner, see),
            Step::While(step) => {
                visit(&step.condition, see);
                visit(&step.body, see);
            }
            Step::Conditional(step) => {
                for branch in &step.branches {
                    visit(branch, see);
                }
            }
            _ => {}
        }
    }
}
