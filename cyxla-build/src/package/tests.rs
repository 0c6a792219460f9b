use super::*;

/// A folder with these files.
fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let file = folder.path().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    folder
}

fn manifest(name: &str) -> String {
    format!("[package]\nname = \"{name}\"\nedition = \"2021\"\n")
}

/// The targets as `name path`, sorted.
fn targets(package: &Package) -> Vec<String> {
    let mut targets: Vec<String> = package
        .targets
        .iter()
        .map(|target| {
            let kind = if target.is_library { " (library)" } else { "" };
            let path = package.relative(&target.source);
            format!("{} {path}{kind}", target.crate_name)
        })
        .collect();
    targets.sort();
    targets
}

#[test]
fn all_targets_but_the_build_script_are_found() {
    let text = manifest("my-demo") + "[[bin]]\nname = \"named\"\npath = \"elsewhere/named.rs\"\n";
    let files = [
        ("Cargo.toml", text.as_str()),
        ("build.rs", "fn main() {}"),
        ("src/lib.rs", ""),
        ("src/main.rs", ""),
        ("src/bin/tool/main.rs", ""),
        ("elsewhere/named.rs", ""),
        ("examples/e.rs", ""),
        ("tests/t.rs", ""),
        ("benches/b.rs", ""),
    ];
    let folder = folder(&files);
    let package = Package::find(folder.path()).unwrap();
    assert_eq!(package.name, "my-demo");
    assert_eq!(package.workspace_root, package.root);
    let expected = [
        "b benches/b.rs",
        "e examples/e.rs",
        "my_demo src/lib.rs (library)",
        "my_demo src/main.rs",
        "named elsewhere/named.rs",
        "t tests/t.rs",
        "tool src/bin/tool/main.rs",
    ];
    assert_eq!(targets(&package), expected);
}

#[test]
fn a_member_of_a_workspace_has_its_settings() {
    let folder = folder(&[
        (
            "Cargo.toml",
            "[workspace]\nmembers = [\"a\"]\nresolver = \"2\"\n[workspace.metadata.cyxla]\npython_path = [\"lib\"]\n",
        ),
        ("a/Cargo.toml", &manifest("a")),
        ("a/src/lib.rs", ""),
    ]);
    let package = Package::find(&folder.path().join("a")).unwrap();
    assert_eq!(package.root, folder.path().join("a"));
    assert_eq!(package.workspace_root, folder.path());
    assert_eq!(package.settings.python_path, [folder.path().join("lib")]);
    assert!(package.settings.python_path_of_workspace);
}

#[test]
fn a_package_that_its_workspace_does_not_know_is_found() {
    // As `cargo vendor` and `cargo package` put packages.
    let metadata = manifest("inner") + "[package.metadata.cyxla]\npython_path = [\"py\"]\n";
    let folder = folder(&[
        ("Cargo.toml", &(manifest("outer") + "[workspace]\n")),
        ("src/lib.rs", ""),
        ("vendor/inner/Cargo.toml", &metadata),
        ("vendor/inner/Cargo.toml.orig", ""),
        ("vendor/inner/src/lib.rs", "mod a;"),
        ("vendor/inner/tests/t.rs", ""),
    ]);
    let root = folder.path().join("vendor/inner");
    let package = Package::find(&root).unwrap();
    assert_eq!(package.root, root);
    assert_eq!(package.workspace_root, root);
    assert_eq!(
        targets(&package),
        ["inner src/lib.rs (library)", "t tests/t.rs"]
    );
    assert_eq!(package.settings.python_path, [root.join("py")]);
    assert!(package.is_unpacked_copy());
    assert!(!Package::find(folder.path()).unwrap().is_unpacked_copy());
}

#[test]
fn a_manifest_that_is_wrong_is_shown_as_cargo_shows_it() {
    let folder = folder(&[("Cargo.toml", "[package]\nname = \"a\nedition = \"2021\"\n")]);
    let error = Package::find(folder.path()).unwrap_err().to_string();
    assert!(error.starts_with("Cargo can't read "), "{error}");
    assert!(error.contains("Cargo.toml:2:"), "{error}");
}

#[test]
fn a_folder_without_a_package_is_an_error() {
    let empty = folder(&[]);
    let error = Package::find(empty.path()).unwrap_err().to_string();
    assert!(error.starts_with("Cargo can't read "), "{error}");
    let workspace = folder(&[("Cargo.toml", "[workspace]\n")]);
    let error = Package::find(workspace.path()).unwrap_err().to_string();
    assert!(
        error.contains("it holds a workspace and no package"),
        "{error}"
    );
}

#[test]
fn a_path_is_shown_relative_to_the_package() {
    let folder = folder(&[("a/Cargo.toml", &manifest("a")), ("a/src/lib.rs", "")]);
    let root = folder.path().join("a");
    let package = Package::find(&root).unwrap();
    assert_eq!(package.relative(&root.join("src/lib.rs")), "src/lib.rs");
    assert_eq!(
        package.relative(&folder.path().join("shared/m.py")),
        "../shared/m.py"
    );
    assert_eq!(
        package.relative(&folder.path().join("ab/m.py")),
        "../ab/m.py"
    );
}

#[test]
fn a_folder_is_watched_only_if_it_holds_nothing_but_rust() {
    let folder = folder(&[
        ("Cargo.toml", &manifest("a")),
        ("src/lib.rs", ""),
        ("src/table.csv", ""),
        ("src/bin/a.rs", ""),
        ("src/bin/b/main.rs", ""),
        ("tests/t.rs", ""),
        ("tests/ui/wrong.stderr", ""),
        ("examples/__pycache__/model.pyc", ""),
    ]);
    let package = Package::find(folder.path()).unwrap();
    assert_eq!(package.target_folders(), [folder.path().join("src/bin")]);
}
