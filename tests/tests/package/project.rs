use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use tempfile::TempDir;

use crate::cargo::Cargo;

/// The starts of Python for one lowering: it is asked what it is, then it lowers.
pub(crate) const LOWERED: [&str; 2] = ["probe", "lower"];
pub(crate) const NO_PYTHON: [&str; 0] = [];

pub(crate) const BUILD_RS: &str = "fn main() { cyxla_build::Builder::new().run() }";

/// A package of a user: `model:f` doubles a number, and the binary prints the double of 1.
pub(crate) struct Project {
    home: TempDir,
}

impl Project {
    pub(crate) fn new() -> Self {
        let home = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        copy(
            &dependencies().join("target"),
            &home.path().join("a tärget"),
        );
        // Cargo locks these files, and a link to one would be the same file.
        for entry in fs::read_dir(home.path().join("a tärget/debug")).unwrap() {
            let entry = entry.unwrap();
            if entry.file_name().to_str().unwrap().starts_with(".cargo") {
                fs::remove_file(entry.path()).unwrap();
            }
        }
        let project = Self { home };
        project.write("Cargo.toml", manifest("demo"));
        project.write("build.rs", BUILD_RS);
        project.write("python/model.py", "def f(x):\n    return 2 * x\n");
        project.write("src/main.rs", main_rs("model:f"));
        project.write("Cargo.lock", lock_file());
        let python = cyxla_test_environment::main().interpreter();
        // It is started as `python -B -c …` to be asked what it is, and as `python -B FILE` to lower.
        let script = format!(
            "#!/bin/sh\ncase \"$2\" in -c) echo probe;; *) echo lower;; esac >> '{}'\nexec '{}' \"$@\"\n",
            project.log().display(),
            python.display()
        );
        write_script(&project.python(), &script);
        project
    }

    /// The same package in another folder, with nothing built.
    pub(crate) fn checked_out_elsewhere(&self) -> Self {
        let other = Self::new();
        fs::remove_dir_all(other.root()).unwrap();
        for (path, content) in files(&self.root()) {
            other.write(path.to_str().unwrap(), content);
        }
        other
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.home.path().join("a päckage")
    }

    pub(crate) fn target(&self) -> PathBuf {
        self.home.path().join("a tärget")
    }

    /// An interpreter with JAX that leaves a note of each start.
    pub(crate) fn python(&self) -> PathBuf {
        self.home.path().join("python")
    }

    fn log(&self) -> PathBuf {
        self.home.path().join("starts")
    }

    /// The starts of Python since they were last asked for.
    pub(crate) fn starts(&self) -> Vec<String> {
        let log = fs::read_to_string(self.log()).unwrap_or_default();
        let _ = fs::remove_file(self.log());
        log.lines().map(str::to_owned).collect()
    }

    pub(crate) fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let file = self.root().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, content).unwrap();
    }

    pub(crate) fn replace(&self, path: &str, from: &str, to: &str) {
        let text = fs::read_to_string(self.root().join(path)).unwrap();
        assert!(text.contains(from), "{path}: {text}");
        self.write(path, text.replace(from, to));
    }

    /// All files of the package with their content; without the lock file, which is Cargo's to write.
    pub(crate) fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = files(&self.root());
        files.remove(Path::new("Cargo.lock"));
        files
    }

    /// The artifact that the build script wrote, without the record of this machine.
    pub(crate) fn artifact(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = files(&self.artifact_folder());
        files.remove(Path::new("local.json"));
        files
    }

    pub(crate) fn artifact_folder(&self) -> PathBuf {
        let outputs = fs::read_dir(self.target().join("debug/build")).unwrap();
        let mut found = outputs
            .map(|entry| entry.unwrap().path())
            .filter(|path| {
                path.file_name()
                    .unwrap()
                    .to_str()
                    .unwrap()
                    .starts_with("demo-")
            })
            .map(|path| path.join("out/cyxla"))
            .filter(|path| path.exists());
        found.next().unwrap()
    }

    /// `cargo` with these arguments, in this package.
    pub(crate) fn cargo(&self, arguments: &str) -> Cargo {
        Cargo::new(&self.root(), &self.target(), arguments).env("CYXLA_PYTHON", self.python())
    }

    /// The lines that the binary prints, built if need be.
    pub(crate) fn run(&self) -> String {
        self.cargo("run --quiet --bin demo").stdout()
    }
}

/// A binary that prints `target` of 1.
pub(crate) fn main_rs(target: &str) -> String {
    format!(
        "#[cyxla::program(\"{target}\")]\n\
         fn f(x: f32) -> cyxla::Result<f32>;\n\
         \n\
         fn main() {{\n    println!(\"{{}}\", f(1.0).unwrap());\n}}\n"
    )
}

fn manifest(name: &str) -> String {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let [cyxla, cyxla_build] =
        ["cyxla", "cyxla-build"].map(|name| workspace.join(name).display().to_string());
    format!(
        "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n\
         [workspace]\n\n\
         [dependencies]\ncyxla = {{ path = '{cyxla}' }}\n\n\
         [build-dependencies]\ncyxla-build = {{ path = '{cyxla_build}' }}\n\n"
    )
}

/// The versions that the workspace was built with are those that can be had offline.
fn lock_file() -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.lock")).unwrap()
}

/// A folder with `target`, in which all that a package depends on is compiled.
fn dependencies() -> &'static Path {
    static READY: OnceLock<PathBuf> = OnceLock::new();
    READY.get_or_init(|| {
        let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join("dependencies");
        let write = |path: &str, text: &str| {
            let file = home.join(path);
            // Cargo builds again what was written again.
            if fs::read_to_string(&file).is_ok_and(|there| there == text) {
                return;
            }
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(&file, text).unwrap();
        };
        write("package/Cargo.toml", &manifest("dependencies"));
        write("package/build.rs", "fn main() {}");
        write("package/src/main.rs", "fn main() {}");
        write("package/Cargo.lock", &lock_file());
        Cargo::new(&home.join("package"), &home.join("target"), "build").succeeds();
        home
    })
}

/// Copies a folder, with links to the same content and all times as they are. The content is not changed in place later: Cargo
/// and rustc replace files.
fn copy(from: &Path, to: &Path) {
    let status = Command::new("cp")
        .arg("-al")
        .args([from, to])
        .status()
        .unwrap();
    assert!(status.success());
}

pub(crate) fn write_script(path: &Path, text: &str) {
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// All files below a folder, by their paths in it.
pub(crate) fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut rest = vec![folder.to_owned()];
    while let Some(next) = rest.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                rest.push(path);
            } else {
                let content = fs::read(&path).unwrap();
                files.insert(path.strip_prefix(folder).unwrap().to_owned(), content);
            }
        }
    }
    files
}
