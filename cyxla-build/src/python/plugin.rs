//! The PJRT plugin of a managed environment, made known to later runs.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy as _;

use super::{PythonEnvironment, PythonError, user_directory};
use crate::cargo::Variables;

/// The variable that names the data directory.
const CYXLA_DATA_DIR: &str = "CYXLA_DATA_DIR";

/// A package that carries a PJRT plugin for the CPU.
struct Wheel {
    package: &'static str,
    /// Below site-packages.
    library: &'static str,
}

/// The known ones, the newest PJRT API first. The run time knows them too, for active environments.
const WHEELS: [Wheel; 3] = [
    Wheel {
        package: "lammps-jax-pjrt-cpu",
        library: "lammps_jax_pjrt_cpu/pjrt_c_api_cpu_plugin.so",
    },
    Wheel {
        package: "fastatomstruct-xla-cpu",
        library: "fastatomstruct_xla_cpu/libpjrt_cpu.so",
    },
    Wheel {
        package: "xla-cpu-pjrt",
        library: "xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so",
    },
];

/// A PJRT plugin for the CPU that is installed in a Python environment.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct CpuPlugin {
    /// The name of the package that brought it.
    pub package: &'static str,
    /// The shared library.
    pub library: PathBuf,
}

/// The plugins in these site-packages directories, the newest PJRT API first.
pub(super) fn cpu_plugins(site_packages: &[&PathBuf]) -> Vec<CpuPlugin> {
    WHEELS
        .iter()
        .filter_map(|wheel| {
            let places = site_packages
                .iter()
                .map(|directory| directory.join(wheel.library));
            let library = places.into_iter().find(|library| library.is_file())?;
            Some(CpuPlugin {
                package: wheel.package,
                library,
            })
        })
        .collect()
}

/// Writes `<data>/plugins/<package>/plugin.toml` for the newest plugin of the environment, so that a program finds it
/// without Python. A file that says the same already is left as it is. Gives the file, if there is a plugin.
pub(super) fn register(
    environment: &PythonEnvironment,
    variables: &Variables,
) -> Result<Option<PathBuf>, PythonError> {
    let Some(plugin) = environment.cpu_plugins().into_iter().next() else {
        return Ok(None);
    };
    let usual = etcetera::choose_base_strategy()
        .ok()
        .map(|user| user.data_dir());
    let data = user_directory(variables, CYXLA_DATA_DIR, usual);
    let data = data.ok_or(PythonError::NoDirectory {
        purpose: "the plugin of the environment",
        variable: CYXLA_DATA_DIR,
    })?;
    let file = data
        .join("plugins")
        .join(plugin.package)
        .join("plugin.toml");
    match write(&file, &plugin) {
        Ok(()) => Ok(Some(file)),
        Err(source) => Err(PythonError::File {
            action: "register the plugin of the environment in",
            path: file,
            variable: CYXLA_DATA_DIR,
            source,
        }),
    }
}

fn write(file: &Path, plugin: &CpuPlugin) -> io::Result<()> {
    let text = description(plugin)?;
    if fs::read(file).is_ok_and(|present| present == text.as_bytes()) {
        return Ok(());
    }
    let directory = file.parent().unwrap_or(Path::new("/"));
    fs::create_dir_all(directory)?;
    let mut temporary = tempfile::NamedTempFile::new_in(directory)?;
    temporary.write_all(text.as_bytes())?;
    temporary.persist(file).map_err(|error| error.error)?;
    Ok(())
}

/// The text of `plugin.toml`.
fn description(plugin: &CpuPlugin) -> io::Result<String> {
    let library = plugin.library.to_str().ok_or_else(|| {
        let problem = format!("the path {} is not UTF-8", plugin.library.display());
        io::Error::new(io::ErrorKind::InvalidData, problem)
    })?;
    Ok(format!(
        "# {} of a managed Python environment; written by cyxla-build.\n\
         platform = \"cpu\"\n\
         library = {}\n",
        plugin.package,
        toml_string(library)
    ))
}

/// A TOML basic string.
fn toml_string(text: &str) -> String {
    let mut quoted = String::from('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            // Writing to a string can't fail.
            c if c.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt as _;

    use super::*;
    use crate::python::Origin;
    use crate::python::fake::Folder;

    /// An environment with these files in its site-packages.
    fn environment(folder: &Folder, libraries: &[&str]) -> PythonEnvironment {
        for library in libraries {
            folder.file(library, "");
        }
        PythonEnvironment {
            interpreter: PathBuf::new(),
            version: String::new(),
            jax_version: None,
            origin: Origin::Given,
            prefix: PathBuf::new(),
            site_packages: folder.path().to_owned(),
            platform_site_packages: folder.path().to_owned(),
            watched: Vec::new(),
            created: false,
        }
    }

    fn register_in(
        data: &Folder,
        environment: &PythonEnvironment,
    ) -> Result<Option<PathBuf>, PythonError> {
        let variables = Variables::fixed([(CYXLA_DATA_DIR, data.path().to_str().unwrap())]);
        register(environment, &variables)
    }

    fn read(data: &Folder, package: &str) -> toml::Table {
        let file = data
            .path()
            .join("plugins")
            .join(package)
            .join("plugin.toml");
        fs::read_to_string(file).unwrap().parse().unwrap()
    }

    #[test]
    fn the_plugin_of_the_newest_api_is_registered() {
        let (site, data) = (Folder::new(), Folder::new());
        let libraries = [WHEELS[2].library, WHEELS[1].library];
        register_in(&data, &environment(&site, &libraries)).unwrap();

        let table = read(&data, "fastatomstruct-xla-cpu");
        assert_eq!(table["platform"].as_str(), Some("cpu"));
        let library = site.path().join("fastatomstruct_xla_cpu/libpjrt_cpu.so");
        assert_eq!(table["library"].as_str(), library.to_str());
        assert_eq!(
            fs::read_dir(data.path().join("plugins")).unwrap().count(),
            1
        );
    }

    #[test]
    fn a_file_that_says_the_same_is_left_alone_and_another_replaced() {
        let (site, other, data) = (Folder::new(), Folder::new(), Folder::new());
        let first = environment(&site, &[WHEELS[0].library]);
        let file = data.path().join("plugins/lammps-jax-pjrt-cpu/plugin.toml");
        register_in(&data, &first).unwrap();
        let inode = fs::metadata(&file).unwrap().ino();
        register_in(&data, &first).unwrap();
        assert_eq!(fs::metadata(&file).unwrap().ino(), inode);

        register_in(&data, &environment(&other, &[WHEELS[0].library])).unwrap();
        let table = read(&data, "lammps-jax-pjrt-cpu");
        let library = other.path().join(WHEELS[0].library);
        assert_eq!(table["library"].as_str(), library.to_str());
    }

    #[test]
    fn without_a_known_wheel_nothing_is_written() {
        let (site, data) = (Folder::new(), Folder::new());
        register_in(&data, &environment(&site, &[])).unwrap();
        assert_eq!(fs::read_dir(data.path()).unwrap().count(), 0);
    }

    #[test]
    fn any_path_survives_the_quotes_of_toml() {
        for path in [
            "/a \"b\"/c\\d.so",
            "/tab\tnew\nline\u{7f}\u{85}",
            "/µ/日本.so",
        ] {
            let text = format!("library = {}", toml_string(path));
            let table: toml::Table = text.parse().unwrap();
            assert_eq!(table["library"].as_str(), Some(path));
        }
    }

    #[test]
    fn a_data_directory_that_cannot_be_written_is_named() {
        let (site, data) = (Folder::new(), Folder::new());
        data.file("plugins", "a file in the way");
        let error = register_in(&data, &environment(&site, &[WHEELS[0].library])).unwrap_err();
        let text = error.to_string();
        assert!(
            text.starts_with("cannot register the plugin of the environment in "),
            "{text}"
        );
        assert!(
            text.contains("help: set CYXLA_DATA_DIR to a directory"),
            "{text}"
        );
    }
}
