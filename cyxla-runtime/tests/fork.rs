//! A forked child gets an error where it would wait forever for threads that its parent has.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test")]

mod support;

use cyxla_runtime::{Argument, Client, DeviceBuffer, Executable, HostView};
use support::{clients, sine};

/// What a child of `fork` returns from `what`, as the status of its process.
fn in_child(what: impl FnOnce() -> i32) -> i32 {
    // SAFETY: the child only calls `what`, which allocates at most, and then ends. The tests of this file are one, so that
    // no other thread of the harness holds the lock of the allocator.
    unsafe {
        let child = libc::fork();
        assert!(child >= 0);
        if child == 0 {
            libc::alarm(20);
            libc::_exit(what());
        }
        let mut status = 0;
        assert_eq!(libc::waitpid(child, &raw mut status, 0), child);
        assert!(
            libc::WIFEXITED(status),
            "the child hangs or crashes: {status}"
        );
        libc::WEXITSTATUS(status)
    }
}

fn is_refused<T>(result: Result<T, cyxla_runtime::Error>) -> bool {
    result.is_err_and(|error| error.to_string().contains("forked"))
}

#[test]
fn a_forked_child_is_refused_and_the_parent_goes_on() {
    for client in clients() {
        let executable = Executable::compile(&client, &sine()).unwrap();
        let x = [0.0_f32, 1.0];
        assert!(executable.run(&[HostView::of(&x)]).is_ok());
        assert_eq!(
            in_child(|| i32::from(!is_refused(executable.run(&[HostView::of(&x)])))),
            0
        );
        assert_eq!(
            in_child(|| i32::from(!is_refused(Executable::compile(&client, &sine())))),
            0
        );
        assert_eq!(
            in_child(|| i32::from(!is_refused(executable.serialize()))),
            0
        );
        let numbers = DeviceBuffer::on(&client, &HostView::of(&x)).unwrap();
        let on_device = || executable.execute(vec![Argument::Buffer(&numbers)]);
        assert!(on_device().is_ok());
        assert_eq!(in_child(|| i32::from(!is_refused(on_device()))), 0);
        assert_eq!(in_child(|| i32::from(!is_refused(numbers.to_host()))), 0);
        assert_eq!(in_child(|| i32::from(!is_refused(numbers.view()))), 0);
        let copied = || DeviceBuffer::on(&client, &HostView::of(&x));
        assert_eq!(in_child(|| i32::from(!is_refused(copied()))), 0);
        let started = || executable.start(vec![Argument::Buffer(&numbers)]);
        assert_eq!(in_child(|| i32::from(!is_refused(started()))), 0);
        // A call that was on its way at the fork ends in the parent only.
        let pending = started().unwrap();
        assert_eq!(in_child(|| i32::from(!is_refused(pending.wait()))), 0);
        let pending = started().unwrap();
        let dropped = in_child(|| {
            drop(pending);
            0
        });
        assert_eq!(dropped, 0);
        // What the plugin has left where a result lies belongs to the child too.
        let results = executable.run(&[HostView::of(&x)]).unwrap();
        let last: (Client, Executable, _, _) =
            (client.clone(), executable.clone(), numbers, results);
        let dropped = in_child(|| {
            drop(last);
            0
        });
        assert_eq!(dropped, 0);
        assert!(executable.run(&[HostView::of(&x)]).is_ok());
    }
}
