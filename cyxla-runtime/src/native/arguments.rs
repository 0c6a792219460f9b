use cyxla_artifact::ArrayType;
use smallvec::SmallVec;

use super::Native;
use crate::error::Error;
use crate::execute::Given;
use crate::host::{HostMemory, Unfilled};

/// The arguments of a call of machine code.
#[doc(hidden)]
pub trait Arguments {
    /// The types of the results.
    fn output_types(&self) -> &[ArrayType];

    /// Memory of an argument that is given away to the result of this number, and becomes its place.
    fn spare(&mut self, result: usize) -> Option<Unfilled>;

    /// Runs the program, which writes its results to these places.
    ///
    /// # Errors
    /// An array on a device can't be read, or a handler of a custom call fails.
    ///
    /// # Safety
    /// The arguments are of the types of the program. There is a place for each result, of its size, which nobody else uses: the
    /// memory that [`spare`](Self::spare) gave, if it gave some.
    unsafe fn run(self, results: &[*mut [u8]]) -> Result<(), Error>;
}

/// Arguments that are all on the host.
pub(crate) struct OnHost<'a> {
    pub(crate) native: &'a Native,
    /// Of each argument.
    pub(crate) bytes: &'a [&'a [u8]],
}

impl Arguments for OnHost<'_> {
    fn output_types(&self) -> &[ArrayType] {
        self.native.output_types()
    }

    #[inline]
    fn spare(&mut self, _: usize) -> Option<Unfilled> {
        None
    }

    #[expect(
        clippy::inline_always,
        reason = "numbers and sizes are constants of typed callers"
    )]
    #[inline(always)]
    unsafe fn run(self, results: &[*mut [u8]]) -> Result<(), Error> {
        // SAFETY: as the caller promises.
        unsafe { self.native.run(self.bytes, results) }
    }
}

/// As many arguments are listed without an allocation.
const FEW: usize = 16;

/// Arguments wherever they are.
pub(crate) struct Anywhere<'a, 'g> {
    pub(crate) native: &'a Native,
    pub(crate) given: &'a mut [Given<'g>],
}

impl Arguments for Anywhere<'_, '_> {
    fn output_types(&self) -> &[ArrayType] {
        self.native.output_types()
    }

    fn spare(&mut self, result: usize) -> Option<Unfilled> {
        let argument = self.native.donor(result)?;
        let Given::Donated(donated, _) = self.given.get_mut(argument)? else {
            return None;
        };
        match donated.take()?.into_memory() {
            Ok(memory) => Some(memory.spent()),
            Err(stored) => {
                *donated = Some(stored);
                None
            }
        }
    }

    unsafe fn run(self, results: &[*mut [u8]]) -> Result<(), Error> {
        let readable = self.given.iter().map(Readable::of);
        let readable = readable.collect::<Result<SmallVec<[_; FEW]>, _>>()?;
        let bytes: SmallVec<[_; FEW]> = readable.iter().map(Readable::bytes).collect();
        // SAFETY: as the caller promises. An argument without bytes lies at the place of its result.
        unsafe { self.native.run(&bytes, results) }
    }
}

/// An argument that the host can read.
enum Readable<'a> {
    There(&'a [u8]),
    Copied(HostMemory),
}

impl<'a> Readable<'a> {
    /// # Errors
    /// A device does not give its array.
    fn of(given: &'a Given<'_>) -> Result<Self, Error> {
        let (stored, array_type) = match given {
            Given::Host(view) => return Ok(Self::There(view.bytes())),
            Given::Device(stored, array_type) => (*stored, *array_type),
            Given::Donated(Some(stored), array_type) => (stored, *array_type),
            // It is the place of a result now.
            Given::Donated(None, _) => return Ok(Self::There(&[])),
        };
        Ok(match stored.bytes(array_type) {
            Ok(bytes) => Self::There(bytes),
            // The host can't read it there.
            Err(_) => Self::Copied(stored.to_host(array_type)?),
        })
    }

    fn bytes(&self) -> &[u8] {
        match self {
            Self::There(bytes) => bytes,
            Self::Copied(memory) => memory.bytes(),
        }
    }
}
