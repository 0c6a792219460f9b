//! The programs of a binary.

use std::fmt;
use std::sync::{Mutex, OnceLock, PoisonError};

use std::path::Path;

use cyxla_artifact::{
    ArrayType, CodeFile, Declared, Digest, Engine, Leaf, LoweredProgram, Native, ProgramRecord,
    StableHloVersion, Weight, WeightData, Weights, WeightsIn,
};

use crate::cache::{CacheKey, CacheOutcome, DiskCache};
use crate::compile::{Compiled, compile_program_in};
use crate::engine::{Chosen, RunsOn};
use crate::error::{Error, NativeError};
use crate::error_info::counted;
use crate::executable::Executable;
use crate::runtime::default_client;
use crate::statistics::CompileStatistics;
use crate::weights::{self, ProgramWeight, WeightSource, WeightsError};

/// A JAX program that is part of this binary; made by `#[cyxla::program]`, one for each function.
///
/// The type beside the function gives it: `predict::program()`. It is compiled, or loaded from the disk cache, at the first
/// call, once per process; threads that call meanwhile wait for that.
///
/// ```no_run
/// # fn ahead(program: &cyxla_runtime::Program) -> cyxla_runtime::Result<()> {
/// let statistics = program.load()?;
/// println!("{}: {:.3} s", program.target(), statistics.compile_seconds + statistics.load_seconds);
/// # Ok(())
/// # }
/// ```
pub struct Program {
    parts: ProgramParts,
    other_platforms: &'static [PlatformParts],
    native: NativeParts,
    chosen: OnceLock<Chosen>,
    weights: &'static [ProgramWeight],
    loaded: OnceLock<Compiled>,
    loading: Mutex<()>,
}

/// One array among the arguments or results of a [`Program`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Parameter {
    /// The name in Python and the path below it, `params['w']`; for results `result[0]`.
    pub path: &'static str,
    /// Element type and shape.
    pub array_type: ArrayType,
    /// Whether the program may reuse the memory of this argument.
    pub donated: bool,
}

/// What the expansion of `#[cyxla::program]` says of its program.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct ProgramParts {
    pub name: &'static str,
    pub target: &'static str,
    pub platform: &'static str,
    pub x64: bool,
    pub inputs: &'static [Parameter],
    pub outputs: &'static [Parameter],
    pub custom_calls: &'static [&'static str],
    pub stablehlo_version: StableHloVersion,
    pub calling_convention: u32,
    pub sha256: [u8; 32],
    pub code: &'static [u8],
}

/// What the expansion of `#[cyxla::program]` says of its program for one more platform.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct PlatformParts {
    pub platform: &'static str,
    pub custom_calls: &'static [&'static str],
    pub sha256: [u8; 32],
    pub code: &'static [u8],
}

/// What the expansion of `#[cyxla::program]` says of a program's machine code.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct NativeParts {
    pub engine: Engine,
    pub images: &'static [&'static [u8]],
    pub reason: Option<&'static str>,
}

impl Program {
    #[doc(hidden)]
    pub const fn new(parts: ProgramParts) -> Self {
        Self {
            parts,
            other_platforms: &[],
            native: NativeParts {
                engine: Engine::Pjrt,
                images: &[],
                reason: None,
            },
            chosen: OnceLock::new(),
            weights: &[],
            loaded: OnceLock::new(),
            loading: Mutex::new(()),
        }
    }

    #[doc(hidden)]
    #[must_use]
    pub const fn with_native(mut self, native: NativeParts) -> Self {
        self.native = native;
        self
    }

    #[doc(hidden)]
    #[must_use]
    pub const fn with_platforms(mut self, other_platforms: &'static [PlatformParts]) -> Self {
        self.other_platforms = other_platforms;
        self
    }

    #[doc(hidden)]
    #[must_use]
    pub const fn with_weights(mut self, weights: &'static [ProgramWeight]) -> Self {
        self.weights = weights;
        self
    }

    /// The arrays that it holds: what was bound with `bind(…)`, and the large constants that the Python function closes over.
    ///
    /// ```no_run
    /// # fn report(program: &cyxla_runtime::Program) {
    /// for weight in program.weights() {
    ///     println!("{}: {}, {} bytes", weight.path, weight.array_type, weight.nbytes());
    /// }
    /// # }
    /// ```
    pub const fn weights(&self) -> &'static [ProgramWeight] {
        self.weights
    }

    /// Takes other weights, of the same types, from a file in the format of safetensors: calls that begin from now on run with
    /// them, calls that run keep those that they began with. Other programs keep theirs, also where they shared them.
    ///
    /// A tensor is found by its name: `params['dense']['w']`, `params.dense.w` and `dense.w` are one. All that was bound must
    /// be there; what the function closes over is exchanged where the file has it. Other tensors of the file are left alone.
    ///
    /// ```no_run
    /// # fn update(program: &cyxla_runtime::Program) -> cyxla_runtime::Result<()> {
    /// program.load_weights("models/2026-12.safetensors")?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Blocking
    /// Until the file is read and on the device; and as [`load`](Self::load), if the program is not loaded.
    ///
    /// # Errors
    /// The file can't be read, lacks weights, or has them with other types: then the weights are as before. Or the program
    /// has none apart from its code, or can't be loaded.
    pub fn load_weights(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        if self.weights.is_empty() {
            // Without a plugin for a program that runs as machine code.
            let program = self.name().to_owned();
            return Err(WeightsError::Nothing { program }.into());
        }
        self.executable()?.load_weights(path)
    }

    /// The images of its machine code, the most demanding first; empty if none was asked for, or none could be made.
    ///
    /// Source: the format is that of `cyxla_native::image`.
    pub const fn images(&self) -> &'static [&'static [u8]] {
        self.native.images
    }

    /// Why there is no machine code of it, although it was asked for with `engine = …`.
    pub const fn not_native(&self) -> Option<&'static str> {
        self.native.reason
    }

    /// The name of the function in Rust.
    pub const fn name(&self) -> &'static str {
        self.parts.name
    }

    /// The Python function as an entry point, `module:function`.
    pub const fn target(&self) -> &'static str {
        self.parts.target
    }

    /// The JAX platform that it was lowered for, `cpu`; of several, that of [`code`](Self::code).
    pub const fn platform(&self) -> &'static str {
        self.parts.platform
    }

    /// All platforms that it was lowered for, with `platforms = …`. It is loaded for the one that the plugin runs on.
    pub fn platforms(&self) -> Vec<&'static str> {
        let others = self.other_platforms.iter().map(|other| other.platform);
        std::iter::once(self.parts.platform).chain(others).collect()
    }

    /// The arguments, in calling order.
    pub const fn inputs(&self) -> &'static [Parameter] {
        self.parts.inputs
    }

    /// The results, in order.
    pub const fn outputs(&self) -> &'static [Parameter] {
        self.parts.outputs
    }

    /// StableHLO bytecode.
    pub const fn code(&self) -> &'static [u8] {
        self.parts.code
    }

    /// The StableHLO version that the code is written at.
    pub const fn stablehlo_version(&self) -> StableHloVersion {
        self.parts.stablehlo_version
    }

    /// The program as it left JAX for one of its [`platforms`](Self::platforms); none if it was not lowered for that one.
    pub fn lowered_for(&self, platform: &str) -> Option<LoweredProgram> {
        if platform == self.parts.platform {
            return Some(self.lowered());
        }
        let mut others = self.other_platforms.iter();
        let other = others.find(|other| other.platform == platform)?;
        let of_other = Self::new(ProgramParts {
            platform: other.platform,
            custom_calls: other.custom_calls,
            sha256: other.sha256,
            code: other.code,
            ..self.parts
        });
        Some(of_other.lowered())
    }

    /// The program as it left JAX, for [`compile_program`](crate::compile_program). The code is borrowed from the binary.
    pub fn lowered(&self) -> LoweredProgram {
        let leaf = |parameter: &Parameter| Leaf {
            path: parameter.path.to_owned(),
            array_type: parameter.array_type,
            donated: parameter.donated,
        };
        let (parts, native) = (&self.parts, &self.native);
        let record = ProgramRecord {
            name: parts.name.to_owned(),
            target: parts.target.to_owned(),
            declared: Declared::default(),
            location: None,
            platform: parts.platform.to_owned(),
            x64: parts.x64,
            inputs: parts.inputs.iter().map(leaf).collect(),
            outputs: parts.outputs.iter().map(leaf).collect(),
            custom_calls: parts
                .custom_calls
                .iter()
                .map(|&target| target.to_owned())
                .collect(),
            stablehlo_version: parts.stablehlo_version,
            calling_convention: parts.calling_convention,
            code: CodeFile {
                file: String::new(),
                sha256: Digest::from_bytes(parts.sha256),
            },
            other_platforms: Vec::new(),
            native: Native {
                engine: native.engine,
                images: Vec::new(),
                reason: native.reason.map(str::to_owned),
            },
            weights: Weights {
                place: WeightsIn::default(),
                arrays: self.weights.iter().map(weight).collect(),
            },
        };
        LoweredProgram {
            record,
            code: parts.code.into(),
            weights: self.weights.iter().map(weight_data).collect(),
        }
    }

    /// Which engine was asked for: `engine = …` of its declaration or its package.
    pub const fn asked_engine(&self) -> Engine {
        self.native.engine
    }

    /// What runs it, and why. Machine code is loaded for that, a PJRT plugin is not.
    ///
    /// # Errors
    /// It is to run as machine code, and there is none that this processor can run.
    pub fn engine(&self) -> Result<RunsOn, Error> {
        self.chosen().map(Chosen::runs_on)
    }

    /// Loads the machine code of the program, or compiles it, or loads what was compiled from the disk cache, ahead of the first
    /// call. Done once; later calls return what the first one took.
    ///
    /// # Blocking
    /// For as long as a compilation takes, 50 ms to minutes; also when another thread is at it.
    ///
    /// # Errors
    /// No plugin is found, it can't be loaded, or it refuses the program. A later call tries again.
    pub fn load(&self) -> Result<CompileStatistics, Error> {
        match self.chosen()? {
            Chosen::Native(native) => Ok(native.statistics()),
            Chosen::Pjrt(_) => self.loaded().map(|compiled| compiled.statistics),
        }
    }

    /// What compiling or loading took, if that has happened.
    pub fn statistics(&self) -> Option<CompileStatistics> {
        match self.chosen.get()? {
            Chosen::Native(native) => Some(native.statistics()),
            Chosen::Pjrt(_) => self.loaded.get().map(|compiled| compiled.statistics),
        }
    }

    /// What the disk cache did for this program, and why it was compiled if it was; none as long as it is not loaded.
    ///
    /// ```no_run
    /// # fn report(program: &cyxla_runtime::Program) {
    /// if let Some(outcome) = program.cache_outcome() {
    ///     println!("{}: {outcome}", program.name());
    /// }
    /// # }
    /// ```
    pub fn cache_outcome(&self) -> Option<&CacheOutcome> {
        self.loaded.get().map(|compiled| &compiled.cache)
    }

    /// What this program is kept under in the disk cache: everything that decides what the compiler makes of it. None as
    /// long as it is not loaded, or if the cache is off.
    pub fn cache_key(&self) -> Option<&CacheKey> {
        self.loaded.get()?.key.as_ref()
    }

    /// The program as a PJRT plugin has compiled it; compiled or loaded first if need be. A program that runs as machine code
    /// has this beside it, for those who ask.
    ///
    /// # Errors
    /// No plugin is found, it can't be loaded, or it refuses the program. A later call tries again.
    pub fn executable(&self) -> Result<&Executable, Error> {
        self.loaded().map(|compiled| &compiled.executable)
    }

    fn loaded(&self) -> Result<&Compiled, Error> {
        match self.loaded.get() {
            Some(loaded) => Ok(loaded),
            None => self.load_first(),
        }
    }

    /// The engine that runs it, ready to be called.
    ///
    /// # Errors
    /// Those of [`engine`](Self::engine).
    #[inline]
    pub(crate) fn chosen(&self) -> Result<&Chosen, Error> {
        match self.chosen_before() {
            Some(chosen) => Ok(chosen),
            None => self.choose(),
        }
    }

    /// The same, if it has been found out before.
    #[inline]
    pub(crate) fn chosen_before(&self) -> Option<&Chosen> {
        self.chosen.get()
    }

    #[cold]
    fn choose(&self) -> Result<&Chosen, Error> {
        let _one_at_a_time = self.loading.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(chosen) = self.chosen.get() {
            return Ok(chosen);
        }
        let chosen = counted(Chosen::of(self))?;
        Ok(self.chosen.get_or_init(|| chosen))
    }

    #[cold]
    fn load_first(&self) -> Result<&Compiled, Error> {
        // A thread that panicked while it held the lock has left nothing behind.
        let _one_at_a_time = self.loading.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(loaded) = self.loaded.get() {
            return Ok(loaded);
        }
        let cache = DiskCache::of_environment();
        let client = default_client().map_err(|error| self.without_plugin(error))?;
        // Where there is none for this platform, the error names the first.
        let program = self.lowered_for(client.platform());
        let program = program.unwrap_or_else(|| self.lowered());
        let loaded = compile_program_in(&cache, &client, &program)?;
        Ok(self.loaded.get_or_init(|| loaded))
    }

    /// The error that there is no plugin, of a program that would rather have run as machine code.
    fn without_plugin(&self, error: Error) -> Error {
        match self.chosen.get() {
            Some(Chosen::Pjrt(reason)) if self.native.engine == Engine::Auto => {
                NativeError::Neither {
                    program: self.name().to_owned(),
                    reason: reason.clone(),
                    source: Box::new(error),
                }
                .into()
            }
            _ => error,
        }
    }
}

fn weight(weight: &ProgramWeight) -> Weight {
    Weight {
        path: weight.path.to_owned(),
        array_type: weight.array_type,
        bound: weight.bound,
        file: String::new(),
        sha256: Digest::from_bytes(weight.sha256),
    }
}

fn weight_data(weight: &ProgramWeight) -> WeightData {
    match weight.source {
        WeightSource::Binary(bytes) => WeightData::Bytes(bytes.into()),
        WeightSource::File { name, folder } => WeightData::File(weights::found(name, folder)),
    }
}

impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Program")
            .field("name", &self.parts.name)
            .field("target", &self.parts.target)
            .field("inputs", &self.parts.inputs)
            .field("outputs", &self.parts.outputs)
            .field("loaded", &self.loaded.get().is_some())
            .finish_non_exhaustive()
    }
}
