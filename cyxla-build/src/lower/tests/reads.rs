//! What the lowering says that it read.

use cyxla_artifact::DType::F32;

use super::*;
use crate::protocol::EnvironmentVariable;

fn reads_of(interpreter: &Path, program: ProgramRequest) -> super::super::Reads {
    let output = tempfile::tempdir().unwrap();
    lower_in(&package(), interpreter, &[program], output.path())
        .unwrap()
        .reads
}

#[test]
fn files_that_the_users_code_reads_are_known_lazily_imported_ones_too() {
    for interpreter in interpreters() {
        let reads = reads_of(
            &interpreter,
            program("reader:weighted", &[("x", F32, &[3])]),
        );
        let expected = [
            "data/raw.bin",
            "data/settings.json",
            "data/weights.npy",
            "folder_of_modules/deeper.py",
            "folder_of_modules/late.py",
            "reader.py",
        ];
        assert_eq!(reads.files, expected.map(python));
    }
}

#[test]
fn the_source_is_known_where_python_reads_only_its_cache() {
    for interpreter in interpreters() {
        let folder = tempfile::tempdir().unwrap();
        let modules = folder.path().join("python");
        std::fs::create_dir(&modules).unwrap();
        std::fs::write(
            modules.join("main.py"),
            "def f(x):\n    import late\n    return late.g(x)\n",
        )
        .unwrap();
        std::fs::write(modules.join("late.py"), "def g(x):\n    return x\n").unwrap();
        let compiled = std::process::Command::new(&interpreter)
            .args(["-m", "compileall", "-q"])
            .arg(&modules)
            .status();
        assert!(compiled.unwrap().success());
        let output = tempfile::tempdir().unwrap();
        let programs = [program("main:f", &[("x", F32, &[])])];
        let all = lower_in(folder.path(), &interpreter, &programs, output.path()).unwrap();
        assert_eq!(
            all.reads.files,
            [modules.join("late.py"), modules.join("main.py")]
        );
    }
}

#[test]
fn variables_that_the_users_code_reads_are_known_with_their_values_at_the_start() {
    for interpreter in interpreters() {
        let reads = reads_of(
            &interpreter,
            program("reader:weighted", &[("x", F32, &[3])]),
        );
        let unset = |name: &str| EnvironmentVariable {
            name: name.to_owned(),
            value: None,
        };
        // JAX_PLATFORMS is set by the lowering itself: a later build will find it unset again.
        let names = ["CYXLA_FIXTURE_FLAG", "CYXLA_FIXTURE_SCALE", "JAX_PLATFORMS"];
        assert_eq!(reads.environment, names.map(unset));
    }
}

#[test]
fn installed_packages_are_known_by_a_file_that_changes_with_them() {
    for interpreter in interpreters() {
        let reads = reads_of(
            &interpreter,
            program("reader:weighted", &[("x", F32, &[3])]),
        );
        assert!(reads.distributions.iter().all(|file| file.is_file()));
        for package in ["jax-", "jaxlib-", "numpy-"] {
            let found = reads.distributions.iter().any(|file| {
                let folder = file.parent().and_then(Path::file_name).unwrap();
                folder.to_string_lossy().starts_with(package)
            });
            assert!(found, "{package} in {:?}", reads.distributions);
        }
    }
}

#[test]
fn nothing_is_written_beside_the_sources() {
    for interpreter in interpreters() {
        let folder = tempfile::tempdir().unwrap();
        let modules = folder.path().join("python");
        std::fs::create_dir(&modules).unwrap();
        std::fs::copy(python("programs.py"), modules.join("programs.py")).unwrap();
        let output = tempfile::tempdir().unwrap();
        let programs = [program("programs:doubled", &[("x", F32, &[2])])];
        lower_in(folder.path(), &interpreter, &programs, output.path()).unwrap();
        let count = |folder: &Path| folder.read_dir().unwrap().count();
        assert_eq!(
            (count(folder.path()), count(&modules), count(output.path())),
            (1, 1, 1)
        );
    }
}
