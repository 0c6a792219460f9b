//! Calls from several threads at once.

use std::sync::Barrier;
use std::time::{Duration, Instant};

use crate::measure::Failure;

/// Has each of these called so often, all at once, in threads of their own. Gives the time from start to end of the slowest.
///
/// # Errors
/// A call fails.
pub fn together<C: FnMut() -> Result<(), Failure> + Send>(
    calls: usize,
    each: impl IntoIterator<Item = C, IntoIter: ExactSizeIterator>,
) -> Result<Duration, Failure> {
    let each = each.into_iter();
    let barrier = &Barrier::new(each.len());
    let measure = |mut call: C| {
        // What a thread does once is not what a call costs.
        let warm = (0..100).try_for_each(|_| call());
        barrier.wait();
        let start = Instant::now();
        (0..calls).try_for_each(|_| call())?;
        warm.map(|()| start.elapsed())
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = each
            .map(|call| scope.spawn(move || measure(call)))
            .collect();
        let mut longest = Duration::ZERO;
        for thread in threads {
            longest = longest.max(
                thread
                    .join()
                    .map_err(|_| Failure::Thread { row: "threads" })??,
            );
        }
        Ok(longest)
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn every_thread_makes_its_calls() {
        let calls = AtomicUsize::new(0);
        let call = || {
            calls.fetch_add(1, Ordering::Relaxed);
            Ok(())
        };
        together(7, [call, call]).unwrap();
        assert_eq!(calls.into_inner(), 2 * (100 + 7));
    }

    #[test]
    fn an_error_in_one_thread_does_not_keep_the_others_waiting() {
        let call = |fails: bool| {
            move || {
                if fails {
                    return Err(Failure::Thread { row: "threads" });
                }
                Ok(())
            }
        };
        assert!(together(7, [call(false), call(true)]).is_err());
    }
}
