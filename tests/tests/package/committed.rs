//! `.cyxla/`, the committed copy of what was lowered, and builds that may not or can't start Python.

use std::path::PathBuf;

use crate::project::{LOWERED, NO_PYTHON, Project};

/// A package whose author committed `.cyxla`, on the machine of a user.
fn committed() -> Project {
    let author = Project::new();
    author.cargo("build").env("CYXLA_UPDATE", "1").succeeds();
    assert_eq!(author.starts(), LOWERED);
    author.checked_out_elsewhere()
}

#[test]
fn an_update_adds_nothing_but_the_committed_copy() {
    let project = Project::new();
    let before = project.files();
    project.cargo("build").env("CYXLA_UPDATE", "1").succeeds();
    let mut added = project.files();
    added.retain(|path, _| !before.contains_key(path));
    let names: Vec<PathBuf> = added.into_keys().collect();
    let [code, manifest] = &names[..] else {
        panic!("{names:?}")
    };
    assert!(code.to_str().unwrap().starts_with(".cyxla/f-"), "{code:?}");
    assert_eq!(manifest.to_str(), Some(".cyxla/manifest.json"));
}

#[test]
fn with_a_committed_copy_no_python_is_needed() {
    let project = committed();
    let run = |project: &Project| project.cargo("run --quiet").without_python().stdout();
    let before = project.files();
    assert_eq!(run(&project), "2");
    project.replace("src/main.rs", "fn main", "\n\nfn main");
    assert_eq!(run(&project), "2");
    project.replace("src/main.rs", "\n\nfn main", "fn main");
    assert_eq!(project.files(), before);

    // Where there is Python, it is not started either.
    assert_eq!(project.run(), "2");
    assert_eq!(project.starts(), NO_PYTHON);

    // The package may be published without its Python files.
    std::fs::remove_dir_all(project.root().join("python")).unwrap();
    assert_eq!(run(&project), "2");
}

#[test]
fn a_stale_committed_copy_is_told_and_refreshed_on_demand() {
    let project = committed();
    project.replace("python/model.py", "2 * x", "3 * x");
    let before = project.files();
    let warning = project.cargo("build").succeeds();
    assert!(
        warning.contains("the committed programs in .cyxla are stale: python/model.py changed"),
        "{warning}"
    );
    assert_eq!(project.run(), "3");
    assert_eq!(project.files(), before);

    project
        .checked_out_elsewhere()
        .cargo("build")
        .without_python()
        .env("CYXLA_OFFLINE", "1")
        .fails_with(&[
            "the programs must be lowered by Python, and CYXLA_OFFLINE forbids it",
            "OUT_DIR: nothing is there",
            ".cyxla: python/model.py changed",
            "help: unset CYXLA_OFFLINE; or, where Python is, run `CYXLA_UPDATE=1 cargo build`",
        ]);

    project.cargo("build").env("CYXLA_UPDATE", "1").succeeds();
    let user = project.checked_out_elsewhere();
    let cargo = user.cargo("run --quiet").without_python();
    assert_eq!(cargo.env("CYXLA_OFFLINE", "1").stdout(), "3");
}

#[test]
fn docs_rs_documents_a_package_with_any_committed_copy() {
    let project = committed();
    project.replace("python/model.py", "2 * x", "3 * x");
    let document = || {
        let cargo = project.cargo("doc --no-deps --document-private-items");
        cargo.without_python().env("DOCS_RS", "1")
    };
    document().succeeds();
    let page = project.target().join("doc/demo/fn.f.html");
    let html = std::fs::read_to_string(page).unwrap();
    assert!(html.contains("model:f"), "{html}");

    std::fs::remove_dir_all(project.root().join(".cyxla")).unwrap();
    document().fails_with(&[
        "docs.rs has no JAX and no network, and this package comes without lowered programs",
        "help: run `CYXLA_UPDATE=1 cargo build`, commit .cyxla and publish it with the package",
    ]);
}
