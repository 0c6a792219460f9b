//! Machine code runs in a forked child, which has none of its parent's threads.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test")]

use cyxla::{Host, RunsOn};
use cyxla_tests::calls::programs::{Large, large_box};

fn is_right(found: &Large) -> bool {
    found.iter().flatten().all(|&sum| sum == 3.0)
}

/// Whether a child of `fork` says yes, within half a minute.
fn in_child(what: impl FnOnce() -> bool) -> bool {
    // SAFETY: the child only calls `what`, which allocates at most, and then ends. This file is one test, so that no other
    // thread of the harness holds the lock of the allocator.
    unsafe {
        let child = libc::fork();
        assert!(child >= 0);
        if child == 0 {
            libc::alarm(30);
            libc::_exit(i32::from(!what()));
        }
        let mut status = 0;
        assert_eq!(libc::waitpid(child, &raw mut status, 0), child);
        status == 0
    }
}

#[test]
fn a_forked_child_runs_what_its_parent_runs_on_several_threads() {
    assert_eq!(large_box::program().engine().unwrap(), RunsOn::Native);
    let a = Host::<Large>::from_fn(|_| 1.0);
    let b = Host::<Large>::from_fn(|_| 2.0);
    assert!(is_right(&large_box(&a, &b).unwrap()));
    assert!(in_child(
        || large_box(&a, &b).is_ok_and(|sums| is_right(&sums))
    ));
    assert!(is_right(&large_box(&a, &b).unwrap()));
}
