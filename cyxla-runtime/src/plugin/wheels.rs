use std::path::{Path, PathBuf};

use super::{Plugin, PluginSource};

/// A package on PyPI that carries a PJRT plugin.
#[derive(Debug)]
pub(super) struct Wheel {
    /// The name of the package.
    pub(super) package: &'static str,
    /// The JAX platform that it serves.
    pub(super) platform: &'static str,
    /// The processors that there are wheels for, by Rust's names; all of them for Linux.
    processors: &'static [&'static str],
    /// The library inside site-packages.
    library: &'static str,
    /// Whether everything that its plugin needs is set up.
    pub(super) is_supported: bool,
}

/// The wheels that are known, the newest PJRT first for each platform.
pub(super) const WHEELS: &[Wheel] = &[
    Wheel {
        package: "lammps-jax-pjrt-cpu",
        platform: "cpu",
        processors: X86,
        library: "lammps_jax_pjrt_cpu/pjrt_c_api_cpu_plugin.so",
        is_supported: true,
    },
    Wheel {
        package: "fastatomstruct-xla-cpu",
        platform: "cpu",
        processors: X86,
        library: "fastatomstruct_xla_cpu/libpjrt_cpu.so",
        is_supported: true,
    },
    Wheel {
        package: "xla-cpu-pjrt",
        platform: "cpu",
        processors: BOTH,
        library: "xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so",
        is_supported: true,
    },
    Wheel {
        package: "jax-cuda13-pjrt",
        platform: "cuda13",
        processors: BOTH,
        library: "jax_plugins/xla_cuda13/xla_cuda_plugin.so",
        is_supported: false,
    },
    Wheel {
        package: "jax-cuda12-pjrt",
        platform: "cuda12",
        processors: BOTH,
        library: "jax_plugins/xla_cuda12/xla_cuda_plugin.so",
        is_supported: false,
    },
    Wheel {
        package: "jax-rocm7-pjrt",
        platform: "rocm7",
        processors: X86,
        library: "jax_plugins/xla_rocm7/xla_rocm_plugin.so",
        is_supported: false,
    },
    Wheel {
        package: "libtpu",
        platform: "tpu",
        processors: X86,
        library: "libtpu/libtpu.so",
        is_supported: false,
    },
];

const X86: &[&str] = &["x86_64"];
const BOTH: &[&str] = &["x86_64", "aarch64"];

impl Wheel {
    /// Where its library lies in these site-packages.
    pub(super) fn library_in(&self, site_packages: &Path) -> PathBuf {
        site_packages.join(self.library)
    }

    /// Whether a library lies where this wheel would put it.
    fn has_library(&self, path: &Path) -> bool {
        path.ends_with(self.library)
    }

    /// Whether there is a wheel for a machine like this one.
    pub(super) fn is_for_this_machine(&self) -> bool {
        cfg!(target_os = "linux") && self.processors.contains(&std::env::consts::ARCH)
    }

    /// The plugin that is this wheel's library at `path`.
    pub(super) fn plugin(&self, path: PathBuf) -> Plugin {
        Plugin::new(self.platform, path).found(PluginSource::Wheel(self.package))
    }
}

/// The wheel that this library is of, going by its path.
pub(super) fn wheel_of(library: &Path) -> Option<&'static Wheel> {
    WHEELS.iter().find(|wheel| wheel.has_library(library))
}

/// The site-packages directories of a Python environment, the newest Python first.
pub(super) fn site_packages(environment: &Path) -> Vec<PathBuf> {
    if cfg!(windows) {
        return vec![environment.join("Lib").join("site-packages")];
    }
    let lib = environment.join("lib");
    let entries = std::fs::read_dir(&lib).into_iter().flatten().flatten();
    let mut versions: Vec<(u32, String)> = entries
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let minor = name.strip_prefix("python3.")?;
            // A free-threaded Python has a letter behind its number: 3.13t.
            let digits = minor.trim_end_matches(|letter: char| !letter.is_ascii_digit());
            Some((digits.parse().ok()?, name))
        })
        .collect();
    versions.sort_by(|a, b| b.cmp(a));
    versions
        .into_iter()
        .map(|(_, name)| lib.join(name).join("site-packages"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_of_a_known_wheel_is_recognised_by_its_path() {
        let path = Path::new("/env/lib/python3.12/site-packages/libtpu/libtpu.so");
        assert_eq!(wheel_of(path).map(|wheel| wheel.platform), Some("tpu"));
        assert!(wheel_of(Path::new("/opt/mylibtpu/libtpu.so")).is_none());
    }

    #[cfg(unix)]
    #[test]
    fn the_newest_python_of_an_environment_comes_first() {
        let environment = tempfile::tempdir().unwrap();
        let lib = environment.path().join("lib");
        for name in [
            "python3.9",
            "python3.13t",
            "python3.12",
            "python3",
            "pkgconfig",
        ] {
            std::fs::create_dir_all(lib.join(name)).unwrap();
        }
        let expected = ["python3.13t", "python3.12", "python3.9"]
            .map(|name| lib.join(name).join("site-packages"));
        assert_eq!(site_packages(environment.path()), expected);
    }
}
