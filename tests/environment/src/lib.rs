//! Real JAX and real PJRT plugins for the tests of the workspace.
//!
//! Each environment is a managed one of `cyxla-build`, made from a file in `requirements/` at its first use: it takes
//! minutes then and milliseconds later. A test that can't have its environment fails with the reason.

#![forbid(unsafe_code)]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use cyxla_build::{ManagedEnvironment, PythonEnvironment};

/// The versions of JAX that the lowering is tested with; the last one needs Python 3.12.
pub const JAX: [&str; 4] = ["0.6.2", "0.8.3", "0.10.2", "0.12.0.1"];

/// The environment of most tests: one JAX and all CPU plugins.
///
/// # Panics
/// It can't be made: there is no Python, or no network at the first use.
pub fn main() -> &'static PythonEnvironment {
    static MAIN: OnceLock<PythonEnvironment> = OnceLock::new();
    MAIN.get_or_init(|| create("main.txt", None))
}

/// The environment with one of the versions in [`JAX`]; none, with a word on stderr, if no Python here can run it.
///
/// # Panics
/// It can't be made: there is no network at the first use.
pub fn jax(version: &str) -> Option<PythonEnvironment> {
    if main().jax_version() == Some(version) {
        return Some(main().clone());
    }
    let needed = match version {
        "0.6.2" => 10,
        "0.8.3" | "0.10.2" => 11,
        _ => 12,
    };
    let interpreter = interpreter(needed);
    if interpreter.is_none() {
        eprintln!("JAX {version} is NOT tested: it needs Python 3.{needed}, which was not found");
    }
    Some(create(&format!("jax-{version}.txt"), Some(interpreter?)))
}

/// The libraries of all CPU plugins, the newest PJRT API first.
///
/// # Panics
/// Those of [`main`].
pub fn plugins() -> Vec<PathBuf> {
    let plugins = main().cpu_plugins();
    plugins
        .iter()
        .map(|plugin| plugin.library.clone())
        .collect()
}

/// The directory of `pjrt_c_api.h`, which the wheel xla-cpu-pjrt carries.
///
/// # Panics
/// Those of [`main`].
pub fn pjrt_include() -> PathBuf {
    main()
        .site_packages()
        .join("xla_plugins/xla_cpu_pjrt/include")
}

fn create(requirements: &str, interpreter: Option<PathBuf>) -> PythonEnvironment {
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("requirements")
        .join(requirements);
    let mut environment = ManagedEnvironment::new(file);
    if let Some(interpreter) = interpreter {
        environment = environment.interpreter(interpreter);
    }
    environment
        .create()
        .unwrap_or_else(|error| panic!("{error}"))
}

/// A Python of at least 3.`minor`, the oldest of these, on PATH or among the versions of pyenv.
fn interpreter(minor: u32) -> Option<PathBuf> {
    let pyenv = std::env::var_os("PYENV_ROOT")
        .map(PathBuf::from)
        .or_else(|| Some(std::env::home_dir()?.join(".pyenv")));
    let versions = pyenv.and_then(|root| root.join("versions").read_dir().ok());
    let installed: Vec<_> = versions
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .collect();
    (minor..=14).find_map(|minor| {
        let name = format!("python3.{minor}");
        let in_pyenv = installed
            .iter()
            .map(|version| version.join("bin").join(&name));
        std::iter::once(PathBuf::from(&name))
            .chain(in_pyenv)
            .find(|python| runs(python))
    })
}

fn runs(python: &Path) -> bool {
    let status = Command::new(python)
        .args(["-c", "import venv"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    status.is_ok_and(|status| status.success())
}
