//! Machine code in memory: mapped, patched, and only then made executable.

use std::io;

use memmap2::{Mmap, MmapMut};

use crate::image::{Code, Function, PatchValue};
use crate::symbols::address_of;

/// The code of a program. Its memory is never writable and executable at once, and goes when this is dropped.
pub(crate) struct CodeMemory {
    /// None if there is no code.
    map: Option<Mmap>,
}

impl CodeMemory {
    /// Maps code and writes the addresses that it needs.
    ///
    /// # Errors
    /// The system gives no memory, or none that may be executed.
    pub(crate) fn new(code: &Code) -> io::Result<Self> {
        if code.bytes.is_empty() {
            return Ok(Self { map: None });
        }
        // Maps begin at a page, which is more than any alignment of code.
        let mut map = MmapMut::map_anon(code.bytes.len())?;
        map[..code.bytes.len()].copy_from_slice(&code.bytes);
        let start = map.as_ptr().addr();
        for patch in &code.patches {
            let address = match patch.value {
                PatchValue::Code(offset) => start + offset as usize,
                PatchValue::Symbol(symbol) => address_of(symbol),
            };
            let place = patch.offset as usize;
            map[place..place + size_of::<u64>()].copy_from_slice(&(address as u64).to_le_bytes());
        }
        // On x86-64 the caches of instructions follow those of data by themselves.
        Ok(Self {
            map: Some(map.make_exec()?),
        })
    }

    /// Where a function begins.
    pub(crate) fn entry(&self, function: &Function) -> *const u8 {
        match &self.map {
            Some(map) => map.as_ptr().wrapping_add(function.entry as usize),
            None => std::ptr::null(),
        }
    }
}
