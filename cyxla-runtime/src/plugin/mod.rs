//! Which PJRT plugin to load: a shared library that compiles StableHLO for one platform and runs it.
//!
//! [`discovery`] finds plugins, [`registry`] reads their `plugin.toml`, [`wheels`] knows the packages that JAX users have,
//! [`library`] loads one, if it knows the [flags](xla_flags) of the process and its [device](accelerator) has a driver.

mod accelerator;
mod discovery;
mod error;
pub(crate) mod library;
mod registry;
mod surroundings;
mod wheels;
mod xla_flags;

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

pub(crate) use discovery::plugin_at;
pub use discovery::{
    PLATFORM_PREFERENCE, PluginModule, available_plugins, default_plugin, find_plugin,
    register_plugin,
};
pub use error::{PluginError, Searched};
pub(crate) use surroundings::Surroundings;

/// Reads a file as a `plugin.toml`.
#[cfg(fuzzing)]
pub(crate) fn fuzz_toml(path: &std::path::Path) {
    let _ = registry::read(path);
}

/// A PJRT plugin that can be loaded: where its library lies and how to start it.
///
/// Source: `Plugin` of the Python package.
///
/// ```
/// let plugin = cyxla_runtime::Plugin::new("cpu", "/opt/xla/pjrt_c_api_cpu_plugin.so")
///     .create_option("cpu_device_count", 1);
/// assert_eq!(plugin.platform, "cpu");
/// ```
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Plugin {
    /// The JAX platform that it serves: `cpu`, `cuda13`, `tpu`.
    pub platform: String,
    /// The shared library, an absolute path.
    pub path: PathBuf,
    /// How it was found.
    pub source: PluginSource,
    /// What to pass to `PJRT_Client_Create`, by name.
    pub create_options: BTreeMap<String, OptionValue>,
    /// Libraries to load before it, in this order.
    pub preload: Vec<PathBuf>,
}

impl Plugin {
    /// The plugin for `platform` in the library at `path`, without options.
    ///
    /// A library of a known wheel brings the options that its wheel needs when it is found by [`find_plugin`]; here nothing
    /// is added.
    pub fn new(platform: impl Into<String>, path: impl Into<PathBuf>) -> Self {
        Self {
            platform: platform.into(),
            path: path.into(),
            source: PluginSource::Given,
            create_options: BTreeMap::new(),
            preload: Vec::new(),
        }
    }

    /// This plugin with one more option for `PJRT_Client_Create`. One of the same name is replaced.
    pub fn create_option(mut self, name: impl Into<String>, value: impl Into<OptionValue>) -> Self {
        self.create_options.insert(name.into(), value.into());
        self
    }

    /// This plugin with one more library to load before it.
    pub fn preload(mut self, path: impl Into<PathBuf>) -> Self {
        self.preload.push(path.into());
        self
    }

    fn found(mut self, source: PluginSource) -> Self {
        self.source = source;
        self
    }
}

/// How a plugin was found.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum PluginSource {
    /// The program named it itself.
    Given,
    /// The environment variable `CYXLA_PJRT_PLUGIN`.
    Environment,
    /// A [`PluginModule`] that the program registered.
    Registered,
    /// This `plugin.toml`.
    Directory(PathBuf),
    /// The wheel of this name on PyPI, in a Python environment.
    Wheel(&'static str),
}

impl fmt::Display for PluginSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Given => f.write_str("given by the program"),
            Self::Environment => f.write_str("CYXLA_PJRT_PLUGIN"),
            Self::Registered => f.write_str("registered in code"),
            Self::Directory(file) => write!(f, "{}", file.display()),
            Self::Wheel(name) => write!(f, "the Python package {name}"),
        }
    }
}

/// The value of an option for `PJRT_Client_Create`.
///
/// Source: `PJRT_NamedValue`, `OptionValue` of the Python package.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum OptionValue {
    /// A truth value.
    Bool(bool),
    /// A signed integer.
    Int(i64),
    /// A number. PJRT carries single precision.
    Float(f32),
    /// A string.
    Str(String),
    /// A list of integers, such as `visible_devices`.
    IntList(Vec<i64>),
}

impl fmt::Display for OptionValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(value) => write!(f, "{value}"),
            Self::Int(value) => write!(f, "{value}"),
            // `{:?}` keeps the point: 1.0 is not the integer 1.
            Self::Float(value) => write!(f, "{value:?}"),
            Self::Str(value) => write!(f, "{value:?}"),
            Self::IntList(values) => write!(f, "{values:?}"),
        }
    }
}

macro_rules! option_value_from {
    ($($from:ty => $variant:ident),*) => {
        $(impl From<$from> for OptionValue {
            fn from(value: $from) -> Self {
                Self::$variant(value.into())
            }
        })*
    };
}

option_value_from!(bool => Bool, i64 => Int, i32 => Int, f32 => Float, String => Str, &str => Str, Vec<i64> => IntList);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_that_is_given_twice_is_replaced() {
        let plugin = Plugin::new("cpu", "/x.so")
            .create_option("cpu_device_count", 4)
            .create_option("cpu_device_count", 1);
        let expected = BTreeMap::from([("cpu_device_count".to_owned(), OptionValue::Int(1))]);
        assert_eq!(plugin.create_options, expected);
    }

    #[test]
    fn values_of_different_types_never_print_the_same() {
        let values = [
            OptionValue::from(1),
            1.0_f32.into(),
            "1".into(),
            vec![1].into(),
            true.into(),
            "true".into(),
        ];
        let printed: std::collections::BTreeSet<_> =
            values.iter().map(ToString::to_string).collect();
        assert_eq!(printed.len(), values.len(), "{printed:?}");
    }
}
