use std::fs::Metadata;
use std::io::ErrorKind;
use std::path::Path;

use super::CacheError;

/// Makes the directory if need be, for this user alone, and checks it.
pub(super) fn make(directory: &Path) -> Result<(), CacheError> {
    match check(directory) {
        Err(CacheError::Absent { .. }) => {}
        checked => return checked,
    }
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory).map_err(|source| CacheError::Io {
        path: directory.to_owned(),
        source,
    })?;
    // Another process may have been faster.
    check(directory)
}

/// Checks that nobody but this user could have put something into the directory.
pub(super) fn check(directory: &Path) -> Result<(), CacheError> {
    let path = || directory.to_owned();
    if !directory.is_absolute() {
        return Err(CacheError::Untrusted {
            path: path(),
            reason: "the path is relative",
        });
    }
    let metadata = match std::fs::symlink_metadata(directory) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Err(CacheError::Absent { path: path() });
        }
        Err(source) => {
            return Err(CacheError::Io {
                path: path(),
                source,
            });
        }
    };
    let reason = if metadata.is_symlink() {
        Some("it is a symbolic link")
    } else if !metadata.is_dir() {
        Some("it is no directory")
    } else {
        foreign(&metadata)
    };
    match reason {
        Some(reason) => Err(CacheError::Untrusted {
            path: path(),
            reason,
        }),
        None => Ok(()),
    }
}

/// Why someone else could have written this file or directory.
#[cfg(unix)]
pub(super) fn foreign(metadata: &Metadata) -> Option<&'static str> {
    use std::os::unix::fs::MetadataExt as _;

    // SAFETY: takes nothing and always succeeds.
    let user = unsafe { libc::geteuid() };
    if metadata.uid() != user {
        Some("it belongs to another user")
    } else if metadata.mode() & 0o022 != 0 {
        Some("other users may write to it")
    } else {
        None
    }
}

/// Why someone else could have written this file or directory: the user's cache directory is private to the user there.
#[cfg(not(unix))]
pub(super) fn foreign(_: &Metadata) -> Option<&'static str> {
    None
}
