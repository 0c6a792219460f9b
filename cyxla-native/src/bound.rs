use crate::error::RunError;
use crate::frame::Frame;
use crate::kernel::KernelArgument;
use crate::memory::AlignedBytes;
use crate::program::Program;

/// A call with memory of its own: arguments are written in place, results are read in place.
pub struct Bound<'p> {
    program: &'p Program,
    frame: Frame,
    inputs: Vec<Place>,
    outputs: Vec<Place>,
    /// Where the results are.
    results: Vec<*mut [u8]>,
    /// The arguments of the kernel that is all of the program, if so.
    direct: Vec<KernelArgument>,
}

struct Place {
    bytes: AlignedBytes,
    size: usize,
}

// SAFETY: the pointers are into memory that it owns; shared access only reads.
unsafe impl Send for Bound<'_> {}
// SAFETY: as above.
unsafe impl Sync for Bound<'_> {}

impl Place {
    fn new(size: usize) -> Self {
        Self {
            bytes: AlignedBytes::zeroed(size),
            size,
        }
    }

    fn as_ptr(&self) -> *mut [u8] {
        std::ptr::slice_from_raw_parts_mut(self.bytes.as_ptr(), self.size)
    }
}

impl<'p> Bound<'p> {
    /// Memory of zeros for the arguments and results of a program.
    pub fn new(program: &'p Program) -> Self {
        let places = |types: &[cyxla_artifact::ArrayType]| {
            let sizes = types.iter().map(cyxla_artifact::ArrayType::nbytes);
            sizes.map(Place::new).collect::<Vec<_>>()
        };
        let inputs = places(program.input_types());
        let outputs = places(program.output_types());
        let direct = inputs.iter().chain(&outputs).map(|place| KernelArgument {
            data: place.bytes.as_ptr(),
            size: place.size,
        });
        Self {
            program,
            frame: program.frame(),
            direct: direct.collect(),
            results: outputs.iter().map(Place::as_ptr).collect(),
            inputs,
            outputs,
        }
    }

    /// Where the arguments are, which stay there: each at a multiple of 64.
    pub fn inputs(&mut self) -> impl Iterator<Item = *mut [u8]> {
        self.inputs.iter().map(Place::as_ptr)
    }

    /// Where the results are, which stay there: zeros before the first run, anything after one that has failed.
    pub fn outputs(&self) -> impl Iterator<Item = *const [u8]> {
        self.outputs.iter().map(|place| place.as_ptr().cast_const())
    }

    /// Runs the program.
    ///
    /// # Errors
    /// A handler of a custom call fails.
    #[inline]
    pub fn run(&mut self) -> Result<(), RunError> {
        if let Some(direct) = self.program.direct() {
            // SAFETY: the arguments of the kernel, aligned, in memory of this call.
            let done = unsafe { direct.kernel().call_first(&self.direct) };
            return done.map_err(|_| self.program.failed());
        }
        let inputs = self.inputs.iter().map(|place| place.as_ptr().cast_const());
        // SAFETY: as many arrays as the program has, of their sizes, in memory of this call.
        unsafe { self.program.call_in(&mut self.frame, inputs, &self.results) }
    }
}

impl std::fmt::Debug for Bound<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Bound({})", self.program.name())
    }
}
