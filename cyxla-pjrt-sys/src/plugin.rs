//! The plugin as a whole, and named values.

use std::ffi::c_char;

structures! {
    PJRT_Plugin_Initialize_Args {}

    PJRT_Plugin_Attributes_Args {
        /// Out. Lives as long as the process.
        attributes: *const PJRT_NamedValue,
        /// Out.
        num_attributes: usize,
    }

    /// A value with a name: an attribute, an option.
    PJRT_NamedValue {
        name: *const c_char,
        name_size: usize,
        type_: PJRT_NamedValue_Type,
        value: PJRT_NamedValue_Value,
        /// Elements of a string or list, 1 for anything else.
        value_size: usize,
    }
}

/// The value of a [`PJRT_NamedValue`]: the field that its `type_` says. It has no name in the header.
#[repr(C)]
#[derive(Clone, Copy)]
pub union PJRT_NamedValue_Value {
    pub string_value: *const c_char,
    pub int64_value: i64,
    pub int64_array_value: *const i64,
    pub float_value: f32,
    pub bool_value: bool,
}

impl std::fmt::Debug for PJRT_NamedValue_Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PJRT_NamedValue_Value")
    }
}

constants! {
    /// The type of a named value.
    PJRT_NamedValue_Type {
        PJRT_NamedValue_kString = 0,
        PJRT_NamedValue_kInt64 = 1,
        PJRT_NamedValue_kInt64List = 2,
        PJRT_NamedValue_kFloat = 3,
        PJRT_NamedValue_kBool = 4,
    }
}
