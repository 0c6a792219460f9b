//! Programs on PATH.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The file `name` in the first directory of PATH that has one that can be started.
pub(super) fn on_path(name: &str, path: Option<OsString>) -> Option<PathBuf> {
    let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    directories(path)
        .map(|directory| directory.join(&name))
        .find(|candidate| is_executable(candidate))
}

/// The absolute directories of PATH; a relative one would depend on where the build script runs.
pub(super) fn directories(path: Option<OsString>) -> impl Iterator<Item = PathBuf> {
    let path = path.unwrap_or_default();
    let directories: Vec<PathBuf> = std::env::split_paths(&path)
        .filter(|directory| directory.is_absolute())
        .collect();
    directories.into_iter()
}

pub(super) fn is_executable(path: &Path) -> bool {
    let Ok(metadata) = path.metadata() else {
        return false;
    };
    #[cfg(unix)]
    let may_run = std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o111 != 0;
    #[cfg(not(unix))]
    let may_run = true;
    metadata.is_file() && may_run
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;
    use crate::python::fake::{Fake, Folder};

    #[test]
    fn only_what_can_be_started_counts_on_path() {
        let (first, second) = (Folder::new(), Folder::new());
        first.file("python3", "text");
        let expected = second.interpreter("python3", &Fake::python("3.12.1"));
        let path = std::env::join_paths([Path::new("relative"), first.path(), second.path()]);
        assert_eq!(on_path("python3", path.ok()), Some(expected));
        assert_eq!(on_path("python3", None), None);
    }
}
