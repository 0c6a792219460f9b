/// A name that an image has no number for.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{name}` is no {what} that an image can name")]
pub struct UnknownName {
    /// What kind of name it should be.
    pub what: &'static str,
    /// The name that was met.
    pub name: String,
}

/// Makes an enum whose variants have a name and a number that is written into images.
macro_rules! coded {
    (
        $(#[$enum_doc:meta])*
        $name:ident, $what:literal:
        $($(#[$doc:meta])* $variant:ident = $code:literal, $text:literal;)*
    ) => {
        $(#[$enum_doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[non_exhaustive]
        pub enum $name {
            $($(#[$doc])* $variant = $code,)*
        }

        impl $name {
            /// Every one, in the order of its number.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// Its name.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }

            /// Its number in the bytes of an image. It never changes its meaning.
            pub const fn code(self) -> u16 {
                self as u16
            }

            /// The one of this number.
            pub fn from_code(code: u16) -> Option<Self> {
                match code { $($code => Some(Self::$variant),)* _ => None }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::image::UnknownName;

            fn from_str(name: &str) -> Result<Self, $crate::image::UnknownName> {
                let found = Self::ALL.iter().find(|one| one.name() == name);
                found.copied().ok_or_else(|| $crate::image::UnknownName { what: $what, name: name.to_owned() })
            }
        }
    };
}
pub(super) use coded;
