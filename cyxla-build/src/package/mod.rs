//! The package whose programs are lowered, as Cargo sees it.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use cargo_metadata::{Edition, MetadataCommand, TargetKind};

mod settings;
#[cfg(test)]
mod tests;

pub(crate) use settings::{PythonSetting, Settings};

/// A package and what its manifest says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Package {
    /// Its name.
    pub(crate) name: String,
    /// The folder of its `Cargo.toml`, absolute.
    pub(crate) root: PathBuf,
    /// The folder of the workspace; its own if it is in none.
    pub(crate) workspace_root: PathBuf,
    /// What Cargo would compile of it, the build script apart.
    pub(crate) targets: Vec<Target>,
    /// `[package.metadata.cyxla]`, and below it `[workspace.metadata.cyxla]`.
    pub(crate) settings: Settings,
}

/// One library, binary, example, test or bench.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Target {
    /// The name of the crate in Rust.
    pub(crate) crate_name: String,
    /// Whether the package's other targets can name it.
    pub(crate) is_library: bool,
    /// The file that the crate begins with.
    pub(crate) source: PathBuf,
    /// Whether paths in `use` start at the root of the crate, as in edition 2015.
    pub(crate) is_2015: bool,
}

/// A package that can't be understood.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PackageError {
    /// The builder was asked to run outside of a build script.
    #[error(
        "cyxla_build::Builder::run() was called outside of a build script: {variable} is not set\n  \
         help: call it from build.rs, or name a package and a folder with `package` and `lower_to`"
    )]
    NotInBuildScript {
        /// The variable that Cargo sets for build scripts.
        variable: &'static str,
    },
    /// `cargo metadata` does not describe the package.
    #[error("Cargo can't read {manifest}: {reason}\n  help: `cargo metadata` there shows the same")]
    Cargo {
        /// The manifest of the package.
        manifest: PathBuf,
        /// What Cargo said.
        reason: String,
    },
    /// The manifest has a setting of cyxla that can't be used.
    #[error("[{table}] of {manifest}: {problem}\n  help: {help}")]
    Setting {
        /// The manifest.
        manifest: PathBuf,
        /// The table in it.
        table: &'static str,
        /// What is wrong with which key.
        problem: String,
        /// What can be written.
        help: &'static str,
    },
}

impl Package {
    /// The package in the folder `root`.
    pub(crate) fn find(root: &Path) -> Result<Self, PackageError> {
        let manifest = root.join("Cargo.toml");
        let error = |reason: String| PackageError::Cargo {
            manifest: manifest.clone(),
            reason: reason.trim().to_owned(),
        };
        let root = std::path::absolute(root).map_err(|source| error(source.to_string()))?;
        match metadata(&root.join("Cargo.toml")) {
            Ok(found) => Self::from_metadata(&root, &root, &found),
            // A package in a vendor folder lies inside of a workspace that does not know it. Cargo itself builds it by
            // other means than those of `cargo metadata`.
            Err(cargo_metadata::Error::CargoMetadata { stderr })
                if stderr.contains("workspace") =>
            {
                let outline = Outline::of(&root).map_err(|source| error(source.to_string()))?;
                let path = outline.folder.path();
                let found = metadata(&path.join("Cargo.toml")).map_err(|_| error(stderr))?;
                Self::from_metadata(path, &root, &found)
            }
            Err(cargo_metadata::Error::CargoMetadata { stderr }) => Err(error(stderr)),
            Err(source) => Err(error(source.to_string())),
        }
    }

    /// The package that Cargo found in the folder `seen`, which stands for `root`.
    fn from_metadata(
        seen: &Path,
        root: &Path,
        metadata: &cargo_metadata::Metadata,
    ) -> Result<Self, PackageError> {
        let manifest = root.join("Cargo.toml");
        // Cargo may spell the folder otherwise, through a link for example.
        let is_seen = |path: &Path| {
            path.parent() == Some(seen)
                || path
                    .parent()
                    .and_then(|parent| fs::canonicalize(parent).ok())
                    == fs::canonicalize(seen).ok()
        };
        let package = metadata
            .packages
            .iter()
            .find(|package| is_seen(package.manifest_path.as_std_path()))
            .ok_or_else(|| PackageError::Cargo {
                manifest: manifest.clone(),
                reason: "it holds a workspace and no package".to_owned(),
            })?;
        let cargo_root = package
            .manifest_path
            .parent()
            .map(cargo_metadata::camino::Utf8Path::as_std_path);
        let place = |path: &Path| match path.strip_prefix(cargo_root.unwrap_or(seen)) {
            Ok(inside) => root.join(inside),
            Err(_) => path.to_owned(),
        };
        let workspace = metadata.workspace_root.as_std_path();
        let workspace_root = if Some(workspace) == cargo_root {
            root.to_owned()
        } else {
            workspace.to_owned()
        };
        let targets = package
            .targets
            .iter()
            .filter(|target| !target.is_kind(TargetKind::CustomBuild))
            .map(|target| Target {
                crate_name: target.name.replace('-', "_"),
                is_library: target.kind.iter().any(|kind| {
                    !matches!(
                        kind,
                        TargetKind::Bin
                            | TargetKind::Example
                            | TargetKind::Test
                            | TargetKind::Bench
                    )
                }),
                source: place(target.src_path.as_std_path()),
                is_2015: target.edition == Edition::E2015,
            })
            .collect();
        let settings = Settings::read(
            (&package.metadata, root),
            (&metadata.workspace_metadata, &workspace_root),
        )?;
        Ok(Self {
            name: package.name.to_string(),
            root: root.to_owned(),
            workspace_root,
            targets,
            settings,
        })
    }

    /// The path of a file as it is shown and recorded: relative to the package, with `/`, whatever machine it lies on.
    pub(crate) fn relative(&self, path: &Path) -> String {
        let mut from = self.root.components().peekable();
        let mut to = path.components().peekable();
        while from.peek().is_some() && from.peek() == to.peek() {
            from.next();
            to.next();
        }
        let up = from.map(|_| "..".into());
        let down = to.map(|part| part.as_os_str().to_string_lossy());
        let parts: Vec<Cow<'_, str>> = up.chain(down).collect();
        parts.join("/")
    }

    /// The package's manifest.
    pub(crate) fn manifest(&self) -> PathBuf {
        self.root.join("Cargo.toml")
    }

    /// The folders in which Cargo looks for targets by itself, if they hold nothing but Rust files.
    ///
    /// A new file in one of them is a new target, and no file that exists changes with it: only the folder does. Cargo
    /// watches a folder with all that lies below it, so one that holds anything else (snapshots, `__pycache__`) would run
    /// the build script at every build.
    pub(crate) fn target_folders(&self) -> Vec<PathBuf> {
        // All of `src`, as `src/bin` or `src/lib.rs` may be still to come.
        ["src", "src/bin", "examples", "tests", "benches"]
            .iter()
            .map(|folder| self.root.join(folder))
            .filter(|folder| holds_only_rust(folder, 8))
            .collect()
    }

    /// Whether this is a copy that Cargo unpacked, from a registry, a Git repository, a vendor folder or for the check of
    /// `cargo package`: not the package's home, where its author would refresh files.
    pub(crate) fn is_unpacked_copy(&self) -> bool {
        let marks = ["Cargo.toml.orig", ".cargo-checksum.json"];
        marks.iter().any(|mark| self.root.join(mark).exists())
            || self
                .root
                .ancestors()
                .any(|folder| folder.join(".cargo-ok").exists())
    }
}

fn metadata(manifest: &Path) -> cargo_metadata::Result<cargo_metadata::Metadata> {
    MetadataCommand::new()
        .manifest_path(manifest)
        .no_deps()
        .other_options(["--offline".to_owned()])
        .exec()
}

fn holds_only_rust(folder: &Path, depth: usize) -> bool {
    let Ok(entries) = fs::read_dir(folder) else {
        return false;
    };
    depth > 0
        && entries.into_iter().all(|entry| {
            entry.is_ok_and(|entry| match entry.file_type() {
                Ok(kind) if kind.is_dir() => holds_only_rust(&entry.path(), depth - 1),
                Ok(kind) => kind.is_file() && entry.path().extension().is_some_and(|it| it == "rs"),
                Err(_) => false,
            })
        })
}

/// A folder with a package's manifest and empty files for its Rust files: all that Cargo looks at to tell its targets.
struct Outline {
    folder: tempfile::TempDir,
}

impl Outline {
    /// Far more files than a package of one crate has.
    const MOST_FILES: usize = 100_000;

    fn of(root: &Path) -> std::io::Result<Self> {
        let folder = tempfile::tempdir()?;
        fs::copy(root.join("Cargo.toml"), folder.path().join("Cargo.toml"))?;
        let mut rest = vec![PathBuf::new()];
        let mut seen = BTreeSet::new();
        while let Some(below) = rest.pop() {
            for entry in fs::read_dir(root.join(&below))? {
                let entry = entry?;
                let path = below.join(entry.file_name());
                let hidden = entry.file_name().to_string_lossy().starts_with('.');
                let kind = entry.file_type()?;
                if seen.len() > Self::MOST_FILES || hidden {
                    continue;
                }
                if kind.is_dir() && !(below.as_os_str().is_empty() && entry.file_name() == "target")
                {
                    fs::create_dir_all(folder.path().join(&path))?;
                    rest.push(path.clone());
                } else if path.extension().is_some_and(|extension| extension == "rs") {
                    fs::write(folder.path().join(&path), "")?;
                }
                seen.insert(path);
            }
        }
        Ok(Self { folder })
    }
}
