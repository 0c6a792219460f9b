//! Whether what was lowered earlier still holds.
//!
//! | compared | of OUT_DIR | of `.cyxla` |
//! |---|---|---|
//! | the request: declarations, array types, options, the Python folders that the package names | yes | yes |
//! | the files of the package that the lowering read | yes | yes |
//! | such files outside of the package | yes | those that are there |
//! | the environment variables that the user's Python code read | yes | no |
//! | cyxla-build, its script, JAX's settings, the interpreter and its packages | yes | no |
//!
//! A committed artifact goes to other machines with other tools, and was made so as to serve them. It must not go stale
//! there because a package was upgraded: nobody could refresh it.

mod local;
mod stamps;

use std::ffi::OsStr;
use std::fmt;
use std::path::PathBuf;

use cyxla_artifact::{Digest, Engine, Hasher, Level, Linalg, Manifest, Source, Variable};

pub(crate) use local::{LOCAL_FILE, Local, Lowering, Tools};
pub(crate) use stamps::Stamps;

use crate::cargo::Variables;
use crate::package::Package;
use crate::protocol::ProgramRequest;
use crate::scan::Program;

/// The environment variables that change what JAX and its companions lower to, beside those that user code reads itself,
/// and where the plugin of a managed environment is made known.
///
/// Source: the settings of `jax._src.config`; `EQX_ON_ERROR` of Equinox.
const SETTINGS: [&str; 19] = [
    "CYXLA_DATA_DIR",
    "EQX_ON_ERROR",
    "HOME",
    "JAX_DEBUG_NANS",
    "JAX_DEFAULT_DTYPE_BITS",
    "JAX_DEFAULT_MATMUL_PRECISION",
    "JAX_DEFAULT_PRNG_IMPL",
    "JAX_DISABLE_JIT",
    "JAX_ENABLE_CHECKS",
    "JAX_ENABLE_CUSTOM_PRNG",
    "JAX_ENABLE_X64",
    "JAX_EXPORT_CALLING_CONVENTION_VERSION",
    "JAX_NUMPY_DTYPE_PROMOTION",
    "JAX_NUMPY_RANK_PROMOTION",
    "JAX_RANDOM_SEED_OFFSET",
    "JAX_THREEFRY_PARTITIONABLE",
    "JAX_USE_SHARDY_PARTITIONER",
    "PYTHONPATH",
    "XDG_DATA_HOME",
];

/// All that is asked of JAX for a package.
#[derive(Debug)]
pub(crate) struct Asked<'a> {
    pub(crate) package: &'a Package,
    /// The declarations, and each as JAX is asked for it.
    pub(crate) programs: &'a [(Program, ProgramRequest)],
    pub(crate) debug_info: bool,
    /// The folders with Python modules that the package itself names, absolute.
    pub(crate) python_path: &'a [PathBuf],
    /// The files that are declared to matter, absolute.
    pub(crate) dependencies: &'a [PathBuf],
    /// The levels of instructions that machine code is made for.
    pub(crate) levels: &'a [Level],
}

impl Asked<'_> {
    /// The digest of the request: the same on every machine and in every folder.
    pub(crate) fn digest(&self) -> Digest {
        let mut hasher = Hasher::new()
            .part("schema", cyxla_artifact::SCHEMA.to_string())
            .part("debug_info", self.debug_info.to_string());
        for folder in self.python_path {
            hasher = hasher.part("python_path", self.package.relative(folder));
        }
        for file in self.dependencies {
            hasher = hasher.part("dependency", self.package.relative(file));
        }
        for (program, request) in self.programs {
            hasher = hasher
                .part("name", &program.name)
                .part("target", &program.target)
                .part("signature", &program.declared.signature)
                .part("options", &program.declared.options)
                .part(
                    "platform",
                    request
                        .platforms
                        .iter()
                        .map(|platform| platform.name())
                        .collect::<Vec<_>>()
                        .join(" "),
                )
                .part("x64", format!("{} {}", request.x64, request.x64_explicit));
            if request.linalg != Linalg::default() {
                hasher = hasher.part("linalg", request.linalg.to_string());
            }
            if request.engine != Engine::default() {
                hasher = hasher.part("engine", request.engine.name());
            }
            if request.engine.is_baked() {
                let levels: Vec<&str> = self.levels.iter().map(|level| level.name()).collect();
                hasher = hasher.part("levels", levels.join(" "));
            }
            if let Some(version) = request.stablehlo_version {
                hasher = hasher.part("stablehlo_version", version.to_string());
            }
            for argument in &program.arguments {
                let ty = argument.array_type.map(|ty| ty.to_string());
                hasher = hasher
                    .part("argument", &argument.name)
                    .part("type", ty.unwrap_or_default());
            }
        }
        hasher.finish()
    }
}

/// The settings of JAX in the environment.
pub(crate) fn settings(variables: &Variables) -> Vec<Variable> {
    SETTINGS
        .iter()
        .map(|name| variable(name, variables))
        .collect()
}

/// An environment variable as it is recorded.
pub(crate) fn variable(name: &str, variables: &Variables) -> Variable {
    let digest = |value: &OsStr| Digest::of(value.as_encoded_bytes());
    Variable {
        name: name.to_owned(),
        sha256: variables.get(name).as_deref().map(digest),
    }
}

/// Something because of which an artifact is not fresh.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Change {
    /// There is none.
    Absent,
    /// It can't be used.
    Damaged(String),
    /// The declarations or the options.
    Request,
    /// A file that was read.
    File(String),
    /// A file that was read and can't be read any more.
    Gone(String),
    /// An environment variable that was read.
    Variable(String),
    /// This package, or what chooses the Python.
    Tools,
    /// The Python environment: a file of it.
    Environment(PathBuf),
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Absent => f.write_str("nothing is there"),
            Self::Damaged(reason) => write!(f, "it can't be used: {reason}"),
            Self::Request => f.write_str("the declarations in Rust, or options, changed"),
            Self::File(path) => write!(f, "{path} changed"),
            Self::Gone(path) => write!(f, "{path} is gone"),
            Self::Variable(name) => write!(f, "the environment variable {name} changed"),
            Self::Tools => {
                f.write_str("cyxla-build, the choice of Python or a setting of JAX changed")
            }
            Self::Environment(path) => {
                write!(f, "the Python environment changed: {}", path.display())
            }
        }
    }
}

/// What changed since the committed artifact with this manifest was made.
pub(crate) fn committed_changes(
    manifest: &Manifest,
    asked: &Asked<'_>,
    stamps: &mut Stamps,
) -> Vec<Change> {
    let mut changes: Vec<Change> = request_change(manifest, asked).into_iter().collect();
    let package = asked.package;
    let is_inside = |source: &&Source| !source.path.starts_with("../");
    let mut inside = manifest.sources.iter().filter(is_inside).peekable();
    // A package can be published without its Python sources: what was lowered from them is all that its users need.
    let are_shipped = inside.any(|source| package.root.join(&source.path).exists());
    for source in &manifest.sources {
        let is_there = package.root.join(&source.path).exists();
        if is_there || (are_shipped && is_inside(&source)) {
            changes.extend(source_change(source, package, stamps));
        }
    }
    changes
}

/// What changed since the artifact in OUT_DIR with this manifest was lowered.
pub(crate) fn lowered_changes(
    manifest: &Manifest,
    lowering: &Lowering,
    asked: &Asked<'_>,
    tools: &Tools,
    variables: &Variables,
    stamps: &mut Stamps,
) -> Vec<Change> {
    let mut changes: Vec<Change> = request_change(manifest, asked).into_iter().collect();
    for source in &manifest.sources {
        changes.extend(source_change(source, asked.package, stamps));
    }
    for recorded in &manifest.environment {
        if variable(&recorded.name, variables) != *recorded {
            changes.push(Change::Variable(recorded.name.clone()));
        }
    }
    if lowering.tools != *tools {
        changes.push(Change::Tools);
    }
    if !lowering.interpreter.exists() {
        changes.push(Change::Environment(lowering.interpreter.clone()));
    }
    for (path, sha256) in &lowering.files {
        if stamps.digest(path).ok() != Some(*sha256) {
            changes.push(Change::Environment(path.clone()));
        }
    }
    changes
}

fn request_change(manifest: &Manifest, asked: &Asked<'_>) -> Option<Change> {
    let is_same = manifest.request == asked.digest() && manifest.package == asked.package.name;
    (!is_same).then_some(Change::Request)
}

fn source_change(source: &Source, package: &Package, stamps: &mut Stamps) -> Option<Change> {
    match stamps.digest(&package.root.join(&source.path)) {
        Ok(sha256) if sha256 == source.sha256 => None,
        Ok(_) => Some(Change::File(source.path.clone())),
        Err(_) => Some(Change::Gone(source.path.clone())),
    }
}

/// The record of the files that a lowering read, sorted; or the first that can't be read.
pub(crate) fn sources(
    files: &[PathBuf],
    package: &Package,
    stamps: &mut Stamps,
) -> Result<Vec<Source>, (PathBuf, std::io::Error)> {
    let mut sources = Vec::new();
    for file in files {
        let sha256 = stamps
            .digest(file)
            .map_err(|source| (file.clone(), source))?;
        sources.push(Source {
            path: package.relative(file),
            sha256,
        });
    }
    sources.sort();
    sources.dedup();
    Ok(sources)
}
