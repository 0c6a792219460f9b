//! One entry: a header of 84 bytes, then the executable as its plugin serialized it.
//!
//! ```text
//! offset  bytes
//!      0      8  "CYXLAEXE"
//!      8      4  version of this format, little endian
//!     12     32  digest of the key
//!     44      8  length of the executable in bytes, little endian
//!     52     32  SHA-256 of the executable
//!     84      …  executable
//! ```

use std::fs::File;
use std::io::{ErrorKind, Read as _, Write};
use std::path::Path;

use cyxla_artifact::Digest;

use super::CacheError;
use super::directory;

/// Changes with the format of an entry or the meaning of a key.
pub(super) const FORMAT: u32 = 1;

const MAGIC: &[u8; 8] = b"CYXLAEXE";
const HEADER: usize = 84;

/// The header in front of an executable.
fn header(key: &Digest, executable: &[u8]) -> [u8; HEADER] {
    let mut header = [0; HEADER];
    header[..8].copy_from_slice(MAGIC);
    header[8..12].copy_from_slice(&FORMAT.to_le_bytes());
    header[12..44].copy_from_slice(key.as_bytes());
    header[44..52].copy_from_slice(&(executable.len() as u64).to_le_bytes());
    header[52..].copy_from_slice(Digest::of(executable).as_bytes());
    header
}

/// Reads the executable of an entry, if every byte is the one that was written.
pub(super) fn read(path: &Path, key: &Digest) -> Result<Vec<u8>, CacheError> {
    let io = |source| CacheError::Io {
        path: path.to_owned(),
        source,
    };
    // Looked at before it is opened: opening a pipe would wait.
    match std::fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_file() => {}
        Ok(_) => {
            return Err(CacheError::Untrusted {
                path: path.to_owned(),
                reason: "it is no regular file",
            });
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Err(CacheError::Absent {
                path: path.to_owned(),
            });
        }
        Err(error) => return Err(io(error)),
    }
    let mut file = File::open(path).map_err(io)?;
    // And again once it is open: now it can't be exchanged any more.
    if let Some(reason) = directory::foreign(&file.metadata().map_err(io)?) {
        return Err(CacheError::Untrusted {
            path: path.to_owned(),
            reason,
        });
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).map_err(io)?;
    match damage(&bytes, key) {
        Some(reason) => Err(CacheError::Damaged {
            path: path.to_owned(),
            reason,
        }),
        None => Ok(bytes.split_off(HEADER)),
    }
}

/// What is wrong with the bytes of an entry.
fn damage(bytes: &[u8], key: &Digest) -> Option<&'static str> {
    let Some((found, executable)) = bytes.split_first_chunk::<HEADER>() else {
        return Some("it is shorter than a header");
    };
    let expected = header(key, executable);
    let fields = [
        (0..8, "it is no executable of cyxla"),
        (8..12, "its format has another version"),
        (12..44, "it was kept under another key"),
        (44..52, "it has another length"),
        (52..84, "its checksum is wrong"),
    ];
    let wrong = fields
        .into_iter()
        .find(|(field, _)| found[field.clone()] != expected[field.clone()]);
    wrong.map(|(_, reason)| reason)
}

/// Writes an entry beside its place and moves it there.
pub(super) fn write(
    directory: &Path,
    path: &Path,
    key: &Digest,
    executable: &[u8],
) -> Result<(), CacheError> {
    let io = |source| CacheError::Io {
        path: path.to_owned(),
        source,
    };
    // Made for this user alone. Removed when it is dropped, so nothing is left of a write that fails.
    let mut file = tempfile::Builder::new()
        .prefix(".unfinished-")
        .tempfile_in(directory)
        .map_err(io)?;
    file.write_all(&header(key, executable)).map_err(io)?;
    file.write_all(executable).map_err(io)?;
    // Not synced: what a crash of the system leaves behind fails its checksum.
    file.persist(path).map_err(|error| io(error.error))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXECUTABLE: &[u8] = b"an executable";

    fn key() -> Digest {
        Digest::of(b"key")
    }

    fn entry() -> Vec<u8> {
        [&header(&key(), EXECUTABLE)[..], EXECUTABLE].concat()
    }

    #[test]
    fn an_entry_is_laid_out_as_documented() {
        let entry = entry();
        assert_eq!(entry[..8], *b"CYXLAEXE");
        assert_eq!(entry[8..12], [1, 0, 0, 0]);
        assert_eq!(entry[12..44], *Digest::of(b"key").as_bytes());
        assert_eq!(entry[44..52], [13, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(entry[52..84], *Digest::of(b"an executable").as_bytes());
        assert_eq!(entry[84..], *b"an executable");
        assert_eq!(damage(&entry, &key()), None);
    }

    #[test]
    fn one_flipped_bit_anywhere_is_noticed() {
        let good = entry();
        for position in 0..good.len() {
            for bit in 0..8 {
                let mut bad = good.clone();
                bad[position] ^= 1 << bit;
                assert!(damage(&bad, &key()).is_some(), "byte {position}, bit {bit}");
            }
        }
    }

    #[test]
    fn every_truncation_and_any_byte_more_is_noticed() {
        let mut entry = entry();
        for end in 0..entry.len() {
            assert!(damage(&entry[..end], &key()).is_some(), "{end} bytes");
        }
        entry.push(0);
        assert!(damage(&entry, &key()).is_some());
    }

    #[test]
    fn an_entry_of_another_key_is_noticed() {
        assert_eq!(
            damage(&entry(), &Digest::of(b"another")),
            Some("it was kept under another key")
        );
    }
}
