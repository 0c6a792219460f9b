//! Loads the shared library of a plugin, once per process.

use std::collections::HashMap;
use std::error::Error as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use cyxla_artifact::StableHloVersion;
use cyxla_pjrt_sys::{
    Args as _, GetPjrtApi, PJRT_NamedValue, PJRT_NamedValue_kInt64List,
    PJRT_Plugin_Attributes_Args, PJRT_Plugin_Initialize_Args,
};

use super::surroundings::has_raised_rights;
use super::{Plugin, PluginError, Surroundings, accelerator, xla_flags};
use crate::api::{self, Api};
use crate::error::{ClientError, Error};

/// A loaded plugin. It stays loaded until the process ends: its threads and the handlers that are registered in it would
/// not survive `dlclose`.
#[derive(Debug)]
pub(crate) struct Library {
    api: Api,
    stablehlo: Option<StableHloRange>,
}

/// The versions of StableHLO that a plugin reads, oldest and newest.
pub(crate) type StableHloRange = (StableHloVersion, StableHloVersion);

impl Library {
    /// The functions of the plugin.
    pub(crate) fn api(&'static self) -> &'static Api {
        &self.api
    }

    /// The versions of StableHLO that the plugin reads, if it says.
    pub(crate) fn stablehlo(&self) -> Option<StableHloRange> {
        self.stablehlo
    }
}

/// Loads the library of `plugin`, and those that it wants before it. A path that was loaded before gives the same again.
///
/// # Errors
/// The driver of its device is missing, the file is no library, is no plugin, has another version of the API, does not know a flag in `XLA_FLAGS`, or refuses to
/// start. A later call tries again.
pub(crate) fn load(plugin: &Plugin) -> Result<&'static Library, Error> {
    static LOADED: Mutex<Option<HashMap<PathBuf, &'static Library>>> = Mutex::new(None);

    let path = plugin
        .path
        .canonicalize()
        .map_err(|error| PluginError::NotLoadable {
            path: plugin.path.clone(),
            reason: error.to_string(),
        })?;
    // Held while loading, so that no plugin is initialized twice. A thread that panicked has left the map as it was.
    let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
    let loaded = loaded.get_or_insert_default();
    if let Some(library) = loaded.get(&path) {
        return Ok(library);
    }
    if let Some(name) = obeyed().filter(|_| has_raised_rights()) {
        return Err(PluginError::RaisedRights { path, name }.into());
    }
    accelerator::check_driver(plugin, |library| {
        // SAFETY: the driver's library is one that the plugin would load; the system says where it is.
        let opened = unsafe { dlopen(Path::new(library), Visibility::Local) };
        // The plugin uses it for as long as the process lives.
        opened.map(std::mem::forget)
    })?;
    xla_flags::check(&path, &Surroundings::of_process())?;
    let library = open(&path, &plugin.preload)?;
    loaded.insert(path, library);
    Ok(library)
}

/// A variable that is set and that plugins read themselves, and by which they write files or load libraries.
fn obeyed() -> Option<&'static str> {
    let known = [
        "XLA_FLAGS",
        "TF_XLA_FLAGS",
        "LIBTPU_INIT_ARGS",
        "TPU_LIBRARY_PATH",
    ];
    known
        .into_iter()
        .find(|name| std::env::var_os(name).is_some())
}

fn open(path: &Path, preload: &[PathBuf]) -> Result<&'static Library, Error> {
    let not_loadable = |reason| PluginError::NotLoadable {
        path: path.to_owned(),
        reason,
    };
    for library in preload {
        // SAFETY: whoever names a library to load trusts its initializers.
        let opened = unsafe { dlopen(library, Visibility::Global) };
        let opened =
            opened.map_err(|error| not_loadable(format!("{}: {error}", library.display())))?;
        std::mem::forget(opened);
    }
    // SAFETY: whoever names a plugin to load trusts its initializers.
    let library = unsafe { dlopen(path, Visibility::Local) }.map_err(not_loadable)?;
    // SAFETY: this is the type of the one symbol that every plugin exports.
    let symbol = unsafe { library.get::<GetPjrtApi>(c"GetPjrtApi") };
    let Ok(get_api) = symbol.map(|symbol| *symbol) else {
        return Err(PluginError::NoGetPjrtApi {
            path: path.to_owned(),
        }
        .into());
    };
    std::mem::forget(library);
    // SAFETY: the library exports this function, takes no arguments, and stays loaded.
    let table = unsafe { get_api() };
    let path: &'static Path = Box::leak(path.into());
    // SAFETY: what `GetPjrtApi` returns is NULL or the plugin's table, which lives as long as the library.
    let api = unsafe { Api::from_table(table, path) }?;
    // SAFETY: no arguments but the size. The first function that is called.
    unsafe { api.call(&mut PJRT_Plugin_Initialize_Args::new()) }.map_err(|source| {
        ClientError::Initialize {
            plugin: path.to_owned(),
            source,
        }
    })?;
    let stablehlo = stablehlo_range(&api);
    Ok(Box::leak(Box::new(Library { api, stablehlo })))
}

#[derive(Clone, Copy)]
enum Visibility {
    /// Symbols are found by libraries that are loaded later.
    Global,
    /// Symbols are not mixed up with those of other plugins, which bring the same libraries in other versions.
    Local,
}

/// Loads a library with all its symbols bound now, so that a missing one is an error here.
///
/// # Safety
/// Runs the initializers of the library.
#[cfg(unix)]
unsafe fn dlopen(path: &Path, visibility: Visibility) -> Result<libloading::Library, String> {
    use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_LOCAL, RTLD_NOW};

    let flags = match visibility {
        Visibility::Global => RTLD_NOW | RTLD_GLOBAL,
        Visibility::Local => RTLD_NOW | RTLD_LOCAL,
    };
    // SAFETY: as the caller promises.
    let library = unsafe { Library::open(Some(path), flags) };
    library.map(Into::into).map_err(|error| reason(&error))
}

/// Loads a library.
///
/// # Safety
/// Runs the initializers of the library.
#[cfg(not(unix))]
unsafe fn dlopen(path: &Path, _visibility: Visibility) -> Result<libloading::Library, String> {
    // SAFETY: as the caller promises.
    unsafe { libloading::Library::new(path) }.map_err(|error| reason(&error))
}

/// What the system said, without the name of the call.
fn reason(error: &libloading::Error) -> String {
    error
        .source()
        .map_or_else(|| error.to_string(), ToString::to_string)
}

/// The attributes `stablehlo_minimum_version` and `stablehlo_current_version`. Plugins need not have any attributes.
fn stablehlo_range(api: &Api) -> Option<StableHloRange> {
    let mut args = PJRT_Plugin_Attributes_Args::new();
    // SAFETY: no arguments but the size.
    unsafe { api.call(&mut args) }.ok()?;
    // SAFETY: attributes live as long as the process.
    let attributes = unsafe { api::slice(args.attributes, args.num_attributes) };
    let version = |name: &str| {
        // SAFETY: the name of an attribute is as long as it says.
        let named =
            |value: &&PJRT_NamedValue| unsafe { api::text(value.name, value.name_size) } == name;
        let value = attributes.iter().find(named)?;
        if value.type_ != PJRT_NamedValue_kInt64List {
            return None;
        }
        // SAFETY: a list of integers is as long as it says.
        match unsafe { api::slice(value.value.int64_array_value, value.value_size) } {
            &[major, minor, patch] => Some(StableHloVersion::new(
                major.try_into().ok()?,
                minor.try_into().ok()?,
                patch.try_into().ok()?,
            )),
            _ => None,
        }
    };
    Some((
        version("stablehlo_minimum_version")?,
        version("stablehlo_current_version")?,
    ))
}
