use std::fmt;

use cyxla_artifact::ArrayType;

use crate::code::CodeMemory;
use crate::direct::Direct;
use crate::error::{LoadError, RunError};
use crate::frame::{Frame, Frames, Layout};
use crate::image::{Image, Output, Role};
use crate::kernel::KernelFailed;
use crate::load::{Handlers, Loading, check};
use crate::memory::AlignedBytes;
use crate::parallel;
use crate::schedule::{Schedule, Workplace, alignments};

/// A program that can be called: the code of an image in memory, and its schedule.
///
/// It is called from any number of threads at once, each with memory of its own.
pub struct Program {
    image: Image,
    schedule: Schedule,
    direct: Option<Direct>,
    layout: Layout,
    frames: Frames,
    constants: AlignedBytes,
    /// The alignment in bytes that each allocation needs.
    alignments: Vec<usize>,
    /// For each result its allocation, if it is one.
    own: Vec<Option<usize>>,
    /// For each result the argument that it overwrites.
    donors: Vec<Option<usize>>,
    /// For each argument the result that overwrites it.
    heirs: Vec<Option<usize>>,
    input_types: Vec<ArrayType>,
    output_types: Vec<ArrayType>,
    /// Last, so that nothing that points into it is left when it goes.
    _code: CodeMemory,
}

// SAFETY: the code and the constants are only read; each call has a frame of its own.
unsafe impl Send for Program {}
// SAFETY: as above.
unsafe impl Sync for Program {}

impl Program {
    /// Loads an image. `handlers` gives those of its custom calls.
    ///
    /// # Errors
    /// The image contradicts itself, is for another processor, has a custom call without a handler or a step that this
    /// engine does not do; the operating system gives no memory for code.
    ///
    /// # Safety
    /// The image was made by XLA and `cyxla-build`: its code does what its schedule says, and stays within its arguments.
    pub unsafe fn load(image: Image, handlers: &Handlers<'_>) -> Result<Self, LoadError> {
        check(&image)?;
        parallel::watch();
        let code = CodeMemory::new(&image.code).map_err(|source| LoadError::Code {
            program: image.name.clone(),
            source,
        })?;
        let schedule = Schedule::new(&Loading {
            image: &image,
            code: &code,
            handlers,
        })?;
        let constants = AlignedBytes::of(&image.constants);
        let own = image.outputs.iter().enumerate().map(|(index, output)| {
            let allocation = output.slice.allocation as usize;
            let role = image.allocations[allocation].role;
            matches!(role, Role::Output { index: of } if of as usize == index).then_some(allocation)
        });
        let own: Vec<_> = own.collect();
        let donors: Vec<_> = image
            .outputs
            .iter()
            .map(|output| donor(&image, output))
            .collect();
        let heir = |input| donors.iter().position(|&donor| donor == Some(input));
        let heirs = (0..image.inputs.len()).map(heir).collect();
        Ok(Self {
            direct: Direct::new(&image, &schedule),
            layout: Layout::new(&image, &schedule.arguments),
            frames: Frames::default(),
            alignments: alignments(&image),
            own,
            donors,
            heirs,
            input_types: image.inputs.iter().map(|input| input.array_type).collect(),
            output_types: image
                .outputs
                .iter()
                .map(|output| output.array_type)
                .collect(),
            schedule,
            constants,
            image,
            _code: code,
        })
    }

    /// The name of the module in XLA, for people.
    pub fn name(&self) -> &str {
        &self.image.name
    }

    /// The types of the arguments, in order.
    pub fn input_types(&self) -> &[ArrayType] {
        &self.input_types
    }

    /// The types of the results, in order.
    pub fn output_types(&self) -> &[ArrayType] {
        &self.output_types
    }

    /// The argument that a result overwrites, as the program was told to by a donation: the result can be in its memory.
    pub fn donor(&self, output: usize) -> Option<usize> {
        *self.donors.get(output)?
    }

    /// Runs the program on arrays as bytes, row major.
    ///
    /// # Errors
    /// Numbers or sizes of the arrays are not those of the program; a handler of a custom call fails. Then the results hold
    /// anything.
    pub fn run(&self, inputs: &[&[u8]], outputs: &mut [&mut [u8]]) -> Result<(), RunError> {
        self.check_count("arguments", self.input_types.len(), inputs.len())?;
        self.check_count("results", self.output_types.len(), outputs.len())?;
        for (index, (input, expected)) in inputs.iter().zip(&self.input_types).enumerate() {
            self.check_size("argument", index, expected.nbytes(), input.len())?;
        }
        for (index, (output, expected)) in outputs.iter().zip(&self.output_types).enumerate() {
            self.check_size("result", index, expected.nbytes(), output.len())?;
        }
        let outputs: Vec<*mut [u8]> = outputs.iter_mut().map(|output| &raw mut **output).collect();
        // SAFETY: as many arrays as the program has, of as many bytes; borrowed for the call, the results exclusively.
        unsafe { self.call(inputs, &outputs) }
    }

    /// Runs the program on arrays as bytes, and writes the results to these addresses. None needs an alignment; those at a
    /// multiple of 64 are not copied.
    ///
    /// # Errors
    /// A handler of a custom call fails. Then the results hold anything.
    ///
    /// # Safety
    /// As many arguments and results as [`input_types`](Self::input_types) and [`output_types`](Self::output_types) say, each
    /// with as many bytes; nobody else uses the results, which overlap with nothing. The [donor](Self::donor) of a result may
    /// have no bytes: then it lies where the result is to be written, at a multiple of 64.
    #[expect(
        clippy::inline_always,
        reason = "numbers and sizes are constants of typed callers"
    )]
    #[inline(always)]
    pub unsafe fn call(&self, inputs: &[&[u8]], outputs: &[*mut [u8]]) -> Result<(), RunError> {
        if let Some(direct) = &self.direct {
            // SAFETY: as the caller promises.
            match unsafe { direct.call(inputs, outputs) } {
                Some(Ok(())) => return Ok(()),
                Some(Err(KernelFailed)) => return Err(self.failed()),
                None => {}
            }
        }
        // SAFETY: as the caller promises.
        unsafe { self.call_in_frame(inputs, outputs) }
    }

    #[inline(never)]
    unsafe fn call_in_frame(
        &self,
        inputs: &[&[u8]],
        outputs: &[*mut [u8]],
    ) -> Result<(), RunError> {
        let mut frame = self.frames.take().unwrap_or_else(|| Box::new(self.frame()));
        let inputs = inputs.iter().map(|&input| &raw const *input);
        // SAFETY: as the caller promises.
        let done = unsafe { self.call_in(&mut frame, inputs, outputs) };
        self.frames.put(frame);
        done
    }

    /// What one call at a time works with.
    pub(crate) fn frame(&self) -> Frame {
        let arguments = &self.schedule.arguments;
        Frame::new(&self.image, &self.layout, arguments, &self.constants)
    }

    /// The shortest way, if there is one.
    #[inline]
    pub(crate) fn direct(&self) -> Option<&Direct> {
        self.direct.as_ref()
    }

    #[cold]
    pub(crate) fn failed(&self) -> RunError {
        RunError::Kernel {
            program: self.image.name.clone(),
        }
    }

    /// As [`call`](Self::call), in this frame.
    ///
    /// # Safety
    /// As for [`call`](Self::call); arguments don't change meanwhile.
    pub(crate) unsafe fn call_in(
        &self,
        frame: &mut Frame,
        inputs: impl Iterator<Item = *const [u8]>,
        outputs: &[*mut [u8]],
    ) -> Result<(), RunError> {
        let heirs = self.image.inputs.iter().zip(&self.heirs);
        for ((input, heir), bytes) in heirs.zip(inputs) {
            if bytes.len() != input.array_type.nbytes() {
                if let Some(&place) = heir.and_then(|heir| outputs.get(heir)) {
                    frame.place(&self.layout, input.allocation as usize, place.cast());
                }
                continue;
            }
            let start = bytes.cast::<u8>();
            let allocation = input.allocation as usize;
            let role = self.image.allocations[allocation].role;
            let is_written = matches!(role, Role::Input { written: true, .. });
            let mut place = start.cast_mut();
            if is_written || !self.is_aligned(allocation, start) {
                place = frame.staged(&self.layout, allocation);
                // SAFETY: as many bytes in both places, as the caller promises and the layout has it.
                unsafe {
                    std::ptr::copy_nonoverlapping(start, place, bytes.len());
                }
            }
            frame.place(&self.layout, allocation, place);
        }
        for (&own, output) in self.own.iter().zip(outputs) {
            if let Some(allocation) = own {
                let start = output.cast::<u8>();
                let place = if self.is_aligned(allocation, start) {
                    start
                } else {
                    frame.staged(&self.layout, allocation)
                };
                frame.place(&self.layout, allocation, place);
            }
        }
        let mut workplace = Workplace {
            program: &self.image.name,
            bases: &frame.bases,
            arguments: &frame.arguments,
            scratch: &mut frame.scratch,
        };
        // SAFETY: every allocation has its place: those of arguments and results above, the others since the frame was made.
        unsafe { self.schedule.run(&mut workplace)? }
        for (output, start) in self.image.outputs.iter().zip(outputs) {
            let start = start.cast::<u8>();
            let place = frame.bases.at(output.slice);
            if place != start {
                // SAFETY: as many bytes in both places; the caller's overlaps with nothing.
                unsafe {
                    std::ptr::copy_nonoverlapping(place, start, output.slice.size);
                }
            }
        }
        Ok(())
    }

    #[inline]
    fn is_aligned(&self, allocation: usize, start: *const u8) -> bool {
        start.addr().is_multiple_of(self.alignments[allocation])
    }

    fn check_count(
        &self,
        what: &'static str,
        expected: usize,
        found: usize,
    ) -> Result<(), RunError> {
        if expected == found {
            return Ok(());
        }
        Err(RunError::Count {
            program: self.image.name.clone(),
            what,
            expected,
            found,
        })
    }

    fn check_size(
        &self,
        what: &'static str,
        index: usize,
        expected: usize,
        found: usize,
    ) -> Result<(), RunError> {
        if expected == found {
            return Ok(());
        }
        Err(RunError::Size {
            program: self.image.name.clone(),
            what,
            index,
            expected,
            found,
        })
    }
}

/// The argument that a result overwrites whole.
fn donor(image: &Image, output: &Output) -> Option<usize> {
    let allocation = output.slice.allocation as usize;
    match image.allocations[allocation].role {
        Role::Input {
            index,
            written: true,
        } if output.slice.offset == 0 => {
            let input = &image.inputs[index as usize];
            (input.array_type == output.array_type).then_some(index as usize)
        }
        _ => None,
    }
}

impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Program")
            .field("name", &self.image.name)
            .field("inputs", &self.input_types)
            .field("outputs", &self.output_types)
            .finish_non_exhaustive()
    }
}
