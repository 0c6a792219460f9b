//! Memory that a call works on.

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ptr::NonNull;

use crate::image::Slice;

/// Every allocation of an image begins at a multiple of this, in bytes.
pub(crate) const ALIGNMENT: usize = 64;

/// Bytes on the heap that begin at a multiple of [`ALIGNMENT`].
pub(crate) struct AlignedBytes {
    start: NonNull<u8>,
    size: usize,
}

// SAFETY: owns its memory, as a `Box<[u8]>` does.
unsafe impl Send for AlignedBytes {}
// SAFETY: as above.
unsafe impl Sync for AlignedBytes {}

impl AlignedBytes {
    /// So many zeros.
    pub(crate) fn zeroed(size: usize) -> Self {
        let layout = layout(size);
        // SAFETY: the layout is not empty.
        let start = unsafe { alloc_zeroed(layout) };
        let Some(start) = NonNull::new(start) else {
            handle_alloc_error(layout)
        };
        Self { start, size }
    }

    pub(crate) fn as_ptr(&self) -> *mut u8 {
        self.start.as_ptr()
    }

    /// A copy of `bytes`.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let copy = Self::zeroed(bytes.len());
        // SAFETY: as many bytes at both places, of which one is new.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), copy.as_ptr(), bytes.len()) }
        copy
    }
}

impl Drop for AlignedBytes {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout.
        unsafe { dealloc(self.as_ptr(), layout(self.size)) }
    }
}

fn layout(size: usize) -> Layout {
    // Never empty, as the allocator demands. Sizes are those of images, whose sum fits into memory.
    Layout::from_size_align(size.max(1), ALIGNMENT).unwrap_or(Layout::new::<u8>())
}

/// Where each allocation of an image lies during one call.
pub(crate) struct Bases(pub(crate) Box<[*mut u8]>);

impl Bases {
    /// Where a slice of the image begins.
    #[inline]
    pub(crate) fn at(&self, slice: Slice) -> *mut u8 {
        self.0[slice.allocation as usize].wrapping_add(slice.offset)
    }

    /// The elements in a slice.
    ///
    /// # Safety
    /// The slice holds elements of this type, which nobody writes during `'a`.
    pub(crate) unsafe fn read<'a, T: Copy>(&self, slice: Slice) -> &'a [T] {
        let len = slice.size / size_of::<T>();
        if len == 0 {
            return &[];
        }
        // SAFETY: as the caller promises; allocations are aligned for every element.
        unsafe { std::slice::from_raw_parts(self.at(slice).cast_const().cast(), len) }
    }

    /// The elements in a slice, for writing.
    ///
    /// # Safety
    /// The slice has room for elements of this type, whose bytes may be anything; nobody else reads or writes them
    /// during `'a`.
    pub(crate) unsafe fn write<'a, T: Copy>(&self, slice: Slice) -> &'a mut [T] {
        let len = slice.size / size_of::<T>();
        if len == 0 {
            return &mut [];
        }
        // SAFETY: as the caller promises; allocations are aligned for every element.
        unsafe { std::slice::from_raw_parts_mut(self.at(slice).cast(), len) }
    }
}
