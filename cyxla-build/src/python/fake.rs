//! Interpreters for tests: shell scripts that answer as a Python would.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// A temporary directory with files.
pub(super) struct Folder {
    path: PathBuf,
    _guard: tempfile::TempDir,
}

impl Folder {
    pub(super) fn new() -> Self {
        let guard = tempfile::tempdir().unwrap();
        // As files are named once links are resolved.
        let path = guard.path().canonicalize().unwrap();
        Self {
            path,
            _guard: guard,
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    /// An executable file `uv` that makes environments of which `made` is the interpreter, and installs by running
    /// the lines `install`. It writes each of its commands to `uv.log`.
    pub(super) fn uv(&self, made: &Fake, install: &str) {
        let made = self.interpreter("made", made);
        let lines = format!(
            "[ \"$1\" = --version ] && exit\n\
             echo \"$1\" >>'{log}'\n\
             if [ \"$1\" = venv ]; then\n\
             for directory; do :; done\n\
             mkdir \"$directory\" \"$directory/bin\" && cp '{made}' \"$directory/bin/python\"\n\
             else\n:\n{install}\nfi",
            log = self.path().join("uv.log").display(),
            made = made.display(),
        );
        self.interpreter("bin/uv", &Fake::script(&lines));
    }

    /// The commands that the `uv` of this folder got.
    pub(super) fn uv_log(&self) -> String {
        fs::read_to_string(self.path().join("uv.log")).unwrap_or_default()
    }

    /// An executable file that behaves like `fake`.
    pub(super) fn interpreter(&self, name: &str, fake: &Fake) -> PathBuf {
        let path = self.file(name, &fake.script);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }
}

/// What a fake interpreter answers.
pub(super) struct Fake {
    script: String,
    answer: serde_json::Value,
}

impl Fake {
    /// One that can make environments and has no JAX.
    pub(super) fn python(version: &str) -> Self {
        let numbers: Vec<u32> = version.split('.').map(|n| n.parse().unwrap()).collect();
        let answer = serde_json::json!({
            "implementation": "CPython",
            "version": numbers,
            "prefix": "/prefix",
            "base": "/base/bin/python3",
            "platform": "linux-x86_64",
            "site_packages": "/site",
            "platform_site_packages": "/site",
            "makes_environments": true,
            "jax_origin": null,
            "jax": null,
            "jaxlib": false,
        });
        Self::answering(answer)
    }

    /// One that runs these lines of shell.
    pub(super) fn script(lines: &str) -> Self {
        Self {
            script: format!("#!/bin/sh\n{lines}\n"),
            answer: serde_json::Value::Null,
        }
    }

    pub(super) fn jax(self, version: &str) -> Self {
        self.with("jax", version)
            .with("jax_origin", "/site/jax/__init__.py")
            .with("jaxlib", true)
    }

    pub(super) fn without_jaxlib(self) -> Self {
        self.with("jaxlib", false)
    }

    pub(super) fn without_metadata(self) -> Self {
        self.with("jax", serde_json::Value::Null)
    }

    pub(super) fn without_venv(self) -> Self {
        self.with("makes_environments", false)
    }

    /// One whose packages lie there.
    pub(super) fn site_packages(self, path: &Path) -> Self {
        self.with("site_packages", path.to_str().unwrap())
    }

    pub(super) fn implementation(self, name: &str) -> Self {
        self.with("implementation", name)
    }

    fn with(mut self, key: &str, value: impl Into<serde_json::Value>) -> Self {
        self.answer[key] = value.into();
        Self::answering(self.answer)
    }

    fn answering(answer: serde_json::Value) -> Self {
        // What a start-up file prints first must not matter.
        let script = format!("#!/bin/sh\necho warning\necho 'cyxla-probe: {answer}'\n");
        Self { script, answer }
    }
}
