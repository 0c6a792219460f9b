//! The disk cache of compiled programs: compiling takes 50 milliseconds to minutes, loading takes milliseconds.
//!
//! ```text
//! <cache>/executables/       $CYXLA_CACHE_DIR, else the user's cache directory of cyxla; mode 0700
//! ├── 3f….executable         named for the digest of its key; see `entry`
//! ├── .unfinished-…          an entry that is being written, or whose writer died
//! └── .lock                  held while entries are removed; see `eviction`
//! ```
//!
//! What is in it is trusted as code, because it is code, so:
//! - the [key](CacheKey) holds everything that decides what a compiler makes and where that runs;
//! - an entry carries its key, its length and SHA-256 digests, since a plugin loads damaged executables without complaint;
//! - an entry is written beside its place and renamed, so none is ever half there;
//! - a directory or an entry that another user could have written is not read.
//!
//! Executables that a plugin can't serialize are remembered in an entry of their own, so that it is asked once.
//!
//! Any doubt is a miss. Trouble with the cache never fails a call: it is kept as the reason in the [`CacheOutcome`].

mod directory;
mod entry;
mod error;
mod eviction;
mod host;
mod key;
mod listing;
mod size;

use std::path::{Path, PathBuf};

pub(crate) use entry::Content;
pub use error::{CacheError, CacheOutcome};
pub use key::CacheKey;
pub(crate) use key::{Compiler, PluginIdentity};
pub use listing::{CacheStatistics, CachedProgram};

use crate::plugin::Surroundings;

const CACHE_VARIABLE: &str = "CYXLA_CACHE";

/// The disk cache that programs of this process are kept in: to see what is in it, or to clear it.
///
/// ```no_run
/// # fn main() -> Result<(), cyxla_runtime::CacheError> {
/// let cache = cyxla_runtime::cache();
/// for program in cache.list()? {
///     println!("{} {} bytes", program.program, program.bytes);
///     println!("{}", program.key);
/// }
/// let statistics = cache.statistics()?;
/// println!("{} of {} bytes", statistics.bytes, statistics.limit);
/// cache.clear()?;
/// # Ok(())
/// # }
/// ```
pub fn cache() -> DiskCache {
    DiskCache::of_environment()
}

/// A key of no parts.
#[cfg(fuzzing)]
pub(crate) fn fuzzed_key() -> CacheKey {
    CacheKey::of(Vec::new())
}

/// Reads a file as an entry, as a list of the cache and as a program that was kept.
#[cfg(fuzzing)]
pub(crate) fn fuzz_entry(path: &Path) {
    let _ = entry::head(path);
    let _ = entry::read(path, &fuzzed_key(), true);
}

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
    On {
        directory: PathBuf,
        read_only: bool,
        /// Bytes that all entries together may take.
        limit: u64,
    },
}

impl DiskCache {
    /// The cache that the environment asks for: `executables` in `CYXLA_CACHE_DIR`, else in the user's cache directory of
    /// cyxla. `CYXLA_CACHE=off` turns it off, `CYXLA_CACHE=read-only` keeps it as it is. `CYXLA_CACHE_SIZE` bounds it: bytes,
    /// with K, M, G or T for powers of 1024, unless set `2G`.
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
        let limit = match surroundings.text(size::VARIABLE).as_deref() {
            None => Some(size::DEFAULT),
            Some(text) => size::parse(text),
        };
        let Some(limit) = limit else {
            return Self(State::Off(
                "CYXLA_CACHE_SIZE is no number of bytes such as 500M",
            ));
        };
        match surroundings.cache() {
            Some(cache) => Self(State::On {
                directory: cache.join("executables"),
                read_only,
                limit,
            }),
            None => Self(State::Off(
                "the user's cache directory is unknown; CYXLA_CACHE_DIR names it by an absolute path",
            )),
        }
    }

    /// The cache in this directory, an absolute path, of at most 2 GiB. It is made when something is first kept.
    pub fn at(directory: impl Into<PathBuf>) -> Self {
        Self(State::On {
            directory: directory.into(),
            read_only: false,
            limit: size::DEFAULT,
        })
    }

    /// No cache: every program is compiled.
    pub const fn off() -> Self {
        Self(State::Off("it was not asked for"))
    }

    /// This cache, but nothing is written to it or removed from it.
    pub fn read_only(mut self) -> Self {
        if let State::On { read_only, .. } = &mut self.0 {
            *read_only = true;
        }
        self
    }

    /// This cache, but its entries take at most so many bytes: when one is kept, those that were used least recently go.
    pub fn size_limit(mut self, bytes: u64) -> Self {
        if let State::On { limit, .. } = &mut self.0 {
            *limit = bytes;
        }
        self
    }

    /// The directory with the entries; none if the cache is off.
    pub fn directory(&self) -> Option<&Path> {
        match &self.0 {
            State::On { directory, .. } => Some(directory),
            State::Off(_) => None,
        }
    }

    /// Bytes that all entries together may take; none if the cache is off.
    fn limit(&self) -> Option<u64> {
        match &self.0 {
            State::On { limit, .. } => Some(*limit),
            State::Off(_) => None,
        }
    }

    /// The executable that was kept under `key`.
    pub(crate) fn get(&self, key: &CacheKey) -> Result<Vec<u8>, CacheError> {
        let directory = self.opened()?;
        directory::check(directory)?;
        entry::read(&path_of(directory, key), key, self.writable().is_err())
    }

    /// Keeps what was made of `program` under `key`, and makes room for it.
    pub(crate) fn put(
        &self,
        key: &CacheKey,
        program: &str,
        content: Content<'_>,
    ) -> Result<(), CacheError> {
        let directory = self.writable()?;
        let limit = self.limit().unwrap_or_default();
        let entry = entry::Unwritten::new(key, program, content);
        if entry.size() > limit {
            return Err(CacheError::TooLarge {
                bytes: entry.size(),
                limit,
            });
        }
        directory::make(directory)?;
        entry.write(directory, &path_of(directory, key))?;
        // It is kept. What can't be removed now may be when the next one is.
        let _ = eviction::keep_within(directory, limit);
        Ok(())
    }

    /// Forgets what was kept under `key`.
    pub(crate) fn remove(&self, key: &CacheKey) -> Result<(), CacheError> {
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
                ..
            } => Ok(directory),
            State::On { directory, .. } => Err(CacheError::ReadOnly {
                path: directory.clone(),
            }),
            State::Off(reason) => Err(CacheError::Off { reason }),
        }
    }
}

fn path_of(directory: &Path, key: &CacheKey) -> PathBuf {
    directory.join(format!("{}{}", key.digest(), entry::EXTENSION))
}

#[cfg(test)]
mod tests;
