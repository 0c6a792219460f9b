//! What a user reads when a build fails, and that the next one works once it is mended.

use std::process::Command;

use crate::project::{BUILD_RS, Project, main_rs};

#[test]
fn mistakes_in_python_are_told_with_place_and_remedy() {
    let project = Project::new();
    let model = project.root().join("python/model.py");
    let at = |line: u32| format!("--> {}:{line}\n", model.display());

    let fails = |model: &str, texts: &[&str]| {
        project.write("python/model.py", model);
        project.cargo("build").fails_with(texts);
    };

    fails(
        "import json\n\nSETTINGS = json.loads('{')\n",
        &[
            "can't lower `model:f`: the Python module `model` can't be imported: JSONDecodeError: ",
            &at(3),
            "SETTINGS = json.loads('{')",
            "help: `",
        ],
    );
    fails(
        "def forecast(x):\n    return x\n\ndef ff(x):\n    return x\n",
        &[
            "the Python module `model` (",
            "has no `f`; it has ff, forecast",
            "help: did you mean `model:ff`?",
        ],
    );
    fails(
        "\ndef f(x, y):\n    return x\n",
        &["can't lower `model:f`: ", &at(2), "help: "],
    );
    fails(
        "def f(x):\n    return g(x)\n\ndef g(x):\n    return x @ x\n",
        &[
            "can't lower `model:f`: ",
            &at(5),
            "ValueError: ",
            "in g\n",
            "help: ",
        ],
    );
    fails(
        "import jax\n\ndef f(x):\n    return jax.pure_callback(lambda x: x, x, x)\n",
        &[
            "can't lower `model:f`: ",
            "pure_callback",
            "model.py:",
            "help: ",
        ],
    );

    project.write("python/model.py", "def f(x):\n    return 5 * x\n");
    assert_eq!(project.run(), "5");
}

#[test]
fn without_python_all_places_are_named_where_one_was_sought() {
    let project = Project::new();
    project.cargo("build").without_python().fails_with(&[
        "error: the programs of this package can't be lowered",
        "no working Python was found",
        "CYXLA_PYTHON",
        "VIRTUAL_ENV",
        "python3 on PATH",
        "help: install Python 3.10 or newer",
    ]);
    assert_eq!(project.run(), "2");
}

#[test]
fn a_python_without_jax_is_told_how_to_get_it() {
    let project = Project::new();
    let environment = project.root().join(".venv");
    let made = Command::new(cyxla_test_environment::main().interpreter())
        .args(["-m", "venv", "--without-pip"])
        .arg(&environment)
        .status();
    assert!(made.unwrap().success());
    let interpreter = environment.join("bin/python");
    project.cargo("build").without_python().fails_with(&[
        "Python was found, but no JAX in it",
        ".venv of the package",
        interpreter.to_str().unwrap(),
        "help: install JAX: ",
        "requirements.txt",
    ]);
    // One that is asked for by name is not replaced by another.
    let build = project.cargo("build").env("CYXLA_PYTHON", &interpreter);
    build.fails_with(&["the Python that was asked for cannot be used"]);
    assert_eq!(project.run(), "2");
}

#[test]
fn types_that_python_does_not_have_are_errors_on_the_types() {
    let project = Project::new();
    project.write(
        "python/model.py",
        "import numpy as np\n\ndef f(x):\n    return x.sum(axis=1)\n\n\
         def example_args():\n    return (np.zeros((8, 4), np.float32),)\n",
    );
    project.write(
        "src/main.rs",
        "#[cyxla::program(\"model:f\", args = \"model:example_args\")]\n\
         fn f(\n    x: &[[f32; 8]; 4],\n) -> cyxla::Result<[f32; 4]>;\n\nfn main() {}\n",
    );
    project.cargo("build").fails_with(&[
        "--> src/main.rs:3:9",
        "--> src/main.rs:4:20",
        "[[f32; 4]; 8]",
        "f32[8,4]",
        "[f32; 8]",
        "f32[8]",
    ]);
    project.starts();
    project.write(
        "src/main.rs",
        "#[cyxla::program(\"model:f\", args = \"model:example_args\")]\n\
         fn f(x: &[[f32; 4]; 8]) -> cyxla::Result<[f32; 8]>;\n\n\
         fn main() {\n    println!(\"{:?}\", f(&[[0.5; 4]; 8]).unwrap());\n}\n",
    );
    assert_eq!(project.run(), format!("{:?}", [2.0; 8]));
}

#[test]
fn without_a_build_script_the_lines_to_add_are_named() {
    let project = Project::new();
    std::fs::remove_file(project.root().join("build.rs")).unwrap();
    project.cargo("build").fails_with(&[
        "no build script has lowered the programs of this package",
        "[build-dependencies]",
        "cyxla_build::Builder::new().run()",
        "--> src/main.rs:1:1",
    ]);
    project.write("build.rs", BUILD_RS);
    assert_eq!(project.run(), "2");
}

#[test]
fn all_programs_that_fail_are_reported_at_once() {
    let project = Project::new();
    let second = main_rs("model:missing").replace("f(", "second(");
    project.write("src/bin/second.rs", second);
    project.write(
        "src/bin/third.rs",
        main_rs("absent:f").replace("f(", "third("),
    );
    project
        .cargo("build")
        .fails_with(&["can't lower `model:missing`", "can't lower `absent:f`"]);
}
