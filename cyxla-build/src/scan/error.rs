use std::fmt;
use std::io;
use std::path::PathBuf;

use cyxla_artifact::ArrayTypeError;

/// A line of a source file, written relative to the package: `src/main.rs:12`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Place {
    /// The file, with `/`; it starts with `../` if it lies outside of the package.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// Declarations in Rust that can't be understood.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ScanError {
    /// The array type of an argument can't be told before the compiler runs.
    #[error(
        "{place}: the type of `{argument}` of `{function}` can't be told before compilation\n  \
         {reason}\n  help: {}, or let Python give the types: args = \"module:example_args\"",
        reason.help()
    )]
    UnknownType {
        /// The declaration.
        place: Place,
        /// The function in Rust.
        function: String,
        /// The parameter.
        argument: String,
        /// Why.
        reason: Box<Unknown>,
    },
    /// An argument is declared as `_`, and nothing else gives its type.
    #[error(
        "{place}: nothing gives the type of `{argument}` of `{function}`\n  \
         help: write the type in place of `_`, or let Python give it: args = \"module:example_args\""
    )]
    NoType {
        /// The declaration.
        place: Place,
        /// The function in Rust.
        function: String,
        /// The parameter.
        argument: String,
    },
    /// Two declarations read the same and mean different types, so that the macro could not tell their programs apart.
    #[error(
        "`{function}` is declared twice in the same words, with different types: ({first_types}) at {first} and \
         ({second_types}) at {second}\n  help: give one of the two functions another name"
    )]
    Contradiction {
        /// The function in Rust.
        function: String,
        /// One declaration.
        first: Box<Place>,
        /// The types of its arguments.
        first_types: String,
        /// The other.
        second: Box<Place>,
        /// The types of its arguments.
        second_types: String,
    },
    /// The modules have no end.
    #[error(
        "{file}: more than {limit} modules and blocks, or modules more than {depth} deep\n  \
         help: is a module a part of itself, through #[path] or include!?"
    )]
    TooManyModules {
        /// The file that was read last.
        file: PathBuf,
        /// The most scopes.
        limit: usize,
        /// The most files and modules inside of each other.
        depth: usize,
    },
    /// The system gave no thread to parse on.
    #[error(
        "can't start a thread to read the sources on: {source}\n  help: is memory limited? 256 MiB of address space are needed"
    )]
    Thread {
        /// What the system said.
        source: io::Error,
    },
}

/// Why a constant or a type can't be told before the compiler runs.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Unknown {
    /// There is no such name, or a macro makes it.
    #[error("{place}: `{path}` is not found")]
    NotFound {
        /// Where it is used.
        place: Place,
        /// The path as written.
        path: String,
    },
    /// Another crate has it.
    #[error("{place}: `{path}` is in another crate")]
    OtherCrate {
        /// Where it is used.
        place: Place,
        /// The path with its imports resolved.
        path: String,
    },
    /// A name stands for something else than a constant.
    #[error("{place}: `{path}` is no constant")]
    NotAConstant {
        /// Where it is used.
        place: Place,
        /// The path as written.
        path: String,
    },
    /// A name stands for something else than an array type.
    #[error("{place}: `{ty}` is no element type and no array of one")]
    NotAnArray {
        /// Where it is used.
        place: Place,
        /// The type as written.
        ty: String,
    },
    /// `usize` and `isize`, whose size depends on the machine.
    #[error("{place}: `{ty}` is no element type, its size depends on the machine")]
    PlatformSize {
        /// Where it is used.
        place: Place,
        /// The type.
        ty: &'static str,
    },
    /// More than arithmetic: a call, a macro, a generic.
    #[error("{place}: `{expression}` is more than arithmetic with literals and constants")]
    Unsupported {
        /// Where it stands.
        place: Place,
        /// The expression as written.
        expression: String,
    },
    /// Arithmetic that leaves its type, or divides by zero.
    #[error("{place}: `{expression}` {problem}")]
    Arithmetic {
        /// Where it stands.
        place: Place,
        /// The expression as written.
        expression: String,
        /// What happens.
        problem: String,
    },
    /// A constant or a type is defined by itself.
    #[error("{place}: `{name}` is defined by itself")]
    Cycle {
        /// Where it is defined.
        place: Place,
        /// The name.
        name: String,
    },
    /// `#[cfg]` chooses between several definitions, and the build script can't tell which.
    #[error("{place}: `{name}` is defined at {first} and, differently, at {second}")]
    Ambiguous {
        /// Where it is used.
        place: Place,
        /// The name.
        name: String,
        /// One definition.
        first: Place,
        /// The other.
        second: Place,
    },
    /// It would take too long.
    #[error("{place}: `{expression}` takes too many steps to work out")]
    TooComplex {
        /// Where it stands.
        place: Place,
        /// The expression as written.
        expression: String,
    },
    /// The type is one that no array can have.
    #[error("{place}: {problem}")]
    Shape {
        /// Where it stands.
        place: Place,
        /// What is wrong.
        problem: ArrayTypeError,
    },
}

impl Unknown {
    /// What can be done in Rust.
    fn help(&self) -> &'static str {
        match self {
            Self::PlatformSize { .. } => "use a type of fixed size, such as i64 or u64",
            Self::NotAnArray { .. } => "write an element type or an array, such as [[f32; 4]; 8]",
            Self::Shape { .. } => "use a smaller shape",
            _ => "write the number",
        }
    }
}
