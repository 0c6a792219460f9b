//! A program that has more rights than who starts it takes nothing from its environment.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test")]

mod support;

use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;

use cyxla_runtime::{Client, DiskCache, Plugin, PluginError, find_plugin};

const CHILD: &str = "CYXLA_TEST_RAISED";
/// Nobody, on most systems; in any case not the user that runs this.
const OTHER_USER: u32 = 65_534;

/// Whether this process is the one with raised rights; else runs it and sees to it that it succeeds, where that can be had.
fn raised(test: &str, variables: &[(&str, &str)]) -> bool {
    if std::env::var_os(CHILD).is_some() {
        return true;
    }
    // Only who may become another user can start a program as one.
    // SAFETY: it takes nothing and can't fail.
    if unsafe { libc::geteuid() } != 0 {
        return false;
    }
    let directory = tempfile::tempdir().unwrap();
    let everyone = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(directory.path(), everyone).unwrap();
    let program = directory.path().join("raised");
    std::fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o4755)).unwrap();
    let output = Command::new(&program)
        .args([test, "--exact", "--nocapture"])
        .current_dir("/")
        .env(CHILD, "1")
        .envs(variables.iter().copied())
        .uid(OTHER_USER)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    // Where temporary files can't raise rights there is nothing to test.
    assert!(
        output.status.success() || said.contains("no raised rights here"),
        "{said}"
    );
    false
}

/// Whether the mount of the temporary files lets programs raise their rights.
fn is_raised() -> bool {
    // SAFETY: it only reads what the kernel gave to the process.
    let raised = unsafe { libc::getauxval(libc::AT_SECURE) } != 0;
    if !raised {
        eprintln!("no raised rights here");
    }
    raised
}

#[test]
fn no_variable_names_a_plugin_or_a_cache() {
    let variables = [
        ("CYXLA_PJRT_PLUGIN", "/tmp/evil.so"),
        ("CYXLA_PLUGIN_PATH", "/tmp"),
        ("CYXLA_CACHE_DIR", "/tmp/cache"),
        ("VIRTUAL_ENV", "/tmp"),
        ("HOME", "/tmp"),
    ];
    if !raised("no_variable_names_a_plugin_or_a_cache", &variables) || !is_raised() {
        return;
    }
    // A plugin of the system may be there.
    if let Err(error) = find_plugin("cpu") {
        let text = error.to_string();
        assert!(text.contains("CYXLA_PJRT_PLUGIN: not set"), "{text}");
        assert!(!text.contains("/tmp"), "{text}");
    }
    let cache = DiskCache::of_environment();
    assert_eq!(cache.directory(), None);
}

#[test]
fn a_variable_that_the_plugin_would_obey_is_refused() {
    let variables = [("XLA_FLAGS", "--xla_dump_to=/tmp/dump")];
    if !raised(
        "a_variable_that_the_plugin_would_obey_is_refused",
        &variables,
    ) || !is_raised()
    {
        return;
    }
    // Any library will do: it is not loaded.
    let plugin = Plugin::new("cpu", Path::new("/proc/self/exe"));
    let error = Client::new(&plugin, &[]).unwrap_err();
    let text = error.to_string();
    let cyxla_runtime::Error::Plugin(error) = error else {
        panic!("{text}");
    };
    assert!(
        matches!(
            *error,
            PluginError::RaisedRights {
                name: "XLA_FLAGS",
                ..
            }
        ),
        "{text}"
    );
}
