//! What one call at a time works with, made once and used by many calls.

use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::image::{Image, Role, Slice};
use crate::kernel::KernelArgument;
use crate::memory::{ALIGNMENT, AlignedBytes, Bases};
use crate::steps::Scratch;

/// The memory of a call: working memory, and places for arguments and results that don't lie as kernels need it.
pub(crate) struct Frame {
    pub(crate) bases: Bases,
    /// The arguments of all kernels, as the bases are.
    pub(crate) arguments: Vec<KernelArgument>,
    pub(crate) scratch: Scratch,
    /// Working memory. The bases point into it.
    _temporary: AlignedBytes,
    /// Places for all arguments and results, made at first need.
    staging: Option<AlignedBytes>,
}

// SAFETY: the pointers are into memory that the frame owns, or are written anew before each use.
unsafe impl Send for Frame {}

/// What does not change from frame to frame.
pub(crate) struct Layout {
    /// Working memory, by allocation.
    temporary: Vec<(usize, usize)>,
    temporary_size: usize,
    /// Places for arguments and results, by allocation.
    staging: Vec<usize>,
    staging_size: usize,
    /// For each allocation that is an argument or a result, the arguments of kernels that lie in it, with their offsets.
    users: Vec<Vec<(usize, usize)>>,
}

impl Layout {
    pub(crate) fn new(image: &Image, arguments: &[Slice]) -> Self {
        let mut layout = Self {
            temporary: Vec::new(),
            temporary_size: 0,
            staging: vec![0; image.allocations.len()],
            staging_size: 0,
            users: vec![Vec::new(); image.allocations.len()],
        };
        for (index, allocation) in image.allocations.iter().enumerate() {
            // The image was validated: all sizes together, each rounded up, fit into memory.
            let size = allocation.size.next_multiple_of(ALIGNMENT);
            match allocation.role {
                Role::Temporary => {
                    layout.temporary.push((index, layout.temporary_size));
                    layout.temporary_size += size;
                }
                Role::Input { .. } | Role::Output { .. } => {
                    layout.staging[index] = layout.staging_size;
                    layout.staging_size += size;
                }
                Role::Constant { .. } => {}
            }
        }
        for (user, slice) in arguments.iter().enumerate() {
            let allocation = slice.allocation as usize;
            if matches!(
                image.allocations[allocation].role,
                Role::Input { .. } | Role::Output { .. }
            ) {
                layout.users[allocation].push((user, slice.offset));
            }
        }
        layout
    }
}

impl Frame {
    pub(crate) fn new(
        image: &Image,
        layout: &Layout,
        arguments: &[Slice],
        constants: &AlignedBytes,
    ) -> Self {
        let temporary = AlignedBytes::zeroed(layout.temporary_size);
        let mut bases = vec![std::ptr::null_mut(); image.allocations.len()];
        for (index, allocation) in image.allocations.iter().enumerate() {
            if let Role::Constant { offset } = allocation.role {
                bases[index] = constants.as_ptr().wrapping_add(offset);
            }
        }
        for &(index, offset) in &layout.temporary {
            bases[index] = temporary.as_ptr().wrapping_add(offset);
        }
        let bases = Bases(bases.into());
        let arguments = arguments.iter().map(|&slice| KernelArgument {
            data: bases.at(slice),
            size: slice.size,
        });
        Self {
            arguments: arguments.collect(),
            bases,
            scratch: Scratch::default(),
            _temporary: temporary,
            staging: None,
        }
    }

    /// Has an argument or a result lie there.
    #[inline]
    pub(crate) fn place(&mut self, layout: &Layout, allocation: usize, start: *mut u8) {
        if self.bases.0[allocation] == start {
            return;
        }
        self.bases.0[allocation] = start;
        for &(user, offset) in &layout.users[allocation] {
            self.arguments[user].data = start.wrapping_add(offset);
        }
    }

    /// The place in the frame for an argument or a result.
    pub(crate) fn staged(&mut self, layout: &Layout, allocation: usize) -> *mut u8 {
        let staging = self
            .staging
            .get_or_insert_with(|| AlignedBytes::zeroed(layout.staging_size));
        staging.as_ptr().wrapping_add(layout.staging[allocation])
    }
}

/// Frames that no call uses now.
#[derive(Default)]
pub(crate) struct Frames {
    /// One of them: all that a single thread ever needs.
    first: AtomicPtr<Frame>,
    #[expect(clippy::vec_box, reason = "a frame goes in and out as it is")]
    others: Mutex<Vec<Box<Frame>>>,
}

impl Frames {
    #[inline]
    pub(crate) fn take(&self) -> Option<Box<Frame>> {
        let first = self.first.swap(std::ptr::null_mut(), Ordering::Acquire);
        if !first.is_null() {
            // SAFETY: it came from a box in `put`, and whoever swaps it out owns it.
            return Some(unsafe { Box::from_raw(first) });
        }
        let mut others = self.others.lock().unwrap_or_else(PoisonError::into_inner);
        others.pop()
    }

    #[inline]
    pub(crate) fn put(&self, frame: Box<Frame>) {
        let before = self.first.swap(Box::into_raw(frame), Ordering::AcqRel);
        if !before.is_null() {
            // SAFETY: as in `take`.
            let before = unsafe { Box::from_raw(before) };
            let mut others = self.others.lock().unwrap_or_else(PoisonError::into_inner);
            others.push(before);
        }
    }
}

impl Drop for Frames {
    fn drop(&mut self) {
        drop(self.take());
    }
}
