//! Working memory that a thread keeps from call to call.

use std::cell::Cell;

use faer::dyn_stack::{DynArray, MemBuffer, MemStack, StackReq};

use crate::element::Element;

thread_local! {
    static ARENA: Cell<Option<Arena>> = const { Cell::new(None) };
}

struct Arena {
    buffer: MemBuffer,
    bytes: usize,
}

/// Runs `work` with at least the memory that `need` says.
///
/// The memory is the thread's and only grows, so a call allocates nothing once the thread has met a need as large. A nested
/// call gets memory of its own.
pub(crate) fn with_scratch<R>(need: StackReq, work: impl FnOnce(&mut MemStack) -> R) -> R {
    let bytes = need.unaligned_bytes_required();
    let mut arena = match ARENA.take() {
        Some(arena) if arena.bytes >= bytes => arena,
        _ => Arena {
            buffer: MemBuffer::new(StackReq::new_aligned::<u8>(bytes, 64)),
            bytes,
        },
    };
    let result = work(MemStack::new(&mut arena.buffer));
    ARENA.set(Some(arena));
    result
}

/// `count` zeros from the top of the scratch, and what is left of it.
pub(crate) fn zeros<T: Element>(
    stack: &mut MemStack,
    count: usize,
) -> (DynArray<'_, T>, &mut MemStack) {
    stack.make_with(count, |_| T::ZERO)
}
