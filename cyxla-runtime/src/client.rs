//! A client: the device of a plugin, and all that lives on it.

use std::fmt;
use std::ptr::NonNull;
use std::sync::Arc;

use cyxla_artifact::StableHloVersion;
use cyxla_pjrt_sys as sys;
use cyxla_pjrt_sys::{
    Args as _, Call as _, PJRT_Client, PJRT_Client_AddressableDevices_Args,
    PJRT_Client_Create_Args, PJRT_Client_Destroy_Args, PJRT_Client_PlatformName_Args,
    PJRT_Client_PlatformVersion_Args, PJRT_Device, PJRT_Device_GetDescription_Args,
    PJRT_DeviceDescription_Kind_Args, PJRT_NamedValue, PJRT_NamedValue_Value,
};

use crate::api::{self, Api};
use crate::buffer::{HostData, Place};
use crate::cache::PluginIdentity;
use crate::error::{ApiError, ClientError, Error};
use crate::ffi;
use crate::fork::{self, Process};
use crate::host::ALIGNMENT;
use crate::plugin::library::{self, Library};
use crate::plugin::{OptionValue, Plugin};
use crate::runtime::Options;
use crate::weights::WeightStore;

/// The option that says how many devices a CPU plugin makes.
const CPU_DEVICE_COUNT: &str = "cpu_device_count";

/// The most devices that a CPU plugin is asked for; each has threads of its own.
const MOST_CPU_DEVICES: i64 = 1024;

/// A started plugin: its device, and what is needed to compile and run programs there.
///
/// A clone is another handle of the same client. Everything that was made with a client keeps it alive; the plugin shuts
/// down when the last handle is dropped.
///
/// ```no_run
/// use cyxla_runtime::{Client, find_plugin};
///
/// let client = Client::new(&find_plugin("cpu")?, &[])?;
/// println!("PJRT API {:?}", client.api_version());
/// # Ok::<(), cyxla_runtime::Error>(())
/// ```
///
/// Source: `PJRT_Client`.
#[derive(Clone)]
pub struct Client(Arc<Inner>);

struct Inner {
    handle: Handle,
    device: NonNull<PJRT_Device>,
    library: &'static Library,
    plugin: Plugin,
    platform: String,
    platform_version: String,
    device_kind: String,
    zero_copy: ZeroCopy,
    weights: WeightStore,
}

/// What can be done without copies.
#[derive(Clone, Copy, Default)]
struct ZeroCopy {
    /// A buffer can look at memory of the host, which changes between calls.
    aliased_inputs: bool,
    /// The host can read the memory of the device.
    inplace_outputs: bool,
}

// SAFETY: handles of a client and its devices, which PJRT allows to be used from any thread; the rest is plain data.
unsafe impl Send for Inner {}
// SAFETY: as above.
unsafe impl Sync for Inner {}

impl Client {
    /// Starts `plugin` with its own create options and with `options`, which go before those of the same name. The custom
    /// calls of `jnp.linalg` have handlers; [`Client::open`] can leave them out.
    ///
    /// cyxla uses the first device. A plugin for `cpu` makes as many as `cpu_device_count` says; by default four, or one
    /// where there are fewer than four processors.
    ///
    /// # Blocking
    /// Loading the library takes 0.1 s to seconds the first time.
    ///
    /// # Errors
    /// The plugin can't be loaded, refuses an option, or has no device for this process.
    ///
    /// Source: `PJRT_Client_Create`.
    pub fn new(plugin: &Plugin, options: &[(String, OptionValue)]) -> Result<Self, Error> {
        ffi::register_jax_targets()?;
        Self::start(plugin, options, true)
    }

    /// Starts the plugin that `options` choose, as [`initialize`](crate::initialize) does for the default client.
    ///
    /// # Blocking
    /// Loading the library takes 0.1 s to seconds the first time.
    ///
    /// # Errors
    /// No plugin is found, it can't be loaded, refuses an option, or has no device for this process.
    pub fn open(options: &Options) -> Result<Self, Error> {
        options.start()
    }

    /// Starts `plugin`; without `zero_copy`, every array is copied by the plugin.
    pub(crate) fn start(
        plugin: &Plugin,
        options: &[(String, OptionValue)],
        zero_copy: bool,
    ) -> Result<Self, Error> {
        fork::watch();
        let mut plugin = plugin.clone();
        // One name for one library, also if a link on the way to it is changed later.
        if let Ok(path) = plugin.path.canonicalize() {
            plugin.path = path;
        }
        // The cache must know the plugin as it is loaded; if it can't tell, it says so when it is asked.
        let _ = PluginIdentity::when_first_seen(&plugin.path);
        let library = library::load(&plugin)?;
        plugin.create_options.extend(options.iter().cloned());
        if let Some(count) = plugin.create_options.get(CPU_DEVICE_COUNT) {
            check_device_count(count)?;
        }
        let handle = Handle::create_with_few_threads(library.api(), &mut plugin)?;
        let devices = handle.devices()?;
        let Some(device) = devices.first().copied().and_then(NonNull::new) else {
            return Err(ClientError::NoDevice {
                plugin: library.api().library().to_owned(),
            }
            .into());
        };
        let platform = handle.platform()?;
        let place = Place {
            api: library.api(),
            client: handle.raw.as_ptr(),
            device: device.as_ptr(),
        };
        // A host thread must not touch the memory of another kind of device.
        let zero_copy = if zero_copy && platform == "cpu" {
            // SAFETY: client and device are alive.
            unsafe { ZeroCopy::probe(place) }
        } else {
            ZeroCopy::default()
        };
        ffi::serve(library.api(), &platform);
        Ok(Self(Arc::new(Inner {
            platform,
            platform_version: handle.platform_version()?,
            device_kind: handle.device_kind(device)?,
            handle,
            device,
            library,
            plugin,
            zero_copy,
            weights: WeightStore::default(),
        })))
    }

    /// The platform as the plugin names it: `cpu`, `cuda`.
    ///
    /// Source: `PJRT_Client_PlatformName`.
    pub fn platform(&self) -> &str {
        &self.0.platform
    }

    /// What the plugin says of its version, for people; newlines and all.
    ///
    /// Source: `PJRT_Client_PlatformVersion`.
    pub fn platform_version(&self) -> &str {
        &self.0.platform_version
    }

    /// What kind of device the client runs programs on: `cpu`, `NVIDIA A100-SXM4-40GB`.
    ///
    /// Source: `PJRT_DeviceDescription_Kind`.
    pub fn device_kind(&self) -> &str {
        &self.0.device_kind
    }

    /// The version of the PJRT C API that the plugin was built with, major and minor.
    pub fn api_version(&self) -> (i32, i32) {
        self.api().version()
    }

    /// The plugin, with the create options that the client was made with.
    pub fn plugin(&self) -> &Plugin {
        &self.0.plugin
    }

    /// The versions of StableHLO that the plugin reads, oldest and newest, if it says.
    ///
    /// Source: the plugin attributes `stablehlo_minimum_version` and `stablehlo_current_version`.
    pub fn stablehlo_versions(&self) -> Option<(StableHloVersion, StableHloVersion)> {
        self.0.library.stablehlo()
    }

    /// Whether programs read arguments that are aligned to 64 bytes where they lie, without a copy. Probed.
    #[inline]
    pub fn aliased_inputs(&self) -> bool {
        self.0.zero_copy.aliased_inputs
    }

    /// Whether results can be read where the device has them, without the plugin's own copy. Probed.
    pub fn inplace_outputs(&self) -> bool {
        self.0.zero_copy.inplace_outputs
    }

    /// The weights of programs that are on its device.
    pub(crate) fn weights(&self) -> &WeightStore {
        &self.0.weights
    }

    /// Whether both are handles of one client.
    #[inline]
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// The error that the client can't be used here, if so: in a forked child of the process that made it, or in the middle of
    /// a program of its own.
    #[inline]
    pub(crate) fn check_process(&self) -> Result<(), Error> {
        if self.is_of_this_process() {
            ffi::check_outside()
        } else {
            Err(ClientError::Forked {
                plugin: self.api().library().to_owned(),
            }
            .into())
        }
    }

    /// Whether the plugin's threads live in this process.
    #[inline]
    pub(crate) fn is_of_this_process(&self) -> bool {
        self.0.handle.process.is_current()
    }

    /// The functions of the plugin.
    #[inline]
    pub(crate) fn api(&self) -> &'static Api {
        self.0.handle.api
    }

    /// Where buffers are made.
    #[inline]
    pub(crate) fn place(&self) -> Place {
        Place {
            api: self.api(),
            client: self.raw(),
            device: self.0.device.as_ptr(),
        }
    }

    /// The handle, for calls into the plugin.
    #[inline]
    pub(crate) fn raw(&self) -> *mut PJRT_Client {
        self.0.handle.raw.as_ptr()
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("platform", &self.0.platform)
            .field("plugin", &self.0.plugin)
            .field("api_version", &self.api_version())
            .finish_non_exhaustive()
    }
}

impl ZeroCopy {
    /// Tries what the plugin's documentation leaves open. What fails is taken as a no.
    ///
    /// # Safety
    /// Client and device are alive; the device has the memory of the process.
    unsafe fn probe(place: Place) -> Self {
        // SAFETY: as the caller promises.
        unsafe {
            Self {
                aliased_inputs: looks_at_memory(place).unwrap_or(false),
                inplace_outputs: shows_memory(place).unwrap_or(false),
            }
        }
    }
}

/// Whether a buffer can be made that looks at memory of the host.
///
/// # Safety
/// Client and device are alive.
unsafe fn looks_at_memory(place: Place) -> Result<bool, ApiError> {
    let seen = Aligned([3; 64]);
    // SAFETY: `seen` outlives the buffer, which is destroyed once.
    unsafe {
        let buffer = place.view(seen.data())?;
        let pointer = buffer.ready().and_then(|()| buffer.pointer());
        buffer.destroy();
        Ok(pointer?.cast_const() == seen.0.as_ptr())
    }
}

/// Whether the address of an array on the device can be read by the host.
///
/// # Safety
/// Client and device are alive; the device has the memory of the process.
unsafe fn shows_memory(place: Place) -> Result<bool, ApiError> {
    let copied = Aligned([2; 64]);
    // SAFETY: the memory of the device is that of the process, and the buffer is ready and alive when it is read; it is
    // destroyed once.
    unsafe {
        let buffer = place.copy(copied.data())?;
        let pointer = buffer.ready().and_then(|()| buffer.pointer());
        let shown = pointer.map(|pointer| {
            !pointer.is_null() && std::slice::from_raw_parts(pointer, 64) == copied.0
        });
        buffer.destroy();
        shown
    }
}

/// An array to probe with.
#[repr(align(64))]
struct Aligned([u8; 64]);

const _: () = assert!(align_of::<Aligned>() == ALIGNMENT);

impl Aligned {
    fn data(&self) -> HostData<'_> {
        HostData {
            start: self.0.as_ptr(),
            element: sys::PJRT_Buffer_Type_U8,
            dims: &[64],
        }
    }
}

/// The plugin's client, destroyed when dropped.
struct Handle {
    api: &'static Api,
    raw: NonNull<PJRT_Client>,
    process: Process,
}

impl Handle {
    /// Makes a client. Where XLA's usual four devices would mean more threads than processors, one device is asked for.
    fn create_with_few_threads(
        api: &'static Api,
        plugin: &mut Plugin,
    ) -> Result<Self, ClientError> {
        let is_asked = plugin.create_options.contains_key(CPU_DEVICE_COUNT);
        if is_asked || plugin.platform != "cpu" || !has_few_processors() {
            return Self::create(api, plugin);
        }
        let one = OptionValue::Int(1);
        plugin
            .create_options
            .insert(CPU_DEVICE_COUNT.to_owned(), one);
        Self::create(api, plugin).or_else(|_| {
            // Not every plugin for CPUs knows the option, and nobody asked for it.
            plugin.create_options.remove(CPU_DEVICE_COUNT);
            Self::create(api, plugin)
        })
    }

    fn create(api: &'static Api, plugin: &Plugin) -> Result<Self, ClientError> {
        let options: Vec<_> = plugin
            .create_options
            .iter()
            .map(|(name, value)| named_value(name, value))
            .collect();
        let mut args = PJRT_Client_Create_Args {
            create_options: options.as_ptr(),
            num_options: options.len(),
            ..PJRT_Client_Create_Args::new()
        };
        // SAFETY: the options point into `plugin`, and are only needed during the call.
        let created = unsafe { api.call(&mut args) };
        created
            .and_then(|()| {
                NonNull::new(args.client)
                    .ok_or_else(|| api.nothing(PJRT_Client_Create_Args::FUNCTION))
            })
            .map(|raw| Self {
                api,
                raw,
                process: Process::current(),
            })
            .map_err(|source| {
                let given = plugin.create_options.iter();
                let given: Vec<_> = given
                    .map(|(name, value)| format!("{name} = {value}"))
                    .collect();
                ClientError::Create {
                    plugin: api.library().to_owned(),
                    options: given.join(", "),
                    source,
                }
            })
    }

    fn platform(&self) -> Result<String, ApiError> {
        let mut args = PJRT_Client_PlatformName_Args {
            client: self.raw.as_ptr(),
            ..PJRT_Client_PlatformName_Args::new()
        };
        // SAFETY: the client is alive, and so is its name.
        unsafe {
            self.api.call(&mut args)?;
            Ok(api::text(args.platform_name, args.platform_name_size))
        }
    }

    fn platform_version(&self) -> Result<String, ApiError> {
        let mut args = PJRT_Client_PlatformVersion_Args {
            client: self.raw.as_ptr(),
            ..PJRT_Client_PlatformVersion_Args::new()
        };
        // SAFETY: the client is alive, and so is the text.
        unsafe {
            self.api.call(&mut args)?;
            Ok(api::text(args.platform_version, args.platform_version_size))
        }
    }

    fn device_kind(&self, device: NonNull<PJRT_Device>) -> Result<String, ApiError> {
        let mut description = PJRT_Device_GetDescription_Args {
            device: device.as_ptr(),
            ..PJRT_Device_GetDescription_Args::new()
        };
        // SAFETY: the client is alive, and so are its device and what describes that.
        unsafe {
            self.api.call(&mut description)?;
            let mut args = PJRT_DeviceDescription_Kind_Args {
                device_description: description.device_description,
                ..PJRT_DeviceDescription_Kind_Args::new()
            };
            self.api.call(&mut args)?;
            Ok(api::text(args.device_kind, args.device_kind_size))
        }
    }

    fn devices(&self) -> Result<&[*mut PJRT_Device], ApiError> {
        let mut args = PJRT_Client_AddressableDevices_Args {
            client: self.raw.as_ptr(),
            ..PJRT_Client_AddressableDevices_Args::new()
        };
        // SAFETY: the client is alive; the list lives as long.
        unsafe {
            self.api.call(&mut args)?;
            Ok(api::slice(
                args.addressable_devices,
                args.num_addressable_devices,
            ))
        }
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        // In a forked child there are no threads to shut down, and waiting for them would never end.
        if !self.process.is_current() {
            return;
        }
        let mut args = PJRT_Client_Destroy_Args {
            client: self.raw.as_ptr(),
            ..PJRT_Client_Destroy_Args::new()
        };
        // SAFETY: the client is alive, and nothing that was made with it is: each such thing holds the `Arc` around this.
        // What could be told of an error here is of no use to anybody.
        let _ = unsafe { self.api.call(&mut args) };
    }
}

/// Plugins look at the type of this option only by an exception, which ends the process.
fn check_device_count(value: &OptionValue) -> Result<(), ClientError> {
    match value {
        OptionValue::Int(1..=MOST_CPU_DEVICES) => Ok(()),
        _ => Err(ClientError::Option {
            name: CPU_DEVICE_COUNT.to_owned(),
            value: value.to_string(),
            expected: "an integer from 1 to 1024",
        }),
    }
}

/// Whether XLA's usual four devices would mean more threads than processors.
///
/// Elsewhere they cost nothing, and plugins that are asked for another number say so on stderr.
fn has_few_processors() -> bool {
    std::thread::available_parallelism().is_ok_and(|processors| processors.get() < 4)
}

/// An option as PJRT takes it. It points into `name` and `value`.
fn named_value(name: &str, value: &OptionValue) -> PJRT_NamedValue {
    let (type_, value, value_size) = match value {
        OptionValue::Bool(value) => (
            sys::PJRT_NamedValue_kBool,
            PJRT_NamedValue_Value { bool_value: *value },
            1,
        ),
        OptionValue::Int(value) => (
            sys::PJRT_NamedValue_kInt64,
            PJRT_NamedValue_Value {
                int64_value: *value,
            },
            1,
        ),
        OptionValue::Float(value) => (
            sys::PJRT_NamedValue_kFloat,
            PJRT_NamedValue_Value {
                float_value: *value,
            },
            1,
        ),
        OptionValue::Str(value) => (
            sys::PJRT_NamedValue_kString,
            PJRT_NamedValue_Value {
                string_value: value.as_ptr().cast(),
            },
            value.len(),
        ),
        OptionValue::IntList(values) => (
            sys::PJRT_NamedValue_kInt64List,
            PJRT_NamedValue_Value {
                int64_array_value: values.as_ptr(),
            },
            values.len(),
        ),
    };
    PJRT_NamedValue {
        name: name.as_ptr().cast(),
        name_size: name.len(),
        type_,
        value,
        value_size,
        ..PJRT_NamedValue::new()
    }
}
