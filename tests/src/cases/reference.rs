//! What JAX itself computes for a case.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use cyxla::ArrayType;
use serde::Deserialize;

const SCRIPT: &str = include_str!("reference.py");

/// The module to lower, in the folder that [`evaluate`] was given.
pub const SHIM: &str = "cyxla_case";

/// A case as JAX sees it.
#[derive(Debug)]
pub struct Reference {
    /// Whether it has 64-bit types.
    pub x64: bool,
    /// Its own relative tolerance.
    pub tolerance: Option<f64>,
    /// The leaves of its arguments.
    pub arguments: Vec<Leaf>,
    /// The leaves of what JAX gives for them.
    pub results: Vec<Leaf>,
}

/// An array that JAX gave.
#[derive(Debug)]
pub struct Leaf {
    /// Element type and shape.
    pub array_type: ArrayType,
    /// The elements, row major, in the byte order of this machine.
    pub bytes: Vec<u8>,
}

/// JAX itself has no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReferenceError {
    /// A file can't be read or written, or Python can't be started.
    #[error("can't access {path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// What Python wrote can't be understood.
    #[error("can't understand {path}: {source}")]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong where.
        source: serde_json::Error,
    },
    /// The case fails in JAX as well.
    #[error("JAX itself fails: {0}")]
    Jax(String),
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Answer {
    Ok(Listed),
    Error(String),
}

#[derive(Deserialize)]
struct Listed {
    x64: bool,
    tolerance: Option<f64>,
    arguments: Vec<ListedLeaf>,
    results: Vec<ListedLeaf>,
}

#[derive(Deserialize)]
struct ListedLeaf {
    r#type: ArrayType,
    file: PathBuf,
}

/// Has the Python `python` evaluate the case `name` of `directory`, and write the module [`SHIM`] into `scratch`.
///
/// # Blocking
/// For as long as JAX takes.
///
/// # Errors
/// Python does not start, has no JAX, or the case fails in JAX as well.
pub fn evaluate(
    python: &Path,
    directory: &Path,
    name: &str,
    scratch: &Path,
) -> Result<Reference, ReferenceError> {
    let at = |path: &Path| {
        let path = path.to_owned();
        move |source| ReferenceError::Io { path, source }
    };
    let script = scratch.join("reference.py");
    fs::write(&script, SCRIPT).map_err(at(&script))?;
    let status = Command::new(python)
        .arg(&script)
        .arg(directory)
        .arg(name)
        .arg(scratch)
        .status()
        .map_err(at(python))?;
    let path = scratch.join("reference.json");
    if !status.success() && !path.exists() {
        return Err(ReferenceError::Jax(format!(
            "{} ended with {status}",
            python.display()
        )));
    }
    let json = fs::read(&path).map_err(at(&path))?;
    let answer = serde_json::from_slice(&json).map_err(|source| ReferenceError::Malformed {
        path: path.clone(),
        source,
    })?;
    let listed = match answer {
        Answer::Ok(listed) => listed,
        Answer::Error(error) => return Err(ReferenceError::Jax(error)),
    };
    let leaves = |listed: Vec<ListedLeaf>| -> Result<Vec<Leaf>, ReferenceError> {
        let leaf = |listed: ListedLeaf| {
            let path = scratch.join(&listed.file);
            let bytes = fs::read(&path).map_err(at(&path))?;
            let array_type = listed.r#type;
            Ok(Leaf { array_type, bytes })
        };
        listed.into_iter().map(leaf).collect()
    };
    Ok(Reference {
        x64: listed.x64,
        tolerance: listed.tolerance,
        arguments: leaves(listed.arguments)?,
        results: leaves(listed.results)?,
    })
}
