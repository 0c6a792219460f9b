//! Requirements files, read for their identity only: pip or uv read them for their meaning.

use std::path::{Path, PathBuf};

use cyxla_artifact::Hasher;

use super::PythonError;

/// A requirements file with those that it includes.
#[derive(Debug)]
pub(super) struct Requirements {
    /// The file, absolute.
    pub(super) file: PathBuf,
    /// All files, the first one included.
    pub(super) files: Vec<PathBuf>,
    hasher: Hasher,
    names_local_paths: bool,
}

impl Requirements {
    /// Reads the file and what it includes with `-r` and `-c`.
    pub(super) fn read(file: &Path) -> Result<Self, PythonError> {
        let unreadable = |source| PythonError::Requirements {
            path: file.to_owned(),
            included_by: None,
            source,
        };
        let file = file.canonicalize().map_err(unreadable)?;
        let mut requirements = Self {
            file: file.clone(),
            files: Vec::new(),
            hasher: Hasher::new(),
            names_local_paths: false,
        };
        requirements.add(&file, None)?;
        Ok(requirements)
    }

    /// The parts that identify what will be installed.
    ///
    /// The place of the file is no part of it, so that packages with the same requirements share one environment;
    /// unless the file names paths, which mean something else in another place.
    pub(super) fn hasher(&self) -> Hasher {
        let hasher = self.hasher.clone();
        if self.names_local_paths {
            hasher.part("place", self.file.as_os_str().as_encoded_bytes())
        } else {
            hasher
        }
    }

    fn add(&mut self, file: &Path, included_by: Option<&Path>) -> Result<(), PythonError> {
        if self.files.iter().any(|known| known == file) {
            return Ok(());
        }
        let bytes = std::fs::read(file).map_err(|source| PythonError::Requirements {
            path: file.to_owned(),
            included_by: included_by.map(Path::to_owned),
            source,
        })?;
        let role = if included_by.is_some() {
            "included"
        } else {
            "file"
        };
        self.hasher = std::mem::take(&mut self.hasher).part(role, &bytes);
        self.files.push(file.to_owned());

        let directory = file.parent().unwrap_or(Path::new("/")).to_owned();
        // A continued line is one line to pip.
        let text = String::from_utf8_lossy(&bytes)
            .replace("\\\r\n", " ")
            .replace("\\\n", " ");
        for line in text.lines().map(str::trim) {
            match included(line) {
                Some(name) if !name.contains("://") => {
                    self.add(&directory.join(name), Some(file))?;
                }
                Some(_) => {}
                None => self.names_local_paths |= names_local_path(line),
            }
        }
        Ok(())
    }
}

/// The file that a line includes.
fn included(line: &str) -> Option<&str> {
    let rest = ["--requirement", "--constraint", "-r", "-c"]
        .into_iter()
        .find_map(|option| line.strip_prefix(option))?;
    let name = rest.trim_start_matches([' ', '\t', '=']);
    let name = name.split(" #").next().unwrap_or(name).trim();
    let name = name.trim_matches(['"', '\'']);
    (!name.is_empty()).then_some(name)
}

/// Whether a line names something on this disk, such as `./wheels/x.whl` or `-e .`.
fn names_local_path(line: &str) -> bool {
    let line = line.split(" #").next().unwrap_or(line);
    if line.starts_with('#') {
        return false;
    }
    let local = |word: &str| {
        let word = word.trim_matches(['"', '\'']);
        let archive = [".whl", ".tar.gz", ".zip"]
            .iter()
            .any(|end| word.ends_with(end));
        word.starts_with('.')
            || word.starts_with('/')
            || word.starts_with('~')
            || word.starts_with("file:")
            || (archive && !word.contains("://"))
    };
    let takes_path = ["-e", "--editable", "-f", "--find-links"];
    takes_path.iter().any(|option| line.starts_with(option))
        || line.split([' ', '\t', '=', '@']).any(local)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        folder
    }

    fn read(folder: &tempfile::TempDir) -> Requirements {
        Requirements::read(&folder.path().join("requirements.txt")).unwrap()
    }

    fn key(files: &[(&str, &str)]) -> cyxla_artifact::Digest {
        read(&folder(files)).hasher().finish()
    }

    #[test]
    fn the_content_counts_and_the_place_does_not() {
        let text = "jax==0.10.2\nnumpy>=2  # ../why\n";
        let one = key(&[("requirements.txt", text)]);
        assert_eq!(one, key(&[("requirements.txt", text)]));
        assert_ne!(one, key(&[("requirements.txt", "jax==0.10.1\n")]));
    }

    #[test]
    fn included_files_count_however_they_are_included() {
        for line in [
            "-r more/base.txt",
            "-rmore/base.txt",
            "--requirement=more/base.txt  # why",
            "--constraint more/base.txt",
            "-c \\\n  more/base.txt",
        ] {
            let with = |base| key(&[("requirements.txt", line), ("more/base.txt", base)]);
            assert_ne!(with("jax==0.10.2"), with("jax==0.10.1"), "{line}");
        }
    }

    #[test]
    fn an_included_file_includes_from_its_own_place() {
        let folder = folder(&[
            (
                "requirements.txt",
                "-r more/base.txt\n-r https://host/x.txt",
            ),
            ("more/base.txt", "-c limits.txt"),
            ("more/limits.txt", "-r base.txt\nnumpy<3"),
        ]);
        let root = folder.path().canonicalize().unwrap();
        let expected = ["requirements.txt", "more/base.txt", "more/limits.txt"];
        let files = read(&folder).files;
        assert_eq!(files[..3], expected.map(|name| root.join(name)));
    }

    #[test]
    fn paths_of_this_disk_tie_an_environment_to_its_place() {
        for line in [
            "./wheels/model-1.0-py3-none-any.whl",
            "-e ../model",
            "model @ file:///w/model",
            "--find-links wheels",
            "model-1.0-py3-none-any.whl",
        ] {
            let files = [("requirements.txt", line)];
            assert_ne!(key(&files), key(&files), "{line}");
        }
        for line in [
            "jax==0.10.2; python_version >= '3.11'",
            "--index-url https://host/simple",
        ] {
            let files = [("requirements.txt", line)];
            assert_eq!(key(&files), key(&files), "{line}");
        }
    }

    #[test]
    fn a_missing_file_is_named_with_the_one_that_includes_it() {
        let folder = folder(&[("requirements.txt", "-r none.txt")]);
        let error = Requirements::read(&folder.path().join("requirements.txt")).unwrap_err();
        let text = error.to_string();
        assert!(
            text.contains("none.txt cannot be read (included by "),
            "{text}"
        );

        let error = Requirements::read(&folder.path().join("absent.txt")).unwrap_err();
        assert!(
            error.to_string().contains("absent.txt cannot be read: "),
            "{error}"
        );
    }
}
