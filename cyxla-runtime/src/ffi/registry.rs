//! Which targets have a handler, and which plugins know.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::{Mutex, MutexGuard, PoisonError};

use cyxla_ffi::Handler;
use cyxla_pjrt_sys::xla_ffi::XLA_FFI_Handler;
use cyxla_pjrt_sys::{
    PJRT_Error, PJRT_Extension_Type_FFI, PJRT_FFI_Extension, PJRT_FFI_Register_Handler,
    PJRT_FFI_Register_Handler_Args,
};

use super::{FfiError, proof, trampoline};
use crate::api::Api;
use crate::client::Client;
use crate::error::Error;

/// The name of the CPU in XLA's registry of handlers.
const HOST: &str = "Host";

/// The platform of PJRT on which handlers are called: elsewhere, arrays lie in memory that the host can't read.
const CPU: &str = "cpu";

#[derive(Default)]
struct Registry {
    /// In the order of their places.
    targets: Vec<Target>,
    /// The plugins for the CPU that have been loaded.
    plugins: Vec<Told>,
}

#[derive(Clone, Copy)]
struct Target {
    name: &'static str,
    #[cfg(feature = "native")]
    handler: &'static dyn Handler,
    /// The handler as XLA calls it.
    function: XLA_FFI_Handler,
}

/// A plugin, and what it has been told.
struct Told {
    api: &'static Api,
    /// The first targets, as many as were told.
    count: usize,
    /// Why a target has no handler there.
    failed: BTreeMap<&'static str, FfiError>,
    /// The targets whose handler it is known to have.
    proven: BTreeSet<&'static str>,
}

static REGISTRY: Mutex<Registry> = Mutex::new(Registry {
    targets: Vec::new(),
    plugins: Vec::new(),
});

fn registry() -> MutexGuard<'static, Registry> {
    // A thread that panicked has left the lists whole.
    REGISTRY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Has XLA call `handler` wherever a JAX program makes a custom call to `target`: `jax.ffi.ffi_call("my_target", …)` in
/// Python, with `custom_calls = ["my_target"]` in [`#[cyxla::program]`](https://docs.rs/cyxla). On the CPU only.
///
/// Handlers are registered once per process, for good, and at any time: plugins that are loaded later are told then. A
/// program must have its handlers when it is first called or loaded.
///
/// ```
/// use cyxla_ffi::{CallFrame, Error};
/// use cyxla_runtime::register_ffi_target;
///
/// fn double(frame: &mut CallFrame<'_>) -> Result<(), Error> {
///     let parts = frame.parts::<1, 1>()?;
///     let [x] = parts.arguments;
///     let [y] = parts.results;
///     for (y, x) in y.into_slice::<f32>()?.iter_mut().zip(x.as_slice::<f32>()?) {
///         *y = 2.0 * x;
///     }
///     Ok(())
/// }
///
/// register_ffi_target("double", double)?;
///
/// // A handler with state of its own.
/// let table = vec![1.0_f32, 0.5, 0.25];
/// register_ffi_target("look_up", move |frame: &mut CallFrame<'_>| {
///     let row: i64 = frame.attribute("row")?;
///     let [value] = frame.parts::<0, 1>()?.results;
///     let entry = usize::try_from(row).ok().and_then(|row| table.get(row));
///     value.into_slice::<f32>()?.fill(*entry.ok_or("no such row")?);
///     Ok(())
/// })?;
/// # Ok::<(), cyxla_runtime::Error>(())
/// ```
///
/// Source: `register_ffi_target` of the Python package; `PJRT_FFI_Register_Handler`.
///
/// # Errors
/// The target has a handler already, or can't have one; a plugin that is loaded does not take it.
pub fn register_ffi_target(target: &str, handler: impl Handler) -> Result<(), Error> {
    // It may be called for as long as the plugin lives, which is as long as the process.
    register_static_ffi_target(target, Box::leak(Box::new(handler)))
}

/// [`register_ffi_target`] with a handler that lives as long as the process already.
///
/// # Errors
/// Those of [`register_ffi_target`].
pub fn register_static_ffi_target(
    target: &str,
    handler: &'static dyn Handler,
) -> Result<(), Error> {
    if target.is_empty() || target.chars().any(char::is_control) {
        return Err(FfiError::Name {
            target: target.escape_debug().to_string(),
        }
        .into());
    }
    let mut registry = registry();
    if registry.has(target) {
        return Err(FfiError::Duplicate {
            target: target.to_owned(),
        }
        .into());
    }
    let name: &'static str = Box::leak(target.into());
    registry.add(name, handler)?;
    let Registry { targets, plugins } = &mut *registry;
    for plugin in plugins {
        plugin.tell(targets);
        if let Some(error) = plugin.failed.get(name) {
            return Err(error.clone().into());
        }
    }
    Ok(())
}

/// The handlers that come with cyxla.
#[cfg(feature = "linalg")]
fn jax_targets() -> impl Iterator<Item = (&'static str, &'static dyn Handler)> {
    let targets = cyxla_linalg::targets().iter();
    targets.map(|(name, handler)| (*name, handler as &dyn Handler))
}

#[cfg(not(feature = "linalg"))]
fn jax_targets() -> std::iter::Empty<(&'static str, &'static dyn Handler)> {
    std::iter::empty()
}

/// Registers the handlers of `jnp.linalg` for those of its targets that have none.
///
/// # Errors
/// There are too many handlers.
pub(crate) fn register_jax_targets() -> Result<(), FfiError> {
    let mut registry = registry();
    for (name, handler) in jax_targets() {
        if !registry.has(name) {
            registry.add(name, handler)?;
        }
    }
    let Registry { targets, plugins } = &mut *registry;
    for plugin in plugins {
        plugin.tell(targets);
    }
    Ok(())
}

/// The handler of a target: one that was registered, else one that comes with cyxla. For engines without a plugin.
#[cfg(feature = "native")]
pub(crate) fn handler(target: &str) -> Option<&'static dyn Handler> {
    let registry = registry();
    let registered = registry.targets.iter().find(|known| known.name == target);
    let registered = registered.map(|known| known.handler);
    registered
        .or_else(|| jax_targets().find_map(|(name, handler)| (name == target).then_some(handler)))
}

/// Tells a plugin, of which there is a client, of all handlers; from now on it hears of each new one.
pub(crate) fn serve(api: &'static Api, platform: &str) {
    if platform != CPU {
        return;
    }
    let mut registry = registry();
    let Registry { targets, plugins } = &mut *registry;
    if plugins.iter().any(|told| std::ptr::eq(told.api, api)) {
        return;
    }
    let mut plugin = Told {
        api,
        count: 0,
        failed: BTreeMap::new(),
        proven: BTreeSet::new(),
    };
    plugin.tell(targets);
    plugins.push(plugin);
}

/// Whether there is a handler for a target of custom calls on the device of `client`.
///
/// # Errors
/// There is one, but the plugin did not take it.
pub(crate) fn is_handled(client: &Client, target: &str) -> Result<bool, FfiError> {
    let registry = registry();
    let mut plugins = registry.plugins.iter();
    let Some(plugin) = plugins.find(|told| std::ptr::eq(told.api, client.api())) else {
        return Ok(false);
    };
    match plugin.failed.get(target) {
        Some(error) => Err(error.clone()),
        None => Ok(registry.targets.iter().any(|known| known.name == target)),
    }
}

/// Has the plugin of `client` compile a call to each of these targets that has a handler, once per process: a plugin may
/// have dropped a handler without an error.
///
/// # Blocking
/// For 5 to 10 ms the first time.
///
/// # Errors
/// The plugin does not have a handler that it took.
pub(crate) fn prove(client: &Client, targets: &[String]) -> Result<(), FfiError> {
    let mut registry = registry();
    let Registry {
        targets: known,
        plugins,
    } = &mut *registry;
    let mut plugins = plugins.iter_mut();
    let Some(plugin) = plugins.find(|told| std::ptr::eq(told.api, client.api())) else {
        return Ok(());
    };
    let known = known.iter().map(|target| target.name);
    let new = known.filter(|name| {
        !plugin.proven.contains(name) && targets.iter().any(|target| target == name)
    });
    let new: Vec<_> = new.collect();
    if new.is_empty() || proof::compile(client, &new).is_ok() {
        plugin.proven.extend(new);
        return Ok(());
    }
    for target in new {
        plugin.prove(client, target)?;
    }
    Ok(())
}

impl Registry {
    fn has(&self, target: &str) -> bool {
        self.targets.iter().any(|known| known.name == target)
    }

    /// Puts a handler into the next place; plugins have still to be told.
    fn add(&mut self, name: &'static str, handler: &'static dyn Handler) -> Result<(), FfiError> {
        let Some(function) = trampoline::place(self.targets.len(), name, handler) else {
            return Err(FfiError::Full {
                target: name.to_owned(),
                limit: trampoline::PLACES,
            });
        };
        self.targets.push(Target {
            name,
            #[cfg(feature = "native")]
            handler,
            function,
        });
        Ok(())
    }
}

impl Told {
    /// Registers the targets that are new.
    fn tell(&mut self, targets: &[Target]) {
        for (place, target) in targets.iter().enumerate().skip(self.count) {
            if let Err(error) = self.register(place, target) {
                self.failed.insert(target.name, error);
            }
        }
        self.count = targets.len();
    }

    fn register(&self, place: usize, target: &Target) -> Result<(), FfiError> {
        let before = trampoline::asked(place).0;
        // SAFETY: a function of `trampoline`, which is there for ever.
        unsafe { register_raw(self.api, target.name, target.function)? };
        match trampoline::asked(place) {
            (times, 0) if times != before => Err(FfiError::Dropped {
                target: target.name.to_owned(),
                plugin: self.api.library().to_owned(),
                reason:
                    "it asks for the version of the interface in a way that cyxla does not know"
                        .to_owned(),
            }),
            _ => Ok(()),
        }
    }

    /// Has the plugin compile a call to one target.
    fn prove(&mut self, client: &Client, target: &'static str) -> Result<(), FfiError> {
        if let Err(source) = proof::compile(client, &[target]) {
            let error = FfiError::Dropped {
                target: target.to_owned(),
                plugin: self.api.library().to_owned(),
                reason: source.to_string(),
            };
            self.failed.insert(target, error.clone());
            return Err(error);
        }
        self.proven.insert(target);
        Ok(())
    }
}

/// Registers a C function as the handler of a target.
///
/// # Errors
/// The plugin takes no handlers, or not this one.
///
/// # Safety
/// The function is a handler, and is there for ever.
pub(super) unsafe fn register_raw(
    api: &Api,
    target: &str,
    function: XLA_FFI_Handler,
) -> Result<(), FfiError> {
    let Some(register) = register_handler(api) else {
        return Err(FfiError::NoExtension {
            plugin: api.library().to_owned(),
        });
    };
    let mut args = PJRT_FFI_Register_Handler_Args {
        struct_size: PJRT_FFI_Register_Handler_Args::STRUCT_SIZE,
        target_name: target.as_ptr().cast(),
        target_name_size: target.len(),
        handler: function as *const c_void,
        platform_name: HOST.as_ptr().cast(),
        platform_name_size: HOST.len(),
        traits: 0,
    };
    // SAFETY: the function is that of the plugin's extension; its arguments live during the call, the handler for ever.
    let error = unsafe { register(&raw mut args) };
    match NonNull::new(error) {
        None => Ok(()),
        Some(error) => Err(FfiError::Refused {
            target: target.to_owned(),
            plugin: api.library().to_owned(),
            source: api.receive(error, "PJRT_FFI_Register_Handler"),
        }),
    }
}

type RegisterHandler = unsafe extern "C" fn(*mut PJRT_FFI_Register_Handler_Args) -> *mut PJRT_Error;

/// The function of a plugin that registers handlers, if it has one.
fn register_handler(api: &Api) -> Option<RegisterHandler> {
    let (extension, struct_size) = api.extension(PJRT_Extension_Type_FFI)?;
    let offset = std::mem::offset_of!(PJRT_FFI_Extension, register_handler);
    if offset + size_of::<PJRT_FFI_Register_Handler>() > struct_size {
        return None;
    }
    // SAFETY: inside the extension, by its own size; the field has this type.
    unsafe {
        let slot = extension.byte_add(offset);
        slot.cast::<PJRT_FFI_Register_Handler>().read()
    }
}
