//! Keeps the directory within its size: what was used least recently goes first.
//!
//! Each process looks after it has kept something, never when it reads. It compiles without any lock; only while entries are
//! removed is one held, so that two processes don't both make room. Whoever finds it taken leaves: the other looks again
//! once it has let go, and finds what was kept meanwhile.

use std::fs::{File, TryLockError};
use std::io::{ErrorKind, Result};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::entry::{EXTENSION, UNFINISHED};

const LOCK: &str = ".lock";

/// How old an entry is that was begun and never finished, when its writer must be dead: writing takes seconds.
const ABANDONED: Duration = Duration::from_secs(60 * 60);

/// What is in the directory.
#[derive(Default, Debug)]
pub(super) struct Contents {
    pub(super) entries: Vec<Found>,
    /// Entries that were begun and never finished.
    pub(super) leftovers: Vec<PathBuf>,
}

/// A file with an entry.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) path: PathBuf,
    pub(super) bytes: u64,
    pub(super) last_used: SystemTime,
}

impl Contents {
    /// Looks at every file, and opens none.
    pub(super) fn of(directory: &Path) -> Result<Self> {
        let mut contents = Self::default();
        let now = SystemTime::now();
        for file in std::fs::read_dir(directory)? {
            let file = file?;
            let name = file.file_name();
            let name = name.as_encoded_bytes();
            let is_entry =
                name.len() == 64 + EXTENSION.len() && name.ends_with(EXTENSION.as_bytes());
            let is_unfinished = name.starts_with(UNFINISHED.as_bytes());
            if !is_entry && !is_unfinished {
                continue;
            }
            // Another process may have removed it.
            let Ok(metadata) = file.metadata() else {
                continue;
            };
            let modified = metadata.modified()?;
            if is_entry {
                contents.entries.push(Found {
                    path: file.path(),
                    bytes: metadata.len(),
                    last_used: modified,
                });
            } else if now
                .duration_since(modified)
                .is_ok_and(|age| age > ABANDONED)
            {
                contents.leftovers.push(file.path());
            }
        }
        Ok(contents)
    }

    pub(super) fn bytes(&self) -> u64 {
        let bytes = self.entries.iter().map(|entry| entry.bytes);
        bytes.fold(0, u64::saturating_add)
    }

    fn fits(&self, limit: u64) -> bool {
        self.leftovers.is_empty() && self.bytes() <= limit
    }

    /// Removes until the rest fits. Whether that can be done.
    fn shrink(mut self, limit: u64) -> bool {
        let mut is_clean = true;
        for leftover in &self.leftovers {
            is_clean &= removed(leftover);
        }
        let mut bytes = self.bytes();
        self.entries.sort_by_key(|entry| entry.last_used);
        for entry in &self.entries {
            if bytes <= limit {
                break;
            }
            if removed(&entry.path) {
                bytes -= entry.bytes;
            }
        }
        is_clean && bytes <= limit
    }
}

/// Removes what was used least recently while the entries take more than `limit` bytes, and what dead processes left.
pub(super) fn keep_within(directory: &Path, limit: u64) -> Result<()> {
    while !Contents::of(directory)?.fits(limit) {
        let lock = File::create(directory.join(LOCK))?;
        // Some file systems have no locks. Then more may be removed than need be.
        if let Err(TryLockError::WouldBlock) = lock.try_lock() {
            return Ok(());
        }
        // Looked at again: another process may have made room since.
        let is_small = Contents::of(directory).map(|contents| contents.shrink(limit));
        // To close the file is not enough: a process that another thread has just forked has it too.
        let _ = lock.unlock();
        if !is_small? {
            break;
        }
    }
    Ok(())
}

/// Removes a file. Whether it is gone.
fn removed(path: &Path) -> bool {
    match std::fs::remove_file(path) {
        Ok(()) => true,
        Err(error) => error.kind() == ErrorKind::NotFound,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The name of the entry with this number.
    fn name(number: u32) -> String {
        format!("{number:064x}{EXTENSION}")
    }

    /// An entry of 100 bytes that was used `age` seconds ago.
    fn entry(directory: &Path, number: u32, age: u64) {
        file(directory, &name(number), age);
    }

    fn file(directory: &Path, name: &str, age: u64) {
        let path = directory.join(name);
        std::fs::write(&path, [0; 100]).unwrap();
        let file = File::options().write(true).open(path).unwrap();
        let time = SystemTime::now() - Duration::from_secs(age);
        file.set_modified(time).unwrap();
    }

    fn names(directory: &Path) -> Vec<String> {
        let files = std::fs::read_dir(directory).unwrap();
        let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<_> = names.filter(|name| name != LOCK).collect();
        names.sort();
        names
    }

    #[test]
    fn what_was_used_least_recently_goes_first() {
        let directory = tempfile::tempdir().unwrap();
        for (number, age) in [(1, 30), (2, 10), (3, 40), (4, 20)] {
            entry(directory.path(), number, age);
        }
        keep_within(directory.path(), 250).unwrap();
        assert_eq!(names(directory.path()), [name(2), name(4)]);
    }

    #[test]
    fn nothing_is_removed_or_locked_while_all_fits() {
        let directory = tempfile::tempdir().unwrap();
        entry(directory.path(), 1, 30);
        entry(directory.path(), 2, 10);
        keep_within(directory.path(), 200).unwrap();
        assert_eq!(names(directory.path()).len(), 2);
        assert!(!directory.path().join(LOCK).exists());
    }

    #[test]
    fn what_dead_writers_left_is_removed_after_an_hour() {
        let directory = tempfile::tempdir().unwrap();
        file(directory.path(), ".unfinished-old", 3_700);
        file(directory.path(), ".unfinished-new", 3_500);
        entry(directory.path(), 1, 10_000);
        keep_within(directory.path(), 1_000).unwrap();
        assert_eq!(
            names(directory.path()),
            [".unfinished-new".to_owned(), name(1)]
        );
    }

    #[test]
    fn the_files_of_others_stay_and_do_not_count() {
        let directory = tempfile::tempdir().unwrap();
        file(directory.path(), "notes.executable", 10_000);
        file(directory.path(), "README", 10_000);
        entry(directory.path(), 1, 10);
        keep_within(directory.path(), 100).unwrap();
        assert_eq!(names(directory.path()).len(), 3);
        keep_within(directory.path(), 0).unwrap();
        assert_eq!(names(directory.path()), ["README", "notes.executable"]);
    }

    #[test]
    fn another_process_that_makes_room_is_left_to_it() {
        let directory = tempfile::tempdir().unwrap();
        entry(directory.path(), 1, 10);
        let lock = File::create(directory.path().join(LOCK)).unwrap();
        lock.lock().unwrap();
        keep_within(directory.path(), 0).unwrap();
        assert_eq!(names(directory.path()), [name(1)]);
        lock.unlock().unwrap();
        keep_within(directory.path(), 0).unwrap();
        assert!(names(directory.path()).is_empty());
    }

    #[test]
    fn an_entry_that_can_not_be_removed_is_tried_once() {
        let directory = tempfile::tempdir().unwrap();
        // A folder of that name is not removed like a file, by no user.
        let folder = directory.path().join(name(1));
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(folder.join("file"), "").unwrap();
        keep_within(directory.path(), 0).unwrap();
        assert!(folder.exists());
    }
}
