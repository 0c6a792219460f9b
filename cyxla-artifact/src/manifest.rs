use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::{Digest, LoweredProgram, ProgramRecord, Provenance, StableHloVersion, WeightData};

/// The version of the schema that this crate writes and reads.
pub const SCHEMA: u32 = 1;

/// The name of the manifest in an artifact's folder.
pub const MANIFEST_FILE: &str = "manifest.json";

/// The table of contents of an artifact: the programs of one package.
///
/// The same sources give the same bytes on any machine and in any directory.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The version of this schema, [`SCHEMA`].
    pub schema: u32,
    /// The name of the package whose build script lowered the programs.
    pub package: String,
    /// The digest of all that was asked of JAX.
    pub request: Digest,
    /// The files that the lowering read from the package, sorted by path.
    pub sources: Vec<Source>,
    /// The environment variables that the package's Python code read, sorted by name.
    pub environment: Vec<Variable>,
    /// What lowered the programs.
    pub provenance: Provenance,
    /// The programs, sorted by name, target and signature.
    pub programs: Vec<ProgramRecord>,
}

/// A file that the lowering read.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// The path relative to the package, with `/`.
    pub path: String,
    /// The digest of its content.
    pub sha256: Digest,
}

/// An environment variable that the lowering read. Its value is only known by digest.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variable {
    /// The name.
    pub name: String,
    /// The digest of the value; none if it was not set.
    pub sha256: Option<Digest>,
}

/// An artifact that can't be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ManifestError {
    /// A file of the artifact could not be read or written.
    #[error("can't access {path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The manifest is no manifest.
    #[error("{path} is damaged: {source}\n  help: remove its folder and build again")]
    Malformed {
        /// The manifest.
        path: PathBuf,
        /// What is wrong where.
        source: serde_json::Error,
    },
    /// The manifest was written by another version of cyxla.
    #[error(
        "{path} has schema {found}, this version of cyxla reads schema {SCHEMA}\n  \
         help: use the same version of cyxla and cyxla-build, and build again"
    )]
    Schema {
        /// The manifest.
        path: PathBuf,
        /// The version of its schema.
        found: u32,
    },
    /// The manifest contradicts itself.
    #[error("{path} is damaged: {reason}\n  help: remove its folder and build again")]
    Inconsistent {
        /// The manifest.
        path: PathBuf,
        /// The contradiction.
        reason: String,
    },
    /// A code file is not the one that the manifest was written with.
    #[error(
        "{path} is not the file that its manifest was written with\n  help: remove its folder and build again"
    )]
    Code {
        /// The file with the code.
        path: PathBuf,
    },
}

#[derive(Deserialize)]
struct SchemaOnly {
    schema: u32,
}

impl Manifest {
    /// Reads the manifest in the folder `directory`.
    ///
    /// # Errors
    /// The file can't be read, is no manifest of this schema, or contradicts itself.
    pub fn read(directory: &Path) -> Result<Self, ManifestError> {
        let path = directory.join(MANIFEST_FILE);
        let bytes = std::fs::read(&path).map_err(|source| ManifestError::Io {
            path: path.clone(),
            source,
        })?;
        Self::from_json(&bytes, &path)
    }

    /// Reads a manifest from the bytes of `path`, which only words the errors.
    ///
    /// # Errors
    /// The bytes are no manifest of this schema, or it contradicts itself.
    pub fn from_json(bytes: &[u8], path: &Path) -> Result<Self, ManifestError> {
        let malformed = |source| ManifestError::Malformed {
            path: path.to_owned(),
            source,
        };
        // The schema first: another version has other fields.
        let SchemaOnly { schema } = serde_json::from_slice(bytes).map_err(malformed)?;
        if schema != SCHEMA {
            return Err(ManifestError::Schema {
                path: path.to_owned(),
                found: schema,
            });
        }
        let manifest: Self = serde_json::from_slice(bytes).map_err(malformed)?;
        match manifest.contradiction() {
            Some(reason) => Err(ManifestError::Inconsistent {
                path: path.to_owned(),
                reason,
            }),
            None => Ok(manifest),
        }
    }

    /// The bytes of the manifest's file.
    pub fn to_json(&self) -> Vec<u8> {
        // Strings, numbers, lists: nothing that JSON can't hold.
        let mut json = serde_json::to_vec_pretty(self).unwrap_or_default();
        json.push(b'\n');
        json
    }

    /// One program of the artifact in `directory`, with its code for the platform of its record;
    /// [`ProgramRecord::for_platform`] gives the record for another. Its weights stay in their files, which whoever reads them
    /// checks.
    ///
    /// # Errors
    /// The file can't be read, or it is not the one that the manifest names: other bytes, another StableHLO version.
    pub fn load(directory: &Path, record: &ProgramRecord) -> Result<LoweredProgram, ManifestError> {
        let code = record.code.read(directory)?;
        if StableHloVersion::of_bytecode(&code) != Some(record.stablehlo_version) {
            let path = directory.join(&record.code.file);
            return Err(ManifestError::Code { path });
        }
        Ok(LoweredProgram {
            record: record.clone(),
            code: code.into(),
            weights: record
                .weights
                .arrays
                .iter()
                .map(|weight| WeightData::File(directory.join(&weight.file)))
                .collect(),
        })
    }

    fn contradiction(&self) -> Option<String> {
        let mut seen = BTreeSet::new();
        for record in &self.programs {
            let ProgramRecord {
                name,
                target,
                native,
                weights,
                ..
            } = record;
            let code = record.code_files().map(|code| &code.file);
            let images = native.images.iter().map(|image| &image.file);
            let arrays = weights.arrays.iter().map(|weight| &weight.file);
            for file in code.chain(images).chain(arrays) {
                if file.is_empty() || file.starts_with('.') || file.contains(['/', '\\', ':', '\0'])
                {
                    return Some(format!(
                        "the code of `{name}` would be outside of its folder, at {file:?}"
                    ));
                }
            }
            let platforms: BTreeSet<&str> = record.platforms().collect();
            if platforms.len() != 1 + record.other_platforms.len() {
                return Some(format!("`{name}` is there twice for one platform"));
            }
            if !seen.insert((
                name,
                target,
                &record.declared.signature,
                &record.declared.options,
            )) {
                return Some(format!("`{name}` of {target} is there twice"));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        ArrayType, CodeFile, DType, Declared, Engine, ImageFile, Leaf, Level, Native, PlatformCode,
        PythonLocation, Weight, Weights, WeightsIn,
    };

    fn manifest() -> Manifest {
        let code = b"ML\xefR\x0dStableHLO_v1.10.0\0";
        Manifest {
            schema: SCHEMA,
            package: "demo".into(),
            request: Digest::of(b"request"),
            sources: vec![Source {
                path: "python/model.py".into(),
                sha256: Digest::of(b"def f(x): return x"),
            }],
            environment: vec![Variable {
                name: "SCALE".into(),
                sha256: None,
            }],
            provenance: Provenance {
                python: "3.11.7".into(),
                jax: "0.10.2".into(),
                jaxlib: "0.10.2".into(),
            },
            programs: vec![ProgramRecord {
                name: "f".into(),
                target: "model:f".into(),
                declared: Declared {
                    signature: "fn f ( x : f32 )".into(),
                    ..Declared::default()
                },
                location: Some(PythonLocation {
                    file: "python/model.py".into(),
                    line: 1,
                }),
                platform: "cpu".into(),
                x64: false,
                inputs: vec![Leaf {
                    path: "x".into(),
                    array_type: ArrayType::scalar(DType::F32),
                    donated: false,
                }],
                outputs: vec![Leaf {
                    path: "result".into(),
                    array_type: ArrayType::scalar(DType::F32),
                    donated: false,
                }],
                custom_calls: vec![],
                stablehlo_version: StableHloVersion::DEFAULT,
                calling_convention: 10,
                code: CodeFile {
                    file: "f-1.mlirbc".into(),
                    sha256: Digest::of(code),
                },
                other_platforms: vec![PlatformCode {
                    platform: "cuda".into(),
                    custom_calls: vec!["mine".into()],
                    code: CodeFile {
                        file: "f-2.mlirbc".into(),
                        sha256: Digest::of(b"for cuda"),
                    },
                }],
                native: Native {
                    engine: Engine::Auto,
                    images: vec![ImageFile {
                        level: Level::V3,
                        file: "f-x86-64-v3-1.image".into(),
                        sha256: Digest::of(b"image"),
                    }],
                    reason: None,
                },
                weights: Weights {
                    place: WeightsIn::File,
                    arrays: vec![Weight {
                        path: "params['w']".into(),
                        array_type: ArrayType::scalar(DType::F32),
                        bound: true,
                        file: "0123.weight".into(),
                        sha256: Digest::of(b"1234"),
                    }],
                },
            }],
        }
    }

    fn read(bytes: &[u8]) -> Result<Manifest, ManifestError> {
        Manifest::from_json(bytes, Path::new("manifest.json"))
    }

    #[test]
    fn a_manifest_is_read_back() {
        let manifest = manifest();
        assert_eq!(read(&manifest.to_json()).unwrap(), manifest);
    }

    #[test]
    fn every_truncation_is_an_error() {
        let json = manifest().to_json();
        // The last byte is the newline behind the closing brace.
        for end in 0..json.len() - 1 {
            assert!(
                matches!(read(&json[..end]), Err(ManifestError::Malformed { .. })),
                "{end} bytes"
            );
        }
    }

    #[test]
    fn another_schema_is_named_even_if_its_fields_differ() {
        let error = read(br#"{"schema": 7, "modules": []}"#).unwrap_err();
        assert!(
            matches!(error, ManifestError::Schema { found: 7, .. }),
            "{error}"
        );
    }

    #[test]
    fn code_outside_of_the_folder_is_refused() {
        for file in ["../f.mlirbc", "/etc/passwd", "", "..", "a\\b", "c:x"] {
            let mut manifest = manifest();
            manifest.programs[0].code.file = file.into();
            assert!(
                matches!(
                    read(&manifest.to_json()),
                    Err(ManifestError::Inconsistent { .. })
                ),
                "{file:?}"
            );
            let mut manifest = self::manifest();
            manifest.programs[0].native.images[0].file = file.into();
            assert!(
                matches!(
                    read(&manifest.to_json()),
                    Err(ManifestError::Inconsistent { .. })
                ),
                "image {file:?}"
            );
            let mut manifest = self::manifest();
            manifest.programs[0].other_platforms[0].code.file = file.into();
            assert!(
                matches!(
                    read(&manifest.to_json()),
                    Err(ManifestError::Inconsistent { .. })
                ),
                "for cuda {file:?}"
            );
            let mut manifest = self::manifest();
            manifest.programs[0].weights.arrays[0].file = file.into();
            assert!(
                matches!(
                    read(&manifest.to_json()),
                    Err(ManifestError::Inconsistent { .. })
                ),
                "weight {file:?}"
            );
        }
    }

    #[test]
    fn a_program_that_is_there_twice_for_one_platform_is_refused() {
        let mut manifest = manifest();
        manifest.programs[0].other_platforms[0].platform = "cpu".into();
        assert!(matches!(
            read(&manifest.to_json()),
            Err(ManifestError::Inconsistent { .. })
        ));
    }

    #[test]
    fn a_record_for_one_of_its_platforms_has_the_code_of_that_one() {
        let record = &manifest().programs[0];
        assert_eq!(record.platforms().collect::<Vec<_>>(), ["cpu", "cuda"]);
        let cpu = record.for_platform("cpu").unwrap();
        assert_eq!((&cpu.code, &cpu.native), (&record.code, &record.native));
        assert!(cpu.other_platforms.is_empty());
        let cuda = record.for_platform("cuda").unwrap();
        assert_eq!(cuda.platform, "cuda");
        assert_eq!(cuda.code.file, "f-2.mlirbc");
        assert_eq!(cuda.custom_calls, ["mine"]);
        // Machine code is for the processor.
        assert_eq!(cuda.native, Native::default());
        assert_eq!(record.for_platform("tpu"), None);
    }

    #[test]
    fn a_program_that_is_there_twice_is_refused() {
        let mut manifest = manifest();
        manifest.programs.push(manifest.programs[0].clone());
        assert!(matches!(
            read(&manifest.to_json()),
            Err(ManifestError::Inconsistent { .. })
        ));
    }
}
