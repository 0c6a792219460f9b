//! Other processes: a crowd that starts at once, writers that were killed, disks that are full, other settings.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use cyxla_artifact::{ArrayType, DType, StableHloVersion};
use cyxla_runtime::__private::ProgramParts;
use cyxla_runtime::{
    CacheError, CacheOutcome, DiskCache, Options, Parameter, Plugin, Program, compile_program,
    initialize,
};

use crate::support::{client_of, sine, zero_copy_clients};
use crate::{cache_in, entries, entry_of, sine_in};

const DIRECTORY: &str = "CYXLA_TEST_DIRECTORY";
const PLUGIN: &str = "CYXLA_TEST_PLUGIN";

/// This program in a process of its own, where it runs one test of this file, which finds cache and plugin by [`child`].
fn process(test: &str, cache: &DiskCache, plugin: &Plugin) -> Command {
    prepared(Command::new(this_program()), test, cache, plugin)
}

/// As [`process`], with a command that runs this program.
fn prepared(mut command: Command, test: &str, cache: &DiskCache, plugin: &Plugin) -> Command {
    command
        .args(["--exact", &format!("processes::{test}")])
        .env(DIRECTORY, cache.directory().unwrap())
        .env(PLUGIN, &plugin.path)
        .env("TF_CPP_MIN_LOG_LEVEL", "3")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn this_program() -> PathBuf {
    std::env::current_exe().unwrap()
}

fn child() -> Option<(DiskCache, PathBuf)> {
    let directory = std::env::var_os(DIRECTORY)?;
    Some((DiskCache::at(directory), std::env::var_os(PLUGIN)?.into()))
}

/// What a process printed that did what it should.
fn succeeded(child: Child) -> String {
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}\n{text}{errors}", output.status);
    assert!(text.contains("1 passed"), "{text}{errors}");
    text.into_owned()
}

/// `CYXLA_TEST_PROCESSES` makes it as many as wanted.
#[test]
fn processes_that_start_at_once_on_an_empty_cache_all_have_the_program() {
    if let Some((cache, plugin)) = child() {
        sine_in(&cache, &client_of(&plugin));
        return;
    }
    let count = std::env::var("CYXLA_TEST_PROCESSES").ok();
    let count = count.map_or(6, |count| count.parse().unwrap());
    let client = &zero_copy_clients()[0];
    let directory = tempfile::tempdir().unwrap();
    let cache = cache_in(&directory);
    let test = "processes_that_start_at_once_on_an_empty_cache_all_have_the_program";
    let start = |_| {
        let mut command = process(test, &cache, client.plugin());
        command.spawn().unwrap()
    };
    let children: Vec<Child> = (0..count).map(start).collect();
    for child in children {
        succeeded(child);
    }
    assert_eq!(entries(&cache).len(), 1);
    let outcome = sine_in(&cache, client).cache;
    assert!(matches!(outcome, CacheOutcome::Loaded), "{outcome:?}");
}

#[test]
fn what_killed_writers_left_is_neither_used_nor_in_the_way() {
    for client in zero_copy_clients() {
        let directory = tempfile::tempdir().unwrap();
        let cache = cache_in(&directory);
        let path = entry_of(&cache, &sine_in(&cache, &client));
        let entry = std::fs::read(&path).unwrap();
        for (number, length) in [0, 1, 124, entry.len() / 2, entry.len()]
            .into_iter()
            .enumerate()
        {
            let name = format!(".unfinished-{number}");
            std::fs::write(path.with_file_name(name), &entry[..length]).unwrap();
        }
        let outcome = sine_in(&cache, &client).cache;
        assert!(matches!(outcome, CacheOutcome::Loaded), "{outcome:?}");
        std::fs::remove_file(&path).unwrap();
        let outcome = sine_in(&cache, &client).cache;
        assert!(matches!(outcome, CacheOutcome::Kept { .. }), "{outcome:?}");
        assert_eq!(cache.list().unwrap().len(), 1);
    }
}

#[test]
fn other_flags_of_xla_have_other_executables() {
    if let Some((cache, plugin)) = child() {
        sine_in(&cache, &client_of(&plugin));
        return;
    }
    for client in zero_copy_clients() {
        let directory = tempfile::tempdir().unwrap();
        let cache = cache_in(&directory);
        let own = sine_in(&cache, &client);
        let test = "other_flags_of_xla_have_other_executables";
        let mut command = process(test, &cache, client.plugin());
        // An instruction set that every x86-64 of these days has, and less than this processor has.
        command.env("XLA_FLAGS", "--xla_cpu_max_isa=SSE4_2");
        succeeded(command.spawn().unwrap());
        let listed = cache.list().unwrap();
        let [other, _] = &listed[..] else {
            panic!("{listed:?}");
        };
        let flags = other.key.parts().find(|(name, _)| *name == "XLA_FLAGS");
        assert_eq!(flags, Some(("XLA_FLAGS", "--xla_cpu_max_isa=SSE4_2")));

        // Under the name of this process's own, it is not taken for that.
        std::fs::copy(&other.path, entry_of(&cache, &own)).unwrap();
        let outcome = sine_in(&cache, &client).cache;
        let CacheOutcome::Kept { missed } = &outcome else {
            panic!("{outcome:?}");
        };
        assert!(matches!(missed, CacheError::Damaged { .. }), "{missed}");
    }
}

/// A limit on the size of files stands for the full disk: writing fails at some byte in either case.
#[cfg(unix)]
#[test]
fn a_full_disk_stops_no_program() {
    if let Some((cache, plugin)) = child() {
        let outcome = sine_in(&cache, &client_of(&plugin)).cache;
        let full = matches!(
            outcome,
            CacheOutcome::NotKept {
                reason: CacheError::Io { .. },
                ..
            }
        );
        assert!(full, "{outcome:?}");
        return;
    }
    for client in zero_copy_clients() {
        let directory = tempfile::tempdir().unwrap();
        let cache = cache_in(&directory);
        let mut shell = Command::new("sh");
        shell.args(["-c", "trap '' XFSZ; ulimit -f 1; exec \"$0\" \"$@\""]);
        shell.arg(this_program());
        let mut command = prepared(
            shell,
            "a_full_disk_stops_no_program",
            &cache,
            client.plugin(),
        );
        succeeded(command.spawn().unwrap());
        assert_eq!(entries(&cache), [] as [PathBuf; 0]);
    }
}

#[test]
fn the_environment_can_make_the_cache_read_only() {
    if let Some((_, plugin)) = child() {
        let (_, statistics) = compile_program(&client_of(&plugin), &sine(), true).unwrap();
        let is_kept = DiskCache::of_environment().list().unwrap().len() == 1;
        assert_eq!(statistics.loaded == 1, is_kept);
        return;
    }
    let client = &zero_copy_clients()[0];
    let directory = tempfile::tempdir().unwrap();
    let cache = cache_in(&directory);
    let start = || {
        let test = "the_environment_can_make_the_cache_read_only";
        let mut command = process(test, &cache, client.plugin());
        command
            .env("CYXLA_CACHE", "read-only")
            .env("CYXLA_CACHE_DIR", directory.path());
        succeeded(command.spawn().unwrap());
    };
    start();
    assert!(!cache.directory().unwrap().exists());
    let path = entry_of(&cache, &sine_in(&cache, client));
    let modified = || path.metadata().unwrap().modified().unwrap();
    let before = modified();
    start();
    assert_eq!((entries(&cache).len(), modified()), (1, before));
}

#[test]
fn a_program_of_a_binary_tells_what_the_cache_did_for_it() {
    const PAIR: Parameter = Parameter {
        path: "x",
        array_type: ArrayType::scalar(DType::F32).in_array(2),
        donated: false,
    };
    static SINE: Program = Program::new(ProgramParts {
        name: "sine",
        target: "model:sine",
        platform: "cpu",
        x64: false,
        inputs: &[PAIR],
        outputs: &[PAIR],
        custom_calls: &[],
        stablehlo_version: StableHloVersion::DEFAULT,
        calling_convention: 10,
        sha256: [0; 32],
        code: include_bytes!("../programs/sine.mlirbc"),
    });
    if let Some((_, plugin)) = child() {
        assert!(SINE.cache_outcome().is_none());
        initialize(Options::new().plugin_path(plugin)).unwrap();
        SINE.load().unwrap();
        println!("{}", SINE.cache_outcome().unwrap());
        println!("{}", SINE.cache_key().unwrap());
        return;
    }
    let client = &zero_copy_clients()[0];
    let directory = tempfile::tempdir().unwrap();
    let cache = cache_in(&directory);
    for expected in [
        "compiled and kept in the disk cache",
        "loaded from the disk cache",
    ] {
        let test = "a_program_of_a_binary_tells_what_the_cache_did_for_it";
        let mut command = process(test, &cache, client.plugin());
        command
            .arg("--nocapture")
            .env("CYXLA_CACHE_DIR", directory.path());
        let printed = succeeded(command.spawn().unwrap());
        assert!(printed.contains(expected), "{printed}");
        assert!(printed.contains("\nplatform: cpu\n"), "{printed}");
    }
}
