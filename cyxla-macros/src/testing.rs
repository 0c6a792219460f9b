//! Artifacts as a build script would write them, for the tests.

use std::path::Path;

use cyxla_artifact::{
    ArrayType, CodeFile, DType, Declared, Digest, Leaf, Manifest, Native, ProgramRecord,
    Provenance, SCHEMA, StableHloVersion, Weights,
};
use cyxla_syntax::Declaration;
use proc_macro2::TokenStream;

/// The least that passes for StableHLO bytecode.
pub(crate) const CODE: &[u8] = b"ML\xefR\x0dStableHLO_v1.10.0\0";

pub(crate) fn declaration(attribute: TokenStream, item: TokenStream) -> Declaration {
    Declaration::parse(attribute, item).unwrap_or_else(|error| panic!("{error}"))
}

pub(crate) fn leaf(path: &str, dtype: DType, shape: &[usize]) -> Leaf {
    Leaf {
        path: path.into(),
        array_type: ArrayType::new(dtype, shape).unwrap_or_else(|error| panic!("{error}")),
        donated: false,
    }
}

/// The record of a declaration at `place`.
pub(crate) fn record(
    declaration: &Declaration,
    place: &str,
    inputs: Vec<Leaf>,
    outputs: Vec<Leaf>,
) -> ProgramRecord {
    let (signature, options) = declaration.declared();
    ProgramRecord {
        name: declaration.function.name(),
        target: declaration.target.to_string(),
        declared: Declared {
            signature,
            options,
            places: vec![place.into()],
        },
        location: None,
        platform: "cpu".into(),
        x64: false,
        inputs,
        outputs,
        custom_calls: vec![],
        stablehlo_version: StableHloVersion::DEFAULT,
        calling_convention: 10,
        code: CodeFile {
            file: format!("{}.mlirbc", declaration.function.name()),
            sha256: Digest::of(CODE),
        },
        other_platforms: vec![],
        native: Native::default(),
        weights: Weights::default(),
    }
}

/// A manifest of a package `demo`.
pub(crate) fn manifest(programs: Vec<ProgramRecord>) -> Manifest {
    Manifest {
        schema: SCHEMA,
        package: "demo".into(),
        request: Digest::of(b"request"),
        sources: vec![],
        environment: vec![],
        provenance: Provenance::default(),
        programs,
    }
}

pub(crate) fn write_artifact(folder: &Path, manifest: &Manifest) {
    let write = |name: &str, bytes: &[u8]| {
        std::fs::write(folder.join(name), bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
    };
    write("manifest.json", &manifest.to_json());
    for program in &manifest.programs {
        write(&program.code.file, CODE);
    }
}
