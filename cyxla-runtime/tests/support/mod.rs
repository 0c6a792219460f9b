//! Real plugins and small programs for the tests.

#![allow(dead_code, unreachable_pub, reason = "each test uses its part")]
#![allow(clippy::unwrap_used, reason = "a test")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use cyxla_artifact::{
    ArrayType, CodeFile, DType, Declared, Digest, Leaf, LoweredProgram, Native, ProgramRecord,
    StableHloVersion, Weights,
};
use cyxla_runtime::{Client, Options, Plugin};

/// The libraries of all CPU plugins.
pub fn plugins() -> Vec<PathBuf> {
    cyxla_test_environment::plugins()
}

/// Clients of each plugin, one that copies nothing it need not and one that copies everything; the same for a whole process.
pub fn clients() -> Vec<Client> {
    static CLIENTS: Mutex<Option<Vec<Client>>> = Mutex::new(None);
    let mut clients = CLIENTS.lock().unwrap();
    let both = |path: PathBuf| [client_of(&path), copying_client_of(&path)];
    let made = clients.get_or_insert_with(|| plugins().into_iter().flat_map(both).collect());
    made.clone()
}

/// Of [`clients`], those that copy nothing they need not.
pub fn zero_copy_clients() -> Vec<Client> {
    clients().into_iter().step_by(2).collect()
}

/// A new client that has the plugin copy everything.
pub fn copying_client_of(path: &Path) -> Client {
    let options = Options::new()
        .plugin(Plugin::new("cpu", path))
        .zero_copy(false);
    Client::open(&options).unwrap_or_else(|error| panic!("{error}"))
}

/// A new client.
pub fn client_of(path: &Path) -> Client {
    Client::new(&Plugin::new("cpu", path), &[]).unwrap_or_else(|error| panic!("{error}"))
}

/// An array type.
pub fn array(dtype: DType, shape: &[usize]) -> ArrayType {
    ArrayType::new(dtype, shape).unwrap()
}

/// One of the programs in `programs/`, with the types of its arguments `x0`, `x1`, … and results.
pub fn program(name: &str, inputs: &[ArrayType], outputs: &[ArrayType]) -> LoweredProgram {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/programs/{name}.mlirbc"));
    program_of(name, std::fs::read(file).unwrap(), inputs, outputs)
}

/// A program with this code.
pub fn program_of(
    name: &str,
    code: Vec<u8>,
    inputs: &[ArrayType],
    outputs: &[ArrayType],
) -> LoweredProgram {
    let leaves = |types: &[ArrayType], name: &str| {
        let leaf = |(index, array_type): (usize, &ArrayType)| Leaf {
            path: format!("{name}{index}"),
            array_type: *array_type,
            donated: false,
        };
        types.iter().enumerate().map(leaf).collect()
    };
    LoweredProgram {
        record: ProgramRecord {
            name: name.into(),
            target: format!("model:{name}"),
            declared: Declared::default(),
            location: None,
            platform: "cpu".into(),
            x64: true,
            inputs: leaves(inputs, "x"),
            outputs: leaves(outputs, "y"),
            custom_calls: vec![],
            stablehlo_version: StableHloVersion::DEFAULT,
            calling_convention: 10,
            code: CodeFile {
                file: format!("{name}.mlirbc"),
                sha256: Digest::of(&code),
            },
            other_platforms: vec![],
            native: Native::default(),
            weights: Weights::default(),
        },
        code: code.into(),
        weights: vec![],
    }
}

/// 2 sin(x) for f32[2].
pub fn sine() -> LoweredProgram {
    let pair = array(DType::F32, &[2]);
    program("sine", &[pair], &[pair])
}

/// Makes a shared library of some C.
pub fn library(directory: &Path, name: &str, source: &str) -> PathBuf {
    let file = directory.join(format!("{name}.c"));
    std::fs::write(&file, source).unwrap();
    let library = directory.join(format!("{name}.so"));
    let status = Command::new("cc")
        .args(["-shared", "-fPIC", "-o"])
        .args([&library, &file])
        .status()
        .unwrap();
    assert!(status.success());
    library
}
