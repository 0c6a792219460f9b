use std::fmt::{self, Write as _};
use std::path::PathBuf;

/// Why there is no plugin to run programs with.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PluginError {
    /// No place holds a plugin for the platform.
    #[error("{}", not_found(platform.as_deref(), searched, help))]
    NotFound {
        /// The platform that was asked for, `cpu`; without one, any of [`PLATFORM_PREFERENCE`](crate::PLATFORM_PREFERENCE).
        platform: Option<String>,
        /// Each place that was searched, in order.
        searched: Vec<Searched>,
        /// How to get one.
        help: String,
    },

    /// An environment variable names a plugin that is not there.
    #[error("{name}={value:?} names no plugin: {reason}\n  help: {help}")]
    Variable {
        /// The name of the variable.
        name: &'static str,
        /// Its value.
        value: String,
        /// What is wrong with it.
        reason: String,
        /// What to set instead.
        help: &'static str,
    },

    /// An environment variable that has a say in the create options has a value that can't be understood.
    #[error(
        "{name}={value:?} is not understood: {expected} was expected\n  help: set {name} to {expected}, or unset it"
    )]
    OptionVariable {
        /// The name of the variable.
        name: &'static str,
        /// Its value.
        value: String,
        /// What it can be set to.
        expected: &'static str,
    },

    /// The machine has no driver for the device that the plugin is for. The library was not loaded.
    #[error(
        "the PJRT plugin {} for `{platform}` can't run on this machine, which lacks {missing}: {reason}\n  help: {help}; or choose another platform, CYXLA_PLATFORM=cpu",
        path.display()
    )]
    NoDriver {
        /// The library.
        path: PathBuf,
        /// The JAX platform of the plugin, `cuda13`.
        platform: String,
        /// What is missing.
        missing: String,
        /// How that was found out.
        reason: String,
        /// How to get it.
        help: &'static str,
    },

    /// The library, or one to load before it, can't be loaded.
    #[error(
        "the PJRT plugin {} can't be loaded: {reason}\n  help: it must be a shared library for this processor and operating system; libraries that it needs itself can be listed as `preload` in its plugin.toml",
        path.display()
    )]
    NotLoadable {
        /// The library.
        path: PathBuf,
        /// What the loader of the operating system says.
        reason: String,
    },

    /// The library is no PJRT plugin.
    #[error(
        "{} is no PJRT plugin: it has no function GetPjrtApi\n  help: give the library of a PJRT plugin, such as pjrt_c_api_cpu_plugin.so of the Python package lammps-jax-pjrt-cpu",
        path.display()
    )]
    NoGetPjrtApi {
        /// The library.
        path: PathBuf,
    },

    /// `GetPjrtApi` gives no table.
    #[error(
        "the PJRT plugin {} gives no table of functions: {reason}\n  help: the library is damaged or made for something else; take another one",
        path.display()
    )]
    NoApi {
        /// The library.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },

    /// `XLA_FLAGS` holds flags that would make the plugin end the process.
    #[error(
        "the PJRT plugin {} does not know these flags in XLA_FLAGS, and would end the process: {flags}\n  help: take them out of XLA_FLAGS, or set CYXLA_PJRT_PLUGIN to a plugin that knows them; flags come and go with the versions of XLA",
        path.display()
    )]
    UnknownFlags {
        /// The library.
        path: PathBuf,
        /// The flags, without their values.
        flags: String,
    },

    /// A process with more rights than who started it was started with a variable that the plugin obeys.
    #[error(
        "{name} is set for a process that has more rights than who started it, and the PJRT plugin {} would obey it\n  help: start it without {name}",
        path.display()
    )]
    RaisedRights {
        /// The library.
        path: PathBuf,
        /// The name of the variable.
        name: &'static str,
    },

    /// The plugin's PJRT C API is another major version, or too old.
    #[error(
        "the PJRT plugin {} has version {}.{} of the PJRT C API, but {}.{} or newer of that major version is needed\n  help: take a newer plugin, such as that of the Python package lammps-jax-pjrt-cpu",
        path.display(), found.0, found.1, minimum.0, minimum.1
    )]
    Version {
        /// The library.
        path: PathBuf,
        /// Major and minor version of the plugin.
        found: (i32, i32),
        /// The oldest version that is supported.
        minimum: (i32, i32),
    },
}

impl PluginError {
    /// Whether there is none to be had, rather than one that does not work.
    pub(crate) fn is_not_found(&self) -> bool {
        matches!(self, Self::NotFound { .. })
    }
}

/// One place that was searched for plugins.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Searched {
    /// The place: a directory, an environment variable.
    pub place: String,
    /// What was there.
    pub outcome: String,
}

impl fmt::Display for Searched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.outcome)
    }
}

fn not_found(platform: Option<&str>, searched: &[Searched], help: &str) -> String {
    let mut text = match platform {
        Some(platform) => format!("no PJRT plugin for the platform `{platform}` was found\n"),
        None => "no PJRT plugin was found\n".to_owned(),
    };
    text.push_str("  searched, in this order:\n");
    for place in searched {
        // A `String` takes any text.
        let _ = writeln!(text, "    {place}");
    }
    text.push_str("  help: ");
    text.push_str(help);
    text
}
