//! `Builder`, in a plain process, with real Python.
//!
//! The tests of the module itself go through every change with a stand-in for Python; these show that what Python tells of
//! its reads is what counts.

#![allow(
    clippy::unwrap_used,
    reason = "the functions that prepare a test are part of it"
)]

mod interpreters;

use std::fs;
use std::path::{Path, PathBuf};

use cyxla_artifact::Manifest;
use cyxla_build::{Builder, Outcome, Report};
use interpreters::interpreters;

const MANIFEST: &str = "\
[package]
name = \"demo\"
edition = \"2024\"
[workspace]
";

const MAIN: &str = "\
mod shapes;
use shapes::Matrix;

#[cyxla::program(\"model:scaled\")]
fn scaled(x: &Matrix) -> cyxla::Result<Matrix>;

fn main() {
    #[cyxla::program(\"model:wide\", args = \"model:wide_args\")]
    fn wide(x: &_) -> cyxla::Result<_>;
}
";

const SHAPES: &str = "\
const ROWS: usize = 2;
pub type Matrix = [[f32; ROWS + 1]; ROWS];
";

const MODEL: &str = "\
import pathlib
import jax.numpy as jnp
import numpy as np

def scaled(x):
    from factor import FACTOR
    offset = float((pathlib.Path(__file__).parent / 'offset.txt').read_text())
    return x * FACTOR + offset

def wide(x):
    return x.sum()

def wide_args():
    return (np.zeros(3, np.int32),)
";

/// A package in a temporary folder.
struct Demo {
    folder: tempfile::TempDir,
    python: PathBuf,
}

impl Demo {
    fn new(python: &Path) -> Self {
        let demo = Self {
            folder: tempfile::tempdir().unwrap(),
            python: python.to_owned(),
        };
        for (path, text) in [
            ("Cargo.toml", MANIFEST),
            ("src/main.rs", MAIN),
            ("src/shapes.rs", SHAPES),
            ("python/model.py", MODEL),
            ("python/factor.py", "FACTOR = 2"),
            ("python/offset.txt", "1"),
        ] {
            demo.write(path, text);
        }
        demo
    }

    fn write(&self, path: &str, text: &str) {
        let file = self.folder.path().join("package").join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    fn build(&self) -> Report {
        let folder = self.folder.path();
        let builder = Builder::new()
            .package(folder.join("package"))
            .python(&self.python);
        builder.lower_to(&folder.join("out")).unwrap()
    }

    fn code(&self, report: &Report) -> Vec<Vec<u8>> {
        let load = |record| Manifest::load(&self.folder.path().join("out"), record).unwrap();
        report
            .programs
            .iter()
            .map(|record| load(record).code.into_owned())
            .collect()
    }
}

#[test]
fn a_package_is_lowered_once_and_again_for_each_file_that_python_read() {
    for python in interpreters() {
        let demo = Demo::new(&python);
        let report = demo.build();
        assert_eq!(report.outcome, Outcome::Lowered);
        let inputs: Vec<String> = report
            .programs
            .iter()
            .map(|record| format!("{}: {}", record.name, record.inputs[0].array_type))
            .collect();
        assert_eq!(inputs, ["scaled: f32[2,3]", "wide: i32[3]"]);
        let manifest = Manifest::read(&demo.folder.path().join("out")).unwrap();
        let sources: Vec<_> = manifest
            .sources
            .iter()
            .map(|source| source.path.as_str())
            .collect();
        assert_eq!(
            sources,
            ["python/factor.py", "python/model.py", "python/offset.txt"]
        );
        let first = demo.code(&report);

        assert_eq!(demo.build().outcome, Outcome::Fresh);
        // What a build script declares for Cargo to watch is all there.
        assert!(report.watched.iter().all(|path| path.exists()));

        // Imported when the function is traced.
        demo.write("python/factor.py", "FACTOR = 3");
        let report = demo.build();
        assert_eq!(report.outcome, Outcome::Lowered);
        let second = demo.code(&report);
        assert_ne!(first[0], second[0]);
        assert_eq!(first[1], second[1]);

        demo.write("python/offset.txt", "2");
        assert_eq!(demo.build().outcome, Outcome::Lowered);

        demo.write("src/shapes.rs", &SHAPES.replace("= 2", "= 5"));
        let report = demo.build();
        assert_eq!(report.outcome, Outcome::Lowered);
        assert_eq!(
            report.programs[0].inputs[0].array_type.to_string(),
            "f32[5,6]"
        );
        assert_eq!(demo.build().outcome, Outcome::Fresh);
    }
}

#[test]
fn artifacts_of_two_folders_are_equal_byte_for_byte() {
    for python in interpreters() {
        let [one, other] = [Demo::new(&python), Demo::new(&python)];
        let reports = [one.build(), other.build()];
        let manifest =
            |demo: &Demo| fs::read(demo.folder.path().join("out/manifest.json")).unwrap();
        assert_eq!(manifest(&one), manifest(&other));
        assert_eq!(one.code(&reports[0]), other.code(&reports[1]));
    }
}

#[test]
fn every_build_says_what_is_donated_in_vain() {
    let Some(python) = interpreters().into_iter().next() else {
        return;
    };
    let demo = Demo::new(&python);
    // Of the type of the matrix there is a result, of the type of the vector there is none.
    demo.write(
        "src/main.rs",
        &MAIN
            .replace("x: &Matrix", "x: cyxla::Buffer<Matrix>")
            .replace("args = ", "donate = [x], args = ")
            .replace("x: &_", "x: _"),
    );
    let warning = "src/main.rs:9: `x` of `wide` is donated in vain: model:wide has no result of type i32[3] left to \
                   take its memory; borrow it, or leave it out of `donate`";
    for outcome in [Outcome::Lowered, Outcome::Fresh] {
        let report = demo.build();
        assert_eq!(report.outcome, outcome);
        assert_eq!(report.warnings, [warning]);
        let donated = |i: usize| report.programs[i].inputs[0].donated;
        assert_eq!([donated(0), donated(1)], [true, false]);
    }
}

#[test]
fn all_wrong_programs_are_in_one_error() {
    let Some(python) = interpreters().into_iter().next() else {
        return;
    };
    let demo = Demo::new(&python);
    demo.write(
        "python/model.py",
        "def scaled(x, y): return x\nwide = 3\ndef wide_args(): return 1.0\n",
    );
    let folder = demo.folder.path();
    let builder = Builder::new()
        .package(folder.join("package"))
        .python(&python);
    let error = builder
        .lower_to(&folder.join("out"))
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("model:scaled") && error.contains("model:wide"),
        "{error}"
    );
    assert!(error.matches("help:").count() >= 2, "{error}");
    // Nothing is left that looks like an artifact.
    assert!(!folder.join("out/manifest.json").exists());
}
