/// Reading and writing the words of enums that have `ALL` and `name`; after each, what it is.
macro_rules! words {
    ($($name:ident, $what:literal;)*) => {$(
        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.pad(self.name())
            }
        }

        impl ::std::str::FromStr for $name {
            type Err = $crate::UnknownWord;

            fn from_str(text: &str) -> Result<Self, $crate::UnknownWord> {
                let known = Self::ALL.into_iter().find(|one| one.name() == text);
                known.ok_or_else(|| $crate::UnknownWord {
                    text: text.to_owned(),
                    what: $what,
                    known: Self::ALL.map(Self::name).join(", "),
                })
            }
        }
    )*};
}

/// A word that names none of the things of its kind: no engine, no level, no platform.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{text}` is no {what}, which are {known}")]
pub struct UnknownWord {
    /// What was met.
    pub text: String,
    /// What it should name.
    pub what: &'static str,
    /// The words that there are.
    pub known: String,
}
