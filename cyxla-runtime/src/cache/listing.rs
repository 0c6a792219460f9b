//! What an operator asks the cache: what is in it, how large it is, and to forget it.

use std::cmp::Reverse;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::time::SystemTime;

use super::eviction::{Contents, Found};
use super::key::CacheKey;
use super::{CacheError, DiskCache, directory, entry};

/// A program in the disk cache.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct CachedProgram {
    /// The name of the program that was compiled. Programs of the same code share an entry.
    pub program: String,
    /// Bytes of its entry.
    pub bytes: u64,
    /// When it was kept, or loaded the last time.
    pub last_used: SystemTime,
    /// What it is kept under: a process whose key differs in one part compiles anew.
    pub key: CacheKey,
    /// If the plugin could not serialize the program, what it said: the entry holds that instead of an executable.
    pub unserializable: Option<String>,
    /// The file.
    pub path: PathBuf,
}

/// How large the disk cache is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct CacheStatistics {
    /// How many programs are kept, damaged entries included.
    pub entries: usize,
    /// Bytes of all entries.
    pub bytes: u64,
    /// Bytes that they may take.
    pub limit: u64,
}

impl DiskCache {
    /// The programs that are kept, the one that was used last first. Entries that are damaged, or those of another version of
    /// cyxla that writes them otherwise, are not among them; [`statistics`](Self::statistics) counts them.
    ///
    /// # Blocking
    /// Reads the beginning of every entry, some 20 µs for each.
    ///
    /// # Errors
    /// The cache is off, its directory could have been written to by other users, or it can't be read. One that is not there
    /// is empty.
    pub fn list(&self) -> Result<Vec<CachedProgram>, CacheError> {
        let entries = self.contents()?.entries.into_iter();
        let read = |Found {
                        path,
                        bytes,
                        last_used,
                    }| {
            let head = entry::head(&path).ok()?;
            Some(CachedProgram {
                program: head.program,
                bytes,
                last_used,
                key: head.key,
                unserializable: head.unserializable,
                path,
            })
        };
        let mut programs: Vec<_> = entries.filter_map(read).collect();
        programs.sort_by_key(|program| Reverse(program.last_used));
        Ok(programs)
    }

    /// How many programs are kept, and how much room they take.
    ///
    /// # Blocking
    /// Looks at every file, some 2 µs for each.
    ///
    /// # Errors
    /// Those of [`list`](Self::list).
    pub fn statistics(&self) -> Result<CacheStatistics, CacheError> {
        let contents = self.contents()?;
        Ok(CacheStatistics {
            entries: contents.entries.len(),
            bytes: contents.bytes(),
            limit: self.limit().unwrap_or_default(),
        })
    }

    /// Forgets all programs, and what dead processes left behind. Processes that run keep what they have loaded. Returns how
    /// many programs were forgotten.
    ///
    /// # Errors
    /// Those of [`list`](Self::list), or the cache is read-only, or an entry can't be removed.
    pub fn clear(&self) -> Result<usize, CacheError> {
        self.writable()?;
        let Contents { entries, leftovers } = self.contents()?;
        let count = entries.len();
        let entries = entries.into_iter().map(|entry| entry.path);
        for path in entries.chain(leftovers) {
            match std::fs::remove_file(&path) {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    return Err(CacheError::Io {
                        path,
                        source: error,
                    });
                }
                _ => {}
            }
        }
        Ok(count)
    }

    fn contents(&self) -> Result<Contents, CacheError> {
        let path = self.opened()?;
        match directory::check(path) {
            Err(CacheError::Absent { .. }) => return Ok(Contents::default()),
            checked => checked?,
        }
        Contents::of(path).map_err(|source| CacheError::Io {
            path: path.to_owned(),
            source,
        })
    }
}
