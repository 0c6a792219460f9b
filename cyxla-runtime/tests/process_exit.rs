//! Programs that are called when their thread or their process ends.
//!
//! Each test runs in a process of its own, once for each plugin, and looks at how that ends.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test")]

mod support;

use std::cell::RefCell;
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

use cyxla_runtime::{Argument, Client, DeviceBuffer, Executable, HostView};
use support::{client_of, plugins, sine};

const PLUGIN: &str = "CYXLA_TEST_EXIT";

/// The plugin of this process, if it is a child; else has a child for each plugin run `test` to its end.
fn child(test: &str) -> Option<PathBuf> {
    if let Some(path) = std::env::var_os(PLUGIN) {
        return Some(path.into());
    }
    for plugin in plugins() {
        let output = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", test, "--nocapture", "--test-threads=1"])
            .env(PLUGIN, &plugin)
            .output()
            .unwrap();
        let [out, err] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
        assert!(
            output.status.success() && err.contains("reached the end"),
            "{}: {}\n{out}{err}",
            plugin.display(),
            output.status
        );
    }
    None
}

/// What is used at the end.
struct Used {
    client: Client,
    executable: Executable,
}

impl Used {
    fn of(plugin: &std::path::Path) -> Self {
        let client = client_of(plugin);
        let executable = Executable::compile(&client, &sine()).unwrap();
        Self { client, executable }
    }

    /// Calls the program, with arrays of the host and of the device, and says so.
    fn call(&self) {
        let x = [0.0_f32, 1.0];
        let results = self.executable.run(&[HostView::of(&x)]).unwrap();
        let y = results[0].as_slice::<f32>().unwrap();
        assert!((y[1] - 2.0 * 1.0_f32.sin()).abs() < 1e-5);
        let buffer = DeviceBuffer::on(&self.client, &HostView::of(&x)).unwrap();
        let results = self.executable.execute(vec![Argument::Buffer(&buffer)]);
        results.unwrap()[0].to_host().unwrap();
        eprintln!("reached the end");
    }
}

static AT_EXIT: OnceLock<Used> = OnceLock::new();

extern "C" fn at_exit() {
    if let Some(used) = AT_EXIT.get() {
        used.call();
    }
}

#[test]
fn a_program_can_be_called_by_what_runs_at_exit() {
    let Some(plugin) = child("a_program_can_be_called_by_what_runs_at_exit") else {
        return;
    };
    let used = AT_EXIT.get_or_init(|| Used::of(&plugin));
    used.call();
    // SAFETY: the function is there for as long as the process.
    assert_eq!(unsafe { libc::atexit(at_exit) }, 0);
    std::process::exit(0);
}

#[test]
fn what_is_never_dropped_does_not_keep_a_process_from_its_end() {
    let test = "what_is_never_dropped_does_not_keep_a_process_from_its_end";
    let Some(plugin) = child(test) else {
        return;
    };
    let used = AT_EXIT.get_or_init(|| Used::of(&plugin));
    used.call();
    std::process::exit(0);
}

/// Calls the program when its thread ends.
struct AtThreadEnd(Used);

impl Drop for AtThreadEnd {
    fn drop(&mut self) {
        self.0.call();
    }
}

thread_local! {
    static AT_THREAD_END: RefCell<Option<AtThreadEnd>> = const { RefCell::new(None) };
}

#[test]
fn a_program_can_be_called_and_dropped_by_the_destructors_of_a_thread() {
    let test = "a_program_can_be_called_and_dropped_by_the_destructors_of_a_thread";
    let Some(plugin) = child(test) else {
        return;
    };
    let thread = std::thread::spawn(move || {
        // Before the thread has called anything: its destructor runs behind those of what the calls keep by thread.
        AT_THREAD_END.with(|slot| {
            let used = Used::of(&plugin);
            *slot.borrow_mut() = Some(AtThreadEnd(used));
        });
    });
    thread.join().unwrap();
}

#[test]
fn a_thread_that_dies_with_a_started_call_disturbs_no_other() {
    let Some(plugin) = child("a_thread_that_dies_with_a_started_call_disturbs_no_other") else {
        return;
    };
    let used = Used::of(&plugin);
    for _ in 0..20 {
        std::thread::scope(|scope| {
            let dying = scope.spawn(|| {
                let buffer = DeviceBuffer::on(&used.client, &HostView::of(&[0.0_f32, 1.0]));
                let buffer = buffer.unwrap();
                let started = used.executable.start(vec![Argument::Buffer(&buffer)]);
                let _pending = started.unwrap();
                std::panic::resume_unwind(Box::new("this thread dies"));
            });
            assert!(dying.join().is_err());
        });
    }
    used.call();
}
