//! The default client: what programs run on unless told otherwise.
//!
//! A process loads one default plugin. The first use loads it, or [`initialize`] does so with [`Options`]; whoever comes
//! later gets the same. Explicit [`Client`]s can exist beside it.

use std::num::NonZero;
use std::path::PathBuf;
use std::sync::{Mutex, OnceLock, PoisonError};

use cyxla_artifact::{Engine, StableHloVersion};

use crate::client::Client;
use crate::engine;
use crate::error::Error;
use crate::error_info::counted;
use crate::ffi;
use crate::plugin::{OptionValue, Plugin, Surroundings, default_plugin, find_plugin, plugin_at};
use crate::threads;

/// Which plugin to load by default, and how.
///
/// ```no_run
/// # fn main() -> cyxla_runtime::Result<()> {
/// use cyxla_runtime::{Options, initialize};
///
/// let runtime = initialize(Options::new().platform("cpu").create_option("asynchronous", false))?;
/// println!("{} {}", runtime.platform, runtime.platform_version);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, PartialEq, Debug, Default)]
#[non_exhaustive]
#[expect(
    clippy::struct_field_names,
    reason = "create_options is the word of PJRT"
)]
pub struct Options {
    plugin: Option<Given>,
    platform: Option<String>,
    create_options: Vec<(String, OptionValue)>,
    threads: Option<NonZero<usize>>,
    copying: bool,
    without_jax_targets: bool,
    engine: Option<Engine>,
}

#[derive(Clone, PartialEq, Debug)]
enum Given {
    Plugin(Plugin),
    Path(PathBuf),
}

impl Options {
    /// The default plugin with its own options.
    pub fn new() -> Self {
        Self::default()
    }

    /// This plugin, instead of one that is looked for.
    pub fn plugin(mut self, plugin: Plugin) -> Self {
        self.plugin = Some(Given::Plugin(plugin));
        self
    }

    /// The plugin in this library, instead of one that is looked for. It serves the [platform](Self::platform) that is
    /// named, else that of the wheel it is known to be of, else `cpu`.
    pub fn plugin_path(mut self, path: impl Into<PathBuf>) -> Self {
        self.plugin = Some(Given::Path(path.into()));
        self
    }

    /// The first plugin that is found for this platform, such as `cpu`.
    pub fn platform(mut self, platform: impl Into<String>) -> Self {
        self.platform = Some(platform.into());
        self
    }

    /// One more option for `PJRT_Client_Create`. It goes before the plugin's own of the same name.
    pub fn create_option(mut self, name: impl Into<String>, value: impl Into<OptionValue>) -> Self {
        self.create_options.push((name.into(), value.into()));
        self
    }

    /// How many threads XLA's pools for the CPU have, at least 1. By default as many as there are processors for this process,
    /// the limit of its cgroup included. The variable `PJRT_NPROC` in the environment goes before both.
    ///
    /// XLA takes the number from the environment when a client is made, so this sets `PJRT_NPROC` there if it has to: start the
    /// client before other threads read the environment from C.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = Some(NonZero::new(threads).unwrap_or(NonZero::<usize>::MIN));
        self
    }

    /// Whether arrays are read where they lie, and results where the device has them, if the plugin allows it. Usually so;
    /// without, the plugin copies every array, which is slower, and tells whether a fault comes from shared memory.
    pub fn zero_copy(mut self, zero_copy: bool) -> Self {
        self.copying = !zero_copy;
        self
    }

    /// Whether the custom calls of `jnp.linalg`, `jax.lax.linalg`, `jax.scipy.linalg` and `jax.experimental.sparse` have
    /// handlers, on the CPU. Usually so; without, a process can register handlers of its own for them, or use those that its
    /// plugin has. A target that has a handler when the first client starts keeps it.
    ///
    /// Without the feature `linalg` of `cyxla` there are none to be had.
    ///
    /// Source: `jax_targets` of `initialize` in the Python package.
    pub fn jax_targets(mut self, jax_targets: bool) -> Self {
        self.without_jax_targets = !jax_targets;
        self
    }

    /// The engine of programs that have both, `engine = "auto"`, and have not been called yet: [`Engine::Pjrt`] has a plugin run
    /// them, [`Engine::Native`] makes it an error that one has no machine code for this processor. The variable
    /// `CYXLA_ENGINE` in the environment goes before this.
    pub fn engine(mut self, engine: Engine) -> Self {
        self.engine = Some(engine);
        self
    }

    /// Starts the plugin that is chosen.
    pub(crate) fn start(&self) -> Result<Client, Error> {
        if let Some(engine) = self.engine {
            engine::choose(engine);
        }
        let plugin = self.chosen()?;
        threads::limit(self.threads);
        if !self.without_jax_targets {
            ffi::register_jax_targets()?;
        }
        Client::start(&plugin, &self.create_options, !self.copying)
    }

    fn chosen(&self) -> Result<Plugin, Error> {
        Ok(match (&self.plugin, &self.platform) {
            (Some(Given::Plugin(plugin)), None) => plugin.clone(),
            (Some(Given::Path(path)), None) => {
                plugin_at(path.clone(), &Surroundings::of_process())?
            }
            (Some(Given::Plugin(plugin)), Some(platform)) => Plugin {
                platform: platform.clone(),
                ..plugin.clone()
            },
            (Some(Given::Path(path)), Some(platform)) => Plugin {
                platform: platform.clone(),
                ..plugin_at(path.clone(), &Surroundings::of_process())?
            },
            (None, Some(platform)) => find_plugin(platform)?,
            (None, None) => default_plugin()?,
        })
    }
}

/// What the default client runs on.
///
/// Source: `RuntimeInfo` of the Python package.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct RuntimeInfo {
    /// The platform as the plugin names it: `cpu`.
    pub platform: String,
    /// What the plugin says of its version, for people.
    pub platform_version: String,
    /// The plugin, with the create options that it was started with.
    pub plugin: Plugin,
    /// The version of the PJRT C API that the plugin was built with, major and minor.
    pub api_version: (i32, i32),
    /// The versions of StableHLO that the plugin reads, oldest and newest, if it says so.
    pub stablehlo_versions: Option<(StableHloVersion, StableHloVersion)>,
    /// Whether programs read arguments that are aligned to 64 bytes where they lie, without a copy. Probed.
    pub aliased_inputs: bool,
    /// Whether results can be read where the device has them, without the plugin's own copy. Probed.
    pub inplace_outputs: bool,
}

impl RuntimeInfo {
    fn of(client: &Client) -> Self {
        Self {
            platform: client.platform().to_owned(),
            platform_version: client.platform_version().to_owned(),
            plugin: client.plugin().clone(),
            api_version: client.api_version(),
            stablehlo_versions: client.stablehlo_versions(),
            aliased_inputs: client.aliased_inputs(),
            inplace_outputs: client.inplace_outputs(),
        }
    }
}

static DEFAULT: OnceLock<Client> = OnceLock::new();
static LOADING: Mutex<()> = Mutex::new(());

/// Loads the default plugin, unless that has happened: then these options come too late, and the details are those of the
/// one that is loaded.
///
/// ```no_run
/// use cyxla_runtime::{Options, initialize};
///
/// let info = initialize(Options::new().platform("cpu"))?;
/// println!("{} by {}", info.platform, info.platform_version);
/// # Ok::<(), cyxla_runtime::Error>(())
/// ```
///
/// Source: `initialize` of the Python package.
///
/// # Blocking
/// For 0.1 s to seconds; also while another thread is at it.
///
/// # Errors
/// No plugin is found, it can't be loaded, or it refuses an option. Nothing is loaded then, and a later call tries again.
#[expect(
    clippy::needless_pass_by_value,
    reason = "options are made for this call"
)]
pub fn initialize(options: Options) -> Result<RuntimeInfo, Error> {
    loaded(&options).map(RuntimeInfo::of)
}

/// The client of the default plugin, which is loaded first if need be.
///
/// # Blocking
/// The first time, as [`initialize`]; later not at all.
///
/// # Errors
/// Those of [`initialize`].
pub fn default_client() -> Result<Client, Error> {
    match DEFAULT.get() {
        Some(client) => Ok(client.clone()),
        None => loaded(&Options::default()).cloned(),
    }
}

/// What the default client runs on, if it is loaded. This loads nothing.
///
/// Source: `runtime_info` of the Python package.
pub fn runtime_info() -> Option<RuntimeInfo> {
    DEFAULT.get().map(RuntimeInfo::of)
}

/// Whether the default plugin is loaded.
///
/// Source: `is_initialized` of the Python package.
pub fn is_initialized() -> bool {
    DEFAULT.get().is_some()
}

fn loaded(options: &Options) -> Result<&'static Client, Error> {
    if let Some(client) = DEFAULT.get() {
        return Ok(client);
    }
    // A thread that panicked while it held the lock has left nothing behind.
    let _one_at_a_time = LOADING.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(client) = DEFAULT.get() {
        return Ok(client);
    }
    counted(options.start()).map(|client| DEFAULT.get_or_init(|| client))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plugin::PluginSource;

    #[test]
    fn a_given_plugin_is_taken_as_it_is() {
        let plugin = Plugin::new("cuda13", "/opt/x.so").create_option("preallocate", false);
        let chosen = Options::new().plugin(plugin.clone()).chosen().unwrap();
        assert_eq!(chosen, plugin);
    }

    #[test]
    fn a_platform_goes_before_that_of_a_path() {
        let path = "/env/lib/python3.12/site-packages/libtpu/libtpu.so";
        let chosen = Options::new().plugin_path(path).chosen().unwrap();
        assert_eq!(
            (chosen.platform.as_str(), chosen.source),
            ("tpu", PluginSource::Given)
        );
        let chosen = Options::new()
            .plugin_path(path)
            .platform("cpu")
            .chosen()
            .unwrap();
        assert_eq!(chosen.platform, "cpu");
        let chosen = Options::new().plugin_path("/opt/x.so").chosen().unwrap();
        assert_eq!(chosen.platform, "cpu");
    }
}
