use cyxla::Engine;
use serde::{Deserialize, Serialize};

/// What came of a case.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Outcome {
    /// It does what it does in JAX.
    #[serde(rename = "ok")]
    Ok,
    /// It runs, and gives something else.
    #[serde(rename = "differs")]
    Differs,
    /// JAX can't export it as written, such as a program that calls back into Python.
    #[serde(rename = "not exportable")]
    NotExportable,
    /// It is to run as machine code, and has steps that can't.
    #[serde(rename = "not native")]
    NotNative,
    /// It should run and does not.
    #[serde(rename = "fails")]
    Fails,
}

impl Outcome {
    /// Its name in the table and in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Differs => "differs",
            Self::NotExportable => "not exportable",
            Self::NotNative => "not native",
            Self::Fails => "fails",
        }
    }

    /// Whether a run with it is a failed one.
    pub const fn is_bad(self) -> bool {
        matches!(self, Self::Differs | Self::Fails)
    }
}

/// One case: what came of it, and how long each stage took (seconds).
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Row {
    /// The name of its module.
    pub name: String,
    /// What came of it.
    pub outcome: Outcome,
    /// Why it is not ok, or how well it agrees.
    pub reason: String,
    /// What ran it.
    pub engine: Engine,
    /// The number of arrays among the arguments.
    pub arguments: Option<usize>,
    /// The number of arrays among the results.
    pub results: Option<usize>,
    /// The largest difference to JAX, see [`Difference`](super::difference::Difference).
    pub difference: Option<f64>,
    /// Time for Python to start, import and lower.
    pub lower_seconds: Option<f64>,
    /// Time for XLA to compile; to machine code with Python's start.
    pub compile_seconds: Option<f64>,
    /// Time to load the executable from the disk cache, or machine code; none if the plugin can't serialise it.
    pub load_seconds: Option<f64>,
    /// Median time of a call.
    pub call_seconds: Option<f64>,
}

impl Row {
    /// The row of a case that has got nowhere yet.
    pub fn new(name: &str, engine: Engine) -> Self {
        Self {
            name: name.to_owned(),
            outcome: Outcome::Fails,
            reason: String::new(),
            engine,
            arguments: None,
            results: None,
            difference: None,
            lower_seconds: None,
            compile_seconds: None,
            load_seconds: None,
            call_seconds: None,
        }
    }
}
