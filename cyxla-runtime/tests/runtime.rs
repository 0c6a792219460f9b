//! A process has one default client.
//!
//! Each test runs in a process of its own: it starts this program again, with the variables that it is about.

#![allow(clippy::unwrap_used, reason = "a test")]

mod support;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use cyxla_runtime::{
    Client, Error, HostView, Options, Plugin, PluginError, PluginModule, PluginSource,
    available_plugins, compile_program, default_client, error_info, find_plugin, initialize,
    is_initialized, register_plugin, runtime_info,
};
use support::{plugins, sine};

const PLUGIN: &str = "CYXLA_TEST_PLUGIN";

/// In the process of `test`, that there is; else starts it with these variables, and none that would give a plugin.
fn alone(test: &str, variables: &[(&str, &OsStr)]) -> bool {
    if std::env::var_os(PLUGIN).is_some() {
        return true;
    }
    let home = tempfile::tempdir().unwrap();
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", test, "--nocapture"])
        .env(PLUGIN, plugin());
    for name in [
        "CYXLA_PJRT_PLUGIN",
        "CYXLA_PLATFORM",
        "CYXLA_PLUGIN_PATH",
        "CYXLA_CACHE",
        "VIRTUAL_ENV",
        "CONDA_PREFIX",
    ] {
        command.env_remove(name);
    }
    command.env("CYXLA_DATA_DIR", home.path().join("data"));
    command.env("CYXLA_CACHE_DIR", home.path().join("cache"));
    command.envs(variables.iter().copied());
    let output = command.output().unwrap();
    let [stdout, stderr] =
        [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    assert!(
        output.status.success() && stdout.contains("1 passed"),
        "{stdout}{stderr}"
    );
    false
}

/// The library of a plugin. A process that [`alone`] started is told by the one that started it.
fn plugin() -> PathBuf {
    match std::env::var_os(PLUGIN) {
        Some(path) => path.into(),
        None => plugins().swap_remove(0),
    }
}

#[test]
fn the_first_use_loads_the_default_plugin() {
    let path = plugin();
    let variables = [("CYXLA_PJRT_PLUGIN", path.as_os_str())];
    if !alone("the_first_use_loads_the_default_plugin", &variables) {
        return;
    }
    assert!(!is_initialized());
    assert_eq!(runtime_info(), None);
    let client = default_client().unwrap();
    assert!(is_initialized());
    let runtime = runtime_info().unwrap();
    assert_eq!(runtime.platform, "cpu");
    assert_eq!(runtime.plugin.path, path);
    assert_eq!(runtime.plugin.source, PluginSource::Environment);
    assert_eq!(runtime.api_version, client.api_version());
    assert!(runtime.stablehlo_versions.is_some());
    // XLA's own plugins for the CPU can do both.
    assert!(runtime.aliased_inputs && runtime.inplace_outputs);
    assert_eq!(error_info().count, 0);
}

#[test]
fn a_later_initialize_returns_the_details_of_the_first() {
    let path = plugin();
    if !alone("a_later_initialize_returns_the_details_of_the_first", &[]) {
        return;
    }
    let first = initialize(Options::new().plugin_path(&path)).unwrap();
    let other = Options::new().plugin(Plugin::new("tpu", "/nowhere/libtpu.so"));
    assert_eq!(initialize(other).unwrap(), first);
    assert_eq!(
        initialize(Options::new().platform("cuda13")).unwrap(),
        first
    );
    assert_eq!(runtime_info().unwrap(), first);
    assert_eq!(default_client().unwrap().plugin().path, path);
}

#[test]
fn a_load_that_failed_can_be_tried_again() {
    let path = plugin();
    if !alone("a_load_that_failed_can_be_tried_again", &[]) {
        return;
    }
    let error = initialize(Options::new().plugin_path("/nowhere/plugin.so")).unwrap_err();
    assert!(matches!(error, Error::Plugin(_)), "{error}");
    assert!(!is_initialized());
    assert_eq!(error_info().count, 1);
    assert_eq!(error_info().last.unwrap(), error.to_string());
    initialize(Options::new().plugin_path(path)).unwrap();
    assert!(is_initialized());
}

#[test]
fn options_reach_the_plugin() {
    let path = plugin();
    if !alone("options_reach_the_plugin", &[]) {
        return;
    }
    let wrong = Options::new()
        .plugin_path(&path)
        .create_option("cpu_device_count", "many");
    let error = initialize(wrong).unwrap_err();
    assert!(matches!(error, Error::Client(_)), "{error}");
    let right = Options::new()
        .plugin_path(&path)
        .create_option("cpu_device_count", 2);
    let options = initialize(right).unwrap().plugin.create_options;
    assert_eq!(options["cpu_device_count"], 2.into());
}

/// Counts how often a plugin is looked for.
struct Counted(PathBuf);

static LOOKED_FOR: AtomicUsize = AtomicUsize::new(0);

impl PluginModule for Counted {
    fn platform(&self) -> &'static str {
        "cpu"
    }

    fn library_path(&self) -> Result<PathBuf, Box<dyn std::error::Error + Send + Sync>> {
        LOOKED_FOR.fetch_add(1, Ordering::Relaxed);
        Ok(self.0.clone())
    }
}

#[test]
fn threads_that_come_first_wait_for_one_load() {
    let path = plugin();
    if !alone("threads_that_come_first_wait_for_one_load", &[]) {
        return;
    }
    register_plugin(Counted(path.clone()));
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| assert_eq!(default_client().unwrap().plugin().path, path));
        }
    });
    assert_eq!(LOOKED_FOR.load(Ordering::Relaxed), 1);
    assert_eq!(
        runtime_info().unwrap().plugin.source,
        PluginSource::Registered
    );
}

#[test]
fn without_a_plugin_the_error_says_how_to_get_one() {
    if !alone("without_a_plugin_the_error_says_how_to_get_one", &[]) {
        return;
    }
    let error = default_client().unwrap_err();
    let Error::Plugin(plugin) = &error else {
        panic!("{error}");
    };
    assert!(matches!(**plugin, PluginError::NotFound { .. }), "{error}");
    let text = error.to_string();
    for expected in [
        "CYXLA_PJRT_PLUGIN: not set",
        "data/plugins: no such directory",
        "\n  help: ",
        "pip install",
    ] {
        assert!(text.contains(expected), "{expected:?} is not in\n{text}");
    }
    assert!(available_plugins().is_empty());
}

#[test]
fn a_described_plugin_is_found_and_runs() {
    let path = plugin();
    let directory = tempfile::tempdir().unwrap();
    let folder = directory.path().join("mine");
    std::fs::create_dir(&folder).unwrap();
    let toml =
        format!("platform = \"cpu\"\nlibrary = {path:?}\n[create_options]\ncpu_device_count = 1\n");
    std::fs::write(folder.join("plugin.toml"), toml).unwrap();
    let variables = [("CYXLA_PLUGIN_PATH", directory.path().as_os_str())];
    if !alone("a_described_plugin_is_found_and_runs", &variables) {
        return;
    }
    let found = find_plugin("cpu").unwrap();
    assert_eq!(found.path, path);
    assert!(
        matches!(found.source, PluginSource::Directory(_)),
        "{}",
        found.source
    );
    assert_eq!(available_plugins(), [found]);
    let (executable, _) = compile_program(&default_client().unwrap(), &sine(), true).unwrap();
    let results = executable.run(&[HostView::of(&[0.0_f32, 0.0])]).unwrap();
    assert_eq!(results[0].as_slice::<f32>().unwrap(), [0.0, 0.0]);
}

#[test]
fn a_wheel_in_an_environment_is_found() {
    let path = plugin();
    // …/lib/python3.11/site-packages/package/plugin.so
    let site_packages = path
        .ancestors()
        .find(|folder| folder.ends_with("site-packages"));
    let Some(environment) = site_packages
        .and_then(|folder| folder.ancestors().nth(3))
        .map(Path::to_owned)
    else {
        eprintln!("SKIPPED: {} is in no Python environment", path.display());
        return;
    };
    if !alone(
        "a_wheel_in_an_environment_is_found",
        &[("VIRTUAL_ENV", environment.as_os_str())],
    ) {
        return;
    }
    let found = default_client().unwrap();
    assert!(
        found
            .plugin()
            .path
            .starts_with(std::env::var_os("VIRTUAL_ENV").unwrap())
    );
    assert!(matches!(found.plugin().source, PluginSource::Wheel(_)));
}

#[test]
fn the_next_process_loads_from_the_disk_cache() {
    let path = plugin();
    let directory = tempfile::tempdir().unwrap();
    for expected in ["compiled", "loaded"] {
        let variables = [
            ("CYXLA_PJRT_PLUGIN", path.as_os_str()),
            ("CYXLA_CACHE_DIR", directory.path().as_os_str()),
            ("CYXLA_TEST_EXPECTED", OsStr::new(expected)),
        ];
        if !alone("the_next_process_loads_from_the_disk_cache", &variables) {
            continue;
        }
        let (_, statistics) = compile_program(&default_client().unwrap(), &sine(), true).unwrap();
        let expected = match std::env::var("CYXLA_TEST_EXPECTED").unwrap().as_str() {
            "compiled" => (1, 0),
            _ => (0, 1),
        };
        assert_eq!((statistics.compiled, statistics.loaded), expected);
        return;
    }
}

#[test]
fn other_flags_of_xla_are_compiled_anew() {
    let path = plugin();
    let directory = tempfile::tempdir().unwrap();
    for flags in ["", "--xla_cpu_max_isa=SSE4_2", "--xla_cpu_max_isa=AVX"] {
        let variables = [
            ("CYXLA_PJRT_PLUGIN", path.as_os_str()),
            ("CYXLA_CACHE_DIR", directory.path().as_os_str()),
            ("XLA_FLAGS", OsStr::new(flags)),
        ];
        if alone("other_flags_of_xla_are_compiled_anew", &variables) {
            let (_, statistics) =
                compile_program(&default_client().unwrap(), &sine(), true).unwrap();
            assert_eq!(statistics.compiled, 1);
            return;
        }
    }
}

/// The number of threads of this process.
#[cfg(target_os = "linux")]
fn threads() -> usize {
    std::fs::read_dir("/proc/self/task").unwrap().count()
}

/// The threads that a client with these options starts.
#[cfg(target_os = "linux")]
fn started_by(options: Options) -> usize {
    let before = threads();
    let client = Client::open(
        &options
            .plugin_path(plugin())
            .create_option("cpu_device_count", 1),
    );
    let started = threads() - before;
    drop(client.unwrap());
    started
}

#[cfg(target_os = "linux")]
#[test]
fn the_number_of_threads_can_be_chosen() {
    if !alone("the_number_of_threads_can_be_chosen", &[]) {
        return;
    }
    // What the plugin has beside its pools is started once.
    started_by(Options::new().threads(2));
    let (two, five) = (
        started_by(Options::new().threads(2)),
        started_by(Options::new().threads(5)),
    );
    // XLA has several pools, each of that many.
    assert!(five >= two + 3, "{two} and {five}");
    assert_eq!(started_by(Options::new().threads(2)), two);
    // Without a number it is the processors', not what was asked for last.
    let processors = std::thread::available_parallelism().unwrap().get();
    assert_eq!(
        started_by(Options::new()),
        started_by(Options::new().threads(processors))
    );
}

#[cfg(target_os = "linux")]
#[test]
fn the_number_of_threads_in_the_environment_goes_first() {
    let variables = [("PJRT_NPROC", OsStr::new("3"))];
    if !alone(
        "the_number_of_threads_in_the_environment_goes_first",
        &variables,
    ) {
        return;
    }
    started_by(Options::new());
    assert_eq!(
        started_by(Options::new()),
        started_by(Options::new().threads(7))
    );
    assert_eq!(std::env::var("PJRT_NPROC").unwrap(), "3");
}
