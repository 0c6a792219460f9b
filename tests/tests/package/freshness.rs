//! Python is started if and only if something changed that the lowering depends on, and then the binary is of the new.

use std::fs;
use std::os::unix::fs::symlink;
use std::time::{Duration, SystemTime};

use crate::project::{LOWERED, NO_PYTHON, Project, main_rs};

/// What of a program can stand in which file; each contributes digits of its own to the result.
const MODEL: &str = "\
import json
import os
import subprocess

import numpy as np

import imported

OWN = 1
with open('data/raw.txt') as file:
    RAW = int(file.read())
with open('data/settings.json') as file:
    SETTING = json.load(file)['setting']
UNSEEN = int(subprocess.check_output(['/bin/cat', 'data/unseen.txt']))


def f(x):
    import lazy

    table = np.load('data/table.npy')
    variable = int(os.environ.get('OFFSET', '0'))
    return x * 0 + OWN + imported.PART + lazy.PART + table[0] + RAW + SETTING + UNSEEN + variable
";

fn reader() -> Project {
    let project = Project::new();
    project.write("python/model.py", MODEL);
    project.write("python/imported.py", "PART = 10");
    project.write("python/lazy.py", "PART = 100");
    project.write("data/table.npy", npy(1000.0));
    project.write("data/raw.txt", "10000");
    project.write("data/settings.json", "{\"setting\": 100000}");
    project.write("data/unseen.txt", "0");
    project.replace(
        "src/main.rs",
        "(\"model:f\")",
        "(\"model:f\", deps = [\"data/unseen.txt\"])",
    );
    project
}

/// A file of NumPy with one number.
///
/// Source: the NumPy documentation, "numpy.lib.format", version 1.0.
fn npy(number: f32) -> Vec<u8> {
    let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }";
    let mut bytes = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
    bytes.extend(format!("{header:<117}\n").into_bytes());
    bytes.extend(number.to_le_bytes());
    bytes
}

#[test]
fn what_python_read_is_lowered_again_when_it_changes() {
    let project = reader();
    assert_eq!(project.run(), "111111");
    assert_eq!(project.starts(), LOWERED);
    assert_eq!(project.run(), "111111");
    assert_eq!(project.starts(), NO_PYTHON);

    let model = MODEL.replace("OWN = 1", "OWN = 2");
    let changes: [(&str, &[u8], &str); 7] = [
        ("python/model.py", model.as_bytes(), "111112"),
        ("python/imported.py", b"PART = 20", "111122"),
        ("python/lazy.py", b"PART = 200", "111222"),
        ("data/table.npy", &npy(2000.0), "112222"),
        ("data/raw.txt", b"20000", "122222"),
        ("data/settings.json", b"{\"setting\": 200000}", "222222"),
        ("data/unseen.txt", b"1000000", "1222222"),
    ];
    for (path, content, expected) in changes {
        project.write(path, content);
        assert_eq!(project.run(), expected, "{path}");
        assert_eq!(project.starts(), LOWERED, "{path}");
    }
    assert_eq!(project.run(), "1222222");
    assert_eq!(project.starts(), NO_PYTHON);
}

#[test]
fn an_environment_variable_that_python_read_is_followed() {
    let project = reader();
    let run = |offset: &str| {
        let cargo = project.cargo("run --quiet").env("OFFSET", offset);
        (cargo.stdout(), project.starts())
    };
    assert_eq!(project.run(), "111111");
    project.starts();
    let lowered = LOWERED.map(str::to_owned).to_vec();
    assert_eq!(run("7"), ("111118".to_owned(), lowered.clone()));
    assert_eq!(run("7"), ("111118".to_owned(), Vec::new()));
    assert_eq!(run("8"), ("111119".to_owned(), lowered));
}

#[test]
fn a_touched_file_starts_no_python() {
    let project = reader();
    project.run();
    project.starts();
    let later = SystemTime::now() + Duration::from_secs(1);
    for path in ["python/model.py", "data/table.npy", "src/main.rs"] {
        let file = fs::File::options()
            .write(true)
            .open(project.root().join(path));
        file.unwrap().set_modified(later).unwrap();
    }
    assert_eq!(project.run(), "111111");
    assert_eq!(project.starts(), NO_PYTHON);
}

#[test]
fn what_is_declared_in_rust_is_followed() {
    let project = Project::new();
    project.write(
        "python/model.py",
        "def f(x):\n    return 2 * x\n\ndef third(x):\n    return x / 3\n",
    );
    assert_eq!(project.run(), "2");
    assert_eq!(project.starts(), LOWERED);

    // The signature.
    project.replace("src/main.rs", "f32", "f64");
    project.replace("src/main.rs", "model:f", "model:third");
    assert_eq!(project.run(), "0.3333333333333333");
    assert_eq!(project.starts(), LOWERED);

    // An option; 1/3 in 32 bits and 64.
    project.replace("src/main.rs", "f64", "f32");
    project.replace("src/main.rs", "third\")", "third\", x64 = true)");
    assert_eq!(project.run(), "0.33333334");
    assert_eq!(project.starts(), LOWERED);

    // Nothing that Python has to know.
    project.replace("src/main.rs", "fn main", "\n/// Prints.\nfn main");
    assert_eq!(project.run(), "0.33333334");
    assert_eq!(project.starts(), NO_PYTHON);
}

#[test]
fn programs_in_new_files_are_seen() {
    let project = Project::new();
    assert_eq!(project.run(), "2");
    assert_eq!(project.starts(), LOWERED);

    // A module, first without its file: the compiler tells.
    project.replace(
        "src/main.rs",
        "fn main() {",
        "mod new;\n\nfn main() {\n    new::print();",
    );
    let build = project.cargo("build");
    build.fails_with(&["file not found for module `new`"]);
    project.starts();
    let module = main_rs("model:f").replace("fn main", "pub fn print");
    project.write(
        "src/new.rs",
        module.replace("f32", "i32").replace("1.0", "21"),
    );
    assert_eq!(project.run(), "42\n2");
    assert_eq!(project.starts(), LOWERED);

    // A target that Cargo finds by itself.
    let new_target = |name: &str, path: &str| {
        let call = format!("{name}(");
        project.write(path, main_rs("model:f").replace("f(", &call));
    };
    new_target("first", "src/bin/first.rs");
    assert_eq!(project.cargo("run --quiet --bin first").stdout(), "2");
    assert_eq!(project.starts(), LOWERED);

    // The first one in a folder beside `src`, which neither Cargo nor the build script can have watched.
    new_target("second", "examples/second.rs");
    let build = project.cargo("build --examples");
    build.fails_with(&["no program `second` of model:f", "`touch build.rs`"]);
    project.replace("build.rs", "fn main", "fn main");
    assert_eq!(project.cargo("run --quiet --example second").stdout(), "2");
    assert_eq!(project.starts(), LOWERED);

    // And further ones.
    new_target("third", "examples/third/main.rs");
    assert_eq!(project.cargo("run --quiet --example third").stdout(), "2");
    assert_eq!(project.starts(), LOWERED);
}

#[test]
fn a_build_writes_nothing_into_the_package() {
    let project = reader();
    let before = project.files();
    project.run();
    project.write("python/imported.py", "PART = 20");
    project.run();
    project.write("python/imported.py", "PART = 10");
    assert_eq!(project.files(), before);
}

#[test]
fn the_same_sources_give_the_same_bytes_in_another_folder() {
    let [one, other] = [reader(), reader()];
    for project in [&one, &other] {
        project.cargo("build").succeeds();
    }
    assert_ne!(one.root(), other.root());
    assert_eq!(one.artifact().len(), 2);
    assert_eq!(one.artifact(), other.artifact());
}

#[test]
fn a_package_is_followed_through_links() {
    let project = reader();
    let outside = project.root().join("../outside");
    fs::rename(project.root().join("python"), &outside).unwrap();
    symlink("../outside", project.root().join("python")).unwrap();
    symlink(project.root(), project.root().join("../link")).unwrap();
    let run = || {
        let cargo = project.cargo("run --quiet --manifest-path ../link/Cargo.toml");
        (cargo.stdout(), project.starts())
    };
    let lowered = LOWERED.map(str::to_owned).to_vec();
    assert_eq!(run(), ("111111".to_owned(), lowered.clone()));
    assert_eq!(run(), ("111111".to_owned(), Vec::new()));
    fs::write(outside.join("lazy.py"), "PART = 200").unwrap();
    assert_eq!(run(), ("111211".to_owned(), lowered));
    assert_eq!(run(), ("111211".to_owned(), Vec::new()));
}
