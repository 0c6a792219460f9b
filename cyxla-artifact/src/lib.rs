//! What a lowered JAX program is.
//!
//! `cyxla-build` writes an artifact, `cyxla-macros` reads it and `cyxla-runtime` runs it; this crate is the schema that
//! the three share. It does no I/O beyond reading and writing an artifact, and it holds no unsafe code.
//!
//! ```text
//! cyxla/                  an artifact: one folder
//! ├── manifest.json       [`Manifest`]: one [`ProgramRecord`] per program
//! ├── predict-1f0c….mlirbc  StableHLO bytecode of one program for one platform
//! ├── predict-x86-64-v3-27ab….image  machine code of it, if asked for
//! └── 5a1e….weight          the elements of one array that programs hold
//! ```
//!
//! Everything here is total: any bytes give a value or a typed error.

#![forbid(unsafe_code)]

#[macro_use]
mod words;

mod array_type;
mod custom_calls;
mod digest;
mod dtype;
mod linalg;
mod manifest;
mod native;
mod platform;
mod program;
mod stablehlo;
mod text;
mod weights;

pub use array_type::{ArrayType, ArrayTypeError, MAX_RANK, RustType};
pub use custom_calls::{LINALG_CALLS, XLA_CALL_PREFIXES, XLA_CALLS, is_xla_call};
pub use digest::{Digest, DigestError, Hasher};
pub use dtype::{DType, UnknownDType};
pub use linalg::{Linalg, UnknownLinalg};
pub use manifest::{MANIFEST_FILE, Manifest, ManifestError, SCHEMA, Source, Variable};
pub use native::{Engine, ImageFile, Level, Native};
pub use platform::Platform;
pub use program::{
    CodeFile, Declared, Leaf, LoweredProgram, PlatformCode, ProgramRecord, Provenance,
    PythonLocation,
};
pub use stablehlo::{StableHloVersion, StableHloVersionError};
pub use text::Text;
pub use weights::{UnknownWeightsIn, Weight, WeightData, Weights, WeightsIn};
pub use words::UnknownWord;
