//! Every function of a plugin can fail, be missing, or lie behind the end of its table: each time there is an error that says
//! so, and nothing is left behind.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test")]

mod support;

use std::path::{Path, PathBuf};
use std::process::Command;

use cyxla_pjrt_sys::SLOTS;
use cyxla_runtime::{Argument, Client, DeviceBuffer, Error, Executable, HostView, Options, Plugin};
use support::{plugins, sine};

/// The first functions of the table tell of errors. They can't fail.
const OF_ERRORS: usize = 3;

/// Before the first function: size, extensions, version.
const HEAD: usize = 40;

/// A plugin that fails where it is told to.
struct Failing {
    library: libloading::Library,
    path: PathBuf,
}

impl Failing {
    /// A plugin that does what the one at `real` does; `name` makes it another for the process.
    fn new(directory: &Path, name: &str, real: &Path) -> Self {
        let path = directory.join(format!("{name}.so"));
        let built = directory.join("failing.so");
        if !built.exists() {
            let source =
                Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support/failing_plugin.c");
            let status = Command::new("cc")
                .args(["-shared", "-fPIC", "-O1", "-o"])
                .args([&built, &source])
                .arg(format!("-DREAL={:?}", real.display().to_string()))
                .arg("-ldl")
                .status()
                .unwrap();
            assert!(status.success());
        }
        std::fs::copy(&built, &path).unwrap();
        // SAFETY: its initializers do nothing.
        let library = unsafe { libloading::Library::new(&path) }.unwrap();
        let failing = Self { library, path };
        for (slot, function) in SLOTS.iter().enumerate() {
            if function.name.ends_with("_Destroy") || function.name == "PJRT_Event_Await" {
                failing.tell("fails_late", slot);
            }
        }
        failing
    }

    /// Calls one of its functions that take one number.
    fn tell(&self, function: &str, number: usize) {
        type Steer = unsafe extern "C" fn(usize);
        // SAFETY: `int` and `size_t` are passed alike here, and the numbers are small.
        unsafe { self.library.get::<Steer>(function.as_bytes()).unwrap()(number) };
    }

    fn arm(&self, slot: i32, before: i64) {
        type Arm = unsafe extern "C" fn(i32, i64);
        // SAFETY: the type is that of the function in C, whose long has 64 bits here.
        unsafe { self.library.get::<Arm>(b"arm").unwrap()(slot, before) };
    }

    fn count(&self, slot: usize) -> i64 {
        type Count = unsafe extern "C" fn(i32) -> i64;
        let slot = i32::try_from(slot).unwrap();
        // SAFETY: as above.
        unsafe { self.library.get::<Count>(b"count").unwrap()(slot) }
    }

    /// How often the plugin did what this function is for.
    fn done(&self, function: &str) -> i64 {
        type Count = unsafe extern "C" fn(i32) -> i64;
        let slot = SLOTS.iter().position(|slot| slot.name == function);
        let slot = i32::try_from(slot.unwrap()).unwrap();
        // SAFETY: as above.
        unsafe { self.library.get::<Count>(b"count_done").unwrap()(slot) }
    }

    /// Asserts that nothing is left of what the plugin made. Each program that was run has one result.
    #[track_caller]
    fn assert_nothing_left(&self, when: &str) {
        assert_eq!(self.errors_left(), 0, "errors, {when}");
        for (made, destroyed) in [
            (
                [
                    "PJRT_Client_BufferFromHostBuffer",
                    "PJRT_Client_CreateViewOfDeviceBuffer",
                    "PJRT_LoadedExecutable_Execute",
                ]
                .as_slice(),
                "PJRT_Buffer_Destroy",
            ),
            (
                &["PJRT_Client_Compile", "PJRT_Executable_DeserializeAndLoad"],
                "PJRT_LoadedExecutable_Destroy",
            ),
            (
                &["PJRT_LoadedExecutable_GetExecutable"],
                "PJRT_Executable_Destroy",
            ),
            (&["PJRT_Client_Create"], "PJRT_Client_Destroy"),
        ] {
            let all: i64 = made.iter().map(|function| self.done(function)).sum();
            assert_eq!(all, self.done(destroyed), "{destroyed}, {when}");
        }
    }

    fn errors_left(&self) -> i64 {
        type Left = unsafe extern "C" fn() -> i64;
        // SAFETY: as above.
        unsafe { self.library.get::<Left>(b"errors_left").unwrap()() }
    }

    /// Uses a plugin in each way that there is.
    fn use_all(&self, zero_copy: bool) -> Result<(), Error> {
        let plugin = Plugin::new("cpu", &self.path);
        let options = Options::new().plugin(plugin).zero_copy(zero_copy);
        let client = Client::open(&options)?;
        let executable = Executable::compile(&client, &sine())?;
        let x = [0.25_f32, 3.0];
        let check = |values: Option<&[f32]>| {
            for (y, x) in values.unwrap().iter().zip(x) {
                assert!((y - 2.0 * x.sin()).abs() < 1e-5, "{y}");
            }
        };
        check(executable.run(&[HostView::of(&x)])?[0].as_slice());
        let bytes = executable.serialize()?;
        // SAFETY: the bytes are those that were just serialized.
        let again = unsafe { Executable::deserialize(&client, &bytes, executable.input_types()) }?;
        let buffer = DeviceBuffer::on(&client, &HostView::of(&x))?;
        let results = executable.execute(vec![Argument::Buffer(&buffer)])?;
        check(results[0].to_host()?.as_slice());
        let pending = again.start(vec![Argument::Donated(buffer)])?;
        check(pending.wait()?[0].to_host()?.as_slice());
        Ok(())
    }
}

/// How many functions a plugin is used through at least; fewer mean that the test tests nothing.
const USED: usize = 20;

#[test]
fn every_call_that_fails_is_an_error_and_the_next_one_works() {
    for real in plugins() {
        let directory = tempfile::tempdir().unwrap();
        let failing = Failing::new(directory.path(), "calls", &real);
        for zero_copy in [true, false] {
            failing.use_all(zero_copy).unwrap();
            failing.assert_nothing_left("at first");
            let before: Vec<i64> = (0..SLOTS.len()).map(|slot| failing.count(slot)).collect();
            failing.use_all(zero_copy).unwrap();
            let mut used = 0;
            for slot in OF_ERRORS..SLOTS.len() {
                let calls = failing.count(slot) - before[slot];
                used += usize::from(calls > 0);
                let name = SLOTS[slot].name;
                let mut places = vec![0, calls / 2, calls - 1];
                places.dedup();
                for place in places
                    .into_iter()
                    .filter(|&place| (0..calls).contains(&place))
                {
                    failing.arm(i32::try_from(slot).unwrap(), place);
                    let outcome = failing.use_all(zero_copy);
                    failing.arm(-1, 0);
                    // What only helps, or frees, is done without.
                    if let Err(error) = outcome {
                        let text = error.to_string();
                        assert!(text.contains("made to fail"), "{name} {place}: {text}");
                    }
                    failing.assert_nothing_left(&format!("after {name} {place}"));
                }
                // What each gives stays usable.
                if calls > 0 {
                    let after = failing.use_all(zero_copy);
                    after.unwrap_or_else(|error| panic!("after {name}: {error}"));
                }
            }
            assert!(used >= USED, "{used} functions");
        }
    }
}

#[test]
fn a_function_that_is_missing_or_behind_the_end_of_the_table_is_named() {
    let real = &plugins()[0];
    let directory = tempfile::tempdir().unwrap();
    let whole = Failing::new(directory.path(), "whole", real);
    whole.use_all(true).unwrap();
    let used = (0..SLOTS.len()).filter(|&slot| whole.count(slot) > 0);
    let used: Vec<usize> = used.collect();
    assert!(used.len() >= USED, "{used:?}");
    for slot in used {
        let name = SLOTS[slot].name;
        let without = Failing::new(directory.path(), &format!("without-{name}"), real);
        without.tell("leave_out", slot);
        let short = Failing::new(directory.path(), &format!("before-{name}"), real);
        short.tell("end_at", HEAD + slot * size_of::<usize>());
        for (what, failing) in [("without", without), ("before", short)] {
            // What only helps, or frees, is done without.
            let Err(error) = failing.use_all(true) else {
                continue;
            };
            let text = error.to_string();
            let named = SLOTS[slot..]
                .iter()
                .any(|function| text.contains(function.name));
            assert!(
                named || text.contains("its table has"),
                "{what} {name}: {text}"
            );
        }
    }
}
