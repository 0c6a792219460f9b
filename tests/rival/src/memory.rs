//! Memory that a plugin for the CPU reads where it lies.

use std::alloc::Layout;
use std::ptr::NonNull;

use crate::Failure;

/// XLA aliases arrays at this alignment only, and copies others. In bytes.
const ALIGNMENT: usize = 64;

/// Elements at an address that is a multiple of [`ALIGNMENT`].
pub(crate) struct Aligned {
    start: NonNull<f32>,
    len: usize,
}

// SAFETY: owns its memory, as a `Box<[f32]>` does.
unsafe impl Send for Aligned {}
// SAFETY: as above.
unsafe impl Sync for Aligned {}

impl Aligned {
    /// So many zeros.
    pub(crate) fn zeros(len: usize) -> Result<Self, Failure> {
        let layout = layout(len)?;
        // SAFETY: the layout is not empty.
        let start = unsafe { std::alloc::alloc_zeroed(layout) };
        match NonNull::new(start.cast()) {
            Some(start) => Ok(Self { start, len }),
            None => Err(Failure::Memory(layout.size())),
        }
    }

    pub(crate) fn as_ptr(&self) -> *mut f32 {
        self.start.as_ptr()
    }

    #[inline]
    pub(crate) fn as_mut_slice(&mut self) -> &mut [f32] {
        // SAFETY: that many elements, which are initialised; borrowed from their owner.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }
}

impl Drop for Aligned {
    fn drop(&mut self) {
        if let Ok(layout) = layout(self.len) {
            // SAFETY: allocated with this layout, and not used from now on.
            unsafe { std::alloc::dealloc(self.start.as_ptr().cast(), layout) };
        }
    }
}

fn layout(len: usize) -> Result<Layout, Failure> {
    // Never empty, as the allocator demands.
    let bytes = len.max(1).saturating_mul(size_of::<f32>());
    Layout::from_size_align(bytes, ALIGNMENT).map_err(|_| Failure::Memory(bytes))
}
