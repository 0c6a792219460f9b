//! The folders of artifacts.
//!
//! ```text
//! OUT_DIR/cyxla/                what the macro reads
//! ├── manifest.json             the table of contents
//! ├── predict-1f0c….mlirbc      code; the name holds the digest of the content
//! ├── predict-1f0c…-x86-64-v3-27ab….image   machine code, if asked for
//! ├── 5a1e….weight              the elements of an array that programs hold
//! └── local.json                what it rests on besides, on this machine
//!
//! PACKAGE/.cyxla/               the committed copy, if the package has one
//! ├── manifest.json
//! └── predict-1f0c….mlirbc
//! ```
//!
//! A folder is changed in an order in which it is whole at any moment: new code beside the old, each file written under
//! another name and renamed; then the manifest, in the same way; then what the new manifest does not name is removed.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use cyxla_artifact::{MANIFEST_FILE, Manifest, ManifestError};

use crate::freshness::{Change, LOCAL_FILE, Local, Stamps};
use crate::native::IMAGE;

/// The folder in OUT_DIR.
pub(crate) const ARTIFACT: &str = "cyxla";
/// The folder of the committed copy in the package.
pub(crate) const COMMITTED: &str = ".cyxla";

const CODE: &str = "mlirbc";
const WEIGHT: &str = "weight";
const TEMPORARY: &str = ".new-";

/// An artifact that can't be kept, or can't be made now.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// A file can't be written.
    #[error("can't write {path}: {source}\n  help: its folder must be writable and not full")]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file that was lowered from, or is declared to matter, can't be read.
    #[error(
        "can't read {path}: {source}\n  help: `deps` and `Builder::dependency` name files, relative to the package"
    )]
    Dependency {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A folder with Python modules is not there.
    #[error(
        "there is no folder {path}\n  help: `python_path` names the folders with Python modules, relative to the package"
    )]
    PythonPath {
        /// The folder.
        path: PathBuf,
    },
    /// The programs must be lowered, and CYXLA_OFFLINE forbids it.
    #[error(
        "the programs must be lowered by Python, and CYXLA_OFFLINE forbids it\n{reasons}  \
         help: unset CYXLA_OFFLINE; or, where Python is, run `CYXLA_UPDATE=1 cargo build` and commit {COMMITTED}"
    )]
    Offline {
        /// What is wrong with each artifact that was found, one a line.
        reasons: String,
    },
    /// docs.rs builds the package, and there is nothing to build it with.
    #[error(
        "docs.rs has no JAX and no network, and this package comes without lowered programs\n{reasons}  \
         help: run `CYXLA_UPDATE=1 cargo build`, commit {COMMITTED} and publish it with the package"
    )]
    Docs {
        /// What is wrong with each artifact that was found, one a line.
        reasons: String,
    },
    /// CYXLA_UPDATE and CYXLA_OFFLINE contradict each other.
    #[error(
        "CYXLA_UPDATE asks for a lowering, and CYXLA_OFFLINE forbids it\n  help: unset one of the two"
    )]
    Contradiction,
    /// A lowered program can't be read back.
    #[error(transparent)]
    Artifact(#[from] ManifestError),
}

/// Reads the manifest of an artifact and checks its code.
pub(crate) fn open(folder: &Path, stamps: &mut Stamps) -> Result<Manifest, Change> {
    if !folder.join(MANIFEST_FILE).exists() {
        return Err(Change::Absent);
    }
    let damaged = |error: ManifestError| {
        // The first line says it; that it is lowered anew helps already.
        let text = error.to_string();
        Change::Damaged(text.lines().next().unwrap_or_default().to_owned())
    };
    let manifest = Manifest::read(folder).map_err(damaged)?;
    for record in &manifest.programs {
        let code = record.code_files().map(|code| (&code.file, code.sha256));
        let images = record.native.images.iter();
        let images = images.map(|image| (&image.file, image.sha256));
        let weights = record.weights.arrays.iter();
        let weights = weights.map(|weight| (&weight.file, weight.sha256));
        for (file, sha256) in code.chain(images).chain(weights) {
            let path = folder.join(file);
            if stamps.digest(&path).ok() != Some(sha256) {
                return Err(damaged(ManifestError::Code { path }));
            }
        }
    }
    Ok(manifest)
}

/// A folder for Python to write code into, inside of the folder of the artifact; what a killed build leaves of it is
/// removed with the next artifact.
pub(crate) fn staging(folder: &Path) -> Result<tempfile::TempDir, StoreError> {
    let made = fs::create_dir_all(folder).and_then(|()| {
        tempfile::Builder::new()
            .prefix(TEMPORARY)
            .tempdir_in(folder)
    });
    made.map_err(|source| StoreError::Write {
        path: folder.to_owned(),
        source,
    })
}

/// Makes `to` the folder of this artifact, whose code lies in the folder `from`.
pub(crate) fn write(manifest: &Manifest, from: &Path, to: &Path) -> Result<(), StoreError> {
    let fail = |path: &Path| {
        let path = path.to_owned();
        move |source| StoreError::Write { path, source }
    };
    fs::create_dir_all(to).map_err(fail(to))?;
    for record in &manifest.programs {
        let code = Manifest::load(from, record)?.code;
        write_file(to, &record.code.file, &code)?;
        for other in &record.other_platforms {
            write_file(to, &other.code.file, &other.code.read(from)?)?;
        }
        for image in &record.native.images {
            write_file(to, &image.file, &image.read(from)?)?;
        }
    }
    let records = manifest.programs.iter();
    let weights = records.flat_map(|record| &record.weights.arrays);
    let weights: BTreeSet<&str> = weights.map(|weight| weight.file.as_str()).collect();
    for file in weights {
        bring_file(from, to, file)?;
    }
    write_file(to, MANIFEST_FILE, &manifest.to_json())?;
    remove_leftovers(manifest, to).map_err(fail(to))
}

/// Writes the record beside the manifest.
pub(crate) fn write_local(local: &Local, to: &Path) -> Result<(), StoreError> {
    match local.to_json() {
        Some(json) => write_file(to, LOCAL_FILE, &json),
        None => Ok(()),
    }
}

/// Writes a file as a whole, unless it is that already: what is watched should not look changed.
pub(crate) fn write_file(folder: &Path, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
    let path = folder.join(name);
    if fs::read(&path).is_ok_and(|there| there == bytes) {
        return Ok(());
    }
    // Its own name for each process: a debug and a release build may refresh a committed copy at once.
    let temporary = folder.join(format!("{TEMPORARY}{}-{name}", std::process::id()));
    let written = fs::write(&temporary, bytes).and_then(|()| fs::rename(&temporary, &path));
    written.map_err(|source| {
        // What is left of it is removed by the next build if not now.
        let _ = fs::remove_file(&temporary);
        StoreError::Write { path, source }
    })
}

/// Brings a file that is named for its content, and may be large, from one folder to another: not read, and where the
/// system can, not copied.
fn bring_file(from: &Path, to: &Path, name: &str) -> Result<(), StoreError> {
    if from == to {
        return Ok(());
    }
    let (source, path) = (from.join(name), to.join(name));
    let temporary = to.join(format!("{TEMPORARY}{}-{name}", std::process::id()));
    // It may be another name of the source, which a copy to it would empty.
    let _ = fs::remove_file(&temporary);
    let brought = fs::hard_link(&source, &temporary)
        .or_else(|_| fs::copy(&source, &temporary).map(drop))
        .and_then(|()| fs::rename(&temporary, &path));
    // Two names of one file are both there after the one is renamed to the other.
    let _ = fs::remove_file(&temporary);
    brought.map_err(|source| StoreError::Write { path, source })
}

/// Removes code that no program has any more, and what a killed build left. Files that aren't ours stay.
fn remove_leftovers(manifest: &Manifest, folder: &Path) -> io::Result<()> {
    let mut code: BTreeSet<&str> = BTreeSet::new();
    for record in &manifest.programs {
        code.extend(record.code_files().map(|code| code.file.as_str()));
        code.extend(record.native.images.iter().map(|image| image.file.as_str()));
        let weights = record.weights.arrays.iter();
        code.extend(weights.map(|weight| weight.file.as_str()));
    }
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
            continue;
        };
        let extension = path.extension();
        let is_code = extension
            .is_some_and(|extension| [CODE, IMAGE, WEIGHT].iter().any(|ours| extension == *ours));
        let is_leftover = name.starts_with(TEMPORARY) && is_abandoned(&path);
        let removed = if is_leftover && path.is_dir() {
            fs::remove_dir_all(&path)
        } else if is_leftover || (is_code && !code.contains(name)) {
            fs::remove_file(&path)
        } else {
            Ok(())
        };
        match removed {
            // Another build that refreshes the same folder was faster.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            other => other?,
        }
    }
    Ok(())
}

/// Whether a temporary file or folder is so old that no build can still be at it.
fn is_abandoned(path: &Path) -> bool {
    const HOUR: Duration = Duration::from_secs(60 * 60);
    let modified = fs::metadata(path).and_then(|metadata| metadata.modified());
    modified.is_ok_and(|modified| modified.elapsed().is_ok_and(|age| age > HOUR))
}

/// The files of a committed artifact.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.is_file())
        .collect();
    files.sort();
    files
}
