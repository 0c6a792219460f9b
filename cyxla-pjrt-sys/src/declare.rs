//! How the structures of the C API are declared, and what is known of their layout.

/// The arguments of a function: a structure that begins with its own size.
///
/// # Safety
/// The type is `#[repr(C)]`, begins with `struct_size: usize`, all bytes zero are a value of it, and
/// [`FIELDS`](Args::FIELDS) are all its fields.
pub unsafe trait Args: Sized {
    /// The name in the header.
    const NAME: &'static str;

    /// Its fields, in order.
    const FIELDS: &'static [Field];

    /// What belongs into `struct_size`: the offset of the last field plus its size, without padding at the end.
    const STRUCT_SIZE: usize = match Self::FIELDS.last() {
        Some(last) => last.offset + last.size,
        None => 0,
    };

    /// All fields zero, but for `struct_size`.
    fn new() -> Self {
        let mut args = std::mem::MaybeUninit::<Self>::zeroed();
        // SAFETY: by the contract of the trait, the first field is `struct_size: usize`, and zero bytes are a value of the
        // others.
        unsafe {
            args.as_mut_ptr().cast::<usize>().write(Self::STRUCT_SIZE);
            args.assume_init()
        }
    }
}

/// The arguments of exactly one function of the table.
///
/// # Safety
/// In any table that reaches beyond [`SLOT`](Call::SLOT), there lies NULL or the address of a C function which takes a
/// pointer to this type and returns a `PJRT_Error` that the caller owns, or NULL.
pub unsafe trait Call: Args {
    /// The name of the function.
    const FUNCTION: &'static str;

    /// The offset of its pointer in [`PJRT_Api`](crate::PJRT_Api), in bytes.
    const SLOT: usize;
}

/// The layout of a structure.
#[derive(Debug)]
pub struct Layout {
    /// The name in the header.
    pub name: &'static str,
    /// [`Args::STRUCT_SIZE`].
    pub struct_size: usize,
    /// `size_of`.
    pub size: usize,
    /// The fields, in order.
    pub fields: &'static [Field],
}

/// The place of a field.
#[derive(Debug)]
pub struct Field {
    /// The name in the header.
    pub name: &'static str,
    /// Bytes from the start of the structure.
    pub offset: usize,
    /// Bytes that it takes.
    pub size: usize,
}

/// An enumerator of the header.
#[derive(Debug)]
pub struct Constant {
    /// The name in the header.
    pub name: &'static str,
    /// Its number.
    pub value: i32,
}

/// The layout of every structure that is declared here, but for the table.
pub fn layouts() -> impl Iterator<Item = &'static Layout> {
    [
        LAYOUTS,
        crate::error::LAYOUTS,
        crate::plugin::LAYOUTS,
        crate::event::LAYOUTS,
        crate::client::LAYOUTS,
        crate::executable::LAYOUTS,
        crate::buffer::LAYOUTS,
        crate::table::LAYOUTS,
    ]
    .into_iter()
    .flatten()
}

/// Every constant that is declared here.
pub fn constants() -> impl Iterator<Item = &'static Constant> {
    [
        crate::error::CONSTANTS,
        crate::plugin::CONSTANTS,
        crate::buffer::CONSTANTS,
    ]
    .into_iter()
    .flatten()
}

/// Declares structures that begin with `struct_size` and `extension_start`, and `LAYOUTS`, the list of them.
macro_rules! structures {
    ($($(#[$attribute:meta])* $name:ident { $($fields:tt)* })*) => {
        structures! {
            chained by $crate::declare::PJRT_Extension_Base;
            $($(#[$attribute])* $name { $($fields)* })*
        }
    };
    (chained by $base:ty; $($(#[$attribute:meta])* $name:ident { $($(#[$note:meta])* $field:ident: $type:ty,)* })*) => {
        $(
            $(#[$attribute])*
            #[repr(C)]
            #[derive(Clone, Copy, Debug)]
            pub struct $name {
                pub struct_size: usize,
                pub extension_start: *mut $base,
                $($(#[$note])* pub $field: $type,)*
            }

            // SAFETY: `#[repr(C)]` with `struct_size` first; the other fields are numbers, raw pointers, optional function
            // pointers, `bool`, and structures and unions of these.
            unsafe impl $crate::declare::Args for $name {
                const NAME: &'static str = stringify!($name);
                const FIELDS: &'static [$crate::declare::Field] = &[
                    structures!(@field $name struct_size: usize),
                    structures!(@field $name extension_start: *mut u8),
                    $(structures!(@field $name $field: $type),)*
                ];
            }
        )*

        pub(crate) const LAYOUTS: &[$crate::declare::Layout] = &[$(
            $crate::declare::Layout {
                name: stringify!($name),
                struct_size: <$name as $crate::declare::Args>::STRUCT_SIZE,
                size: size_of::<$name>(),
                fields: <$name as $crate::declare::Args>::FIELDS,
            },
        )*];
    };
    (@field $name:ident $field:ident: $type:ty) => {
        $crate::declare::Field {
            name: stringify!($field),
            offset: std::mem::offset_of!($name, $field),
            size: size_of::<$type>(),
        }
    };
}

/// Declares the enumerators of C enumerations, and `CONSTANTS`, the list of them.
macro_rules! constants {
    ($($(#[$attribute:meta])* $type:ident { $($name:ident = $value:literal,)* })*) => {
        $(
            $(#[$attribute])*
            pub type $type = std::ffi::c_int;
            $(pub const $name: $type = $value;)*
        )*

        pub(crate) const CONSTANTS: &[$crate::declare::Constant] = &[$($(
            $crate::declare::Constant { name: stringify!($name), value: $value },
        )*)*];
    };
}

/// Declares the types of things that only a plugin can look into.
macro_rules! opaque {
    ($($(#[$attribute:meta])* $name:ident;)*) => {
        $(
            $(#[$attribute])*
            #[repr(C)]
            #[derive(Debug)]
            pub struct $name {
                _opaque: [u8; 0],
                // Neither sent, shared nor moved through this type.
                _marker: std::marker::PhantomData<(*mut u8, std::marker::PhantomPinned)>,
            }
        )*
    };
}

/// The head of an extension: one link of the chain that begins at `extension_start`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PJRT_Extension_Base {
    pub struct_size: usize,
    pub type_: std::ffi::c_int,
    pub next: *mut PJRT_Extension_Base,
}

pub(crate) const LAYOUTS: &[Layout] = &[Layout {
    name: "PJRT_Extension_Base",
    struct_size: size_of::<PJRT_Extension_Base>(),
    size: size_of::<PJRT_Extension_Base>(),
    fields: &[
        structures!(@field PJRT_Extension_Base struct_size: usize),
        structures!(@field PJRT_Extension_Base next: *mut u8),
    ],
}];
