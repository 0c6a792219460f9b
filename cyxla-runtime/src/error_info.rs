use std::sync::{Mutex, PoisonError};

use crate::error::Error;

/// How often the run time has failed in this process, and how the last time.
///
/// Source: `ErrorInfo` of the Python package.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct ErrorInfo {
    /// How many errors were returned: by calls of any kind and their results, by
    /// [`compile_program`](crate::compile_program), and by loading the default client.
    pub count: u64,
    /// The text of the last one; none if there was none.
    pub last: Option<String>,
}

static ERRORS: Mutex<ErrorInfo> = Mutex::new(ErrorInfo {
    count: 0,
    last: None,
});

/// How often the run time has failed in this process, and how the last time; for monitoring.
///
/// Source: `error_info` of the Python package.
pub fn error_info() -> ErrorInfo {
    ERRORS
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .clone()
}

/// Counts an error on its way out. Each is to be counted once, where it leaves the crate.
pub(crate) fn counted<T>(result: Result<T, Error>) -> Result<T, Error> {
    if let Err(error) = &result {
        let text = error.to_string();
        let mut errors = ERRORS.lock().unwrap_or_else(PoisonError::into_inner);
        errors.count = errors.count.saturating_add(1);
        errors.last = Some(text);
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ArgumentError;

    #[test]
    fn an_error_is_counted_and_passed_on() {
        let error = || {
            Error::from(ArgumentError::Count {
                program: "counted_in_this_test".into(),
                expected: 1,
                found: 2,
                inputs: Vec::new(),
            })
        };
        let before = error_info().count;
        assert!(counted(Err::<(), _>(error())).is_err());
        assert_eq!(counted(Ok(3)).ok(), Some(3));
        // Other tests count theirs meanwhile.
        assert!(error_info().count > before);
        assert!(error_info().last.is_some());
    }
}
