//! Files in memory, for as long as the process lives.

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The bytes of a file: read when they are looked at, and shared with every process that does. Mapped once, and never unmapped,
/// so that arrays on the device may lie there.
///
/// The file must stay as it is: the operating system ends a process that reads what was cut off.
pub(crate) fn mapped(path: &Path) -> io::Result<&'static [u8]> {
    static DONE: Mutex<Option<HashMap<PathBuf, &'static [u8]>>> = Mutex::new(None);
    let path = path.canonicalize()?;
    let mut done = DONE.lock().unwrap_or_else(PoisonError::into_inner);
    let done = done.get_or_insert_default();
    if let Some(&bytes) = done.get(&path) {
        return Ok(bytes);
    }
    let bytes = map(&File::open(&path)?)?;
    done.insert(path, bytes);
    Ok(bytes)
}

#[cfg(unix)]
fn map(file: &File) -> io::Result<&'static [u8]> {
    use std::os::fd::AsRawFd as _;

    let len = usize::try_from(file.metadata()?.len())
        .ok()
        .filter(|len| isize::try_from(*len).is_ok());
    let len = len.ok_or_else(|| io::Error::from(io::ErrorKind::FileTooLarge))?;
    if len == 0 {
        return Ok(&[]);
    }
    // SAFETY: a new mapping of an open file, at an address that the system chooses.
    let start = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            len,
            libc::PROT_READ,
            libc::MAP_PRIVATE,
            file.as_raw_fd(),
            0,
        )
    };
    if start == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: that many bytes are mapped, for reading, and stay so: nobody unmaps them. That the file does not change is what
    // the documentation asks of users; what is read is plain bytes.
    Ok(unsafe { std::slice::from_raw_parts(start.cast_const().cast(), len) })
}

#[cfg(not(unix))]
fn map(file: &File) -> io::Result<&'static [u8]> {
    use std::io::Read as _;

    let mut bytes = Vec::new();
    let mut file = file;
    file.read_to_end(&mut bytes)?;
    Ok(bytes.leak())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_mapped_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("weights");
        std::fs::write(&path, [7; 5000]).unwrap();
        let first = mapped(&path).unwrap();
        assert_eq!(first, [7; 5000]);
        assert!(std::ptr::eq(first, mapped(&path).unwrap()));
        assert!(mapped(&folder.path().join("absent")).is_err());
    }
}
