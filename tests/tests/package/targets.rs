//! Programs in all the places where a package can have code.

use crate::project::{BUILD_RS, LOWERED, NO_PYTHON, Project};

/// A source with the program `name`, which doubles an array of `length`.
fn source(name: &str, length: usize) -> String {
    format!(
        "#[cyxla::program(\"model:f\")]\n\
         pub fn {name}(x: &[f32; {length}]) -> cyxla::Result<[f32; {length}]>;\n"
    )
}

/// Code that doubles ones with the program `name`.
fn check(name: &str, length: usize) -> String {
    format!("assert_eq!({name}(&[1.0; {length}]).unwrap(), [2.0; {length}]);")
}

fn main_of(name: &str, length: usize) -> String {
    let (source, check) = (source(name, length), check(name, length));
    format!("{source}\nfn main() {{\n    {check}\n    println!(\"{name}\");\n}}\n")
}

#[test]
fn every_kind_of_target_has_programs_from_one_start_of_python() {
    let project = Project::new();
    let test = |name: &str, length| {
        let (source, check) = (source(name, length), check(name, length));
        format!("{source}\n#[test]\nfn test_of_{name}() {{\n    {check}\n}}\n")
    };
    project.write("src/lib.rs", test("library", 1));
    project.write("src/main.rs", main_of("binary", 2));
    project.write("src/bin/other.rs", main_of("other", 3));
    project.write("examples/example.rs", main_of("example", 4));
    project.write("tests/integration.rs", test("integration", 5));
    project.write("benches/bench.rs", main_of("bench", 6));
    project.replace(
        "Cargo.toml",
        "[workspace]",
        "[[bench]]\nname = \"bench\"\nharness = false\n\n[workspace]",
    );

    let tests = project
        .cargo("test --quiet --lib --test integration")
        .stdout();
    assert_eq!(tests.matches("1 passed").count(), 2, "{tests}");
    assert_eq!(project.starts(), LOWERED);
    for (arguments, name) in [
        ("run --quiet --bin demo", "binary"),
        ("run --quiet --bin other", "other"),
        ("run --quiet --example example", "example"),
        ("bench --quiet --bench bench --profile dev", "bench"),
    ] {
        assert_eq!(project.cargo(arguments).stdout(), name);
    }
    assert_eq!(project.starts(), NO_PYTHON);
    // Six programs, as their types differ, and the manifest.
    assert_eq!(project.artifact().len(), 7);
}

#[test]
fn a_program_behind_a_feature_is_lowered_whether_it_is_on_or_not() {
    let project = Project::new();
    project.write(
        "Cargo.toml",
        std::fs::read_to_string(project.root().join("Cargo.toml")).unwrap()
            + "[features]\nextra = []\n",
    );
    let behind = format!(
        "#[cfg(feature = \"extra\")]\n{}\nfn main() {{\n    \
         #[cfg(feature = \"extra\")]\n    {}\n    println!(\"{{}}\", f(1.0).unwrap());\n}}\n",
        source("extra", 3),
        check("extra", 3),
    );
    project.replace(
        "src/main.rs",
        "\nfn main() {\n    println!(\"{}\", f(1.0).unwrap());\n}\n",
        &behind,
    );
    let run = |arguments| project.cargo(arguments).stdout();
    assert_eq!(run("run --quiet"), "2");
    assert_eq!(project.starts(), LOWERED);
    assert_eq!(project.artifact().len(), 3);
    // Cargo gives each set of features an OUT_DIR of its own.
    assert_eq!(run("run --quiet --features extra"), "2");
    assert_eq!(project.starts(), LOWERED);
    assert_eq!(run("run --quiet"), "2");
    assert_eq!(run("run --quiet --features extra"), "2");
    assert_eq!(project.starts(), NO_PYTHON);

    // A committed copy serves every set.
    project.cargo("build").env("CYXLA_UPDATE", "1").succeeds();
    project.starts();
    let with = project.cargo("run --quiet --features extra");
    assert_eq!(with.without_python().stdout(), "2");
}

#[test]
fn members_of_a_workspace_share_python_and_programs() {
    let project = Project::new();
    let manifest = std::fs::read_to_string(project.root().join("Cargo.toml")).unwrap();
    let member = manifest.replace("[workspace]\n", "");
    let dependency = "model = { path = \"../model\" }\n\n[build-dependencies]";
    project.write(
        "app/Cargo.toml",
        member.replace("[build-dependencies]", dependency),
    );
    project.write("app/build.rs", BUILD_RS);
    let main = main_of("own", 2).replace("println", "model::check();\n    println");
    project.write("app/src/main.rs", main);
    project.write("model/Cargo.toml", member.replace("demo", "model"));
    project.write("model/build.rs", BUILD_RS);
    let (source, check) = (source("f", 3), check("f", 3));
    project.write(
        "model/src/lib.rs",
        format!("{source}\npub fn check() {{\n    {check}\n}}\n"),
    );
    project.write(
        "Cargo.toml",
        "[workspace]\nmembers = [\"app\", \"model\"]\nresolver = \"3\"\n\
         [workspace.metadata.cyxla]\npython_path = [\"python\"]\n",
    );
    for path in ["build.rs", "src/main.rs"] {
        std::fs::remove_file(project.root().join(path)).unwrap();
    }

    assert_eq!(project.run(), "own");
    assert_eq!(project.starts().len(), 2 * LOWERED.len());
    project.write("python/model.py", "def f(x):\n    return x + x\n");
    assert_eq!(project.run(), "own");
    assert_eq!(project.starts().len(), 2 * LOWERED.len());
    assert_eq!(project.run(), "own");
    assert_eq!(project.starts(), NO_PYTHON);
}
