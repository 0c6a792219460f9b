//! Where files of weights are looked for.

use std::env;
use std::path::{Path, PathBuf};

/// The folders for weights, as PATH lists folders.
const VARIABLE: &str = "CYXLA_WEIGHTS";

/// The file `name` of a binary whose build has left it in the folder `built`. Where it is nowhere, where it should be.
pub(crate) fn found(name: &str, built: &str) -> PathBuf {
    let named = env::var_os(VARIABLE).unwrap_or_default();
    let executable = env::current_exe().ok();
    let beside = executable.as_deref().and_then(Path::parent);
    let mut folders: Vec<PathBuf> = env::split_paths(&named)
        .filter(|folder| folder.is_absolute())
        .collect();
    if let Some(beside) = beside {
        folders.extend([beside.join("weights"), beside.to_owned()]);
    }
    folders.push(built.into());
    let files = folders.iter().map(|folder| folder.join(name));
    let usual = files.clone().next().unwrap_or_else(|| name.into());
    let mut there = files.filter(|file| file.is_file());
    there.next().unwrap_or(usual)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_found_where_the_build_has_left_it() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.weight");
        std::fs::write(&file, b"1").unwrap();
        assert_eq!(found("a.weight", folder.path().to_str().unwrap()), file);
    }

    #[test]
    fn a_file_that_is_nowhere_is_expected_beside_the_executable() {
        let expected = env::current_exe().unwrap();
        let expected = expected.parent().unwrap().join("weights/absent.weight");
        assert_eq!(found("absent.weight", "nowhere"), expected);
    }
}
