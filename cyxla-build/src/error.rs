use std::fmt;

use crate::lower::LowerError;
use crate::native::NativeError;
use crate::package::PackageError;
use crate::python::PythonError;
use crate::scan::ScanError;
use crate::store::StoreError;

/// Why the programs of a package could not be lowered.
///
/// Each text says what failed, on what, and in a line `help:` what to do.
///
/// `Debug` prints the text too: it is what `fn main() -> Result<(), cyxla_build::Error>` and `unwrap` show.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The package can't be understood.
    #[error(transparent)]
    Package(#[from] PackageError),
    /// The declarations in Rust can't be understood.
    #[error(transparent)]
    Scan(#[from] ScanError),
    /// There is no Python that could lower programs.
    #[error(transparent)]
    Python(#[from] PythonError),
    /// Python could not lower programs.
    #[error(transparent)]
    Lower(#[from] LowerError),
    /// Programs could not be compiled to machine code.
    #[error(transparent)]
    Native(#[from] NativeError),
    /// What was lowered can't be kept, or can't be made now.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Several things failed, each for a reason of its own.
    #[error(transparent)]
    Several(Errors),
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// More than one [`Error`], each to be mended by itself.
#[derive(Debug)]
pub struct Errors(Vec<Error>);

impl Error {
    /// All of `errors` as one; none if there is none.
    pub(crate) fn of_all(errors: impl IntoIterator<Item = Self>) -> Option<Self> {
        let mut errors: Vec<Self> = errors.into_iter().collect();
        match errors.len() {
            0 | 1 => errors.pop(),
            _ => Some(Self::Several(Errors(errors))),
        }
    }
}

impl Errors {
    /// The errors, in the order of the sources.
    pub fn iter(&self) -> impl Iterator<Item = &Error> {
        self.0.iter()
    }
}

/// Prints the errors one below the other, with an empty line between them.
impl fmt::Display for Errors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let texts: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        f.write_str(&texts.join("\n\n"))
    }
}

impl std::error::Error for Errors {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_that_leaves_main_is_shown_as_its_text() {
        let error = || Error::from(StoreError::Contradiction);
        let text = error().to_string();
        assert_eq!(format!("{:?}", error()), text);
        let both = Error::of_all([error(), error()]).unwrap();
        assert_eq!(format!("{both:?}"), format!("{text}\n\n{text}"));
    }
}
