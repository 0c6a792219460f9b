//! Calls that run beside their caller.

#![allow(clippy::unwrap_used, reason = "a test")]

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;

use cyxla::{Buffer, Host, Pending};

type Square = [[f32; 384]; 384];

// Machine code is done when it has been started.
#[cyxla::program("memory:slow", engine = "pjrt")]
fn slow(x: &Square, rounds: i32) -> cyxla::Result<Box<Square>>;

#[cyxla::program("memory:slow", engine = "pjrt")]
fn slow_on_device(x: &Buffer<Square>, rounds: i32) -> cyxla::Result<Buffer<Square>>;

#[cyxla::program("memory:step")]
fn step(state: Buffer<Square>, force: f32) -> cyxla::Result<(Buffer<Square>, f32)>;

#[cyxla::program("memory:add")]
fn add(x: [f32; 2], y: f32) -> cyxla::Result<[f32; 2]>;

/// Long enough to be seen running: a hundred milliseconds and more.
const ROUNDS: i32 = 100;

fn square() -> Host<Square> {
    Host::from_fn(|index| f32::from(index[0] == index[1]))
}

/// The result of `slow` for the identity is the tanh of 1, of its tanh, and so on, on the diagonal.
fn expected(rounds: i32) -> f32 {
    (0..rounds).fold(1.0_f32, |value, _| value.tanh())
}

fn is_right(found: &Square, rounds: i32) -> bool {
    (found[383][383] - expected(rounds)).abs() < 1e-4 && found[383][0].abs() < 1e-6
}

/// A waker that unparks a thread, and counts.
struct Unpark(Thread, AtomicUsize);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.1.fetch_add(1, Ordering::Relaxed);
        self.0.unpark();
    }
}

/// A runtime of one future.
fn block_on<F: Future>(future: F) -> (F::Output, usize) {
    let unpark = Arc::new(Unpark(std::thread::current(), AtomicUsize::new(0)));
    let waker = Waker::from(Arc::clone(&unpark));
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(output) => return (output, unpark.1.load(Ordering::Relaxed)),
            Poll::Pending => std::thread::park(),
        }
    }
}

#[test]
fn a_started_call_runs_beside_its_caller() {
    let mut x = square();
    slow::program().load().unwrap();
    let pending = slow::start(&x, ROUNDS).unwrap();
    assert!(!pending.is_ready());
    // The argument has been copied.
    x.as_mut_slice().fill(f32::NAN);
    drop(x);
    assert!(is_right(&pending.wait().unwrap(), ROUNDS));
}

#[test]
fn small_calls_can_be_started_too() {
    let pending = add::start([1.0, 2.0], 0.5).unwrap();
    assert_eq!(pending.wait().unwrap(), [1.5, 2.5]);
}

#[test]
fn a_started_call_can_be_awaited_without_a_runtime() {
    let x = square();
    let (result, woken) = block_on(slow::start(&x, ROUNDS).unwrap());
    assert!(is_right(&result.unwrap(), ROUNDS));
    assert_eq!(woken, 1);
}

#[test]
fn calls_can_be_awaited_together() {
    let x = square();
    let both = async {
        let (a, b) = (slow::start(&x, 10)?, slow::start(&x, 20)?);
        // The second first.
        let b = b.await?;
        let a = a.await?;
        Ok::<_, cyxla::Error>((a, b))
    };
    let (a, b) = block_on(both).0.unwrap();
    assert!(is_right(&a, 10) && is_right(&b, 20));
}

#[test]
fn a_future_can_go_to_another_thread_between_polls() {
    fn check<T: Send>(value: T) -> T {
        value
    }
    let x = square();
    let mut pending = check(slow::start(&x, ROUNDS).unwrap());
    let mut first = pin!(&mut pending);
    let waker = Waker::noop();
    assert!(
        first
            .as_mut()
            .poll(&mut Context::from_waker(waker))
            .is_pending()
    );
    let (result, woken) = std::thread::spawn(move || block_on(pending))
        .join()
        .unwrap();
    assert!(is_right(&result.unwrap(), ROUNDS));
    // By the waker of the last poll.
    assert_eq!(woken, 1);
}

#[test]
fn results_are_given_once() {
    let mut pending = add::start([1.0, 2.0], 0.5).unwrap();
    assert_eq!(block_on(&mut pending).0.unwrap(), [1.5, 2.5]);
    let error = pending.wait().unwrap_err();
    assert!(error.to_string().contains("given before"), "{error}");
}

#[test]
fn a_dropped_call_comes_to_its_end() {
    let x = square();
    for _ in 0..3 {
        drop(slow::start(&x, 5).unwrap());
    }
    assert!(is_right(&slow(&x, 5).unwrap(), 5));
}

#[test]
fn a_leaked_call_harms_nobody() {
    let x = square();
    std::mem::forget(slow::start(&x, ROUNDS).unwrap());
    drop(x);
    for rounds in 1..5 {
        assert!(is_right(&slow(&square(), rounds).unwrap(), rounds));
    }
}

#[test]
fn a_panic_between_start_and_wait_is_only_a_panic() {
    let panicked = std::panic::catch_unwind(|| {
        let x = square();
        let _pending: Pending<_> = slow::start(&x, ROUNDS).unwrap();
        panic!("between start and wait");
    });
    assert!(panicked.is_err());
    assert!(is_right(&slow(&square(), 3).unwrap(), 3));
}

#[test]
fn arrays_on_the_device_can_be_dropped_while_they_are_used() {
    let pending = {
        let x = Buffer::from(&square()).unwrap();
        slow_on_device::start(&x, ROUNDS).unwrap()
    };
    assert!(is_right(pending.wait().unwrap().view().unwrap(), ROUNDS));
}

#[test]
fn an_array_can_be_given_away_while_another_call_reads_it() {
    let x = Buffer::from(&square()).unwrap();
    let reading = slow_on_device::start(&x, ROUNDS).unwrap();
    let (moved, largest) = step(x, 7.0).unwrap();
    assert_eq!(largest, 8.0);
    assert!(is_right(reading.wait().unwrap().view().unwrap(), ROUNDS));
    assert_eq!(moved.view().unwrap()[5][5], 8.0);
}

#[test]
fn started_calls_can_be_chained_by_moving() {
    let state = Buffer::from(&square()).unwrap();
    let (state, _) = step::start(state, 1.0).unwrap().wait().unwrap();
    let (state, largest) = step::start(state, 1.0).unwrap().wait().unwrap();
    assert_eq!((largest, state.view().unwrap()[0][1]), (3.0, 2.0));
}
