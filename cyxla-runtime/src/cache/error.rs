use std::fmt;
use std::path::PathBuf;

/// Why the disk cache did not do something. No call of a program fails for it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CacheError {
    /// There is no cache.
    #[error(
        "the disk cache is off: {reason}\n  help: CYXLA_CACHE=on and CYXLA_CACHE_DIR, an absolute path, turn it on"
    )]
    Off {
        /// Why.
        reason: &'static str,
    },
    /// Nothing was kept under this key.
    #[error(
        "{} is not there\n  help: it comes with the first compilation; what was kept under another key is told by list()",
        path.display()
    )]
    Absent {
        /// The entry, or the directory.
        path: PathBuf,
    },
    /// The cache is not to be changed.
    #[error("the disk cache {} is read-only\n  help: CYXLA_CACHE=on lets it be written to", path.display())]
    ReadOnly {
        /// The directory.
        path: PathBuf,
    },
    /// The directory or the entry could have been written by someone else.
    #[error(
        "{} is not trusted: {reason}\n  help: what is in the disk cache runs as code: give it a directory of this user alone, \
         mode 0700, by CYXLA_CACHE_DIR",
        path.display()
    )]
    Untrusted {
        /// The directory or the entry.
        path: PathBuf,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The entry is not what was written.
    #[error(
        "{} is damaged: {reason}\n  help: it is replaced when the program is compiled",
        path.display()
    )]
    Damaged {
        /// The entry.
        path: PathBuf,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The executable alone is larger than the cache may be.
    #[error(
        "an executable of {bytes} bytes does not fit into the disk cache of {limit} bytes\n  help: a larger CYXLA_CACHE_SIZE \
         makes room for it"
    )]
    TooLarge {
        /// Bytes that the entry takes.
        bytes: u64,
        /// Bytes that all entries together may take.
        limit: u64,
    },
    /// The system refuses to read or write.
    #[error(
        "{}: {source}\n  help: CYXLA_CACHE_DIR names another directory for the disk cache",
        path.display()
    )]
    Io {
        /// The directory or the entry.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// Something that decides what a compiler makes can't be told.
    #[error(
        "no key: {reason}\n  help: programs are compiled in each process until that can be told"
    )]
    NoKey {
        /// What can't be told.
        reason: String,
    },
    /// The plugin refuses the executable: to load it, or to give its bytes.
    #[error("refused by the plugin: {source}")]
    Plugin {
        /// What the plugin says.
        source: Box<crate::error::Error>,
    },
    /// The plugin was asked before for the bytes of this executable, and could not give them.
    #[error(
        "the plugin could not serialize this program: {message}\n  help: it is compiled in each process; another build of \
         the plugin is asked again"
    )]
    Unserializable {
        /// What the plugin said.
        message: String,
    },
}

/// What the disk cache did for one program.
#[derive(Debug)]
#[non_exhaustive]
pub enum CacheOutcome {
    /// The executable was loaded from it.
    Loaded,
    /// The program was compiled and is kept for the next process.
    Kept {
        /// Why it was not loaded.
        missed: CacheError,
    },
    /// The program was compiled and could not be kept.
    NotKept {
        /// Why it was not loaded.
        missed: CacheError,
        /// Why it is not kept.
        reason: CacheError,
    },
    /// The program was compiled, and the cache is of no use for it.
    Unused {
        /// Why.
        reason: CacheError,
    },
}

/// Prints one line: what happened, and why.
impl fmt::Display for CacheOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Loaded => f.write_str("loaded from the disk cache"),
            Self::Kept { missed } => {
                write!(f, "compiled and kept in the disk cache: {}", Short(missed))
            }
            Self::NotKept { missed, reason } => write!(
                f,
                "compiled: {}; not kept in the disk cache: {}",
                Short(missed),
                Short(reason)
            ),
            Self::Unused { reason } => write!(f, "compiled: {}", Short(reason)),
        }
    }
}

/// An error without its help.
struct Short<'a>(&'a CacheError);

impl fmt::Display for Short<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.0.to_string();
        f.write_str(text.split("\n  help: ").next().unwrap_or(&text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outcome_is_told_in_one_line() {
        let absent = || CacheError::Absent {
            path: "/c/1.executable".into(),
        };
        assert_eq!(
            CacheOutcome::Kept { missed: absent() }.to_string(),
            "compiled and kept in the disk cache: /c/1.executable is not there"
        );
        let outcome = CacheOutcome::NotKept {
            missed: absent(),
            reason: CacheError::TooLarge { bytes: 2, limit: 1 },
        };
        assert_eq!(
            outcome.to_string(),
            "compiled: /c/1.executable is not there; not kept in the disk cache: an executable of 2 bytes does not fit \
             into the disk cache of 1 bytes"
        );
    }
}
