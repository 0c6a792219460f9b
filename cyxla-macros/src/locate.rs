use std::env;
use std::io::ErrorKind;
use std::path::PathBuf;

use cyxla_artifact::{Manifest, ManifestError};

use crate::mistake::Mistake;

/// What the compiler's environment says of the package that is compiled.
#[derive(Clone, Debug, Default)]
pub(crate) struct Surroundings {
    /// `CYXLA_ARTIFACT`: the folder of the artifact; from the build script, through `cargo::rustc-env`.
    pub(crate) artifact: Option<PathBuf>,
    /// `CARGO_PKG_NAME`: the name of the package; from Cargo.
    pub(crate) package: Option<String>,
    /// `CARGO_MANIFEST_DIR`: the folder of the package; from Cargo.
    pub(crate) directory: Option<PathBuf>,
}

impl Surroundings {
    pub(crate) fn of_compiler() -> Self {
        let text = |name| env::var_os(name).filter(|value| !value.is_empty());
        Self {
            artifact: text("CYXLA_ARTIFACT").map(PathBuf::from),
            package: env::var("CARGO_PKG_NAME").ok(),
            directory: text("CARGO_MANIFEST_DIR").map(PathBuf::from),
        }
    }

    /// Whether the programs of the package `owner` are those of the package that is compiled.
    ///
    /// Environment variables are inherited: a build that a program of another package starts would see the artifact of
    /// that one. trybuild does so on purpose, to compile the ui tests of a package as a package of its own:
    /// `NAME-tests` in `…/tests/trybuild/NAME`.
    fn belong_to(&self, owner: &str) -> bool {
        let Some(package) = &self.package else {
            return true;
        };
        let directory = self.directory.as_deref();
        let trybuild = PathBuf::from_iter(["tests", "trybuild", owner]);
        package == owner
            || (package.strip_suffix("-tests") == Some(owner)
                && directory.is_some_and(|directory| directory.ends_with(trybuild)))
    }
}

/// The artifact of a package, but for its code.
#[derive(Debug)]
pub(crate) struct Artifact {
    /// The absolute path of its folder.
    pub(crate) directory: PathBuf,
    pub(crate) manifest: Manifest,
}

/// Finds what the build script of this package lowered.
pub(crate) fn locate(surroundings: &Surroundings) -> Result<Artifact, Mistake> {
    let directory = surroundings
        .artifact
        .clone()
        .ok_or(Mistake::NoBuildScript)?;
    let manifest = Manifest::read(&directory).map_err(|error| match error {
        ManifestError::Io { path, source } if source.kind() == ErrorKind::NotFound => {
            Mistake::NotRun { path }
        }
        other => Mistake::Artifact(other),
    })?;
    if !surroundings.belong_to(&manifest.package) {
        return Err(Mistake::OtherPackage {
            found: manifest.package,
            package: surroundings.package.clone().unwrap_or_default(),
        });
    }
    Ok(Artifact {
        directory,
        manifest,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    /// What the compiler sees of a package `demo`, whose build script wrote an artifact.
    fn demo() -> (tempfile::TempDir, Surroundings) {
        let folder = tempfile::tempdir().unwrap();
        testing::write_artifact(folder.path(), &testing::manifest(vec![]));
        let surroundings = Surroundings {
            artifact: Some(folder.path().to_owned()),
            package: Some("demo".into()),
            directory: Some("/home/me/demo".into()),
        };
        (folder, surroundings)
    }

    fn error(surroundings: &Surroundings) -> String {
        locate(surroundings).unwrap_err().to_string()
    }

    #[test]
    fn the_artifact_of_the_package_is_found() {
        let (folder, surroundings) = demo();
        assert_eq!(locate(&surroundings).unwrap().directory, folder.path());
    }

    #[test]
    fn without_a_build_script_the_lines_to_add_are_named() {
        let error = error(&Surroundings {
            artifact: None,
            ..demo().1
        });
        for line in [
            "[build-dependencies]",
            "cyxla-build = \"0.1\"",
            "cyxla_build::Builder::new().run()",
        ] {
            assert!(error.contains(line), "{error}");
        }
    }

    #[test]
    fn a_build_script_that_has_not_run_is_said_to() {
        let (folder, surroundings) = demo();
        std::fs::remove_file(folder.path().join("manifest.json")).unwrap();
        let error = error(&surroundings);
        assert!(error.starts_with("the build script of this package has not run, or has failed"));
        assert!(error.contains("manifest.json"), "{error}");
    }

    #[test]
    fn a_manifest_of_another_schema_is_refused() {
        let (folder, surroundings) = demo();
        std::fs::write(folder.path().join("manifest.json"), r#"{"schema": 99}"#).unwrap();
        assert!(error(&surroundings).contains("has schema 99"));
    }

    #[test]
    fn the_artifact_of_another_package_is_refused() {
        let (_folder, mut surroundings) = demo();
        surroundings.package = Some("other".into());
        let error = error(&surroundings);
        assert!(
            error.starts_with("the programs of package `demo`"),
            "{error}"
        );
        assert!(error.contains("unset CYXLA_ARTIFACT"));
    }

    #[test]
    fn ui_tests_see_the_artifact_of_the_package_under_test() {
        let (_folder, mut surroundings) = demo();
        surroundings.package = Some("demo-tests".into());
        surroundings.directory = Some("/home/me/demo/target/tests/trybuild/demo".into());
        assert!(locate(&surroundings).is_ok());
        // A package that is merely called so is another one.
        surroundings.directory = Some("/home/me/demo-tests".into());
        assert!(locate(&surroundings).is_err());
    }

    #[test]
    fn a_compiler_that_cargo_did_not_start_is_believed() {
        let (_folder, mut surroundings) = demo();
        surroundings.package = None;
        assert!(locate(&surroundings).is_ok());
    }
}
