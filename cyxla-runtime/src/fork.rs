//! Tells a forked child from the process that started a plugin.
//!
//! A child of `fork` has one thread; those of the plugin stay with the parent, and whoever waits for them waits forever.
//! So the number of forks that led here is counted, and compared before every call.

use std::sync::atomic::{AtomicU32, Ordering};

/// Forks between the first use of cyxla and this process.
static FORKS: AtomicU32 = AtomicU32::new(0);

/// A process, to be compared with the one that runs later.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Process(u32);

impl Process {
    /// The process that runs.
    ///
    /// Costs one read of memory, where asking for the process's number would be a system call. Children that were made
    /// without the C library's `fork` are not seen.
    #[inline]
    pub(crate) fn current() -> Self {
        Self(FORKS.load(Ordering::Relaxed))
    }

    /// Whether this is the process that runs.
    #[inline]
    pub(crate) fn is_current(self) -> bool {
        self == Self::current()
    }
}

/// Has forks counted from now on. Every later call does nothing.
#[cfg(unix)]
pub(crate) fn watch() {
    unsafe extern "C" fn in_child() {
        FORKS.fetch_add(1, Ordering::Relaxed);
    }

    static WATCHED: std::sync::Once = std::sync::Once::new();
    WATCHED.call_once(|| {
        // SAFETY: the handler is a function of this binary that only counts, which is allowed after a fork. It fails only
        // without memory; forks are then not seen.
        let _ = unsafe { libc::pthread_atfork(None, None, Some(in_child)) };
    });
}

/// There are no forks here.
#[cfg(not(unix))]
pub(crate) fn watch() {}
