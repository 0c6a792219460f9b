//! How many threads XLA's pools have.
//!
//! XLA for the CPU counts the processors that the process may run on, but not the limit of its cgroup: in a container with two
//! of 64 processors it would start 64 threads, which the system then stops for most of the time. It has no option for that,
//! only a variable of the environment, read when a client is made.

use std::num::NonZero;
use std::sync::Mutex;

/// XLA's variable.
const VARIABLE: &str = "PJRT_NPROC";

/// Sees to it that a client that is made from now on has `threads` threads in a pool; unless said, no more than there are
/// processors for this process. What the user has set stays.
pub(crate) fn limit(threads: Option<NonZero<usize>>) {
    /// What was last written here, to be told from what the user has set.
    static WRITTEN: Mutex<Option<String>> = Mutex::new(None);

    let mut written = WRITTEN
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    let found = std::env::var(VARIABLE).ok();
    if found.is_some() && found != *written {
        return;
    }
    let wanted = threads.or_else(fewer_than_processors);
    let wanted = wanted.map(|threads| threads.to_string());
    if wanted == found {
        return;
    }
    // SAFETY: other threads of Rust are kept out by the standard library; those of C would have to read the environment at
    // this very moment, which is when the first client is made. `Options::threads` tells to do that early.
    unsafe {
        match &wanted {
            Some(wanted) => std::env::set_var(VARIABLE, wanted),
            None => std::env::remove_var(VARIABLE),
        }
    }
    *written = wanted;
}

/// The number of processors for this process, if XLA would count more.
fn fewer_than_processors() -> Option<NonZero<usize>> {
    let available = std::thread::available_parallelism().ok()?;
    (counted_by_xla()? > available.get()).then_some(available)
}

/// The processors that this thread may run on.
#[cfg(target_os = "linux")]
fn counted_by_xla() -> Option<usize> {
    let mut set = std::mem::MaybeUninit::<libc::cpu_set_t>::zeroed();
    // SAFETY: 0 is the calling thread; the set has the size that is given. It is filled if the call succeeds, and zeros are
    // a set too.
    unsafe {
        let status = libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), set.as_mut_ptr());
        (status == 0).then(|| libc::CPU_COUNT(set.assume_init_ref()))
    }
    .and_then(|count| usize::try_from(count).ok())
}

/// Elsewhere XLA counts as the standard library does.
#[cfg(not(target_os = "linux"))]
fn counted_by_xla() -> Option<usize> {
    None
}
