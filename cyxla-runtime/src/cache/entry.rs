//! One entry: a header of 124 bytes, a record that says what it is, then the executable as its plugin serialized it.
//!
//! ```text
//! offset  bytes
//!      0      8  "CYXLAEXE"
//!      8      4  version of this format
//!     12     32  digest of the key
//!     44      8  length of the record in bytes
//!     52      8  length of the content in bytes
//!     60     32  SHA-256 of the record
//!     92     32  SHA-256 of the content
//!    124      …  record: texts in UTF-8, each behind its length in 8 bytes: what the content is, the name of the program,
//!                then name and value of each part of the key
//!      …      …  content: of "executable" that executable; of "unserializable" what the plugin said when it was asked
//!                for one
//! ```
//!
//! Numbers are little endian.

use std::fs::File;
use std::io::{ErrorKind, Read as _, Write as _};
use std::path::Path;
use std::time::SystemTime;

use cyxla_artifact::Digest;

use super::directory;
use super::error::CacheError;
use super::key::CacheKey;

/// Changes with the format of an entry or the meaning of a key.
pub(super) const FORMAT: u32 = 2;

/// What the names of entries end with.
pub(super) const EXTENSION: &str = ".executable";

/// What the names of entries begin with while they are written.
pub(super) const UNFINISHED: &str = ".unfinished-";

const MAGIC: [u8; 8] = *b"CYXLAEXE";
const HEADER: usize = 124;

/// A record holds a few kilobytes; one that is said to be longer is not read.
const LONGEST_RECORD: u64 = 1 << 20;

const EXECUTABLE: &str = "executable";
const UNSERIALIZABLE: &str = "unserializable";

/// What is kept for a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Content<'a> {
    /// An executable, as its plugin serialized it.
    Executable(&'a [u8]),
    /// The plugin can't serialize it, and said this.
    Unserializable(&'a str),
}

impl<'a> Content<'a> {
    fn kind(self) -> &'static str {
        match self {
            Self::Executable(_) => EXECUTABLE,
            Self::Unserializable(_) => UNSERIALIZABLE,
        }
    }

    fn bytes(self) -> &'a [u8] {
        match self {
            Self::Executable(bytes) => bytes,
            Self::Unserializable(message) => message.as_bytes(),
        }
    }
}

/// What an entry is, without its executable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Head {
    /// The program that was compiled. Others of the same code share the entry.
    pub(super) program: String,
    /// What it is kept under.
    pub(super) key: CacheKey,
    /// What the plugin said, if it could not serialize the program.
    pub(super) unserializable: Option<String>,
}

/// The bytes of an entry up to its content.
fn front(key: &CacheKey, program: &str, content: Content<'_>) -> Vec<u8> {
    let parts = key.parts().flat_map(|(name, value)| [name, value]);
    let mut record = Vec::new();
    for text in [content.kind(), program].into_iter().chain(parts) {
        record.extend((text.len() as u64).to_le_bytes());
        record.extend(text.as_bytes());
    }
    let content = content.bytes();
    let mut front = Vec::with_capacity(HEADER + record.len());
    front.extend(MAGIC);
    front.extend(FORMAT.to_le_bytes());
    front.extend(key.digest().as_bytes());
    front.extend((record.len() as u64).to_le_bytes());
    front.extend((content.len() as u64).to_le_bytes());
    front.extend(Digest::of(&record).as_bytes());
    front.extend(Digest::of(content).as_bytes());
    front.extend(record);
    front
}

/// The header of an entry, and what follows from it.
struct Header {
    key: Digest,
    record_length: u64,
    content_length: u64,
    record_sha256: Digest,
    content_sha256: Digest,
}

impl Header {
    fn parse(mut bytes: &[u8]) -> Result<Self, &'static str> {
        fn next<const N: usize>(bytes: &mut &[u8]) -> Result<[u8; N], &'static str> {
            let (field, rest) = bytes
                .split_first_chunk()
                .ok_or("it is shorter than a header")?;
            *bytes = rest;
            Ok(*field)
        }
        if next(&mut bytes)? != MAGIC {
            return Err("it is no executable of cyxla");
        }
        if u32::from_le_bytes(next(&mut bytes)?) != FORMAT {
            return Err("its format has another version");
        }
        Ok(Self {
            key: Digest::from_bytes(next(&mut bytes)?),
            record_length: u64::from_le_bytes(next(&mut bytes)?),
            content_length: u64::from_le_bytes(next(&mut bytes)?),
            record_sha256: Digest::from_bytes(next(&mut bytes)?),
            content_sha256: Digest::from_bytes(next(&mut bytes)?),
        })
    }

    /// What kind of content there is, of which program, under which key.
    fn record(&self, bytes: &[u8]) -> Result<(String, String, CacheKey), &'static str> {
        if bytes.len() as u64 != self.record_length {
            return Err("it has another length");
        }
        if Digest::of(bytes) != self.record_sha256 {
            return Err("the checksum of its record is wrong");
        }
        let mut texts = texts(bytes).ok_or("its record can't be read")?.into_iter();
        let (Some(kind), Some(program)) = (texts.next(), texts.next()) else {
            return Err("its record can't be read");
        };
        let mut parts = Vec::new();
        while let (Some(name), Some(value)) = (texts.next(), texts.next()) {
            parts.push((name.into(), value));
        }
        let key = CacheKey::of(parts);
        if *key.digest() != self.key {
            return Err("its record is that of another key");
        }
        Ok((kind, program, key))
    }

    fn check_content(&self, bytes: &[u8]) -> Result<(), &'static str> {
        if bytes.len() as u64 != self.content_length {
            return Err("it has another length");
        }
        if Digest::of(bytes) != self.content_sha256 {
            return Err("its checksum is wrong");
        }
        Ok(())
    }
}

/// The texts of a record.
fn texts(mut record: &[u8]) -> Option<Vec<String>> {
    let mut texts = Vec::new();
    while !record.is_empty() {
        let (length, rest) = record.split_first_chunk()?;
        let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
        let (text, rest) = rest.split_at_checked(length)?;
        texts.push(String::from_utf8(text.to_vec()).ok()?);
        record = rest;
    }
    Some(texts)
}

/// An entry that is read from its beginning.
struct Reader<'a> {
    path: &'a Path,
    file: File,
}

impl<'a> Reader<'a> {
    /// Opens an entry that this user alone could have written.
    fn open(path: &'a Path) -> Result<Self, CacheError> {
        // Another process may also remove it between the two calls.
        let absent = |error: std::io::Error| match error.kind() {
            ErrorKind::NotFound => CacheError::Absent {
                path: path.to_owned(),
            },
            _ => io(path, error),
        };
        // Looked at before it is opened: opening a pipe would wait.
        if !std::fs::symlink_metadata(path).map_err(absent)?.is_file() {
            return Err(CacheError::Untrusted {
                path: path.to_owned(),
                reason: "it is no regular file",
            });
        }
        let file = File::open(path).map_err(absent)?;
        let metadata = file.metadata().map_err(|error| io(path, error))?;
        // And again once it is open: now it can't be exchanged any more.
        match directory::foreign(&metadata) {
            Some(reason) => Err(CacheError::Untrusted {
                path: path.to_owned(),
                reason,
            }),
            None => Ok(Self { path, file }),
        }
    }

    /// At most the next `length` bytes.
    fn next(&mut self, length: u64) -> Result<Vec<u8>, CacheError> {
        let mut bytes = Vec::new();
        let mut part = std::io::Read::by_ref(&mut self.file).take(length);
        part.read_to_end(&mut bytes)
            .map_err(|error| io(self.path, error))?;
        Ok(bytes)
    }

    fn header(&mut self) -> Result<Header, CacheError> {
        let bytes = self.next(HEADER as u64)?;
        let header = Header::parse(&bytes).map_err(|reason| self.damaged(reason))?;
        if header.record_length > LONGEST_RECORD {
            return Err(self.damaged("its record is too long"));
        }
        Ok(header)
    }

    /// All that is left.
    fn content(&mut self, header: &Header) -> Result<Vec<u8>, CacheError> {
        let mut content = Vec::new();
        self.file
            .read_to_end(&mut content)
            .map_err(|error| io(self.path, error))?;
        header
            .check_content(&content)
            .map_err(|reason| self.damaged(reason))?;
        Ok(content)
    }

    fn damaged(&self, reason: &'static str) -> CacheError {
        CacheError::Damaged {
            path: self.path.to_owned(),
            reason,
        }
    }
}

/// Reads the executable of an entry, if every byte is the one that was written. Unless `read_only`, the time of the file
/// becomes that of this use.
///
/// # Errors
/// Among others [`CacheError::Unserializable`], if that is what is kept.
pub(super) fn read(path: &Path, key: &CacheKey, read_only: bool) -> Result<Vec<u8>, CacheError> {
    let mut entry = Reader::open(path)?;
    let header = entry.header()?;
    if header.key != *key.digest() {
        return Err(entry.damaged("it was kept under another key"));
    }
    let record = entry.next(header.record_length)?;
    let (kind, _, _) = header
        .record(&record)
        .map_err(|reason| entry.damaged(reason))?;
    let content = entry.content(&header)?;
    if !read_only {
        // Where that is not allowed, the entry counts as used when it was written.
        let _ = entry.file.set_modified(SystemTime::now());
    }
    match &*kind {
        EXECUTABLE => Ok(content),
        UNSERIALIZABLE => Err(CacheError::Unserializable {
            message: String::from_utf8_lossy(&content).into_owned(),
        }),
        _ => Err(entry.damaged("its content is of another kind")),
    }
}

/// Reads what an entry is.
pub(super) fn head(path: &Path) -> Result<Head, CacheError> {
    let mut entry = Reader::open(path)?;
    let header = entry.header()?;
    let record = entry.next(header.record_length)?;
    let (kind, program, key) = header
        .record(&record)
        .map_err(|reason| entry.damaged(reason))?;
    let unserializable = if kind == UNSERIALIZABLE {
        let message = entry.content(&header)?;
        Some(String::from_utf8_lossy(&message).into_owned())
    } else {
        None
    };
    Ok(Head {
        program,
        key,
        unserializable,
    })
}

/// An entry as it will be: its front, then its content.
pub(super) struct Unwritten<'a> {
    front: Vec<u8>,
    content: &'a [u8],
}

impl<'a> Unwritten<'a> {
    pub(super) fn new(key: &CacheKey, program: &str, content: Content<'a>) -> Self {
        Self {
            front: front(key, program, content),
            content: content.bytes(),
        }
    }

    /// Bytes that it takes.
    pub(super) fn size(&self) -> u64 {
        (self.front.len() as u64).saturating_add(self.content.len() as u64)
    }

    /// Writes it beside its place and moves it there.
    pub(super) fn write(&self, directory: &Path, path: &Path) -> Result<(), CacheError> {
        // Made for this user alone. Removed when it is dropped, so nothing is left of a write that fails.
        let mut file = tempfile::Builder::new()
            .prefix(UNFINISHED)
            .tempfile_in(directory)
            .map_err(|error| io(path, error))?;
        let written = file
            .write_all(&self.front)
            .and_then(|()| file.write_all(self.content));
        written.map_err(|error| io(path, error))?;
        // Not synced: what a crash of the system leaves behind fails its checksum.
        file.persist(path).map_err(|error| io(path, error.error))?;
        Ok(())
    }
}

fn io(path: &Path, source: std::io::Error) -> CacheError {
    CacheError::Io {
        path: path.to_owned(),
        source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(value: &str) -> CacheKey {
        CacheKey::of(vec![("module".into(), value.to_owned())])
    }

    fn bytes(content: Content<'_>) -> Vec<u8> {
        let entry = Unwritten::new(&key("k"), "sine", content);
        [&entry.front, entry.content].concat()
    }

    /// What becomes of these bytes as an entry.
    fn read_back(bytes: &[u8], key: &CacheKey) -> Result<Vec<u8>, CacheError> {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("entry");
        std::fs::write(&path, bytes).unwrap();
        read(&path, key, false)
    }

    fn is_damaged(bytes: &[u8]) -> bool {
        matches!(read_back(bytes, &key("k")), Err(CacheError::Damaged { .. }))
    }

    #[test]
    fn an_entry_is_laid_out_as_documented() {
        let entry = bytes(Content::Executable(b"an executable"));
        let length = |n: u8| [n, 0, 0, 0, 0, 0, 0, 0];
        let record = [
            &length(10)[..],
            b"executable",
            &length(4),
            b"sine",
            &length(6),
            b"module",
            &length(1),
            b"k",
        ]
        .concat();
        assert_eq!(record.len(), 53);
        let expected = [
            &b"CYXLAEXE"[..],
            &[2, 0, 0, 0],
            key("k").digest().as_bytes(),
            &length(53),
            &length(13),
            Digest::of(&record).as_bytes(),
            Digest::of(b"an executable").as_bytes(),
            &record,
            b"an executable",
        ]
        .concat();
        assert_eq!(entry, expected);
        assert_eq!(read_back(&entry, &key("k")).unwrap(), b"an executable");
    }

    #[test]
    fn a_flipped_bit_in_any_byte_is_noticed() {
        let good = [
            bytes(Content::Executable(b"an executable")),
            bytes(Content::Unserializable("a reason")),
        ];
        for good in good {
            for position in 0..good.len() {
                let mut bad = good.clone();
                bad[position] ^= 1 << (position % 8);
                assert!(is_damaged(&bad), "byte {position}");
            }
        }
    }

    #[test]
    fn every_truncation_and_any_byte_more_is_noticed() {
        let mut entry = bytes(Content::Executable(b"an executable"));
        for end in 0..entry.len() {
            assert!(is_damaged(&entry[..end]), "{end} bytes");
        }
        entry.push(0);
        assert!(is_damaged(&entry));
    }

    #[test]
    fn an_entry_of_another_key_is_noticed() {
        let entry = bytes(Content::Executable(b"an executable"));
        let error = read_back(&entry, &key("another")).unwrap_err();
        assert!(
            error.to_string().contains("it was kept under another key"),
            "{error}"
        );
    }

    #[test]
    fn lengths_beyond_all_memory_are_damage() {
        for field in [44..52, 52..60, 124..132] {
            let mut entry = bytes(Content::Executable(b"an executable"));
            entry[field].fill(0xff);
            assert!(is_damaged(&entry));
        }
    }

    #[test]
    fn a_record_is_read_without_the_executable() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("entry");
        let mut entry = bytes(Content::Executable(b"an executable"));
        entry.truncate(entry.len() - 5);
        std::fs::write(&path, entry).unwrap();
        let expected = Head {
            program: "sine".to_owned(),
            key: key("k"),
            unserializable: None,
        };
        assert_eq!(head(&path).unwrap(), expected);
    }

    #[test]
    fn what_the_plugin_said_is_kept() {
        let entry = bytes(Content::Unserializable("LessThan is not serializable"));
        let error = read_back(&entry, &key("k")).unwrap_err();
        let CacheError::Unserializable { message } = error else {
            panic!("{error}");
        };
        assert_eq!(message, "LessThan is not serializable");
    }
}
