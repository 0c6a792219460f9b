//! Managed environments made by the real tools, from packages that the tests make themselves: no network is needed,
//! except where a test says so.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use cyxla_build::{ManagedEnvironment, PythonEnvironment, PythonError};

/// Writes a wheel of the package `tiny` 1.0 to the working directory, with a plugin as far as its name goes.
const MAKE_WHEEL: &str = r#"
import zipfile
with zipfile.ZipFile("tiny-1.0-py3-none-any.whl", "w") as wheel:
    wheel.writestr("tiny.py", "")
    wheel.writestr("xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so", "")
    info = "tiny-1.0.dist-info/"
    wheel.writestr(info + "METADATA", "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n")
    wheel.writestr(info + "WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
    wheel.writestr(info + "RECORD", "")
"#;

/// A directory with `requirements.txt`, a package that it may require, and an empty cache.
struct Project(tempfile::TempDir);

impl Project {
    fn requiring(requirements: &str) -> Self {
        let project = Self(tempfile::tempdir().unwrap());
        project.write("requirements.txt", requirements);
        project
    }

    /// That requires `tiny`, from a wheel beside the requirements.
    fn requiring_tiny() -> Self {
        let project = Self::requiring("--no-index\n--find-links .\ntiny==1.0\n");
        let mut python = Command::new("python3");
        python.args(["-c", MAKE_WHEEL]);
        let status = python.current_dir(project.path()).status().unwrap();
        assert!(status.success());
        project
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path().join(name), text).unwrap();
    }

    fn create(&self) -> Result<PythonEnvironment, PythonError> {
        ManagedEnvironment::new(self.path().join("requirements.txt"))
            .cache_directory(self.path().join("cache"))
            .create()
    }

    /// The environments, made or half made, in the cache.
    fn kept(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.path().join("cache/python"));
        let paths = entries
            .into_iter()
            .flatten()
            .map(|entry| entry.unwrap().path());
        paths.filter(|path| path.is_dir()).collect()
    }
}

fn imports(environment: &PythonEnvironment, module: &str) -> bool {
    let mut python = Command::new(environment.interpreter());
    python
        .args(["-c", &format!("import {module}")])
        .stderr(Stdio::null());
    python.status().unwrap().success()
}

#[test]
fn an_environment_is_made_from_nothing_and_found_again_without_its_tools() {
    let project = Project::requiring_tiny();
    let made = project.create().unwrap();
    assert!(made.created());
    assert!(imports(&made, "tiny"));
    assert!(made.site_packages().join("tiny.py").is_file());
    assert!(made.version().starts_with("3."), "{}", made.version());
    assert_eq!(made.jax_version(), None);
    assert!(made.watched().iter().all(|path| path.is_file()));
    let plugins = made.cpu_plugins();
    assert_eq!(plugins[0].package, "xla-cpu-pjrt");
    let library = made
        .site_packages()
        .join("xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so");
    assert_eq!(plugins[0].library, library);

    // Nothing could be installed any more.
    fs::remove_file(project.path().join("tiny-1.0-py3-none-any.whl")).unwrap();
    let found = project.create().unwrap();
    assert!(!found.created());
    assert_eq!(found.interpreter(), made.interpreter());
}

#[test]
fn a_requirement_that_nothing_fits_is_an_error_and_leaves_nothing() {
    let project = Project::requiring_tiny();
    project.write(
        "requirements.txt",
        "--no-index\n--find-links .\ntiny==2.0\n",
    );
    let error = project.create().unwrap_err();
    let text = error.to_string();
    assert!(
        text.starts_with("installing the requirements failed (exit status: "),
        "{text}"
    );
    assert!(text.contains("tiny==2.0"), "{text}");
    assert!(text.contains("\n  help: correct that line of "), "{text}");
    assert!(!error.is_network());
    assert_eq!(project.kept(), Vec::<PathBuf>::new());
}

/// The environment of the project that a test of its own process makes.
const PROJECT: &str = "TEST_PROJECT";

/// Is no test by itself: another test runs it, in a process that it can kill.
#[test]
#[ignore = "run by another test"]
fn in_another_process() {
    if let Some(path) = std::env::var_os(PROJECT) {
        let path = PathBuf::from(path);
        let environment = ManagedEnvironment::new(path.join("requirements.txt"))
            .cache_directory(path.join("cache"));
        assert!(environment.create().unwrap().created());
    }
}

fn another_process(project: &Project) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "in_another_process", "--ignored"])
        .env(PROJECT, project.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

#[test]
fn a_build_that_is_killed_half_way_leaves_nothing_that_looks_complete() {
    let project = Project::requiring_tiny();
    let mut build = another_process(&project).spawn().unwrap();
    let limit = Instant::now() + Duration::from_secs(60);
    while project.kept().is_empty() && Instant::now() < limit {
        std::thread::sleep(Duration::from_millis(5));
    }
    build.kill().unwrap();
    build.wait().unwrap();

    // Its tools may go on for a while; they are waited for.
    let made = project.create().unwrap();
    assert!(made.created());
    assert!(imports(&made, "tiny"));
    assert_eq!(project.kept().len(), 1);
}

#[test]
fn processes_at_the_same_time_make_it_once_whatever_environment_is_active() {
    let project = Project::requiring_tiny();
    project.write(
        "sitecustomize.py",
        "raise SystemExit('PYTHONPATH was followed')",
    );
    let build = || {
        let mut build = another_process(&project);
        build
            .env("PYTHONPATH", project.path())
            .env("PYTHONHOME", project.path())
            .env("VIRTUAL_ENV", project.path())
            .env("PIP_TARGET", project.path().join("elsewhere"))
            .env("PIP_USER", "1");
        build.spawn().unwrap()
    };
    let builds: Vec<_> = (0..3).map(|_| build()).collect();
    // Each of them fails its assertion unless it is the one that made the environment.
    let made = builds
        .into_iter()
        .map(|mut build| build.wait().unwrap().success());
    assert_eq!(made.filter(|&made| made).count(), 1);
    let found = project.create().unwrap();
    assert!(!found.created());
    assert!(found.site_packages().join("tiny.py").is_file());
}

#[test]
fn a_network_that_is_not_there_is_told_from_a_package_that_is_not() {
    // Nobody listens on the discard port.
    let index = "http://127.0.0.1:9/simple";
    let project = Project::requiring(&format!(
        "--index-url {index}\ncyxla-no-such-package==1.0\n"
    ));
    let error = project.create().unwrap_err();
    assert!(error.is_network(), "{error}");
    let text = error.to_string();
    assert!(
        text.contains("\n  help: the network is needed once"),
        "{text}"
    );
    assert!(
        text.contains("\n  help: without a network, set CYXLA_PYTHON"),
        "{text}"
    );
}

/// Needs the network, and tells its absence from other failures.
#[test]
fn a_package_of_the_public_index_is_installed() {
    let project = Project::requiring("six==1.16.0\n");
    match project.create() {
        Ok(made) => assert!(imports(&made, "six")),
        Err(error) => assert!(error.is_network(), "{error}"),
    }
}
