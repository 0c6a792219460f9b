//! The packages on PyPI that carry a plugin, and what each of them needs to be started as JAX starts it.

use std::path::{Path, PathBuf};

use super::{Plugin, PluginError, PluginSource, Surroundings, accelerator};

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
    /// What to give `pip install`, in quotes where a shell needs them.
    pub(super) install: &'static str,
    /// Libraries of other packages that its plugin looks for, inside site-packages.
    preload: &'static [&'static str],
}

/// The wheels that are known, the newest PJRT first for each platform.
pub(super) const WHEELS: &[Wheel] = &[
    Wheel {
        package: "lammps-jax-pjrt-cpu",
        platform: "cpu",
        processors: X86,
        library: "lammps_jax_pjrt_cpu/pjrt_c_api_cpu_plugin.so",
        install: "lammps-jax-pjrt-cpu",
        preload: &[],
    },
    Wheel {
        package: "fastatomstruct-xla-cpu",
        platform: "cpu",
        processors: X86,
        library: "fastatomstruct_xla_cpu/libpjrt_cpu.so",
        install: "fastatomstruct-xla-cpu",
        preload: &[],
    },
    Wheel {
        package: "xla-cpu-pjrt",
        platform: "cpu",
        processors: BOTH,
        library: "xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so",
        install: "xla-cpu-pjrt",
        preload: &[],
    },
    Wheel {
        package: "jax-cuda13-pjrt",
        platform: "cuda13",
        processors: BOTH,
        library: "jax_plugins/xla_cuda13/xla_cuda_plugin.so",
        install: "'jax-cuda13-plugin[with-cuda]'",
        preload: CUDA_13,
    },
    Wheel {
        package: "jax-cuda12-pjrt",
        platform: "cuda12",
        processors: BOTH,
        library: "jax_plugins/xla_cuda12/xla_cuda_plugin.so",
        install: "'jax-cuda12-plugin[with-cuda]'",
        preload: CUDA_12,
    },
    Wheel {
        package: "jax-rocm7-pjrt",
        platform: "rocm7",
        processors: X86,
        library: "jax_plugins/xla_rocm7/xla_rocm_plugin.so",
        install: "jax-rocm7-pjrt",
        preload: &[],
    },
    Wheel {
        package: "libtpu",
        platform: "tpu",
        processors: X86,
        library: "libtpu/libtpu.so",
        install: "libtpu",
        preload: &[],
    },
];

/// The libraries of CUDA 13 in the `nvidia-*` packages, in the order in which JAX loads them.
///
/// Source: `_load_nvidia_libraries` of `jax_plugins.xla_cuda13`.
const CUDA_13: &[&str] = &[
    "nvidia/cu13/lib/libcudart.so.13",
    "nvidia/cu13/lib/libnvrtc.so.13",
    "nvidia/cu13/lib/libcublas.so.13",
    "nvidia/cu13/lib/libcublasLt.so.13",
    "nvidia/nccl/lib/libnccl.so.2",
    "nvidia/cu13/lib/libcupti.so.13",
    "nvidia/cu13/lib/libcusparse.so.12",
    "nvidia/cu13/lib/libcusolver.so.12",
    "nvidia/cu13/lib/libcufft.so.12",
    "nvidia/nvshmem/lib/libnvshmem_host.so.3",
    "nvidia/cudnn/lib/libcudnn.so.9",
];

/// The same of CUDA 12.
const CUDA_12: &[&str] = &[
    "nvidia/cuda_runtime/lib/libcudart.so.12",
    "nvidia/cuda_nvrtc/lib/libnvrtc.so.12",
    "nvidia/cublas/lib/libcublas.so.12",
    "nvidia/cublas/lib/libcublasLt.so.12",
    "nvidia/nccl/lib/libnccl.so.2",
    "nvidia/cuda_cupti/lib/libcupti.so.12",
    "nvidia/cusparse/lib/libcusparse.so.12",
    "nvidia/cusolver/lib/libcusolver.so.11",
    "nvidia/cufft/lib/libcufft.so.11",
    "nvidia/nvshmem/lib/libnvshmem_host.so.3",
    "nvidia/cudnn/lib/libcudnn.so.9",
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

    /// The plugin that is this wheel's library at `path`, with the options that JAX gives it, and those libraries that it needs
    /// and that are installed beside it. What is not may be where the system finds it.
    ///
    /// # Errors
    /// A variable that has a say in the options has a value that can't be understood.
    pub(super) fn plugin(
        &self,
        path: PathBuf,
        surroundings: &Surroundings,
    ) -> Result<Plugin, PluginError> {
        let inside = Path::new(self.library).components().count();
        let installed: Vec<PathBuf> = match path.ancestors().nth(inside) {
            Some(site_packages) => self
                .preload
                .iter()
                .map(|library| site_packages.join(library))
                .filter(|library| library.is_file())
                .collect(),
            None => Vec::new(),
        };
        let mut plugin = Plugin::new(self.platform, path).found(PluginSource::Wheel(self.package));
        plugin.preload = installed;
        plugin.create_options = accelerator::create_options(self.platform, surroundings)?;
        Ok(plugin)
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
    use std::collections::BTreeMap;

    use super::*;
    use crate::plugin::OptionValue;

    #[test]
    fn a_library_of_a_known_wheel_is_recognised_by_its_path() {
        let path = Path::new("/env/lib/python3.12/site-packages/libtpu/libtpu.so");
        assert_eq!(wheel_of(path).map(|wheel| wheel.platform), Some("tpu"));
        assert!(wheel_of(Path::new("/opt/mylibtpu/libtpu.so")).is_none());
    }

    fn create_options(
        wheel: &str,
        variables: &[(&str, &str)],
    ) -> Result<BTreeMap<String, OptionValue>, PluginError> {
        let variables: Vec<_> = variables
            .iter()
            .map(|&(name, value)| (name, value.as_ref()))
            .collect();
        let wheel = WHEELS.iter().find(|own| own.package == wheel).unwrap();
        let library = wheel.library_in(Path::new("/env"));
        let plugin = wheel.plugin(library, &Surroundings::with(&variables))?;
        Ok(plugin.create_options)
    }

    fn options<const N: usize>(
        expected: [(&str, OptionValue); N],
    ) -> BTreeMap<String, OptionValue> {
        expected
            .map(|(name, value)| (name.to_owned(), value))
            .into()
    }

    #[test]
    fn plugins_for_gpus_are_started_as_jax_starts_them() {
        // `generate_pjrt_gpu_plugin_options` of jaxlib 0.10.2, and what the modules of the plugins change in it.
        for (wheel, platform) in [
            ("jax-cuda13-pjrt", "cuda"),
            ("jax-cuda12-pjrt", "cuda"),
            ("jax-rocm7-pjrt", "ROCM"),
        ] {
            let expected = options([
                ("platform_name", platform.into()),
                ("allocator", "default".into()),
                ("abort_collectives_on_failure", false.into()),
                ("use_tfrt_gpu_client", false.into()),
            ]);
            assert_eq!(create_options(wheel, &[]).unwrap(), expected, "{wheel}");
        }
        for wheel in ["lammps-jax-pjrt-cpu", "libtpu"] {
            assert_eq!(create_options(wheel, &[]).unwrap(), options([]), "{wheel}");
        }
    }

    #[test]
    fn the_variables_of_jax_have_their_say_in_the_memory_of_a_gpu() {
        let given = create_options(
            "jax-cuda13-pjrt",
            &[
                ("XLA_PYTHON_CLIENT_ALLOCATOR", "Platform"),
                ("XLA_CLIENT_MEM_FRACTION", ".25"),
                ("XLA_PYTHON_CLIENT_PREALLOCATE", "false"),
                ("XLA_PYTHON_CLIENT_COLLECTIVE_MEM_SIZE_MB", "3"),
                ("XLA_PYTHON_CLIENT_ABORT_COLLECTIVES_ON_FAILURE", "1"),
                ("XLA_PYTHON_CLIENT_USE_TFRT_GPU_CLIENT", "1"),
            ],
        );
        let expected = options([
            ("platform_name", "cuda".into()),
            ("allocator", "platform".into()),
            ("memory_fraction", 0.25_f32.into()),
            ("preallocate", false.into()),
            ("collective_memory_size", 3_145_728.into()),
            ("abort_collectives_on_failure", true.into()),
            ("use_tfrt_gpu_client", true.into()),
        ]);
        assert_eq!(given.unwrap(), expected);
    }

    #[test]
    fn a_variable_with_a_value_of_another_kind_is_named() {
        let cases = [
            ("XLA_PYTHON_CLIENT_ALLOCATOR", "fast"),
            ("XLA_CLIENT_MEM_FRACTION", "half"),
            ("XLA_PYTHON_CLIENT_MEM_FRACTION", "inf"),
            (
                "XLA_PYTHON_CLIENT_COLLECTIVE_MEM_SIZE_MB",
                "9223372036854775807",
            ),
            ("XLA_PYTHON_CLIENT_USE_TFRT_GPU_CLIENT", "yes"),
        ];
        for (name, value) in cases {
            let error = create_options("jax-cuda12-pjrt", &[(name, value)]).unwrap_err();
            let text = error.to_string();
            assert!(text.starts_with(&format!("{name}={value:?}")), "{text}");
            assert!(text.contains("\n  help: "), "{text}");
        }
    }

    #[test]
    fn libraries_that_are_installed_are_loaded_first_in_the_order_of_jax() {
        let directory = tempfile::tempdir().unwrap();
        let file = |name: &str| {
            let path = directory.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, "").unwrap();
            path
        };
        for (wheel, present) in [
            (
                "jax-cuda13-pjrt",
                [
                    "nvidia/cu13/lib/libcublas.so.13",
                    "nvidia/nccl/lib/libnccl.so.2",
                    "nvidia/cu13/lib/libcufft.so.12",
                    "nvidia/cudnn/lib/libcudnn.so.9",
                ],
            ),
            (
                "jax-cuda12-pjrt",
                [
                    "nvidia/cuda_runtime/lib/libcudart.so.12",
                    "nvidia/nccl/lib/libnccl.so.2",
                    "nvidia/cufft/lib/libcufft.so.11",
                    "nvidia/cudnn/lib/libcudnn.so.9",
                ],
            ),
        ] {
            let wheel = WHEELS.iter().find(|own| own.package == wheel).unwrap();
            let present = present.map(file);
            let library = wheel.library_in(directory.path());
            let plugin = wheel.plugin(library, &Surroundings::with(&[])).unwrap();
            assert_eq!(plugin.preload, present);
        }
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
