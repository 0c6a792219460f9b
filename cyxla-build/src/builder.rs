#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use cyxla_artifact::{
    Digest, Engine, Hasher, Level, Linalg, Platform, ProgramRecord, StableHloVersion, WeightsIn,
};

use crate::cargo::{self, Variables, variable};
use crate::custom_calls;
use crate::donation;
use crate::error::Error;
use crate::freshness::{self, Asked, Tools};
use crate::lower::{self, Job};
use crate::native::{self, Baking, CpuTarget};
use crate::package::{Package, PackageError, PythonSetting};
use crate::protocol::ProgramRequest;
use crate::python::{self, EnvironmentRequest};
use crate::scan::{self, Program, Scan};
use crate::store::{self, ARTIFACT, COMMITTED, StoreError};
use crate::update::{Done, Made, Outcome, Task};

/// Has JAX lower the programs of a package, from its build script.
///
/// ```no_run
/// // build.rs
/// cyxla_build::Builder::new().python_path("python").run();
/// ```
///
/// Every `#[cyxla::program]` in the library, binaries, examples, tests and benches of the package is found and lowered, also
/// those behind a `#[cfg]`. Relative paths count from the package's root. What `[package.metadata.cyxla]` or
/// `[workspace.metadata.cyxla]` says in Cargo.toml stands behind what is said here.
///
/// # Which Python
/// The first of: the environment variable CYXLA_PYTHON; [`python`](Self::python) or [`requirements`](Self::requirements);
/// `python` in Cargo.toml; VIRTUAL_ENV; `.venv` of the package or the workspace; CONDA_PREFIX; `python3` and `python` on
/// PATH.
///
/// # When it is started
/// Only if something changed that the lowering depends on: a declaration, a Python or data file that was read, an
/// environment variable that the Python code read, the Python environment.
///
/// A folder `.cyxla` in the package is the committed copy of what was lowered. While it holds, Python is not needed at all:
/// not on docs.rs, not by `cargo publish`, not by users of the package. Switches in the environment:
///
/// | variable | |
/// |---|---|
/// | `CYXLA_UPDATE=1` | lower anew and write `.cyxla`; nothing else ever writes into the package |
/// | `CYXLA_OFFLINE=1` | never start Python; an error if that means that nothing holds |
/// | `DOCS_RS=1` | as docs.rs sets it: as offline, and `.cyxla` is taken even if it is stale |
#[derive(Clone, Debug, Default)]
#[must_use = "a builder does nothing until `run` or `lower_to`"]
pub struct Builder {
    package: Option<PathBuf>,
    python_path: Vec<PathBuf>,
    python: Option<PythonSetting>,
    stablehlo_version: Option<StableHloVersion>,
    linalg: Linalg,
    engine: Option<Engine>,
    levels: Vec<Level>,
    platforms: Vec<Platform>,
    debug_info: bool,
    dependencies: Vec<PathBuf>,
}

/// What [`Builder::lower_to`] did.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Report {
    /// The programs, sorted by name, target and signature.
    pub programs: Vec<ProgramRecord>,
    /// Where they came from.
    pub outcome: Outcome,
    /// The folder of the artifact.
    pub artifact: PathBuf,
    /// Files and folders whose change means that it must be done again.
    pub watched: Vec<PathBuf>,
    /// Environment variables whose change means that it must be done again.
    pub variables: Vec<String>,
    /// What the user should know, one line each.
    pub warnings: Vec<String>,
}

impl Builder {
    /// A builder for the package of this build script.
    pub fn new() -> Self {
        Self::default()
    }

    /// The package in this folder, for use outside of a build script.
    pub fn package(mut self, root: impl Into<PathBuf>) -> Self {
        self.package = Some(root.into());
        self
    }

    /// Adds a folder in which Python looks for modules before all others.
    ///
    /// Without any, here and in Cargo.toml, it is `python` of the package if that is there, else the package's root.
    pub fn python_path(mut self, folder: impl Into<PathBuf>) -> Self {
        self.python_path.push(folder.into());
        self
    }

    /// The interpreter: a path, or a command that is looked up on PATH. JAX must be installed for it.
    pub fn python(mut self, interpreter: impl Into<PathBuf>) -> Self {
        self.python = Some(PythonSetting::Interpreter(interpreter.into()));
        self
    }

    /// A managed environment: made from this requirements file, once, in the user's cache directory.
    pub fn requirements(mut self, file: impl Into<PathBuf>) -> Self {
        self.python = Some(PythonSetting::Requirements(file.into()));
        self
    }

    /// The StableHLO version to write the programs at, unless they name one themselves. By default
    /// [`StableHloVersion::DEFAULT`], or the newest that the installed jaxlib knows if that is older.
    pub fn stablehlo_version(mut self, version: StableHloVersion) -> Self {
        self.stablehlo_version = Some(version);
        self
    }

    /// What the linear algebra of the programs is lowered to, unless they say `linalg = …` themselves: by default
    /// [`Linalg::Lapack`], custom calls that the run time has handlers for.
    pub fn linalg(mut self, linalg: Linalg) -> Self {
        self.linalg = linalg;
        self
    }

    /// What runs the programs, unless they say `engine = …` themselves. By default what Cargo.toml says, else
    /// [`Engine::Pjrt`].
    ///
    /// With the other engines XLA compiles the programs now, through the jaxlib of the Python that lowers, 0.10 or newer.
    pub fn engine(mut self, engine: Engine) -> Self {
        self.engine = Some(engine);
        self
    }

    /// The levels of instructions that machine code is made for. By default what Cargo.toml says, else
    /// [`Level::DEFAULT`]. Each takes a Python process of its own.
    pub fn levels(mut self, levels: impl IntoIterator<Item = Level>) -> Self {
        self.levels = levels.into_iter().collect();
        self
    }

    /// The platforms that the programs are lowered for, unless they say `platforms = …` themselves. By default what
    /// Cargo.toml says, else the CPU.
    ///
    /// Each is one more module in the binary, and the run time takes that of its plugin. No device is needed to lower.
    pub fn platforms(mut self, platforms: impl IntoIterator<Item = Platform>) -> Self {
        self.platforms = platforms.into_iter().collect();
        self
    }

    /// Whether the code keeps the places in Python that it comes from. They hold paths of this machine, so that the artifact
    /// differs from machine to machine.
    pub fn debug_info(mut self, keep: bool) -> Self {
        self.debug_info = keep;
        self
    }

    /// Adds a file that the lowering of all programs depends on unseen: one that is read by another process, or by a library
    /// that opens files without Python. For one program, the attribute has `deps`.
    pub fn dependency(mut self, file: impl Into<PathBuf>) -> Self {
        self.dependencies.push(file.into());
        self
    }

    /// Lowers, tells Cargo what to watch and where the artifact lies; on an error prints a report and ends the build script.
    ///
    /// # Blocking
    /// Until Python is done, if it is started: a second and more.
    pub fn run(&self) {
        match self.run_with(&Variables::of_process()) {
            Ok(report) => report.tell_cargo(),
            Err(error) => {
                eprintln!("\nerror: the programs of this package can't be lowered\n\n{error}\n");
                std::process::exit(1);
            }
        }
    }

    fn run_with(&self, variables: &Variables) -> Result<Report, Error> {
        let out = given(variables, "OUT_DIR")?;
        let root = self.root(variables)?;
        self.lower_package(&root, &out.join(ARTIFACT), variables, &|wanted| {
            wanted.made(variables)
        })
    }

    /// Lowers into the folder `out` without a word to Cargo: for tools, and for build scripts that speak to it themselves.
    /// What Python prints goes to standard error.
    ///
    /// Outside of a build script, [`package`](Self::package) says which package is meant.
    ///
    /// # Blocking
    /// Until Python is done, if it is started: a second and more.
    ///
    /// # Errors
    /// Everything that keeps the programs from being lowered: all declarations, or all programs, that are wrong.
    pub fn lower_to(&self, out: &Path) -> Result<Report, Error> {
        let variables = Variables::of_process();
        let root = self.root(&variables)?;
        self.lower_package(&root, out, &variables, &|wanted| wanted.made(&variables))
    }

    /// The folder of the package.
    fn root(&self, variables: &Variables) -> Result<PathBuf, PackageError> {
        match &self.package {
            Some(root) => Ok(root.clone()),
            None => given(variables, "CARGO_MANIFEST_DIR"),
        }
    }

    /// Does it all, with `python` to do what needs Python.
    fn lower_package(
        &self,
        root: &Path,
        out: &Path,
        variables: &Variables,
        python: &dyn Fn(&Wanted<'_>) -> Result<Made, Error>,
    ) -> Result<Report, Error> {
        let out = std::path::absolute(out).map_err(|source| StoreError::Write {
            path: out.to_owned(),
            source,
        })?;
        let package = Package::find(root)?;
        let scan = scan::scan(&package, variables)?;
        let programs: Vec<(Program, ProgramRequest)> = scan
            .programs
            .iter()
            .map(|program| (program.clone(), self.request(program, &package)))
            .collect();
        let requests: Vec<ProgramRequest> = programs
            .iter()
            .map(|(_, request)| request.clone())
            .collect();
        let folders = PythonPath::of(self, &package);
        let dependencies = self.dependencies(&package, &scan);
        let levels = self.used_levels(&package);
        let task = Task {
            asked: Asked {
                package: &package,
                programs: &programs,
                debug_info: self.debug_info,
                python_path: &folders.own,
                dependencies: &dependencies,
                levels: &levels,
            },
            tools: Tools {
                cyxla: env!("CARGO_PKG_VERSION").to_owned(),
                script: script_digest(),
                python: format!(
                    "{:?}",
                    (
                        &self.python,
                        &package.settings.python,
                        variables.get(variable::PYTHON)
                    )
                ),
                python_path: folders.given.clone(),
                settings: freshness::settings(variables),
            },
            variables,
            out: &out,
        };
        let lower = |output: &Path| {
            folders.check()?;
            python(&Wanted {
                environment: &self.environment(&package),
                python_path: &folders.all(),
                output,
                debug_info: self.debug_info,
                programs: &requests,
                levels: &levels,
            })
        };
        let done = task.update(&lower)?;
        Ok(report(
            done,
            &package,
            &scan,
            &dependencies,
            &out,
            variables,
        ))
    }

    /// The levels that machine code is made for, the least demanding first.
    fn used_levels(&self, package: &Package) -> Vec<Level> {
        let named = [self.levels.as_slice(), &package.settings.levels];
        let named = named.into_iter().find(|levels| !levels.is_empty());
        let mut levels = named.unwrap_or(&Level::DEFAULT).to_vec();
        levels.sort();
        levels.dedup();
        levels
    }

    /// The platforms that a program is lowered for, that of the processor first.
    fn used_platforms(&self, program: &Program, package: &Package) -> Vec<Platform> {
        let named = [
            &program.platforms,
            &self.platforms,
            &package.settings.platforms,
        ];
        let named = named.into_iter().find(|platforms| !platforms.is_empty());
        let mut platforms = named.map_or_else(|| vec![Platform::Cpu], Clone::clone);
        platforms.sort();
        platforms.dedup();
        platforms
    }

    fn request(&self, program: &Program, package: &Package) -> ProgramRequest {
        let engine = program.engine.or(self.engine).or(package.settings.engine);
        let engine = engine.unwrap_or_default();
        let weights = program.weights.unwrap_or_default();
        let threshold = program.weights_from.unwrap_or(WeightsIn::DEFAULT_THRESHOLD);
        ProgramRequest {
            target: program.target.clone(),
            platforms: self.used_platforms(program, package),
            x64: program.x64,
            x64_explicit: program.x64_explicit,
            arguments: Some(program.arguments.clone()),
            example_args: program.example_args.clone(),
            bind: program.bind.clone(),
            // Machine code holds what is closed over itself.
            weights_from: (weights != WeightsIn::Code && !engine.is_baked()).then_some(threshold),
            weights,
            custom_calls: program.custom_calls.clone(),
            linalg: program.linalg.unwrap_or(self.linalg),
            stablehlo_version: program.stablehlo_version.or(self.stablehlo_version),
            engine,
        }
    }

    fn environment(&self, package: &Package) -> EnvironmentRequest {
        EnvironmentRequest {
            package_root: package.root.clone(),
            workspace_root: package.workspace_root.clone(),
            builder: self.python.clone(),
            metadata: package.settings.python.clone(),
        }
    }

    /// The declared dependencies of all programs, absolute and sorted.
    fn dependencies(&self, package: &Package, scan: &Scan) -> Vec<PathBuf> {
        let declared = scan.programs.iter().flat_map(|program| &program.deps);
        let mut all: Vec<PathBuf> = declared
            .map(Path::new)
            .chain(self.dependencies.iter().map(PathBuf::as_path))
            .map(|file| package.root.join(file))
            .collect();
        all.sort();
        all.dedup();
        all
    }
}

/// What Python is wanted for.
#[derive(Debug)]
struct Wanted<'a> {
    environment: &'a EnvironmentRequest,
    python_path: &'a [PathBuf],
    output: &'a Path,
    debug_info: bool,
    programs: &'a [ProgramRequest],
    levels: &'a [Level],
}

impl Wanted<'_> {
    /// Finds Python and has it lower the programs.
    fn made(&self, variables: &Variables) -> Result<Made, Error> {
        let environment = python::environment(self.environment, variables)?;
        let mut lowered = lower::lower_all(&Job {
            python: environment.interpreter(),
            package_root: &self.environment.package_root,
            python_path: self.python_path,
            output: self.output,
            debug_info: self.debug_info,
            programs: self.programs,
        })?;
        let baking = Baking {
            python: environment.interpreter(),
            target: &CpuTarget::of(variables),
            levels: self.levels,
            output: self.output,
        };
        native::bake(&baking, self.programs, &mut lowered.programs)?;
        Ok(Made {
            lowered,
            interpreter: environment.interpreter().to_owned(),
            watched: environment.watched().to_vec(),
        })
    }
}

/// The digest of all that runs in Python.
fn script_digest() -> Digest {
    let hasher = Hasher::new()
        .part("lower", lower::script_digest().as_bytes())
        .part("compile", native::script_digest().as_bytes());
    hasher.finish()
}

/// A folder that Cargo names to a build script.
fn given(variables: &Variables, variable: &'static str) -> Result<PathBuf, PackageError> {
    let folder = variables.given_by_cargo(variable).map(PathBuf::from);
    folder.ok_or(PackageError::NotInBuildScript { variable })
}

/// The folders in which Python looks for the package's modules, absolute.
struct PythonPath {
    /// Those that the package names itself, here or in its Cargo.toml.
    own: Vec<PathBuf>,
    /// Those of the workspace, or the usual one.
    given: Vec<PathBuf>,
    /// Whether anybody named them.
    are_named: bool,
}

impl PythonPath {
    fn of(builder: &Builder, package: &Package) -> Self {
        let settings = &package.settings;
        let mut own: Vec<PathBuf> = builder
            .python_path
            .iter()
            .map(|folder| package.root.join(folder))
            .collect();
        let mut given = Vec::new();
        if settings.python_path_of_workspace {
            given.clone_from(&settings.python_path);
        } else {
            own.extend_from_slice(&settings.python_path);
        }
        let are_named = !(own.is_empty() && given.is_empty());
        if !are_named {
            let usual = package.root.join("python");
            given.push(if usual.is_dir() {
                usual
            } else {
                package.root.clone()
            });
        }
        Self {
            own,
            given,
            are_named,
        }
    }

    fn all(&self) -> Vec<PathBuf> {
        [self.own.as_slice(), &self.given].concat()
    }

    /// Whether the folders are there. A package that comes with lowered programs can come without them.
    fn check(&self) -> Result<(), StoreError> {
        match self
            .all()
            .into_iter()
            .find(|folder| self.are_named && !folder.is_dir())
        {
            Some(path) => Err(StoreError::PythonPath { path }),
            None => Ok(()),
        }
    }
}

fn report(
    done: Done,
    package: &Package,
    scan: &Scan,
    dependencies: &[PathBuf],
    out: &Path,
    variables: &Variables,
) -> Report {
    let sources = done.manifest.sources.iter();
    let mut watched: Vec<PathBuf> = sources
        .map(|source| package.root.join(&source.path))
        .chain(scan.files.iter().cloned())
        .chain([
            package.manifest(),
            package.workspace_root.join("Cargo.toml"),
        ])
        .chain(package.target_folders())
        .chain(dependencies.iter().cloned())
        .chain(store::files(&package.root.join(COMMITTED)))
        .chain(done.local_files)
        // A path that isn't there would run the build script at every build.
        .filter(|path| path.exists())
        // Except here: the compiler stops at a module without a file, and the file, once written, may declare programs.
        .chain(scan.missing.iter().cloned())
        .collect();
    watched.sort();
    watched.dedup();
    let mut warnings = done.warnings;
    warnings.extend(donation::in_vain(&scan.programs, &done.manifest));
    warnings.extend(native::not_baked(&done.manifest));
    warnings.extend(custom_calls::unknown(&scan.programs, &done.manifest));
    Report {
        programs: done.manifest.programs,
        outcome: done.outcome,
        artifact: out.to_owned(),
        watched,
        variables: variables.read(),
        warnings,
    }
}

impl Report {
    fn tell_cargo(&self) {
        for path in &self.watched {
            cargo::rerun_if_changed(path);
        }
        for name in &self.variables {
            cargo::rerun_if_env_changed(name);
        }
        cargo::rustc_env("CYXLA_ARTIFACT", &self.artifact);
        for text in &self.warnings {
            cargo::warning(text);
        }
    }
}
