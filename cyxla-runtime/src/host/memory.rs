//! The memory of owned host arrays.

use std::alloc::Layout;
use std::fmt;
use std::mem::MaybeUninit;
use std::ptr::NonNull;

use cyxla_artifact::DType;

use super::ALIGNMENT;
use crate::device::OwnedBuffer;
use crate::element::Element;
use crate::validity::make_valid;

/// Of no size, at the alignment of a [`HostMemory`]; for the address of an empty one.
#[repr(align(64))]
struct Aligned;

const _: () = assert!(align_of::<Aligned>() == ALIGNMENT);

/// Initialised memory, aligned to 64 bytes: allocated here, or adopted from an owner, which frees it when it is dropped.
pub(crate) struct HostMemory<Owner = OwnedBuffer> {
    start: NonNull<u8>,
    len: usize,
    /// None, if the memory was allocated here.
    owner: Option<Owner>,
}

// SAFETY: plain bytes that nothing else points to, and an owner that is `Send`.
unsafe impl<Owner: Send> Send for HostMemory<Owner> {}
// SAFETY: shared access only reads, and an owner that is `Sync`.
unsafe impl<Owner: Sync> Sync for HostMemory<Owner> {}

impl HostMemory {
    /// `len` bytes, all 0.
    pub(crate) fn zeroed(len: usize) -> Self {
        // SAFETY: called for a layout that is not empty.
        Self::allocated(len, |layout| unsafe { std::alloc::alloc_zeroed(layout) })
    }

    /// `len` bytes that are still to be filled.
    pub(crate) fn uninit(len: usize) -> Unfilled {
        // SAFETY: called for a layout that is not empty.
        Unfilled(Self::allocated(len, |layout| unsafe {
            std::alloc::alloc(layout)
        }))
    }

    /// A copy of `bytes`.
    pub(crate) fn copy_of(bytes: &[u8]) -> Self {
        let mut copy = Self::uninit(bytes.len());
        let start = copy.bytes().as_mut_ptr().cast();
        // SAFETY: as many bytes on both sides, and the memory is new.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), start, bytes.len()) };
        // SAFETY: just filled.
        unsafe { copy.filled() }
    }

    fn allocated(len: usize, allocate: impl FnOnce(Layout) -> *mut u8) -> Self {
        let start = if len == 0 {
            NonNull::<Aligned>::dangling().cast()
        } else {
            let layout = layout(len);
            NonNull::new(allocate(layout)).unwrap_or_else(|| std::alloc::handle_alloc_error(layout))
        };
        Self {
            start,
            len,
            owner: None,
        }
    }
}

impl<Owner> HostMemory<Owner> {
    /// Takes memory over that `owner` frees when it is dropped.
    ///
    /// # Safety
    /// From `pointer` on, which is aligned to 64 bytes, `len` bytes are initialised, and can be read and written until
    /// `owner` is dropped. Nothing else reads or writes them meanwhile.
    pub(crate) unsafe fn adopt(pointer: NonNull<u8>, len: usize, owner: Owner) -> Self {
        debug_assert_eq!(pointer.align_offset(ALIGNMENT), 0);
        Self {
            start: pointer,
            len,
            owner: Some(owner),
        }
    }

    /// The first byte; aligned to 64 bytes, also when there is none.
    pub(crate) fn as_ptr(&self) -> NonNull<u8> {
        self.start
    }

    /// Number of bytes.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// All bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        // SAFETY: that many bytes are ours and initialised.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }

    /// All bytes.
    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: that many bytes are ours and initialised; the borrow is exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }
}

impl HostMemory {
    /// The same memory, whose content nobody needs any more.
    pub(crate) fn spent(self) -> Unfilled {
        Unfilled(self)
    }

    /// Makes its bytes those of elements of this type: see [`make_valid`].
    pub(crate) fn make_valid(&mut self, dtype: DType) {
        let bytes = self.bytes_mut();
        // SAFETY: initialised, and `make_valid` writes initialised bytes only.
        unsafe {
            let bytes = &mut *(std::ptr::from_mut(bytes) as *mut [MaybeUninit<u8>]);
            make_valid(dtype, bytes);
        }
    }
}

impl<Owner> Drop for HostMemory<Owner> {
    fn drop(&mut self) {
        if self.owner.is_none() && self.len > 0 {
            // SAFETY: allocated by `allocated` with this layout.
            unsafe { std::alloc::dealloc(self.start.as_ptr(), layout(self.len)) }
        }
    }
}

fn layout(len: usize) -> Layout {
    // An `ArrayType` has at most `isize::MAX` bytes; only the last 63 of these can't be rounded up.
    let layout = Layout::from_size_align(len, ALIGNMENT);
    layout.unwrap_or_else(|_| std::alloc::handle_alloc_error(Layout::new::<u8>()))
}

/// Memory like [`HostMemory`], but not yet initialised.
#[doc(hidden)]
pub struct Unfilled(HostMemory);

impl fmt::Debug for Unfilled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Unfilled({})", self.0.len)
    }
}

impl Unfilled {
    /// All bytes.
    pub(crate) fn bytes(&mut self) -> &mut [MaybeUninit<u8>] {
        self.elements::<u8>()
    }

    /// All bytes as elements; what is left of them makes none.
    pub(crate) fn elements<E: Element>(&mut self) -> &mut [MaybeUninit<E>] {
        const { assert!(align_of::<E>() <= ALIGNMENT) };
        let start = self.0.start.as_ptr().cast();
        // SAFETY: the bytes are ours, more than aligned, and may be uninitialised; the borrow is exclusive.
        unsafe { std::slice::from_raw_parts_mut(start, self.0.len / size_of::<E>()) }
    }

    /// The memory, once it is filled.
    ///
    /// # Safety
    /// Every byte has been written.
    pub(crate) unsafe fn filled(self) -> HostMemory {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn memory_is_aligned_whatever_its_length() {
        for len in [0, 1, 2, 3, 7, 63, 64, 65, 127, 4097] {
            let mut unfilled = HostMemory::uninit(len);
            unfilled.bytes().fill(MaybeUninit::new(7));
            // SAFETY: just filled.
            let filled = unsafe { unfilled.filled() };
            for memory in [
                filled,
                HostMemory::zeroed(len),
                HostMemory::copy_of(&vec![1; len]),
            ] {
                assert_eq!(memory.as_ptr().align_offset(ALIGNMENT), 0);
                assert_eq!((memory.len(), memory.bytes().len()), (len, len));
            }
        }
    }

    #[test]
    fn memory_holds_what_it_was_made_with() {
        assert_eq!(HostMemory::zeroed(5).bytes(), [0; 5]);
        assert_eq!(HostMemory::copy_of(&[1, 2, 3]).bytes(), [1, 2, 3]);
        let mut unfilled = HostMemory::uninit(6);
        for (element, value) in unfilled.elements::<u16>().iter_mut().zip([1u16, 2, 3]) {
            element.write(value.to_be());
        }
        // SAFETY: just filled.
        let mut memory = unsafe { unfilled.filled() };
        memory.bytes_mut()[0] = 9;
        assert_eq!(memory.bytes(), [9, 1, 0, 2, 0, 3]);
    }

    /// Frees a `HostMemory`, and counts it.
    struct Lender {
        _memory: HostMemory,
        freed: Arc<AtomicUsize>,
    }

    impl Drop for Lender {
        fn drop(&mut self) {
            self.freed.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn adopted_memory_is_freed_by_its_owner() {
        let freed = Arc::new(AtomicUsize::new(0));
        for len in [0, 3] {
            let memory = HostMemory::copy_of(&[1, 2, 3][..len]);
            let pointer = memory.as_ptr();
            let lender = Lender {
                _memory: memory,
                freed: Arc::clone(&freed),
            };
            // SAFETY: the lender keeps the memory and does not touch it.
            let mut adopted = unsafe { HostMemory::adopt(pointer, len, lender) };
            adopted.bytes_mut().reverse();
            assert_eq!(adopted.bytes(), &[3, 2, 1][..len]);
            let before = freed.load(Ordering::Relaxed);
            drop(adopted);
            assert_eq!(freed.load(Ordering::Relaxed), before + 1);
        }
    }
}
