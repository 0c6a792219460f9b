//! Steady calls allocate nothing.
//!
//! What Rust code allocates is counted, for each thread by itself; the plugin has an allocator of its own.

#![allow(clippy::unwrap_used, reason = "a test")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::hint::black_box;

use cyxla::Buffer;
use cyxla_tests::calls::programs::{Body, X, moved_step, tiny, tiny_on_device, zero_state};

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: the system's allocator does it all. The counter is a number in the thread's own memory: it neither allocates nor
// needs a destructor.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: as the caller promises.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, start: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: as the caller promises.
        unsafe { System.realloc(start, layout, new_size) }
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(start, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Allocations of this thread in 100 calls, after some that make what all calls use.
fn allocations<R>(mut call: impl FnMut() -> R) -> usize {
    for _ in 0..10 {
        black_box(call());
    }
    let before = ALLOCATIONS.get();
    for _ in 0..100 {
        black_box(call());
    }
    ALLOCATIONS.get() - before
}

#[test]
fn allocations_are_counted() {
    assert_eq!(allocations(|| Box::new(black_box(1))), 100);
}

#[test]
fn a_call_with_small_arrays_allocates_nothing() {
    assert_eq!(allocations(|| tiny(&X).unwrap()), 0);
}

#[test]
fn a_call_with_twelve_arguments_allocates_nothing() {
    assert_eq!(allocations(|| Body::SOME.step().unwrap()), 0);
}

#[test]
fn a_call_from_buffer_to_buffer_allocates_at_most_its_result() {
    let x = Buffer::from(&X).unwrap();
    // Memory of the host comes from Rust's allocator, that of a device does not.
    let expected = match tiny_on_device::program().engine().unwrap() {
        cyxla::RunsOn::Native => 100,
        _ => 0,
    };
    assert_eq!(allocations(|| tiny_on_device(&x).unwrap()), expected);
}

#[test]
fn a_step_of_a_donated_state_allocates_nothing_of_ours() {
    let mut state = Some(zero_state().unwrap());
    let step = || state = Some(moved_step(state.take().unwrap(), 1.0).unwrap());
    let found = allocations(step);
    // Machine code of several workgroups goes through the queue of a thread pool, which makes room for 63 at a time.
    let most = match moved_step::program().engine().unwrap() {
        cyxla::RunsOn::Native => 2,
        _ => 0,
    };
    assert!(found <= most, "{found}");
}

#[test]
fn a_run_of_a_prepared_call_allocates_nothing() {
    let mut call = tiny::prepare().unwrap();
    let run = || {
        *call.inputs() = X;
        black_box(call.run().unwrap());
    };
    assert_eq!(allocations(run), 0);
}
