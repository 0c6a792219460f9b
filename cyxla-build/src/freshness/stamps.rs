use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use cyxla_artifact::Digest;
use serde::{Deserialize, Serialize};

/// Digests of files that are only worked out again when the file looks changed.
///
/// Data files can be large, and build scripts are compiled without optimisation.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Stamps {
    known: BTreeMap<PathBuf, Stamp>,
    used: BTreeMap<PathBuf, Stamp>,
}

/// How a file looked when its digest was worked out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Stamp {
    /// Bytes.
    size: u64,
    /// Seconds and nanoseconds since 1970.
    modified: (u64, u32),
    sha256: Digest,
}

/// A file can change twice within one tick of the file system's clock. Once it has been left alone for this long, its time
/// tells whether it changes again. Coarse file systems count in steps of two seconds.
const SETTLED: Duration = Duration::from_secs(3);

impl Stamps {
    /// Those that an earlier build kept.
    pub(crate) fn kept(stamps: impl IntoIterator<Item = (PathBuf, Stamp)>) -> Self {
        Self {
            known: stamps.into_iter().collect(),
            used: BTreeMap::new(),
        }
    }

    /// Those that a later build may rely on: of the files that were asked for.
    pub(crate) fn to_keep(&self) -> BTreeMap<PathBuf, Stamp> {
        self.used.clone()
    }

    /// The digest of a file.
    ///
    /// # Errors
    /// The file can't be read.
    pub(crate) fn digest(&mut self, path: &Path) -> io::Result<Digest> {
        let metadata = fs::metadata(path)?;
        let time = metadata.modified()?;
        let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
        let (size, modified) = (metadata.len(), (since.as_secs(), since.subsec_nanos()));
        let known = self.used.get(path).or_else(|| self.known.get(path));
        if let Some(stamp) = known
            && (stamp.size, stamp.modified) == (size, modified)
        {
            let stamp = *stamp;
            self.used.insert(path.to_owned(), stamp);
            return Ok(stamp.sha256);
        }
        let sha256 = Digest::of(&fs::read(path)?);
        let age = SystemTime::now().duration_since(time);
        if age.is_ok_and(|age| age > SETTLED) {
            let stamp = Stamp {
                size,
                modified,
                sha256,
            };
            self.used.insert(path.to_owned(), stamp);
        } else {
            self.used.remove(path);
        }
        Ok(sha256)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn aged(path: &Path, text: &str, age: Duration) {
        fs::write(path, text).unwrap();
        let file = fs::File::options().write(true).open(path).unwrap();
        file.set_modified(SystemTime::now() - age).unwrap();
    }

    #[test]
    fn a_settled_file_is_not_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        aged(&path, "one", Duration::from_secs(60));
        let mut stamps = Stamps::default();
        assert_eq!(stamps.digest(&path).unwrap(), Digest::of(b"one"));
        // Same size and time: only a trick makes that, and it shows that the content is not looked at.
        let time = fs::metadata(&path).unwrap().modified().unwrap();
        fs::write(&path, "two").unwrap();
        fs::File::options()
            .write(true)
            .open(&path)
            .unwrap()
            .set_modified(time)
            .unwrap();
        let mut later = Stamps::kept(stamps.to_keep());
        assert_eq!(later.digest(&path).unwrap(), Digest::of(b"one"));
        aged(&path, "two", Duration::from_secs(30));
        assert_eq!(later.digest(&path).unwrap(), Digest::of(b"two"));
    }

    #[test]
    fn a_file_that_just_changed_is_read_each_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        aged(&path, "one", Duration::ZERO);
        let mut stamps = Stamps::default();
        stamps.digest(&path).unwrap();
        assert_eq!(stamps.to_keep(), BTreeMap::new());
    }

    #[test]
    fn only_what_was_asked_for_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let [a, b] = ["a", "b"].map(|name| folder.path().join(name));
        aged(&a, "a", Duration::from_secs(60));
        aged(&b, "b", Duration::from_secs(60));
        let mut stamps = Stamps::default();
        stamps.digest(&a).unwrap();
        stamps.digest(&b).unwrap();
        let mut later = Stamps::kept(stamps.to_keep());
        later.digest(&b).unwrap();
        assert_eq!(later.to_keep().keys().collect::<Vec<_>>(), [&b]);
    }
}
