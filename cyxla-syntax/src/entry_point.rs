use std::fmt;

use proc_macro2::Span;

/// A Python object, named as entry points are: `module:function`.
///
/// Both halves may have dots: `package.model:Class.method`.
///
/// Source: the object references of the Python packaging guide's entry points.
#[derive(Clone, Debug)]
pub struct EntryPoint {
    /// The module, as in an `import` statement.
    pub module: String,
    /// The name in that module, with a dot before each attribute.
    pub function: String,
    /// Where it is written in Rust.
    pub span: Span,
}

/// A text that is no `module:function`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("an entry point is written `module:function`")]
pub struct EntryPointError;

impl EntryPoint {
    /// Reads `module:function`, written at `span`.
    ///
    /// # Errors
    /// There is not exactly one colon, or a half is no sequence of Python names with dots between them.
    pub fn parse(text: &str, span: Span) -> Result<Self, EntryPointError> {
        match text.split_once(':') {
            Some((module, function)) if is_dotted(module) && is_dotted(function) => Ok(Self {
                module: module.to_owned(),
                function: function.to_owned(),
                span,
            }),
            _ => Err(EntryPointError),
        }
    }
}

fn is_dotted(path: &str) -> bool {
    path.split('.').all(|name| {
        let mut characters = name.chars();
        characters
            .next()
            .is_some_and(|first| first == '_' || first.is_alphabetic())
            && characters.all(|next| next == '_' || next.is_alphanumeric())
    })
}

/// Prints `module:function`.
impl fmt::Display for EntryPoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.module, self.function)
    }
}

/// Equal if they name the same object; where they are written does not count.
impl PartialEq for EntryPoint {
    fn eq(&self, other: &Self) -> bool {
        self.module == other.module && self.function == other.function
    }
}

impl Eq for EntryPoint {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_halves_may_have_dots() {
        let point = EntryPoint::parse("pkg.model:Class.method", Span::call_site()).unwrap();
        assert_eq!(
            (point.module.as_str(), point.function.as_str()),
            ("pkg.model", "Class.method")
        );
        assert_eq!(point.to_string(), "pkg.model:Class.method");
    }

    #[test]
    fn names_may_be_in_any_script() {
        assert!(EntryPoint::parse("modèle:prédire_2", Span::call_site()).is_ok());
    }

    #[test]
    fn other_texts_are_refused() {
        for text in [
            "",
            ":",
            "model",
            "model:",
            ":f",
            "a:b:c",
            "a b:c",
            "model .py:f",
            "../a:f",
            "a..b:f",
            "a:2f",
            "a:f()",
        ] {
            assert!(
                EntryPoint::parse(text, Span::call_site()).is_err(),
                "{text:?}"
            );
        }
    }
}
