//! What stands for machine code where the feature `native` is off: types without values.

use std::ptr::NonNull;

use cyxla_artifact::ArrayType;

use crate::error::{Error, NativeError};
use crate::program::Program;
use crate::statistics::CompileStatistics;

pub(crate) enum Native {}

impl Native {
    pub(crate) fn load(program: &Program) -> Result<Self, NativeError> {
        Err(NativeError::Feature {
            program: program.name().to_owned(),
        })
    }

    pub(crate) fn statistics(&self) -> CompileStatistics {
        match *self {}
    }

    pub(crate) fn output_types(&self) -> &[ArrayType] {
        match *self {}
    }

    pub(crate) fn donor(&self, _: usize) -> Option<usize> {
        match *self {}
    }

    pub(crate) unsafe fn run(&self, _: &[&[u8]], _: &[*mut [u8]]) -> Result<(), Error> {
        match *self {}
    }
}

/// A struct, so that what makes one is not an end of its own to the compiler.
pub(crate) struct Bound(Native);

impl Bound {
    pub(crate) fn new(native: &'static Native) -> Self {
        match *native {}
    }

    pub(crate) fn inputs(&mut self) -> impl Iterator<Item = NonNull<u8>> {
        match self.0 {}
        #[expect(unreachable_code, reason = "gives the iterator its type")]
        std::iter::empty()
    }

    pub(crate) fn outputs(&self) -> impl Iterator<Item = NonNull<u8>> {
        match self.0 {}
        #[expect(unreachable_code, reason = "gives the iterator its type")]
        std::iter::empty()
    }

    pub(crate) fn run(&mut self) -> Result<(), Error> {
        match self.0 {}
    }
}
