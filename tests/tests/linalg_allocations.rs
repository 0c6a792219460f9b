//! Linear algebra allocates nothing once its threads have met matrices as large: neither the call of a program, nor the handlers,
//! nor the threads of large batches.
//!
//! What all threads of the process allocate is counted, for handlers may run on any of them; the plugin has an allocator of its
//! own.

#![allow(clippy::unwrap_used, reason = "a test")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::hint::black_box;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use cyxla::Complex;
use cyxla::ffi::{CallFrame, OwnedCall};

struct Counting;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: the system's allocator does it all.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, start: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
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

/// Allocations of a call, after some that make what all calls use: the fewest of many, for the threads of other tests are
/// counted too, and the queue before a pool gets a block once in so many calls.
fn allocations<R>(mut call: impl FnMut() -> R) -> usize {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _guard = ONE_AT_A_TIME.lock();
    for _ in 0..20 {
        black_box(call());
    }
    let count = || {
        let before = ALLOCATIONS.load(Ordering::SeqCst);
        black_box(call());
        ALLOCATIONS.load(Ordering::SeqCst) - before
    };
    std::iter::repeat_with(count).take(50).min().unwrap()
}

/// Arguments of so many elements are kept with the frames of calls.
const N: usize = 8;
type Square<T> = [[T; N]; N];

/// A matrix that is symmetric and positive definite: 48 on the diagonal, less than 1 elsewhere.
fn positive<T: From<f32>>() -> Square<T> {
    let element = |i: usize, j: usize| {
        let near = u16::try_from(1 + i.abs_diff(j)).unwrap();
        let diagonal = if i == j { 48.0 } else { 0.0 };
        T::from(diagonal + 1.0 / f32::from(near))
    };
    std::array::from_fn(|i| std::array::from_fn(|j| element(i, j)))
}

#[cyxla::program("linalg:cholesky")]
fn cholesky(a: &Square<f64>) -> cyxla::Result<Square<f64>>;

#[cyxla::program("linalg:solve")]
fn solve(a: &Square<f32>, b: &Square<f32>) -> cyxla::Result<Square<f32>>;

#[cyxla::program("linalg:qr")]
fn qr(a: &Square<Complex<f32>>) -> cyxla::Result<(Square<Complex<f32>>, Square<Complex<f32>>)>;

#[cyxla::program("linalg:pivoted_qr")]
fn pivoted_qr(a: &Square<f64>) -> cyxla::Result<(Square<f64>, Square<f64>, [i32; N])>;

#[cyxla::program("linalg:svd")]
fn svd(a: &Square<f64>) -> cyxla::Result<(Square<f64>, [f64; N], Square<f64>)>;

#[cyxla::program("linalg:eigh")]
fn eigh(a: &Square<f32>) -> cyxla::Result<([f32; N], Square<f32>)>;

#[cyxla::program("linalg:eig")]
fn eig(a: &Square<f64>) -> cyxla::Result<([Complex<f64>; N], Square<Complex<f64>>)>;

#[test]
fn allocations_are_counted() {
    assert!(allocations(|| Box::new(black_box(1))) > 0);
}

#[test]
fn cholesky_factors_and_solutions_allocate_nothing() {
    let a = positive();
    assert_eq!(allocations(|| cholesky(&a).unwrap()), 0);
    let a = positive();
    assert_eq!(allocations(|| solve(&a, &a).unwrap()), 0);
}

#[test]
fn orthogonal_factors_allocate_nothing() {
    let a = positive();
    assert_eq!(allocations(|| qr(&a).unwrap()), 0);
    let a = positive();
    assert_eq!(allocations(|| pivoted_qr(&a).unwrap()), 0);
}

#[test]
fn decompositions_allocate_nothing() {
    let a = positive();
    assert_eq!(allocations(|| svd(&a).unwrap()), 0);
    assert_eq!(allocations(|| eig(&a).unwrap()), 0);
    let a = positive();
    assert_eq!(allocations(|| eigh(&a).unwrap()), 0);
}

/// A call of eigh with `count` matrices of `n` rows.
fn eigh_of(count: usize, n: usize) -> OwnedCall {
    let element = |k: usize| 1.0 / f64::from(u16::try_from(1 + k % (n + 1)).unwrap());
    let matrices: Vec<f64> = (0..count * n * n).map(element).collect();
    let dims = [count, n, n];
    OwnedCall::new()
        .argument(&matrices, &dims)
        .and_then(|call| call.result::<f64>(&dims)?.result::<f64>(&dims[..2]))
        .and_then(|call| call.result::<i32>(&[count]))
        .unwrap()
        .attribute("mode", b'V')
        .attribute("uplo", b'L')
}

/// Allocations of the handler, beside those of a call that does nothing.
fn of_handler(mut call: OwnedCall) -> usize {
    let target = |(name, _): &&(&str, _)| *name == "lapack_dsyevd_ffi";
    let (_, handler) = cyxla_linalg::targets().iter().find(target).unwrap();
    let nothing = |_: &mut CallFrame<'_>| Ok(());
    let beside = allocations(|| call.run(&nothing));
    let all = allocations(|| call.run(handler).unwrap());
    all - beside
}

#[test]
fn large_matrices_allocate_nothing() {
    assert_eq!(of_handler(eigh_of(1, 200)), 0);
}

#[test]
fn large_batches_on_several_threads_allocate_nothing() {
    assert_eq!(of_handler(eigh_of(256, 24)), 0);
}
