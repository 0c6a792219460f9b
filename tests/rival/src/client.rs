//! A plugin, and a client of it.

use std::path::Path;
use std::ptr::NonNull;
use std::sync::Arc;

use cyxla_pjrt_sys as sys;
use cyxla_pjrt_sys::{
    Args as _, Call, GetPjrtApi, PJRT_Api, PJRT_Client, PJRT_Client_AddressableDevices_Args,
    PJRT_Client_Create_Args, PJRT_Client_Destroy_Args, PJRT_Device, PJRT_Error,
    PJRT_Error_Destroy_Args, PJRT_Error_Message_Args, PJRT_NamedValue, PJRT_NamedValue_Value,
    PJRT_Plugin_Initialize_Args, Slot,
};

use crate::Failure;

/// A function of the C API.
pub(crate) type Function<A> = unsafe extern "C" fn(*mut A) -> *mut PJRT_Error;

/// An option for `PJRT_Client_Create`.
#[derive(Clone, PartialEq, Debug)]
pub enum CreateOption {
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A number.
    Float(f32),
    /// A string.
    Str(String),
    /// A list of integers.
    IntList(Vec<i64>),
}

/// The functions of a plugin that is loaded for good.
#[derive(Clone, Copy)]
pub(crate) struct Functions(NonNull<PJRT_Api>);

// SAFETY: the table is only read, and its functions may be called from any thread.
unsafe impl Send for Functions {}
// SAFETY: as above.
unsafe impl Sync for Functions {}

impl Functions {
    fn load(library: &Path) -> Result<Self, Failure> {
        let failure = |reason: String| Failure::Library {
            path: library.to_owned(),
            reason,
        };
        // SAFETY: whoever names a plugin trusts its initializers.
        let loaded = unsafe { libloading::Library::new(library) };
        let loaded = loaded.map_err(|error| failure(error.to_string()))?;
        // SAFETY: this is the type of the one symbol that every plugin exports.
        let symbol = unsafe { loaded.get::<GetPjrtApi>(c"GetPjrtApi") };
        let get_api = *symbol.map_err(|error| failure(error.to_string()))?;
        std::mem::forget(loaded);
        // SAFETY: takes no arguments.
        let table = unsafe { get_api() };
        NonNull::new(table.cast_mut())
            .map(Self)
            .ok_or_else(|| failure("GetPjrtApi returns NULL".to_owned()))
    }

    /// The function that takes these arguments.
    pub(crate) fn get<A: Call>(self) -> Result<Function<A>, Failure> {
        // SAFETY: the table begins with its size and lives for good; a slot is read only if it lies inside, and `Call`
        // promises its type.
        let slot = unsafe {
            let struct_size = (&raw const (*self.0.as_ptr()).struct_size).read();
            if A::SLOT + size_of::<Slot<A>>() > struct_size {
                return Err(Failure::Missing(A::FUNCTION));
            }
            self.0.byte_add(A::SLOT).cast::<Slot<A>>().read()
        };
        slot.ok_or(Failure::Missing(A::FUNCTION))
    }

    /// Calls the function that takes these arguments.
    ///
    /// # Safety
    /// The arguments are what the function asks for.
    pub(crate) unsafe fn call<A: Call>(self, args: &mut A) -> Result<(), Failure> {
        let function = self.get::<A>()?;
        // SAFETY: as the caller promises.
        let error = unsafe { function(args) };
        // SAFETY: just returned by the plugin.
        unsafe { self.check(error, A::FUNCTION) }
    }

    /// Turns what a function returned into a value.
    ///
    /// # Safety
    /// NULL, or an error of this plugin that nobody else owns.
    #[inline]
    pub(crate) unsafe fn check(
        self,
        error: *mut PJRT_Error,
        function: &'static str,
    ) -> Result<(), Failure> {
        if error.is_null() {
            Ok(())
        } else {
            // SAFETY: as the caller promises.
            Err(unsafe { self.receive(error, function) })
        }
    }

    #[cold]
    unsafe fn receive(self, error: *mut PJRT_Error, function: &'static str) -> Failure {
        let mut message = PJRT_Error_Message_Args {
            error,
            ..PJRT_Error_Message_Args::new()
        };
        let mut destroy = PJRT_Error_Destroy_Args {
            error,
            ..PJRT_Error_Destroy_Args::new()
        };
        let mut text = String::new();
        // SAFETY: every table has these slots; the text lives until the error is destroyed, which is last.
        unsafe {
            let table = self.0.as_ptr();
            if let Some(function) = (&raw const (*table).PJRT_Error_Message).read() {
                function(&raw mut message);
            }
            if !message.message.is_null() {
                let bytes =
                    std::slice::from_raw_parts(message.message.cast(), message.message_size);
                text = String::from_utf8_lossy(bytes).into_owned();
            }
            if let Some(function) = (&raw const (*table).PJRT_Error_Destroy).read() {
                function(&raw mut destroy);
            }
        }
        Failure::Plugin {
            function,
            message: text,
        }
    }
}

/// A client with its first device. A clone is the same client.
#[derive(Clone)]
pub struct Client(Arc<Inner>);

struct Inner {
    functions: Functions,
    raw: *mut PJRT_Client,
    device: *mut PJRT_Device,
}

// SAFETY: PJRT allows clients and devices to be used from any thread.
unsafe impl Send for Inner {}
// SAFETY: as above.
unsafe impl Sync for Inner {}

impl Client {
    /// Loads the plugin at `library` and starts it with these options.
    ///
    /// # Blocking
    /// For 0.1 s to seconds.
    ///
    /// # Errors
    /// It can't be loaded or started.
    pub fn open(library: &Path, options: &[(String, CreateOption)]) -> Result<Self, Failure> {
        let functions = Functions::load(library)?;
        let options: Vec<_> = options
            .iter()
            .map(|(name, value)| named_value(name, value))
            .collect();
        let mut create = PJRT_Client_Create_Args {
            create_options: options.as_ptr(),
            num_options: options.len(),
            ..PJRT_Client_Create_Args::new()
        };
        // SAFETY: a plugin may be initialized again; the options are only needed during the call.
        unsafe {
            functions.call(&mut PJRT_Plugin_Initialize_Args::new())?;
            functions.call(&mut create)?;
        }
        let mut inner = Inner {
            functions,
            raw: create.client,
            device: std::ptr::null_mut(),
        };
        let mut devices = PJRT_Client_AddressableDevices_Args {
            client: inner.raw,
            ..PJRT_Client_AddressableDevices_Args::new()
        };
        // SAFETY: the client is alive; the list has as many elements as it says.
        unsafe {
            functions.call(&mut devices)?;
            if devices.num_addressable_devices == 0 {
                return Err(Failure::Program("the plugin has no device"));
            }
            inner.device = devices.addressable_devices.read();
        }
        Ok(Self(Arc::new(inner)))
    }

    pub(crate) fn functions(&self) -> Functions {
        self.0.functions
    }

    pub(crate) fn raw(&self) -> *mut PJRT_Client {
        self.0.raw
    }

    pub(crate) fn device(&self) -> *mut PJRT_Device {
        self.0.device
    }
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client").finish_non_exhaustive()
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        let mut args = PJRT_Client_Destroy_Args {
            client: self.raw,
            ..PJRT_Client_Destroy_Args::new()
        };
        // SAFETY: alive, and what was made with it is gone: all such things hold the client.
        let _ = unsafe { self.functions.call(&mut args) };
    }
}

/// An option as PJRT takes it. It points into `name` and `value`.
fn named_value(name: &str, value: &CreateOption) -> PJRT_NamedValue {
    let (type_, value, value_size) = match value {
        CreateOption::Bool(value) => (
            sys::PJRT_NamedValue_kBool,
            PJRT_NamedValue_Value { bool_value: *value },
            1,
        ),
        CreateOption::Int(value) => (
            sys::PJRT_NamedValue_kInt64,
            PJRT_NamedValue_Value {
                int64_value: *value,
            },
            1,
        ),
        CreateOption::Float(value) => (
            sys::PJRT_NamedValue_kFloat,
            PJRT_NamedValue_Value {
                float_value: *value,
            },
            1,
        ),
        CreateOption::Str(value) => (
            sys::PJRT_NamedValue_kString,
            PJRT_NamedValue_Value {
                string_value: value.as_ptr().cast(),
            },
            value.len(),
        ),
        CreateOption::IntList(values) => (
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
