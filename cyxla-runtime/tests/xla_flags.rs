//! Flags in `XLA_FLAGS` that a plugin would end the process for.

#![allow(clippy::unwrap_used, reason = "a test")]

mod support;

use std::path::PathBuf;
use std::process::Command;

use cyxla_runtime::{Client, Executable, HostView, Plugin};
use support::{plugins, sine};

const PLUGIN: &str = "CYXLA_TEST_PLUGIN";

/// Runs `test` in a process with these flags for each plugin, where it finds the plugin by [`child`]. What the processes
/// print.
fn run(test: &str, flags: &str) -> Vec<(PathBuf, String)> {
    let run = |plugin: PathBuf| {
        let output = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", test, "--nocapture"])
            .env(PLUGIN, &plugin)
            .env("XLA_FLAGS", flags)
            .env("TF_CPP_MIN_LOG_LEVEL", "3")
            .output()
            .unwrap();
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.success(),
            "{}\n{printed}{errors}",
            output.status
        );
        assert!(printed.contains("1 passed"), "{printed}{errors}");
        (plugin, printed)
    };
    plugins().into_iter().map(run).collect()
}

fn child() -> Option<Plugin> {
    Some(Plugin::new("cpu", std::env::var_os(PLUGIN)?))
}

#[test]
fn an_unknown_flag_is_an_error_that_names_it_and_the_plugin() {
    let Some(plugin) = child() else {
        let flags = "--xla_cpu_max_isa=AVX2 --xla_not_a_flag=1 -xla_dump_to=/tmp";
        for (plugin, printed) in run(
            "an_unknown_flag_is_an_error_that_names_it_and_the_plugin",
            flags,
        ) {
            let plugin = plugin.canonicalize().unwrap();
            assert!(printed.contains(&plugin.display().to_string()), "{printed}");
            assert!(
                printed.contains("end the process: --xla_not_a_flag -xla_dump_to\n  help: "),
                "{printed}"
            );
        }
        return;
    };
    println!("{}", Client::new(&plugin, &[]).unwrap_err());
}

#[test]
fn a_file_of_flags_that_is_not_there_is_an_error_that_names_it() {
    let Some(plugin) = child() else {
        for (_, printed) in run(
            "a_file_of_flags_that_is_not_there_is_an_error_that_names_it",
            "/no/such/file",
        ) {
            assert!(printed.contains("XLA_FLAGS=\"/no/such/file\""), "{printed}");
        }
        return;
    };
    println!("{}", Client::new(&plugin, &[]).unwrap_err());
}

/// Some that all three know, of each kind of value.
#[test]
fn flags_that_a_plugin_knows_reach_it() {
    let Some(plugin) = child() else {
        let flags = "--xla_cpu_max_isa=AVX2 --xla_backend_optimization_level=2 --xla_cpu_multi_thread_eigen=false \
                     --xla_disable_hlo_passes='constant_folding' --xla_force_host_platform_device_count=2 \
                     --xla_cpu_enable_fast_math --xla_gpu_autotune_level=0";
        run("flags_that_a_plugin_knows_reach_it", flags);
        return;
    };
    let client = Client::new(&plugin, &[]).unwrap();
    let executable = Executable::compile(&client, &sine()).unwrap();
    let results = executable.run(&[HostView::of(&[0.5_f32, -1.0])]).unwrap();
    let values = results[0].as_slice::<f32>().unwrap();
    // 2 sin(0.5)
    assert!((values[0] - 0.958_851_1).abs() < 1e-5, "{values:?}");
}
