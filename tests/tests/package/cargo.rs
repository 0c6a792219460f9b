use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;

use crate::project::write_script;

/// What of the environment Cargo, rustc and the system's linker need.
const PASSED_ON: [&str; 6] = [
    "HOME",
    "CARGO_HOME",
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "TMPDIR",
    "LD_LIBRARY_PATH",
];

/// A command of Cargo, in an environment of its own, with no Python on PATH.
pub(crate) struct Cargo(Command);

impl Cargo {
    pub(crate) fn new(folder: &Path, target: &Path, arguments: &str) -> Self {
        let mut command = Command::new(env::var_os("CARGO").unwrap());
        command
            .args(arguments.split_whitespace())
            .current_dir(folder)
            .env_clear()
            .envs(
                PASSED_ON
                    .iter()
                    .filter_map(|name| Some((name, env::var_os(name)?))),
            )
            .env("PATH", tools())
            .env("CARGO_TARGET_DIR", target)
            .env("CARGO_NET_OFFLINE", "true")
            .env("CARGO_TERM_COLOR", "never")
            .env("CARGO_INCREMENTAL", "0")
            .env("CARGO_PROFILE_DEV_DEBUG", "0")
            .env("CYXLA_PJRT_PLUGIN", &cyxla_test_environment::plugins()[0])
            // Compiled programs may be shared, plugins that are registered on this machine may not be seen.
            .env(
                "CYXLA_CACHE_DIR",
                Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"),
            )
            .env("CYXLA_DATA_DIR", folder.join("../data"));
        Self(command)
    }

    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.0.env(name, value);
        self
    }

    /// There is no Python at all.
    pub(crate) fn without_python(mut self) -> Self {
        self.0.env_remove("CYXLA_PYTHON");
        self
    }

    #[track_caller]
    fn output(mut self) -> (Output, String) {
        let output = self.0.stdin(Stdio::null()).output().unwrap();
        let stderr = String::from_utf8(output.stderr.clone()).unwrap();
        (output, stderr)
    }

    /// What it prints on stderr; it must succeed.
    #[track_caller]
    pub(crate) fn succeeds(self) -> String {
        let (output, stderr) = self.output();
        assert!(output.status.success(), "{stderr}");
        stderr
    }

    /// What it prints on stdout; it must succeed.
    #[track_caller]
    pub(crate) fn stdout(self) -> String {
        let (output, stderr) = self.output();
        assert!(output.status.success(), "{stderr}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    /// It must fail, with all of these texts on stderr.
    #[track_caller]
    pub(crate) fn fails_with(self, texts: &[&str]) {
        let (output, stderr) = self.output();
        assert_eq!(output.status.code(), Some(101), "{stderr}");
        for text in texts {
            assert!(stderr.contains(text), "no `{text}` in\n{stderr}");
        }
    }

    /// Starts it in a process group of its own.
    pub(crate) fn spawn(mut self) -> Child {
        use std::os::unix::process::CommandExt as _;
        let quiet = self.0.stdin(Stdio::null()).stderr(Stdio::null());
        quiet.process_group(0).spawn().unwrap()
    }
}

/// A folder with all commands that Cargo needs, and nothing else.
fn tools() -> &'static Path {
    static TOOLS: OnceLock<PathBuf> = OnceLock::new();
    TOOLS.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("tools");
        fs::create_dir_all(&folder).unwrap();
        for name in ["cargo", "rustc", "rustdoc", "cc", "ld"] {
            let path = env::var_os("PATH").unwrap();
            let found = env::split_paths(&path)
                .map(|folder| folder.join(name))
                .find(|path| path.is_file());
            if let Some(found) = found {
                write_script(
                    &folder.join(name),
                    &format!("#!/bin/sh\nexec '{}' \"$@\"\n", found.display()),
                );
            }
        }
        folder
    })
}
