use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fs;
use std::time::{Duration, SystemTime};

use cyxla_artifact::{Digest, Manifest};
use serde_json::json;

use super::*;
use crate::lower::LoweredAll;
use crate::protocol::{EnvironmentVariable, Reads};

const MAIN: &str = "\
#[cyxla::program(\"model:f\")]
fn f(x: &[f32; 4]) -> cyxla::Result<f32>;
fn main() {}
";

type Meanwhile = Box<dyn FnMut(&Path)>;

/// A package with a Python side, and a stand-in for Python that counts how often it is started.
///
/// Its programs' code is the content of the files that it reads, so that stale code shows.
struct World {
    home: tempfile::TempDir,
    starts: Cell<usize>,
    reads: Vec<&'static str>,
    environment: Vec<&'static str>,
    /// Done while Python runs.
    meanwhile: RefCell<Meanwhile>,
}

impl World {
    fn new() -> Self {
        let world = Self {
            home: tempfile::tempdir().unwrap(),
            starts: Cell::new(0),
            reads: vec!["python/model.py", "python/lazy.py", "python/table.npy"],
            environment: vec!["SCALE"],
            meanwhile: RefCell::new(Box::new(|_| {})),
        };
        world.write(
            "Cargo.toml",
            "[package]\nname = \"demo\"\nedition = \"2024\"\n[workspace]\n",
        );
        world.write("src/main.rs", MAIN);
        for file in [
            "python/model.py",
            "python/lazy.py",
            "python/table.npy",
            "weights.bin",
        ] {
            world.write(file, "one");
        }
        world.write("../python/bin/python", "");
        world.write("../python/METADATA", "0.10.2");
        world
    }

    fn root(&self) -> PathBuf {
        self.home.path().join("package")
    }

    fn out(&self) -> PathBuf {
        self.home.path().join("out")
    }

    /// Writes a file of the package; long ago, as far as the file system tells.
    fn write(&self, path: &str, text: &str) {
        let file = self.root().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, text).unwrap();
        let age = Duration::from_secs(1000 + u64::try_from(text.len()).unwrap());
        set_time(&file, SystemTime::now() - age);
    }

    fn remove(&self, path: &str) {
        fs::remove_file(self.root().join(path)).unwrap();
    }

    fn python(&self, wanted: &Wanted<'_>) -> Made {
        self.starts.set(self.starts.get() + 1);
        let mut code = b"ML\xefR\x0dStableHLO_v1.10.0\0".to_vec();
        let files: Vec<PathBuf> = self
            .reads
            .iter()
            .map(|file| self.root().join(file))
            .collect();
        for file in &files {
            code.extend(fs::read(file).unwrap());
        }
        (self.meanwhile.borrow_mut())(&self.root());
        let file = format!("f-{}.mlirbc", Digest::of(&code).short());
        fs::write(wanted.output.join(&file), &code).unwrap();
        let program = json!({
            "location": null, "x64": false, "inputs": [], "outputs": [], "weights": [], "custom_calls": [],
            "stablehlo_version": "1.10.0", "calling_convention": 10,
            "platform": "cpu", "code_file": {"file": file, "sha256": Digest::of(&code).to_string()},
        });
        let programs = wanted
            .programs
            .iter()
            .map(|_| serde_json::from_value(program.clone()).unwrap())
            .collect();
        let environment = self.environment.iter().map(|name| EnvironmentVariable {
            name: (*name).to_owned(),
            value: None,
        });
        Made {
            lowered: LoweredAll {
                provenance: cyxla_artifact::Provenance::default(),
                programs,
                reads: Reads {
                    files,
                    environment: environment.collect(),
                    distributions: vec![self.home.path().join("python/METADATA")],
                },
            },
            interpreter: self.home.path().join("python/bin/python"),
            watched: Vec::new(),
        }
    }

    fn try_build(&self, builder: &Builder, variables: &[(&str, &str)]) -> Result<Report, Error> {
        let variables = Variables::fixed_from(variables);
        builder.lower_package(&self.root(), &self.out(), &variables, &|wanted| {
            Ok(self.python(wanted))
        })
    }

    fn build_with(&self, variables: &[(&str, &str)]) -> Report {
        self.try_build(&Builder::new(), variables).unwrap()
    }

    fn build(&self) -> Outcome {
        self.build_with(&[]).outcome
    }

    fn error(&self, variables: &[(&str, &str)]) -> String {
        self.try_build(&Builder::new(), variables)
            .unwrap_err()
            .to_string()
    }

    /// All files below a folder, with their content.
    fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = BTreeMap::new();
        let mut rest = vec![folder.to_owned()];
        while let Some(folder) = rest.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    rest.push(path);
                } else {
                    files.insert(path.clone(), fs::read(&path).unwrap());
                }
            }
        }
        files
    }
}

fn set_time(file: &Path, time: SystemTime) {
    fs::File::options()
        .write(true)
        .open(file)
        .unwrap()
        .set_modified(time)
        .unwrap();
}

/// Python is started for the first build and after `change`, and not for the builds between and after.
#[track_caller]
fn assert_lowers_after(world: &World, change: impl FnOnce(&World)) {
    assert_eq!(world.build(), Outcome::Lowered);
    assert_eq!(world.build(), Outcome::Fresh);
    change(world);
    assert_eq!(world.build(), Outcome::Lowered);
    assert_eq!(world.build(), Outcome::Fresh);
    assert_eq!(world.starts.get(), 2);
}

// Without a committed copy.

#[test]
fn unchanged_sources_start_no_python() {
    let world = World::new();
    assert_eq!(world.build(), Outcome::Lowered);
    let artifact = World::files(&world.out());
    assert_eq!(world.build(), Outcome::Fresh);
    assert_eq!(World::files(&world.out()), artifact);
    assert_eq!(world.starts.get(), 1);
}

#[test]
fn a_touched_file_is_no_changed_file() {
    let world = World::new();
    world.build();
    for file in [
        "python/model.py",
        "src/main.rs",
        "Cargo.toml",
        "../python/METADATA",
    ] {
        set_time(
            &world.root().join(file),
            SystemTime::now() - Duration::from_secs(10),
        );
    }
    assert_eq!(world.build(), Outcome::Fresh);
}

#[test]
fn every_file_that_was_read_counts() {
    for file in ["python/model.py", "python/lazy.py", "python/table.npy"] {
        assert_lowers_after(&World::new(), |world| world.write(file, "other"));
    }
}

#[test]
fn a_new_version_of_a_package_counts() {
    assert_lowers_after(&World::new(), |world| {
        world.write("../python/METADATA", "0.10.20");
    });
}

#[test]
fn another_signature_counts() {
    assert_lowers_after(&World::new(), |world| {
        world.write("src/main.rs", &MAIN.replace("f32; 4", "f32; 5"));
    });
}

#[test]
fn another_donation_counts() {
    assert_lowers_after(&World::new(), |world| {
        world.write(
            "src/main.rs",
            &MAIN.replace("&[f32; 4]", "&Buffer<[f32; 4]>"),
        );
    });
    let world = World::new();
    let by_value = MAIN.replace("&[f32; 4]", "[f32; 4]");
    world.write("src/main.rs", &by_value);
    assert_lowers_after(&world, |world| {
        world.write(
            "src/main.rs",
            &by_value.replace("\"model:f\"", "\"model:f\", donate = [x]"),
        );
    });
}

#[test]
fn other_platforms_count() {
    let world = World::new();
    let outcome = |builder: &Builder| world.try_build(builder, &[]).unwrap().outcome;
    assert_eq!(outcome(&Builder::new()), Outcome::Lowered);
    let both = [Platform::Cuda, Platform::Cpu];
    let gpus = Builder::new().platforms(both);
    assert_eq!(outcome(&gpus), Outcome::Lowered);
    assert_eq!(outcome(&gpus), Outcome::Fresh);
    // What is said closest to the program goes first.
    world.write(
        "src/main.rs",
        &MAIN.replace("\"model:f\"", "\"model:f\", platforms = [\"rocm\"]"),
    );
    assert_eq!(outcome(&gpus), Outcome::Lowered);
    assert_eq!(
        outcome(&Builder::new().platforms([Platform::Tpu])),
        Outcome::Fresh
    );
}

#[test]
fn a_constant_of_another_value_counts() {
    let world = World::new();
    let source = MAIN.replace("f32; 4", "f32; N");
    world.write("src/main.rs", &format!("{source} const N: usize = 4;"));
    assert_lowers_after(&world, |world| {
        world.write("src/main.rs", &format!("{source} const N: usize = 40;"));
    });
}

#[test]
fn code_that_was_removed_or_damaged_is_made_again() {
    let code = |world: &World| {
        let manifest = Manifest::read(&world.out()).unwrap();
        world.out().join(&manifest.programs[0].code.file)
    };
    assert_lowers_after(&World::new(), |world| fs::remove_file(code(world)).unwrap());
    assert_lowers_after(&World::new(), |world| {
        fs::write(code(world), "damaged").unwrap();
    });
    assert_lowers_after(&World::new(), |world| {
        fs::write(world.out().join("manifest.json"), "{").unwrap();
    });
    assert_lowers_after(&World::new(), |world| {
        fs::write(world.out().join("local.json"), "{}").unwrap();
    });
}

#[test]
fn an_environment_variable_that_was_read_counts() {
    let world = World::new();
    let outcome = |variables: &[(&str, &str)]| world.build_with(variables).outcome;
    assert_eq!(outcome(&[]), Outcome::Lowered);
    assert_eq!(outcome(&[("OTHER", "1")]), Outcome::Fresh);
    assert_eq!(outcome(&[("SCALE", "2")]), Outcome::Lowered);
    assert_eq!(outcome(&[("SCALE", "2")]), Outcome::Fresh);
    assert_eq!(outcome(&[("SCALE", "3")]), Outcome::Lowered);
    assert!(
        world
            .build_with(&[])
            .variables
            .contains(&"SCALE".to_owned())
    );
    // Its value is no one else's business.
    assert!(
        !String::from_utf8(fs::read(world.out().join("manifest.json")).unwrap())
            .unwrap()
            .contains("\"3\"")
    );
}

#[test]
fn a_setting_of_jax_and_the_choice_of_python_count() {
    let world = World::new();
    world.build();
    let matmul = [("JAX_DEFAULT_MATMUL_PRECISION", "highest")];
    assert_eq!(world.build_with(&matmul).outcome, Outcome::Lowered);
    let python = [("CYXLA_PYTHON", "/opt/python")];
    assert_eq!(world.build_with(&python).outcome, Outcome::Lowered);
    assert_eq!(world.build_with(&python).outcome, Outcome::Fresh);
    world.remove("../python/bin/python");
    assert_eq!(world.build_with(&python).outcome, Outcome::Lowered);
}

#[test]
fn declared_dependencies_count() {
    let world = World::new();
    let declared = MAIN.replace("\"model:f\"", "\"model:f\", deps = [\"weights.bin\"]");
    world.write("src/main.rs", &declared);
    assert_lowers_after(&world, |world| world.write("weights.bin", "other"));

    let world = World::new();
    let builder = Builder::new().dependency("weights.bin");
    let outcome = || world.try_build(&builder, &[]).unwrap().outcome;
    assert_eq!(world.build(), Outcome::Lowered);
    assert_eq!(outcome(), Outcome::Lowered);
    assert_eq!(outcome(), Outcome::Fresh);
    world.write("weights.bin", "other");
    assert_eq!(outcome(), Outcome::Lowered);
}

#[test]
fn a_dependency_that_is_not_there_is_named() {
    let world = World::new();
    let builder = Builder::new().dependency("gone.bin");
    let error = world.try_build(&builder, &[]).unwrap_err().to_string();
    assert!(
        error.starts_with("can't read ") && error.contains("gone.bin"),
        "{error}"
    );
    assert!(
        error.contains("help: `deps` and `Builder::dependency` name files"),
        "{error}"
    );
    // It is said before Python is started.
    assert_eq!(world.starts.get(), 0);
}

#[test]
fn lines_that_move_are_recorded_without_python() {
    let world = World::new();
    world.build();
    world.write("src/main.rs", &format!("\n\n{MAIN}"));
    let report = world.build_with(&[]);
    assert_eq!(report.outcome, Outcome::Fresh);
    assert_eq!(report.programs[0].declared.places, ["src/main.rs:4"]);
    assert_eq!(
        Manifest::read(&world.out()).unwrap().programs,
        report.programs
    );
}

#[test]
fn what_older_and_killed_builds_left_is_removed() {
    let world = World::new();
    world.build();
    fs::create_dir(world.out().join(".new-1")).unwrap();
    fs::write(world.out().join(".new-1/f.mlirbc"), "").unwrap();
    fs::write(world.out().join(".new-2-manifest.json"), "").unwrap();
    // A day ago; what is younger may be of a build that is at it.
    let day = Duration::from_secs(24 * 60 * 60);
    for leftover in [".new-1", ".new-2-manifest.json"] {
        let leftover = fs::File::open(world.out().join(leftover)).unwrap();
        leftover.set_modified(SystemTime::now() - day).unwrap();
    }
    world.write("python/model.py", "other");
    world.build();
    let mut names: Vec<String> = fs::read_dir(world.out())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names.len(), 3, "{names:?}");
    assert!(names[0].ends_with(".mlirbc"));
    assert_eq!(names[1..], ["local.json", "manifest.json"]);
}

#[test]
fn a_source_that_changes_while_it_is_read_is_read_again() {
    let world = World::new();
    let mut saved = false;
    *world.meanwhile.borrow_mut() = Box::new(move |root| {
        if !std::mem::replace(&mut saved, true) {
            let file = root.join("python/model.py");
            fs::write(&file, "saved").unwrap();
            set_time(&file, SystemTime::now() + Duration::from_secs(1));
        }
    });
    assert_eq!(world.build(), Outcome::Lowered);
    let manifest = Manifest::read(&world.out()).unwrap();
    let code = Manifest::load(&world.out(), &manifest.programs[0])
        .unwrap()
        .code;
    assert!(code.ends_with(b"savedoneone"));
}

#[test]
fn code_that_writes_what_it_reads_does_not_loop() {
    let world = World::new();
    *world.meanwhile.borrow_mut() = Box::new(|root| {
        let file = root.join("python/table.npy");
        fs::write(&file, "cache").unwrap();
        set_time(&file, SystemTime::now() + Duration::from_secs(1));
    });
    assert_eq!(world.build(), Outcome::Lowered);
    assert!(world.starts.get() <= 3);
    assert_eq!(world.build(), Outcome::Fresh);
}

#[test]
fn a_package_without_programs_needs_no_python() {
    let world = World::new();
    world.write("src/main.rs", "fn main() {}");
    let report = world.build_with(&[("CYXLA_OFFLINE", "1")]);
    assert_eq!(report.outcome, Outcome::Empty);
    assert_eq!(Manifest::read(&world.out()).unwrap().programs, []);
    assert_eq!(world.starts.get(), 0);
}

#[test]
fn what_is_watched_exists_but_for_a_module_that_the_compiler_misses() {
    let world = World::new();
    world.write(
        "src/main.rs",
        &format!("mod a; mod gone; #[cfg(windows)] mod other; {MAIN}"),
    );
    world.write("src/a.rs", "");
    world.write("tests/t.rs", "");
    world.write("examples/e.rs", "");
    world.write("examples/output.txt", "");
    let report = world.build_with(&[]);
    let watched: Vec<String> = report
        .watched
        .iter()
        .map(|path| {
            path.strip_prefix(world.home.path())
                .unwrap()
                .display()
                .to_string()
        })
        .collect();
    let expected = [
        "package/Cargo.toml",
        "package/examples/e.rs",
        "package/python/lazy.py",
        "package/python/model.py",
        "package/python/table.npy",
        "package/src",
        "package/src/a.rs",
        "package/src/gone.rs",
        "package/src/main.rs",
        "package/tests",
        "package/tests/t.rs",
        "python/METADATA",
    ];
    assert_eq!(watched, expected);
}

#[test]
fn a_folder_of_python_modules_that_is_not_there_is_named() {
    let world = World::new();
    let builder = Builder::new().python_path("pyton");
    let error = world.try_build(&builder, &[]).unwrap_err().to_string();
    assert!(
        error.starts_with("there is no folder ") && error.contains("pyton"),
        "{error}"
    );
}

#[test]
fn outside_of_a_build_script_the_remedy_is_named() {
    let error = Builder::new()
        .run_with(&Variables::fixed([]))
        .unwrap_err()
        .to_string();
    assert_eq!(
        error,
        "cyxla_build::Builder::run() was called outside of a build script: OUT_DIR is not set\n  \
         help: call it from build.rs, or name a package and a folder with `package` and `lower_to`"
    );
}

// With a committed copy.

const UPDATE: [(&str, &str); 1] = [("CYXLA_UPDATE", "1")];
const OFFLINE: [(&str, &str); 1] = [("CYXLA_OFFLINE", "1")];
const DOCS: [(&str, &str); 1] = [("DOCS_RS", "1")];

/// A world with a committed copy and an empty OUT_DIR.
fn committed() -> World {
    let world = World::new();
    assert_eq!(world.build_with(&UPDATE).outcome, Outcome::Lowered);
    fs::remove_dir_all(world.out()).unwrap();
    world.starts.set(0);
    world
}

#[test]
fn only_an_update_writes_into_the_package() {
    let world = World::new();
    let before = World::files(&world.root());
    world.build();
    world.build_with(&[("CYXLA_UPDATE", "0")]);
    assert_eq!(World::files(&world.root()), before);
    world.build_with(&UPDATE);
    let added: Vec<PathBuf> = World::files(&world.root())
        .into_keys()
        .filter(|path| !before.contains_key(path))
        .map(|path| {
            path.strip_prefix(world.root().join(".cyxla"))
                .unwrap()
                .to_owned()
        })
        .collect();
    assert_eq!(added.len(), 2);
    assert_eq!(added[1], Path::new("manifest.json"));
    let committed = World::files(&world.root());
    world.build();
    assert_eq!(World::files(&world.root()), committed);
}

#[test]
fn a_committed_copy_that_holds_needs_no_python() {
    let world = committed();
    // Other tools and variables, as on another machine.
    let other = [
        ("CYXLA_PYTHON", "elsewhere"),
        ("SCALE", "7"),
        ("JAX_ENABLE_X64", "1"),
    ];
    world.remove("../python/bin/python");
    world.remove("../python/METADATA");
    let report = world.build_with(&other);
    assert_eq!(report.outcome, Outcome::Committed);
    assert_eq!(report.warnings, [] as [String; 0]);
    assert!(
        report
            .watched
            .contains(&world.root().join(".cyxla/manifest.json"))
    );
    let manifest = Manifest::read(&world.out()).unwrap();
    assert!(Manifest::load(&world.out(), &manifest.programs[0]).is_ok());
    assert_eq!(world.build_with(&OFFLINE).outcome, Outcome::Committed);
    assert_eq!(world.starts.get(), 0);
}

#[test]
fn a_stale_committed_copy_is_lowered_anew_and_told() {
    let world = committed();
    let package = World::files(&world.root().join(".cyxla"));
    world.write("python/model.py", "other");
    let report = world.build_with(&[]);
    assert_eq!(report.outcome, Outcome::Lowered);
    let warning = "the committed programs in .cyxla are stale: python/model.py changed; CYXLA_UPDATE=1 refreshes them";
    assert_eq!(report.warnings, [warning]);
    let report = world.build_with(&[]);
    assert_eq!((report.outcome, report.warnings.len()), (Outcome::Fresh, 1));
    assert_eq!(World::files(&world.root().join(".cyxla")), package);
    // Refreshed, it holds again; what it no longer needs is gone.
    world.build_with(&UPDATE);
    assert_eq!(World::files(&world.root().join(".cyxla")).len(), 2);
    let report = world.build_with(&[]);
    assert_eq!(
        (report.outcome, report.warnings.len()),
        (Outcome::Committed, 0)
    );
    // Back to the old sources.
    world.write("python/model.py", "one");
    assert_eq!(world.build(), Outcome::Lowered);
}

#[test]
fn a_damaged_committed_copy_is_not_used() {
    let world = committed();
    let manifest = Manifest::read(&world.root().join(".cyxla")).unwrap();
    fs::write(
        world
            .root()
            .join(".cyxla")
            .join(&manifest.programs[0].code.file),
        "damaged",
    )
    .unwrap();
    let error = world.error(&OFFLINE);
    assert!(error.contains(".cyxla: it can't be used"), "{error}");
    let report = world.build_with(&[]);
    assert_eq!(
        (report.outcome, report.warnings.len()),
        (Outcome::Lowered, 1)
    );
}

#[test]
fn a_package_can_be_published_without_its_python_sources() {
    let world = committed();
    fs::remove_dir_all(world.root().join("python")).unwrap();
    assert_eq!(world.build(), Outcome::Committed);
    assert_eq!(world.starts.get(), 0);
}

#[test]
fn one_missing_source_makes_a_committed_copy_stale() {
    let world = committed();
    world.remove("python/lazy.py");
    let error = world.error(&OFFLINE);
    assert!(error.contains(".cyxla: python/lazy.py is gone"), "{error}");
}

#[test]
fn sources_outside_of_the_package_count_where_they_are() {
    let mut world = World::new();
    world.reads.push("../shared.py");
    world.write("../shared.py", "one");
    world.build_with(&UPDATE);
    let manifest = Manifest::read(&world.root().join(".cyxla")).unwrap();
    assert_eq!(manifest.sources[0].path, "../shared.py");
    assert_eq!(world.build(), Outcome::Committed);
    world.write("../shared.py", "other");
    assert_eq!(world.build(), Outcome::Lowered);
    world.remove("../shared.py");
    assert_eq!(world.build(), Outcome::Committed);
}

#[test]
fn offline_takes_what_holds_and_else_lists_what_changed() {
    let world = World::new();
    let error = world.error(&OFFLINE);
    assert_eq!(
        error,
        "the programs must be lowered by Python, and CYXLA_OFFLINE forbids it\n  \
         OUT_DIR: nothing is there\n  .cyxla: nothing is there\n  \
         help: unset CYXLA_OFFLINE; or, where Python is, run `CYXLA_UPDATE=1 cargo build` and commit .cyxla"
    );
    world.build();
    assert_eq!(world.build_with(&OFFLINE).outcome, Outcome::Fresh);
    world.write("python/model.py", "other");
    world.write("src/main.rs", &MAIN.replace("f32; 4", "f32; 5"));
    let error = world.error(&[("CYXLA_OFFLINE", "1"), ("SCALE", "2")]);
    for reason in [
        "OUT_DIR: the declarations in Rust, or options, changed",
        "OUT_DIR: python/model.py changed",
        "OUT_DIR: the environment variable SCALE changed",
    ] {
        assert!(error.contains(reason), "{error}");
    }
    assert_eq!(world.starts.get(), 1);
}

#[test]
fn docs_rs_takes_a_stale_copy_and_asks_for_one() {
    let world = committed();
    world.write("python/model.py", "other");
    let report = world.build_with(&DOCS);
    assert_eq!(report.outcome, Outcome::Committed);
    let error = World::new().error(&DOCS);
    assert!(
        error.starts_with("docs.rs has no JAX and no network"),
        "{error}"
    );
    assert!(
        error.contains("help: run `CYXLA_UPDATE=1 cargo build`, commit .cyxla"),
        "{error}"
    );
    assert_eq!(world.starts.get(), 0);
}

#[test]
fn an_update_offline_is_a_contradiction() {
    let error = World::new().error(&[("CYXLA_UPDATE", "1"), ("CYXLA_OFFLINE", "1")]);
    assert!(
        error.starts_with("CYXLA_UPDATE asks for a lowering"),
        "{error}"
    );
}

#[test]
fn a_copy_that_cargo_unpacked_is_not_updated() {
    let world = World::new();
    world.write("Cargo.toml.orig", "");
    let before = World::files(&world.root());
    assert_eq!(world.build_with(&UPDATE).outcome, Outcome::Lowered);
    assert_eq!(World::files(&world.root()), before);
}

#[test]
fn the_same_sources_give_the_same_artifact_in_another_folder() {
    let [one, other] = [World::new(), World::new()];
    one.build_with(&[("SCALE", "1")]);
    other.build_with(&[("SCALE", "1")]);
    let manifest = |world: &World| fs::read(world.out().join("manifest.json")).unwrap();
    assert_eq!(manifest(&one), manifest(&other));
}
