//! What the build script and `lower/main.py` say to each other: one request in JSON on the child's stdin, one answer, one
//! line of JSON each, on its stdout. Before each program, the child says in a line of its own which one it takes up, so
//! that its death can be told of with a name.

use std::path::{Path, PathBuf};

use cyxla_artifact::{
    ArrayType, CodeFile, Declared, Engine, LINALG_CALLS, Leaf, Linalg, Native, Platform,
    PlatformCode, ProgramRecord, Provenance, PythonLocation, StableHloVersion, Weight, Weights,
    WeightsIn, XLA_CALL_PREFIXES, XLA_CALLS,
};
use serde::{Deserialize, Serialize};

use crate::lower::{Failure, LowerError};

/// The version of the protocol; both sides come from one package, so that another one means that something is broken.
pub(crate) const VERSION: u32 = 1;

/// What Python is asked for.
#[derive(Debug, Serialize)]
pub(crate) struct Request<'a> {
    pub(crate) version: u32,
    pub(crate) package_root: &'a Path,
    pub(crate) python_path: &'a [PathBuf],
    /// The folder for the files with code.
    pub(crate) output: &'a Path,
    pub(crate) debug_info: bool,
    pub(crate) calls: KnownCalls,
    pub(crate) programs: &'a [ProgramRequest],
}

/// The custom calls that need no mention.
#[derive(Debug, Serialize)]
pub(crate) struct KnownCalls {
    /// Those of linear algebra, which cyxla has handlers for.
    linalg: &'static [&'static str],
    /// Those that XLA replaces itself.
    xla: &'static [&'static str],
    /// What the names of further ones begin with that XLA replaces itself.
    xla_prefixes: &'static [&'static str],
}

impl KnownCalls {
    /// All of them.
    pub(crate) const ALL: Self = Self {
        linalg: LINALG_CALLS,
        xla: XLA_CALLS,
        xla_prefixes: XLA_CALL_PREFIXES,
    };
}

/// One program, as Python is asked for it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub(crate) struct ProgramRequest {
    /// The entry point, `module:function`.
    pub(crate) target: String,
    /// The platforms to lower for; that of the processor comes first.
    pub(crate) platforms: Vec<Platform>,
    pub(crate) x64: bool,
    /// Whether the user said so. If not, the user's Python code may turn x64 on itself.
    pub(crate) x64_explicit: bool,
    /// The declared arguments; none if only Python knows them.
    pub(crate) arguments: Option<Vec<Argument>>,
    /// The entry point of the example arguments.
    pub(crate) example_args: Option<String>,
    /// Arguments that are given now and not by the caller.
    pub(crate) bind: Vec<Binding>,
    /// Bytes from which an array that the function closes over is a weight; none if all stay in the code.
    pub(crate) weights_from: Option<u64>,
    /// Where its weights are.
    #[serde(skip)]
    pub(crate) weights: WeightsIn,
    pub(crate) custom_calls: Vec<String>,
    /// What linear algebra is lowered to.
    pub(crate) linalg: Linalg,
    pub(crate) stablehlo_version: Option<StableHloVersion>,
    /// What is to run it; JAX lowers for each alike.
    #[serde(skip)]
    pub(crate) engine: Engine,
}

/// An argument of a Python function that is given when it is lowered: what is an array in it is a weight of the program.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Binding {
    /// The name of the parameter in Python.
    pub name: String,
    /// The entry point of the value, or of a function that gives it: `model:load_params`.
    pub target: String,
}

/// One declared argument of a program.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Argument {
    /// Its name in Rust, for messages.
    pub name: String,
    /// Its type; none if the example arguments give it.
    #[serde(rename = "type")]
    pub array_type: Option<ArrayType>,
    /// Whether the program may reuse its memory for a result, as if `jax.jit` were told so with `donate_argnums`.
    pub donated: bool,
}

impl Argument {
    /// The argument `name` of this type.
    pub fn new(name: impl Into<String>, array_type: ArrayType) -> Self {
        Self {
            name: name.into(),
            array_type: Some(array_type),
            donated: false,
        }
    }

    /// The argument `name`, whose type the example arguments give.
    pub fn inferred(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            array_type: None,
            donated: false,
        }
    }

    /// The same argument, donated: the program may reuse its memory for a result of the same type, which the caller gives
    /// up. Without such a result, [`Leaf::donated`](cyxla_artifact::Leaf::donated) of the lowered program is false.
    #[must_use]
    pub fn donated(mut self) -> Self {
        self.donated = true;
        self
    }
}

/// What Python answers if it could lower at all.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) provenance: Provenance,
    /// One for each program that was asked for, in the same order.
    pub(crate) programs: Vec<Result<Lowered, Failure>>,
    pub(crate) reads: Reads,
}

/// What the lowering depends on, beyond the request.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Reads {
    /// The user's files that were read, absolute.
    pub(crate) files: Vec<PathBuf>,
    /// The environment variables that the user's Python code read.
    pub(crate) environment: Vec<EnvironmentVariable>,
    /// Files of this machine that change when an installed Python package does.
    pub(crate) distributions: Vec<PathBuf>,
}

/// An environment variable, as it was when Python was started.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EnvironmentVariable {
    pub(crate) name: String,
    /// None if it was not set.
    pub(crate) value: Option<String>,
}

/// What Python says of a program that it lowered: a [`ProgramRecord`] without what only Rust knows.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Lowered {
    location: Option<PythonLocation>,
    x64: bool,
    inputs: Vec<Leaf>,
    outputs: Vec<Leaf>,
    weights: Vec<Weight>,
    custom_calls: Vec<String>,
    stablehlo_version: StableHloVersion,
    calling_convention: u32,
    code_file: CodeFile,
    /// The platform of that code.
    platform: String,
    /// The same for the other platforms.
    #[serde(default)]
    other_platforms: Vec<PlatformCode>,
    /// Its machine code, which is made behind the lowering.
    #[serde(skip)]
    pub(crate) native: Native,
}

impl Lowered {
    /// The record of the program, under the name that it has in Rust.
    pub(crate) fn record(
        self,
        name: String,
        request: &ProgramRequest,
        declared: Declared,
    ) -> ProgramRecord {
        ProgramRecord {
            name,
            target: request.target.clone(),
            declared,
            location: self.location,
            platform: self.platform,
            x64: self.x64,
            inputs: self.inputs,
            outputs: self.outputs,
            custom_calls: self.custom_calls,
            stablehlo_version: self.stablehlo_version,
            calling_convention: self.calling_convention,
            code: self.code_file,
            other_platforms: self.other_platforms,
            native: self.native,
            weights: Weights {
                // Where there are none, nothing is said of their place.
                place: if self.weights.is_empty() {
                    WeightsIn::default()
                } else {
                    request.weights
                },
                arrays: self.weights,
            },
        }
    }
}

impl Lowered {
    /// The name of the file with the code, in the folder of the output.
    pub(crate) fn code_file(&self) -> &str {
        &self.code_file.file
    }

    /// The platform of that code.
    pub(crate) fn platform(&self) -> &str {
        &self.platform
    }

    /// The targets of its custom calls.
    pub(crate) fn custom_calls(&self) -> &[String] {
        &self.custom_calls
    }

    /// The types of its arguments and of its results.
    pub(crate) fn types(&self) -> [Vec<ArrayType>; 2] {
        [&self.inputs, &self.outputs]
            .map(|leaves| leaves.iter().map(|leaf| leaf.array_type).collect())
    }

    /// The files with the code and the weights must lie in the folder of the output itself.
    fn check_files(&self) -> Result<(), LowerError> {
        let others = self.other_platforms.iter().map(|other| &other.code.file);
        let weights = self.weights.iter().map(|weight| &weight.file);
        let own = std::iter::once(&self.code_file.file);
        for file in own.chain(others).chain(weights) {
            let file = Path::new(file);
            if file.file_name() != Some(file.as_os_str()) {
                let reason = format!("it has code outside of its folder, at {}", file.display());
                return Err(LowerError::Answer { reason });
            }
        }
        Ok(())
    }
}

#[derive(Deserialize)]
struct VersionOnly {
    version: u32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Refusal {
    #[serde(rename = "version")]
    _version: u32,
    error: Failure,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Reply {
    #[serde(rename = "version")]
    _version: u32,
    provenance: Provenance,
    programs: Vec<Outcome>,
    files: Vec<PathBuf>,
    environment: Vec<EnvironmentVariable>,
    distributions: Vec<PathBuf>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Outcome {
    Ok(Box<Lowered>),
    Error(Failure),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Progress {
    lowering: usize,
}

/// The number of the program that the child takes up, if `line` says that.
pub(crate) fn progress(line: &[u8]) -> Option<usize> {
    let Progress { lowering } = serde_json::from_slice(line).ok()?;
    Some(lowering)
}

/// Whether `line` is the answer, as opposed to what was printed before the child took over its stdout.
pub(crate) fn is_answer(line: &[u8]) -> bool {
    line.starts_with(br#"{"version""#)
}

impl Answer {
    /// Reads the answer to a request for `programs` programs.
    ///
    /// # Errors
    /// [`LowerError::Environment`] if Python can't lower anything, [`LowerError::Answer`] if this is no answer.
    pub(crate) fn from_json(line: &[u8], programs: usize) -> Result<Self, LowerError> {
        let malformed = |error: serde_json::Error| LowerError::Answer {
            reason: error.to_string(),
        };
        // The version first: another one has other fields.
        let VersionOnly { version } = serde_json::from_slice(line).map_err(malformed)?;
        if version != VERSION {
            let reason = format!("its version is {version}, not {VERSION}");
            return Err(LowerError::Answer { reason });
        }
        if let Ok(Refusal { error, .. }) = serde_json::from_slice(line) {
            return Err(LowerError::Environment(Box::new(error)));
        }
        let reply: Reply = serde_json::from_slice(line).map_err(malformed)?;
        if reply.programs.len() != programs {
            let given = reply.programs.len();
            let reason = format!("it tells of {given} programs, not of {programs}");
            return Err(LowerError::Answer { reason });
        }
        for outcome in &reply.programs {
            if let Outcome::Ok(lowered) = outcome {
                lowered.check_files()?;
            }
        }
        let lowered = reply.programs.into_iter().map(|outcome| match outcome {
            Outcome::Ok(lowered) => Ok(*lowered),
            Outcome::Error(failure) => Err(failure),
        });
        Ok(Self {
            provenance: reply.provenance,
            programs: lowered.collect(),
            reads: Reads {
                files: reply.files,
                environment: reply.environment,
                distributions: reply.distributions,
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cyxla_artifact::DType;

    const ANSWER: &str = r#"{"version": 1, "provenance": {"python": "3.11.7", "jax": "0.10.2", "jaxlib": "0.10.2"},
        "programs": [
            {"ok": {
                "location": {"file": "python/model.py", "line": 4}, "x64": false,
                "inputs": [{"path": "x", "type": {"dtype": "float32", "shape": [8, 4]}, "donated": true}],
                "outputs": [{"path": "result", "type": {"dtype": "float32", "shape": []}}],
                "weights": [{"path": "w", "type": {"dtype": "float32", "shape": [2]}, "bound": true, "file": "w.weight",
                    "sha256": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b856"}],
                "custom_calls": [], "stablehlo_version": "1.10.0", "calling_convention": 10,
                "platform": "cpu", "other_platforms": [{"platform": "cuda", "custom_calls": [], "code": {"file": "f-2.mlirbc",
                    "sha256": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}}],
                "code_file": {"file": "f-1.mlirbc",
                    "sha256": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}}},
            {"error": {"kind": "trace-failed", "message": "m", "help": "h", "location": null, "traceback": null}}],
        "files": ["/p/model.py"], "environment": [{"name": "A", "value": null}], "distributions": []}"#;

    fn refused(line: &str, programs: usize) -> String {
        match Answer::from_json(line.as_bytes(), programs) {
            Err(LowerError::Answer { reason }) => reason,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn an_answer_is_read() {
        let answer = Answer::from_json(ANSWER.as_bytes(), 2).unwrap();
        let lowered = answer.programs[0].as_ref().unwrap();
        let matrix = ArrayType::new(DType::F32, &[8, 4]).unwrap();
        assert_eq!(lowered.inputs[0].array_type, matrix);
        assert!(lowered.inputs[0].donated && !lowered.outputs[0].donated);
        assert_eq!(answer.programs[1].as_ref().unwrap_err().message, "m");
        assert_eq!(answer.reads.files, [PathBuf::from("/p/model.py")]);
    }

    #[test]
    fn every_truncation_is_an_error() {
        for end in 0..ANSWER.len() {
            assert!(!refused(&ANSWER[..end], 2).is_empty(), "{end} bytes");
        }
    }

    #[test]
    fn what_contradicts_the_request_is_an_error() {
        assert_eq!(refused(ANSWER, 3), "it tells of 2 programs, not of 3");
        let other = ANSWER.replacen("\"version\": 1", "\"version\": 7", 1);
        assert_eq!(refused(&other, 2), "its version is 7, not 1");
    }

    #[test]
    fn what_no_array_can_be_is_an_error() {
        for (from, to) in [
            ("[8, 4]", "[8, -4]"),
            ("[8, 4]", "[4611686018427387904, 8]"),
            ("float32", "float24"),
            ("\"e3b0", "\"xxxx"),
            ("1.10.0", "1.10"),
            ("\"line\": 4", "\"line\": 4294967296"),
            ("trace-failed", "unheard-of"),
            ("f-1.mlirbc", "../f-1.mlirbc"),
            ("f-1.mlirbc", "/etc/passwd"),
            ("f-1.mlirbc", ""),
            ("f-2.mlirbc", "../f-2.mlirbc"),
            ("w.weight", "../w.weight"),
        ] {
            let hostile = ANSWER.replacen(from, to, 1);
            assert_ne!(hostile, ANSWER);
            assert!(!refused(&hostile, 2).is_empty(), "{to}");
        }
    }

    #[test]
    fn a_refusal_is_an_error_of_the_environment() {
        let line = r#"{"version": 1, "error": {"kind": "no-jax", "message": "no JAX", "help": "install it",
            "location": null, "traceback": null}}"#;
        let error = Answer::from_json(line.as_bytes(), 2).unwrap_err();
        assert!(matches!(error, LowerError::Environment(_)), "{error:?}");
    }

    #[test]
    fn progress_is_told_from_answer_and_noise() {
        assert_eq!(progress(br#"{"lowering": 3}"#), Some(3));
        assert_eq!(progress(ANSWER.as_bytes()), None);
        assert_eq!(progress(b"a site file was here"), None);
        assert!(is_answer(ANSWER.as_bytes()) && !is_answer(br#"{"lowering": 3}"#));
    }
}
