use std::borrow::Cow;
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::{ArrayType, Digest, ManifestError, Native, StableHloVersion, WeightData, Weights};

/// One lowered program: everything about it but its code, which lies in a file of its own.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProgramRecord {
    /// The name of the function in Rust.
    pub name: String,
    /// The Python function as an entry point, `module:function`.
    pub target: String,
    /// What was declared in Rust, to tell programs of one name and target apart and to notice a stale manifest.
    pub declared: Declared,
    /// Where the Python function is defined, if Python could tell.
    pub location: Option<PythonLocation>,
    /// The JAX platform that the code was lowered for: `cpu`.
    pub platform: String,
    /// Whether `jax_enable_x64` was on.
    pub x64: bool,
    /// The leaves of the arguments, in calling order.
    pub inputs: Vec<Leaf>,
    /// The leaves of the result, in order.
    pub outputs: Vec<Leaf>,
    /// The custom-call targets that the module holds, sorted: what the run time must have handlers for.
    pub custom_calls: Vec<String>,
    /// The StableHLO version that the code is written at.
    pub stablehlo_version: StableHloVersion,
    /// The version of `jax.export`'s calling convention.
    pub calling_convention: u32,
    /// The file with the code.
    pub code: CodeFile,
    /// The same program for the other platforms that it was lowered for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub other_platforms: Vec<PlatformCode>,
    /// The engine that is to run it, and its machine code.
    #[serde(default, skip_serializing_if = "Native::is_default")]
    pub native: Native,
    /// The arrays that it holds, which its module takes as further arguments.
    #[serde(default, skip_serializing_if = "Weights::is_default")]
    pub weights: Weights,
}

/// A program as it was lowered for one more platform. Arguments, results and versions are those of the record.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlatformCode {
    /// The JAX platform: `cuda`.
    pub platform: String,
    /// The custom-call targets that this module holds, sorted.
    pub custom_calls: Vec<String>,
    /// The file with the code.
    pub code: CodeFile,
}

impl ProgramRecord {
    /// The platforms that the program was lowered for, that of [`code`](Self::code) first.
    pub fn platforms(&self) -> impl Iterator<Item = &str> {
        let others = self
            .other_platforms
            .iter()
            .map(|other| other.platform.as_str());
        std::iter::once(self.platform.as_str()).chain(others)
    }

    /// The record as if the program had been lowered for this platform alone; none if it was not lowered for it.
    pub fn for_platform(&self, platform: &str) -> Option<Self> {
        let mut record = self.clone();
        record.other_platforms.clear();
        if platform != self.platform {
            let mut others = self.other_platforms.iter();
            let other = others.find(|other| other.platform == platform)?.clone();
            record.platform = other.platform;
            record.custom_calls = other.custom_calls;
            record.code = other.code;
            record.native = Native::default();
        }
        Some(record)
    }

    /// The files with its code, for every platform.
    pub fn code_files(&self) -> impl Iterator<Item = &CodeFile> {
        let others = self.other_platforms.iter().map(|other| &other.code);
        std::iter::once(&self.code).chain(others)
    }
}

/// What a declaration in Rust said, as text: equal declarations have equal texts.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Declared {
    /// The signature, `fn predict ( x : & [ [ f32 ; 4 ] ; 8 ] ) -> …`.
    pub signature: String,
    /// The options of the attribute, sorted by name.
    pub options: String,
    /// Each place in Rust that declares it, `src/main.rs:12`, relative to the package.
    pub places: Vec<String>,
}

/// A place in Python source.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PythonLocation {
    /// The file, relative to the package if it lies inside, else only its name.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
}

/// One array among the arguments or results: a leaf of the pytree.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Leaf {
    /// The name of the parameter in Python and the path below it, `params['w']`; for results `result[0]`.
    pub path: String,
    /// Element type and shape.
    #[serde(rename = "type")]
    pub array_type: ArrayType,
    /// Whether the program may reuse the memory of this argument.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub donated: bool,
}

/// A file with StableHLO bytecode, beside the manifest.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CodeFile {
    /// The name of the file, without any folder.
    pub file: String,
    /// The digest of its bytes.
    pub sha256: Digest,
}

impl CodeFile {
    /// The code, of the artifact in `directory`.
    ///
    /// # Errors
    /// The file can't be read, or it is not the one that the manifest names.
    pub fn read(&self, directory: &Path) -> Result<Vec<u8>, ManifestError> {
        let path = directory.join(&self.file);
        match fs::read(&path) {
            Ok(bytes) if Digest::of(&bytes) == self.sha256 => Ok(bytes),
            Ok(_) => Err(ManifestError::Code { path }),
            Err(source) => Err(ManifestError::Io { path, source }),
        }
    }
}

/// What lowered the programs.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Provenance {
    /// The version of Python.
    pub python: String,
    /// The version of JAX.
    pub jax: String,
    /// The version of jaxlib.
    pub jaxlib: String,
}

/// A lowered program with its code, ready to be compiled.
///
/// Source: `LoweredProgram` of the Python package.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoweredProgram {
    /// What is known of it.
    pub record: ProgramRecord,
    /// StableHLO bytecode; borrowed where it is part of the binary.
    pub code: Cow<'static, [u8]>,
    /// The arrays that it holds, one for each of [`ProgramRecord::weights`].
    pub weights: Vec<WeightData>,
}

impl LoweredProgram {
    /// The types of the arguments, in calling order.
    pub fn input_types(&self) -> Vec<ArrayType> {
        self.record
            .inputs
            .iter()
            .map(|leaf| leaf.array_type)
            .collect()
    }

    /// The types of the results, in order.
    pub fn output_types(&self) -> Vec<ArrayType> {
        self.record
            .outputs
            .iter()
            .map(|leaf| leaf.array_type)
            .collect()
    }

    /// The JAX platform that it was lowered for: `cpu`.
    pub fn platform(&self) -> &str {
        &self.record.platform
    }
}
