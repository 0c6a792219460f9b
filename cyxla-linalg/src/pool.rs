//! The threads that large batches are spread over.
//!
//! They stay: each keeps the working memory that it once needed, and nothing is started for a call. They are cyxla's own, for a
//! thread of somebody else's pool may be waiting for the very program that makes the call.

use std::sync::OnceLock;
use std::thread;

use rayon_core::{ThreadPool, ThreadPoolBuilder};

/// XLA's variable for the number of threads in its pools, which the option `threads` of cyxla sets.
const VARIABLE: &str = "PJRT_NPROC";

/// Several threads that wait for work.
pub(crate) struct Pool(ThreadPool);

impl Pool {
    /// The one pool, which is started at the first use; none if the process should have no further threads, or can't start any.
    pub(crate) fn of_this_process() -> Option<&'static Self> {
        static POOL: OnceLock<Option<Pool>> = OnceLock::new();
        POOL.get_or_init(|| Self::start(number())).as_ref()
    }

    fn start(threads: usize) -> Option<Self> {
        if threads < 2 {
            return None;
        }
        let pool = ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(|index| format!("cyxla-linalg-{index}"))
            .build();
        pool.ok().map(Self)
    }

    /// How many threads it has.
    pub(crate) fn threads(&self) -> usize {
        self.0.current_num_threads()
    }

    /// Does `work` on one of the threads, while that of the caller waits.
    pub(crate) fn run(&self, work: impl FnOnce() + Send) {
        self.0.install(work);
    }

    /// Does both on a thread of the pool, or one on another that has nothing to do.
    pub(crate) fn both(first: impl FnOnce() + Send, second: impl FnOnce() + Send) {
        rayon_core::join(first, second);
    }
}

/// How many threads the process may use: as many as XLA's pools have, if that is said.
fn number() -> usize {
    let available = thread::available_parallelism().map_or(1, usize::from);
    let said = std::env::var(VARIABLE).ok();
    let said = said.and_then(|number| number.parse().ok());
    said.map_or(available, |said: usize| said.clamp(1, 1024))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thread_is_no_pool() {
        assert!(Pool::start(1).is_none());
    }

    #[test]
    fn a_pool_has_as_many_threads_as_it_was_given() {
        let pool = Pool::start(3).expect("threads");
        assert_eq!(pool.threads(), 3);
        let mut name = None;
        pool.run(|| name = thread::current().name().map(str::to_owned));
        assert!(name.expect("a name").starts_with("cyxla-linalg-"));
    }
}
