//! `Builder` makes machine code of the programs that ask for it, and says why of those that can't have any.

#![allow(
    clippy::unwrap_used,
    reason = "the functions that prepare a test are part of it"
)]

use std::fs;
use std::path::{Path, PathBuf};

use cyxla_artifact::ProgramRecord;
use cyxla_build::{Builder, Engine, Error, Level, Outcome, Report};
use cyxla_native::image::Image;

const MODEL: &str = "\
def doubled(x):
    return x * 2

def packed(x):
    return x + x
";

/// A package in a temporary folder.
struct Demo(tempfile::TempDir);

impl Demo {
    /// With this metadata in Cargo.toml and these declarations.
    fn new(metadata: &str, declarations: &str) -> Self {
        let demo = Self(tempfile::tempdir().unwrap());
        let manifest = format!(
            "[package]\nname = \"demo\"\nedition = \"2024\"\n[workspace]\n\
             [package.metadata.cyxla]\n{metadata}\n"
        );
        demo.write("Cargo.toml", &manifest);
        demo.write("src/main.rs", &format!("{declarations}\nfn main() {{}}\n"));
        demo.write("python/model.py", MODEL);
        demo
    }

    fn write(&self, path: &str, text: &str) {
        let file = self.0.path().join("package").join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    fn out(&self) -> PathBuf {
        self.0.path().join("out")
    }

    fn build(&self, builder: &Builder) -> Result<Report, Error> {
        let builder = builder
            .clone()
            .package(self.0.path().join("package"))
            .python(cyxla_test_environment::main().interpreter());
        builder.lower_to(&self.out())
    }

    fn images(&self, record: &ProgramRecord) -> Vec<(Level, Image)> {
        let read = |file: &Path| Image::from_bytes(&fs::read(file).unwrap()).unwrap();
        let images = record.native.images.iter();
        images
            .map(|image| (image.level, read(&self.out().join(&image.file))))
            .collect()
    }
}

fn one_level() -> Builder {
    Builder::new().levels([Level::V3])
}

#[test]
fn a_program_has_an_image_for_each_level_and_keeps_it() {
    let demo = Demo::new(
        "levels = [\"x86-64-v3\", \"x86-64-v2\"]",
        "#[cyxla::program(\"model:doubled\", engine = \"auto\")]\n\
         fn doubled(x: &[f32; 64]) -> cyxla::Result<[f32; 64]>;",
    );
    let report = demo.build(&Builder::new()).unwrap();
    let record = &report.programs[0];
    assert_eq!(
        (record.native.engine, &record.native.reason),
        (Engine::Auto, &None)
    );
    let images = demo.images(record);
    let levels: Vec<Level> = images.iter().map(|(level, _)| *level).collect();
    // The most demanding first.
    assert_eq!(levels, [Level::V3, Level::V2]);
    for (_, image) in &images {
        assert_eq!(image.inputs[0].array_type, record.inputs[0].array_type);
    }
    assert_eq!(demo.build(&Builder::new()).unwrap().outcome, Outcome::Fresh);

    fs::write(demo.out().join(&record.native.images[0].file), "damaged").unwrap();
    let report = demo.build(&Builder::new()).unwrap();
    assert_eq!(report.outcome, Outcome::Lowered);
    assert_eq!(demo.images(&report.programs[0]).len(), 2);
}

#[test]
fn another_engine_or_level_is_another_request() {
    let demo = Demo::new(
        "",
        "#[cyxla::program(\"model:doubled\")]\n\
         fn doubled(x: &[f32; 64]) -> cyxla::Result<[f32; 64]>;",
    );
    let report = demo.build(&one_level()).unwrap();
    assert!(report.programs[0].native.images.is_empty());
    let native = one_level().engine(Engine::Native);
    let report = demo.build(&native).unwrap();
    assert_eq!(report.programs[0].native.images.len(), 1);
    let v2 = native.levels([Level::V2]);
    let report = demo.build(&v2).unwrap();
    assert_eq!(report.outcome, Outcome::Lowered);
    assert_eq!(report.programs[0].native.images[0].level, Level::V2);
    // The image of the other level is gone.
    let files = fs::read_dir(demo.out()).unwrap();
    let is_image = |path: &PathBuf| path.extension().is_some_and(|end| end == "image");
    assert_eq!(
        files
            .map(|file| file.unwrap().path())
            .filter(is_image)
            .count(),
        1
    );
}

#[test]
fn what_no_image_can_express_is_told_with_its_reason() {
    let demo = Demo::new(
        "engine = \"auto\"",
        "#[cyxla::program(\"model:packed\")]\n\
         fn packed(x: &[cyxla::I4; 8]) -> cyxla::Result<[cyxla::I4; 8]>;",
    );
    let report = demo.build(&one_level()).unwrap();
    let native = &report.programs[0].native;
    assert_eq!((native.engine, native.images.len()), (Engine::Auto, 0));
    assert_eq!(
        report.warnings,
        ["a PJRT plugin runs model:packed, which has no machine code: it has arrays of int4"]
    );
    let error = demo.build(&one_level().engine(Engine::Native)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "there is no machine code of\n  model:packed: it has arrays of int4\n  \
         help: with `engine = \"auto\"` a PJRT plugin runs what can't be machine code"
    );
}

#[test]
fn a_wrong_engine_in_the_manifest_is_answered_with_those_that_there_are() {
    let demo = Demo::new("engine = \"gpu\"", "");
    let error = demo.build(&Builder::new()).unwrap_err().to_string();
    assert!(
        error.contains("`engine`: `gpu` is no engine, which are pjrt, native, auto"),
        "{error}"
    );
}
