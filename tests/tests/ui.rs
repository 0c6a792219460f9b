//! What users read when a declaration is wrong, and that right ones compile.
//!
//! The cases in `ui/` see an artifact that is written here: nothing of it depends on Python. After a change of a message,
//! `TRYBUILD=overwrite cargo test -p cyxla-tests --test ui` writes the expected output anew.

#![allow(clippy::unwrap_used, reason = "a test")]

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use cyxla::artifact::{
    CodeFile, Declared, Digest, Leaf, Manifest, Native, ProgramRecord, Provenance, SCHEMA, Weights,
};
use cyxla::{ArrayType, DType, StableHloVersion};

/// The least that passes for StableHLO bytecode: no case calls its program.
const CODE: &[u8] = b"ML\xefR\x0dStableHLO_v1.10.0\0";

/// Names the cases that this process is to compile.
const STAGE: &str = "CYXLA_UI_STAGE";

#[test]
fn declarations_compile_or_say_why_not() {
    match env::var(STAGE).as_deref() {
        Err(_) => {
            let artifact = write_artifact();
            rerun("programs", Some(&artifact));
            rerun("no_build_script", None);
            rerun(
                "build_script_not_run",
                Some(Path::new("/nonexistent/cyxla")),
            );
        }
        Ok("programs") => {
            let cases = trybuild::TestCases::new();
            cases.compile_fail("ui/*.rs");
            cases.pass("ui/pass/*.rs");
        }
        Ok(stage) => trybuild::TestCases::new().compile_fail(format!("ui/artifact/{stage}.rs")),
    }
}

/// Runs this test in a process of its own: trybuild passes on the environment, which a process can't safely change.
fn rerun(stage: &str, artifact: Option<&Path>) {
    let mut command = Command::new(env::current_exe().unwrap());
    command
        .args(env::args_os().skip(1))
        .arg("--nocapture")
        .env(STAGE, stage)
        .env_remove("CYXLA_ARTIFACT");
    if let Some(artifact) = artifact {
        command.env("CYXLA_ARTIFACT", artifact);
    }
    assert!(command.status().unwrap().success(), "stage {stage}");
}

fn leaf(path: &str, dtype: DType, shape: &[usize]) -> Leaf {
    Leaf {
        path: path.into(),
        array_type: ArrayType::new(dtype, shape).unwrap(),
        donated: false,
    }
}

/// The program `name` of `model:name`.
fn program(
    name: &str,
    (signature, options): (&str, &str),
    place: &str,
    inputs: Vec<Leaf>,
    outputs: Vec<Leaf>,
) -> ProgramRecord {
    ProgramRecord {
        name: name.into(),
        target: format!("model:{name}"),
        declared: Declared {
            signature: format!("fn {name}{signature}"),
            options: options.into(),
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
            file: "code.mlirbc".into(),
            sha256: Digest::of(CODE),
        },
        other_platforms: vec![],
        native: Native::default(),
        weights: Weights::default(),
    }
}

fn write_artifact() -> PathBuf {
    use DType::{BF16, C64, F32, F64};
    let vector = |dtype, n| leaf("result", dtype, &[n]);
    let programs = vec![
        program(
            "affine",
            ("(w: &_, b: _) -> _", "args = \"model:affine_args\""),
            "src/lib.rs:10",
            vec![
                leaf("params['w']", BF16, &[2, 3]),
                leaf("params['b']", C64, &[]),
            ],
            vec![
                leaf("result[0]", BF16, &[2]),
                leaf("result[1]", F64, &[8193]),
            ],
        ),
        program(
            "many",
            ("() -> _", ""),
            "src/lib.rs:20",
            vec![],
            vec![leaf("result[0]", F32, &[]); 25],
        ),
        program(
            "most",
            ("() -> _", ""),
            "src/lib.rs:25",
            vec![],
            vec![leaf("result[0]", F32, &[]); 24],
        ),
        program("nothing", ("() -> _", ""), "src/lib.rs:30", vec![], vec![]),
        program(
            "pair",
            ("(x: &[f32; 3]) -> ([f32; 3], f32)", ""),
            "src/main.rs:3",
            vec![leaf("x", F32, &[3])],
            vec![leaf("result[0]", F32, &[3]), leaf("result[1]", F32, &[])],
        ),
        program(
            "predict",
            ("(x: &[[f32; 4]; 8], scale: f32) -> [f32; 8]", ""),
            "src/main.rs:7",
            vec![leaf("x", F32, &[8, 4]), leaf("scale", F32, &[])],
            vec![vector(F32, 8)],
        ),
        program(
            "scale",
            ("(x: f32) -> f32", ""),
            "src/lib.rs:40",
            vec![leaf("x", F32, &[])],
            vec![leaf("result", F32, &[])],
        ),
        program(
            "scale",
            ("(x: f64) -> f64", ""),
            "tests/scale.rs:5",
            vec![leaf("x", F64, &[])],
            vec![leaf("result", F64, &[])],
        ),
        program(
            "update",
            (
                "(state: cyxla::Buffer<[f32; 4]>, step: f32) -> cyxla::Buffer<[f32; 4]>",
                "",
            ),
            "src/lib.rs:45",
            vec![
                Leaf {
                    donated: true,
                    ..leaf("state", F32, &[4])
                },
                leaf("step", F32, &[]),
            ],
            vec![vector(F32, 4)],
        ),
        program(
            "wide",
            ("(x: f32) -> f32", "x64 = true"),
            "src/lib.rs:50",
            vec![leaf("x", F32, &[])],
            vec![leaf("result", F32, &[])],
        ),
    ];
    let manifest = Manifest {
        schema: SCHEMA,
        package: env!("CARGO_PKG_NAME").into(),
        request: Digest::of(b""),
        sources: vec![],
        environment: vec![],
        provenance: Provenance::default(),
        programs,
    };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("ui-artifact");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("manifest.json"), manifest.to_json()).unwrap();
    std::fs::write(folder.join("code.mlirbc"), CODE).unwrap();
    folder
}
