use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use cyxla_artifact::{Digest, Variable};
use serde::{Deserialize, Serialize};

use super::stamps::Stamp;

/// The name of the record beside the manifest.
pub(crate) const LOCAL_FILE: &str = "local.json";

/// The version of the record.
const VERSION: u32 = 1;

/// What an artifact in OUT_DIR rests on beyond its manifest: things of this machine, which are no part of the artifact.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Local {
    version: u32,
    /// What lowered it; none if it was copied from the committed artifact.
    pub(crate) lowered: Option<Lowering>,
    /// The digests of files by how they looked.
    pub(crate) stamps: BTreeMap<PathBuf, Stamp>,
}

/// With what a lowering was done.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Lowering {
    /// The settings that it was asked with.
    pub(crate) tools: Tools,
    /// The interpreter that was found.
    pub(crate) interpreter: PathBuf,
    /// Files of the Python environment that change with it.
    pub(crate) files: BTreeMap<PathBuf, Digest>,
}

/// What chooses the tools of a lowering.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Tools {
    /// The version of this package.
    pub(crate) cyxla: String,
    /// The digest of the part of it that is Python.
    pub(crate) script: Digest,
    /// What names the interpreter, if anything does.
    pub(crate) python: String,
    /// The folders with Python modules that the package does not name itself.
    pub(crate) python_path: Vec<PathBuf>,
    /// The environment variables that change what JAX does.
    pub(crate) settings: Vec<Variable>,
}

impl Local {
    pub(crate) fn new(lowered: Option<Lowering>, stamps: BTreeMap<PathBuf, Stamp>) -> Self {
        Self {
            version: VERSION,
            lowered,
            stamps,
        }
    }

    /// The record in the folder of an artifact; none if there is none that can be understood. Then it is made anew.
    pub(crate) fn read(folder: &Path) -> Option<Self> {
        let bytes = fs::read(folder.join(LOCAL_FILE)).ok()?;
        let local: Self = serde_json::from_slice(&bytes).ok()?;
        (local.version == VERSION).then_some(local)
    }

    /// The bytes of the record's file; none if a path can't be written as text. Then nothing is fresh.
    pub(crate) fn to_json(&self) -> Option<Vec<u8>> {
        serde_json::to_vec(self).ok()
    }
}
