//! Where plugins come from, in the order in which they are looked for.
//!
//! 1. `CYXLA_PJRT_PLUGIN`: a library, or `platform=library`.
//! 2. [`register_plugin`]: what the program registered in code.
//! 3. Directories with a `plugin.toml`, or with folders that hold one: each of `CYXLA_PLUGIN_PATH`; `plugins` beside the
//!    executable; `plugins` in the user's data directory (`CYXLA_DATA_DIR`, else that of the platform); those of the
//!    system.
//! 4. The wheels that JAX users have, in the site-packages of `VIRTUAL_ENV` and `CONDA_PREFIX`.
//!
//! The working directory is never searched, and a relative path in a variable is refused: a plugin is code, and it must not
//! depend on where a program is started.

use std::error::Error as StdError;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::registry::{self, PLUGIN_FILE};
use super::wheels::{self, WHEELS};
use super::{OptionValue, Plugin, PluginError, PluginSource, Searched, Surroundings, accelerator};

/// The platforms in the order in which a default plugin is looked for, unless `CYXLA_PLATFORM` names one.
///
/// The CPU comes first because programs are lowered for it unless asked otherwise.
pub const PLATFORM_PREFERENCE: &[&str] = &["cpu", "cuda13", "cuda12", "rocm7", "tpu"];

const PLUGIN_VARIABLE: &str = "CYXLA_PJRT_PLUGIN";
const PLATFORM_VARIABLE: &str = "CYXLA_PLATFORM";
const PATH_VARIABLE: &str = "CYXLA_PLUGIN_PATH";

/// A plugin that code provides: a crate that carries a library, or one that knows where to find it.
///
/// Source: the plugin entry points of the Python package (`PLATFORM`, `CREATE_OPTIONS`, `library_path`).
///
/// ```
/// struct InHouse;
///
/// impl cyxla_runtime::PluginModule for InHouse {
///     fn platform(&self) -> &str {
///         "cpu"
///     }
///
///     fn library_path(&self) -> Result<std::path::PathBuf, Box<dyn std::error::Error + Send + Sync>> {
///         Ok("/opt/in-house/libpjrt_cpu.so".into())
///     }
/// }
///
/// cyxla_runtime::register_plugin(InHouse);
/// ```
pub trait PluginModule: Send + Sync {
    /// The JAX platform that the plugin serves: `cpu`.
    fn platform(&self) -> &str;

    /// The shared library, an absolute path. Called each time that plugins are looked for, so it should be cheap; it must
    /// not use the default client, which may be waiting for it.
    ///
    /// # Errors
    /// Why there is no library. It is told when no plugin is found.
    fn library_path(&self) -> Result<PathBuf, Box<dyn StdError + Send + Sync>>;

    /// What to pass to `PJRT_Client_Create`, by name. Nothing unless overridden.
    fn create_options(&self) -> Vec<(String, OptionValue)> {
        Vec::new()
    }

    /// Libraries to load before the plugin's, in this order. None unless overridden.
    fn preload(&self) -> Vec<PathBuf> {
        Vec::new()
    }
}

type Modules = Vec<Arc<dyn PluginModule>>;

static REGISTERED: Mutex<Modules> = Mutex::new(Vec::new());

/// Makes a plugin known to [`find_plugin`], ahead of every directory and wheel. Of several for one platform, the one that
/// was registered first is taken.
///
/// The default plugin is loaded at the first call of a program, so register before that.
pub fn register_plugin(module: impl PluginModule + 'static) {
    let mut registered = REGISTERED.lock().unwrap_or_else(PoisonError::into_inner);
    registered.push(Arc::new(module));
}

fn registered() -> Modules {
    // A copy, so that a module may itself look for plugins without waiting for this lock.
    let registered = REGISTERED.lock().unwrap_or_else(PoisonError::into_inner);
    registered.clone()
}

/// Every plugin that can be found, the preferred ones first; none twice.
///
/// A place that holds none, or a damaged one, is passed over; [`find_plugin`] says why.
///
/// Source: `available_plugins` of the Python package.
pub fn available_plugins() -> Vec<Plugin> {
    let surroundings = Surroundings::of_process();
    let search = Search::run(&surroundings, &registered());
    let mut plugins: Vec<Plugin> = Vec::new();
    let environment = search.environment.and_then(Result::ok);
    let environment = environment.map(|named| named.plugin(&surroundings));
    for plugin in environment.into_iter().chain(search.found) {
        let same = |other: &Plugin| other.platform == plugin.platform && other.path == plugin.path;
        if !plugins.iter().any(same) {
            plugins.push(plugin);
        }
    }
    plugins
}

/// The plugin for a platform, such as `cpu` or `cuda13`, or `cuda` for any version of it, that comes first in the order of
/// discovery: what `CYXLA_PJRT_PLUGIN` names;
/// plugins [registered](register_plugin) in code; folders with a `plugin.toml` (`CYXLA_PLUGIN_PATH`, `plugins` beside the
/// executable, the user's data directory, the system's); wheels in the active Python environment.
///
/// ```no_run
/// let plugin = cyxla_runtime::find_plugin("cpu")?;
/// println!("{}", plugin.path.display());
/// # Ok::<(), cyxla_runtime::PluginError>(())
/// ```
///
/// Source: `find_plugin` of the Python package.
///
/// # Errors
/// There is none; the error names each place that was searched, what was wrong there, and how to get one. Or
/// `CYXLA_PJRT_PLUGIN` names a library that is not there.
pub fn find_plugin(platform: &str) -> Result<Plugin, PluginError> {
    let search = Search::run(&Surroundings::of_process(), &registered());
    search.find(platform)
}

/// The plugin that programs run on unless told otherwise: that of `CYXLA_PJRT_PLUGIN`; else that of the platform
/// `CYXLA_PLATFORM`; else the first that is found for [`PLATFORM_PREFERENCE`]; else any.
///
/// # Errors
/// Those of [`find_plugin`].
pub fn default_plugin() -> Result<Plugin, PluginError> {
    let surroundings = Surroundings::of_process();
    Search::run(&surroundings, &registered()).default(&surroundings)
}

/// What one pass over all places gave.
struct Search {
    /// The plugin that the environment variable names, if it is set.
    environment: Option<Result<Named, PluginError>>,
    found: Vec<Plugin>,
    searched: Vec<Searched>,
}

/// The plugin that `CYXLA_PJRT_PLUGIN` names.
struct Named {
    /// As the variable says, or as its library is known to be.
    platform: Option<String>,
    plugin: Plugin,
}

impl Named {
    fn serves(&self, platform: &str) -> bool {
        self.platform
            .as_deref()
            .is_none_or(|own| accelerator::serves(own, platform))
    }

    fn plugin(self, surroundings: &Surroundings) -> Plugin {
        let platform = self
            .platform
            .or_else(|| surroundings.text(PLATFORM_VARIABLE));
        Plugin {
            platform: platform.unwrap_or_else(|| PLATFORM_PREFERENCE[0].to_owned()),
            ..self.plugin
        }
    }
}

impl Search {
    fn run(surroundings: &Surroundings, modules: &[Arc<dyn PluginModule>]) -> Self {
        let mut search = Self {
            environment: None,
            found: Vec::new(),
            searched: Vec::new(),
        };
        search.variable(surroundings);
        search.modules(modules);
        search.directories(surroundings);
        for variable in ["VIRTUAL_ENV", "CONDA_PREFIX"] {
            search.python_environment(variable, surroundings);
        }
        search
    }

    fn note(&mut self, place: impl Into<String>, outcome: impl Into<String>) {
        let (place, outcome) = (place.into(), outcome.into());
        self.searched.push(Searched { place, outcome });
    }

    fn add(&mut self, place: impl Into<String>, plugin: Plugin) {
        let outcome = format!("{} for `{}`", plugin.path.display(), plugin.platform);
        self.note(place, outcome);
        self.found.push(plugin);
    }

    fn variable(&mut self, surroundings: &Surroundings) {
        let Some(value) = surroundings.variable(PLUGIN_VARIABLE) else {
            return self.note(PLUGIN_VARIABLE, "not set");
        };
        let named = named(&value, surroundings);
        if let Ok(Named {
            plugin,
            platform: Some(platform),
        }) = &named
        {
            let outcome = format!("{} for `{platform}`", plugin.path.display());
            self.note(PLUGIN_VARIABLE, outcome);
        }
        self.environment = Some(named);
    }

    fn modules(&mut self, modules: &[Arc<dyn PluginModule>]) {
        let place = "registered in code";
        if modules.is_empty() {
            self.note(place, "none");
        }
        for module in modules {
            let platform = module.platform();
            let path = match module.library_path() {
                Ok(path) => path,
                Err(error) => {
                    self.note(
                        place,
                        format!("the one for `{platform}` has no library: {error}"),
                    );
                    continue;
                }
            };
            if let Some(problem) = no_library(&path) {
                self.note(
                    place,
                    format!(
                        "the one for `{platform}` gives {}, {problem}",
                        path.display()
                    ),
                );
                continue;
            }
            let mut plugin = Plugin::new(platform, path).found(PluginSource::Registered);
            plugin.create_options = module.create_options().into_iter().collect();
            plugin.preload = module.preload();
            self.add(place, plugin);
        }
    }

    fn directories(&mut self, surroundings: &Surroundings) {
        match surroundings.variable(PATH_VARIABLE) {
            None => self.note(PATH_VARIABLE, "not set"),
            Some(list) => {
                for directory in std::env::split_paths(&list) {
                    let place = format!("{PATH_VARIABLE}, {}", directory.display());
                    self.directory(place, &directory);
                }
            }
        }
        if let Some(executable) = &surroundings.executable {
            self.plugins_in(executable);
        }
        match surroundings.data() {
            Some(data) => self.plugins_in(&data),
            None => self.note(
                "the user's data directory",
                "unknown; CYXLA_DATA_DIR names it by an absolute path",
            ),
        }
        for system in &surroundings.system {
            self.plugins_in(system);
        }
    }

    fn plugins_in(&mut self, parent: &Path) {
        let directory = parent.join("plugins");
        self.directory(directory.display().to_string(), &directory);
    }

    /// The plugin that this directory is, or those in its folders, by name.
    fn directory(&mut self, place: String, directory: &Path) {
        if !directory.is_absolute() {
            return self.note(place, "not searched: the path is relative");
        }
        let entries = match std::fs::read_dir(directory) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return self.note(place, "no such directory");
            }
            Err(error) => return self.note(place, error.to_string()),
        };
        let mut files: Vec<PathBuf> = entries
            .flatten()
            .map(|entry| entry.path().join(PLUGIN_FILE))
            .chain([directory.join(PLUGIN_FILE)])
            .filter(|file| file.is_file())
            .collect();
        files.sort();
        if files.is_empty() {
            self.note(place, format!("no {PLUGIN_FILE}"));
        }
        for file in files {
            match registry::read(&file) {
                Ok(plugin) => self.add(file.display().to_string(), plugin),
                Err(problem) => self.note(file.display().to_string(), problem),
            }
        }
    }

    fn python_environment(&mut self, variable: &str, surroundings: &Surroundings) {
        let Some(environment) = surroundings.variable(variable).map(PathBuf::from) else {
            return self.note(variable, "not set");
        };
        let place = format!("{variable}, {}", environment.display());
        if !environment.is_absolute() {
            return self.note(place, "not searched: the path is relative");
        }
        let packages = wheels::site_packages(&environment);
        let mut empty = true;
        for site_packages in &packages {
            for wheel in WHEELS {
                let library = wheel.library_in(site_packages);
                if !library.is_file() {
                    continue;
                }
                empty = false;
                match wheel.plugin(library, surroundings) {
                    Ok(plugin) => self.add(place.clone(), plugin),
                    Err(error) => {
                        self.note(place.clone(), error.to_string().replace("\n  ", "; "));
                    }
                }
            }
        }
        if empty {
            let outcome = if packages.is_empty() {
                "no Python in it"
            } else {
                "no package with a plugin"
            };
            self.note(place, outcome);
        }
    }

    fn find(self, platform: &str) -> Result<Plugin, PluginError> {
        match self.environment {
            Some(Err(error)) => return Err(error),
            Some(Ok(named)) if named.serves(platform) => {
                let own = named.platform.unwrap_or_else(|| platform.to_owned());
                return Ok(Plugin {
                    platform: own,
                    ..named.plugin
                });
            }
            _ => {}
        }
        // The first of the smallest: the order of discovery decides among equals.
        let found = self
            .found
            .into_iter()
            .filter(|plugin| accelerator::serves(&plugin.platform, platform))
            .min_by_key(preference);
        found.ok_or_else(|| PluginError::NotFound {
            platform: Some(platform.to_owned()),
            help: help(platform),
            searched: self.searched,
        })
    }

    fn default(mut self, surroundings: &Surroundings) -> Result<Plugin, PluginError> {
        if let Some(platform) = surroundings.text(PLATFORM_VARIABLE) {
            return self.find(&platform);
        }
        if let Some(named) = self.environment.take() {
            return Ok(named?.plugin(surroundings));
        }
        // The first of the smallest: the order of discovery decides among equals.
        let found = self.found.into_iter().min_by_key(preference);
        found.ok_or_else(|| PluginError::NotFound {
            platform: None,
            help: help(PLATFORM_PREFERENCE[0]),
            searched: self.searched,
        })
    }
}

/// The place of a plugin's platform among those that are preferred.
fn preference(plugin: &Plugin) -> usize {
    let position = PLATFORM_PREFERENCE
        .iter()
        .position(|&own| own == plugin.platform);
    position.unwrap_or(PLATFORM_PREFERENCE.len())
}

/// Reads the value of `CYXLA_PJRT_PLUGIN`: a library, or `platform=library`.
fn named(value: &OsStr, surroundings: &Surroundings) -> Result<Named, PluginError> {
    let split = value.to_str().and_then(|text| text.split_once('='));
    let (platform, path) = match split {
        Some((platform, path)) if registry::is_platform(platform) => {
            (Some(platform.to_owned()), PathBuf::from(path))
        }
        _ => (None, PathBuf::from(value)),
    };
    if let Some(problem) = no_library(&path) {
        return Err(PluginError::Variable {
            name: PLUGIN_VARIABLE,
            value: value.to_string_lossy().into_owned(),
            reason: format!("{} {problem}", path.display()),
            help: "set it to the absolute path of a PJRT plugin's library, or to platform=path; unset it to search the \
                   usual places",
        });
    }
    let known = wheels::wheel_of(&path).map(|wheel| wheel.platform.to_owned());
    Ok(Named {
        platform: platform.or(known),
        plugin: plugin_at(path, surroundings)?.found(PluginSource::Environment),
    })
}

/// The plugin in this library, with the platform and the options of its wheel if it is of a known one.
///
/// # Errors
/// A variable that has a say in the options has a value that can't be understood.
pub(crate) fn plugin_at(path: PathBuf, surroundings: &Surroundings) -> Result<Plugin, PluginError> {
    Ok(match wheels::wheel_of(&path) {
        Some(wheel) => wheel.plugin(path, surroundings)?.found(PluginSource::Given),
        None => Plugin::new(PLATFORM_PREFERENCE[0], path),
    })
}

/// Why this can't be a library, before it is loaded.
fn no_library(path: &Path) -> Option<&'static str> {
    if !path.is_absolute() {
        Some("is a relative path")
    } else if !path.exists() {
        Some("is not there")
    } else if !path.is_file() {
        Some("is no file")
    } else {
        None
    }
}

/// How to get a plugin for `platform`.
fn help(platform: &str) -> String {
    let packages: Vec<&str> = WHEELS
        .iter()
        .filter(|wheel| accelerator::serves(wheel.platform, platform))
        .filter(|wheel| wheel.is_for_this_machine())
        .map(|wheel| wheel.install)
        .collect();
    let Some((package, others)) = packages.split_first() else {
        return format!(
            "no Python package with a plugin for `{platform}` and this machine is known; describe it in a {PLUGIN_FILE} \
             (platform, library, preload, create_options) in a directory of {PATH_VARIABLE}, or set {PLUGIN_VARIABLE} to its \
             library"
        );
    };
    let or = if others.is_empty() {
        String::new()
    } else {
        format!(" (or {})", others.join(", "))
    };
    format!(
        "install one into a Python environment, `pip install {package}`{or}, and set VIRTUAL_ENV to it; or set \
         {PLUGIN_VARIABLE} to the library of a PJRT plugin"
    )
}

#[cfg(test)]
mod tests;
