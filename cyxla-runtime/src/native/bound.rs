use std::ptr::NonNull;

use super::Native;
use super::program::failed;
use crate::error::Error;

/// A call of a program with memory for its arguments and results, where the machine code reads and writes it.
pub(crate) struct Bound(cyxla_native::Bound<'static>);

impl Bound {
    /// Memory of zeros.
    pub(crate) fn new(native: &'static Native) -> Self {
        Self(cyxla_native::Bound::new(native.program()))
    }

    /// Where each argument lies.
    pub(crate) fn inputs(&mut self) -> impl Iterator<Item = NonNull<u8>> {
        // None is NULL: all are allocated.
        self.0
            .inputs()
            .filter_map(|bytes| NonNull::new(bytes.cast()))
    }

    /// Where each result lies.
    pub(crate) fn outputs(&self) -> impl Iterator<Item = NonNull<u8>> {
        let outputs = self.0.outputs();
        outputs.filter_map(|bytes| NonNull::new(bytes.cast_mut().cast()))
    }

    /// Runs the program.
    ///
    /// # Errors
    /// A handler of a custom call fails.
    #[inline]
    pub(crate) fn run(&mut self) -> Result<(), Error> {
        self.0.run().map_err(failed)
    }
}
