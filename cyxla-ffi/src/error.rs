use std::fmt;

macro_rules! codes {
    ($($variant:ident = $number:literal, $name:literal, $doc:literal;)*) => {
        /// What kind of error it is, by the codes that PJRT and XLA FFI share with Abseil.
        ///
        /// Source: `PJRT_Error_Code`, `XLA_FFI_Error_Code`.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[non_exhaustive]
        pub enum ErrorCode {
            $(#[doc = $doc] $variant,)*
            /// A code that this version of cyxla does not know.
            Other(i32),
        }

        impl ErrorCode {
            /// The code with this number in the C API.
            pub const fn from_number(number: i32) -> Self {
                match number {
                    $($number => ErrorCode::$variant,)*
                    other => ErrorCode::Other(other),
                }
            }

            /// The number in the C API.
            pub const fn number(self) -> i32 {
                match self {
                    $(ErrorCode::$variant => $number,)*
                    ErrorCode::Other(number) => number,
                }
            }
        }

        /// Prints the name in the C API: `INVALID_ARGUMENT`.
        impl fmt::Display for ErrorCode {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $(ErrorCode::$variant => f.pad($name),)*
                    ErrorCode::Other(number) => write!(f, "code {number}"),
                }
            }
        }
    };
}

codes! {
    Cancelled = 1, "CANCELLED", "The operation was cancelled.";
    Unknown = 2, "UNKNOWN", "An error without a kind.";
    InvalidArgument = 3, "INVALID_ARGUMENT", "An argument that is wrong in any state.";
    DeadlineExceeded = 4, "DEADLINE_EXCEEDED", "It took too long.";
    NotFound = 5, "NOT_FOUND", "Something that was asked for is not there.";
    AlreadyExists = 6, "ALREADY_EXISTS", "Something that was to be made is there already.";
    PermissionDenied = 7, "PERMISSION_DENIED", "The caller may not do this.";
    ResourceExhausted = 8, "RESOURCE_EXHAUSTED", "Out of memory, or of another resource.";
    FailedPrecondition = 9, "FAILED_PRECONDITION", "Wrong in the present state.";
    Aborted = 10, "ABORTED", "The operation was aborted.";
    OutOfRange = 11, "OUT_OF_RANGE", "Past the end of something.";
    Unimplemented = 12, "UNIMPLEMENTED", "This can't be done.";
    Internal = 13, "INTERNAL", "A fault inside of what was called.";
    Unavailable = 14, "UNAVAILABLE", "Not available now.";
    DataLoss = 15, "DATA_LOSS", "Data was lost or damaged.";
    Unauthenticated = 16, "UNAUTHENTICATED", "The caller is not known.";
}

/// Why a handler failed. The program that made the call fails with this message.
///
/// ```
/// use cyxla_ffi::Error;
///
/// fn solve(pivot: f64) -> Result<f64, Error> {
///     if pivot == 0.0 {
///         return Err(Error::invalid_argument("the matrix is singular"));
///     }
///     Ok(1.0 / pivot)
/// }
/// assert_eq!(solve(0.0).unwrap_err().message(), "the matrix is singular");
/// ```
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    code: ErrorCode,
    message: String,
}

impl Error {
    /// An error of this kind.
    pub fn new(code: ErrorCode, message: impl fmt::Display) -> Self {
        Self {
            code,
            message: message.to_string(),
        }
    }

    /// What the handler was called with is wrong.
    #[cold]
    pub fn invalid_argument(message: impl fmt::Display) -> Self {
        Self::new(ErrorCode::InvalidArgument, message)
    }

    /// The handler failed, whatever it was called with. Takes the errors of other crates: `.map_err(Error::internal)`.
    #[cold]
    pub fn internal(message: impl fmt::Display) -> Self {
        Self::new(ErrorCode::Internal, message)
    }

    /// What kind of error it is.
    pub fn code(&self) -> ErrorCode {
        self.code
    }

    /// What went wrong, for people.
    pub fn message(&self) -> &str {
        &self.message
    }
}

/// An error of the kind [`ErrorCode::Internal`].
impl From<String> for Error {
    fn from(message: String) -> Self {
        Self::internal(message)
    }
}

/// An error of the kind [`ErrorCode::Internal`].
impl From<&str> for Error {
    fn from(message: &str) -> Self {
        Self::internal(message)
    }
}
