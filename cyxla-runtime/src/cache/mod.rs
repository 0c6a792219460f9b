//! The disk cache of compiled programs: compiling takes 50 milliseconds to minutes, loading takes milliseconds.
//!
//! ```text
//! <cache>/executables/       $CYXLA_CACHE_DIR, else the user's cache directory of cyxla; mode 0700
//! └── 3f….executable         named for the digest of its key; see `entry`
//! ```
//!
//! What is in it is trusted as code, because it is code, so:
//! - the [key](CacheKey) holds everything that decides what a compiler makes and where that runs;
//! - an entry carries its key, its length and a SHA-256, since a plugin loads damaged executables without complaint;
//! - an entry is written beside its place and renamed, so none is ever half there;
//! - a directory or an entry that another user could have written is not read.
//!
//! Any doubt is a miss. Trouble with the cache never fails a call: it is kept as the reason in the [`CacheOutcome`].

mod directory;
mod entry;
mod host;
mod key;

use std::path::{Path, PathBuf};

use cyxla_artifact::Digest;

pub use key::CacheKey;
pub(crate) use key::{Compiler, PluginIdentity};

use crate::plugin::Surroundings;

const CACHE_VARIABLE: &str = "CYXLA_CACHE";

/// Where compiled programs are kept between processes.
///
/// ```
/// use cyxla_runtime::DiskCache;
///
/// let cache = DiskCache::of_environment();
/// println!("{:?}", cache.directory());
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DiskCache(State);

#[derive(Clone, PartialEq, Eq, Debug)]
enum State {
    Off(&'static str),
    On { directory: PathBuf, read_only: bool },
}

impl DiskCache {
    /// The cache that the environment asks for: `executables` in `CYXLA_CACHE_DIR`, else in the user's cache directory of
    /// cyxla. `CYXLA_CACHE=off` turns it off, `CYXLA_CACHE=read-only` keeps it as it is.
    pub fn of_environment() -> Self {
        Self::of(&Surroundings::of_process())
    }

    fn of(surroundings: &Surroundings) -> Self {
        let read_only = match surroundings.text(CACHE_VARIABLE).as_deref() {
            None | Some("on") => false,
            Some("read-only") => true,
            Some("off") => return Self(State::Off("CYXLA_CACHE=off")),
            // Whoever set it wanted something else than the default.
            Some(_) => return Self(State::Off("CYXLA_CACHE is neither on, off nor read-only")),
        };
        match surroundings.cache() {
            Some(cache) => Self(State::On {
                directory: cache.join("executables"),
                read_only,
            }),
            None => Self(State::Off(
                "the user's cache directory is unknown; CYXLA_CACHE_DIR names it by an absolute path",
            )),
        }
    }

    /// The cache in this directory, an absolute path. It is made when something is first kept.
    pub fn at(directory: impl Into<PathBuf>) -> Self {
        Self(State::On {
            directory: directory.into(),
            read_only: false,
        })
    }

    /// No cache: every program is compiled.
    pub const fn off() -> Self {
        Self(State::Off("it was not asked for"))
    }

    /// This cache, but nothing is written to it or removed from it.
    pub fn read_only(self) -> Self {
        match self.0 {
            State::On { directory, .. } => Self(State::On {
                directory,
                read_only: true,
            }),
            off @ State::Off(_) => Self(off),
        }
    }

    /// The directory with the entries; none if the cache is off.
    pub fn directory(&self) -> Option<&Path> {
        match &self.0 {
            State::On { directory, .. } => Some(directory),
            State::Off(_) => None,
        }
    }

    /// The executable that was kept under `key`.
    pub(crate) fn get(&self, key: &Digest) -> Result<Vec<u8>, CacheError> {
        let directory = self.opened()?;
        directory::check(directory)?;
        entry::read(&path_of(directory, key), key)
    }

    /// Keeps an executable under `key`.
    pub(crate) fn put(&self, key: &Digest, executable: &[u8]) -> Result<(), CacheError> {
        let directory = self.writable()?;
        directory::make(directory)?;
        entry::write(directory, &path_of(directory, key), key, executable)
    }

    /// Forgets what was kept under `key`.
    pub(crate) fn remove(&self, key: &Digest) -> Result<(), CacheError> {
        let path = path_of(self.writable()?, key);
        std::fs::remove_file(&path).map_err(|source| CacheError::Io { path, source })
    }

    /// The directory, if the cache is on.
    pub(crate) fn opened(&self) -> Result<&Path, CacheError> {
        match &self.0 {
            State::On { directory, .. } => Ok(directory),
            State::Off(reason) => Err(CacheError::Off { reason }),
        }
    }

    /// The directory, if the cache is on and may be changed.
    pub(crate) fn writable(&self) -> Result<&Path, CacheError> {
        match &self.0 {
            State::On {
                directory,
                read_only: false,
            } => Ok(directory),
            State::On { directory, .. } => Err(CacheError::ReadOnly {
                path: directory.clone(),
            }),
            State::Off(reason) => Err(CacheError::Off { reason }),
        }
    }
}

fn path_of(directory: &Path, key: &Digest) -> PathBuf {
    directory.join(format!("{key}.executable"))
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
    /// The program was compiled without the cache.
    Unused {
        /// Why the cache was not asked.
        reason: CacheError,
    },
}

/// Why the disk cache did not do something. No call fails for it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CacheError {
    /// There is no cache.
    #[error("the disk cache is off: {reason}")]
    Off {
        /// Why.
        reason: &'static str,
    },
    /// Nothing was kept under this key.
    #[error("{} is not there", path.display())]
    Absent {
        /// The entry.
        path: PathBuf,
    },
    /// The cache is not to be changed.
    #[error("the disk cache {} is read-only: CYXLA_CACHE=read-only", path.display())]
    ReadOnly {
        /// The directory.
        path: PathBuf,
    },
    /// The directory or the entry could have been written by someone else.
    #[error("{} is not trusted: {reason}", path.display())]
    Untrusted {
        /// The directory or the entry.
        path: PathBuf,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The entry is not what was written.
    #[error("{} is damaged: {reason}", path.display())]
    Damaged {
        /// The entry.
        path: PathBuf,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The system refuses to read or write.
    #[error("{}: {source}", path.display())]
    Io {
        /// The directory or the entry.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// Something that decides what a compiler makes can't be told.
    #[error("no key: {reason}")]
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
}

#[cfg(test)]
mod tests;
