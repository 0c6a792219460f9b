//! What is different of plugins that run programs on another device than the processor: the options that they are started
//! with, and the driver without which they must not even be loaded, since some of them wait long or end the process.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use super::{OptionValue, Plugin, PluginError, Surroundings};

/// The kinds of accelerators that plugins are known for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Accelerator {
    Nvidia,
    Amd,
    Tpu,
}

/// Whether a plugin for `own`, such as `cuda13`, serves `platform`: that name, or that without a version, as JAX knows it.
pub(super) fn serves(own: &str, platform: &str) -> bool {
    own == platform
        || (["cuda", "rocm"].contains(&platform)
            && own
                .strip_prefix(platform)
                .is_some_and(|version| version.bytes().all(|digit| digit.is_ascii_digit())))
}

impl Accelerator {
    /// That which a plugin for `platform` needs.
    fn of(platform: &str) -> Option<Self> {
        if serves(platform, "cuda") {
            Some(Self::Nvidia)
        } else if serves(platform, "rocm") {
            Some(Self::Amd)
        } else if platform == "tpu" {
            Some(Self::Tpu)
        } else {
            None
        }
    }

    /// What is not there of its driver; `devices` is `/dev`.
    fn missing(self, devices: &Path, loads: impl Fn(&str) -> Result<(), String>) -> Option<String> {
        match self {
            Self::Nvidia => loads("libcuda.so.1").err(),
            Self::Amd => {
                let node = devices.join("kfd");
                (!node.exists()).then(|| format!("there is no {}", node.display()))
            }
            Self::Tpu => {
                let accel = has_numbered(devices, "accel");
                let vfio = has_numbered(&devices.join("vfio"), "");
                (!accel && !vfio).then(|| {
                    let devices = devices.display();
                    format!("there is neither {devices}/accel0 nor a group in {devices}/vfio")
                })
            }
        }
    }

    fn help(self) -> &'static str {
        match self {
            Self::Nvidia => {
                "install the driver of NVIDIA, so that nvidia-smi lists the GPUs; start a container with --gpus=all"
            }
            Self::Amd => {
                "install the driver amdgpu of ROCm, so that rocminfo lists the GPUs; start a container with --device=/dev/kfd \
                 --device=/dev/dri"
            }
            Self::Tpu => {
                "run on a machine that has a TPU, as a user who may use it; start a container with its devices"
            }
        }
    }
}

impl fmt::Display for Accelerator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Nvidia => "the driver of NVIDIA",
            Self::Amd => "the driver of AMD's GPUs",
            Self::Tpu => "a TPU",
        })
    }
}

/// Whether the directory has an entry that is `prefix` and a number.
fn has_numbered(directory: &Path, prefix: &str) -> bool {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    entries
        .filter_map(|entry| entry.file_name().into_string().ok())
        .any(|name| {
            let number = name.strip_prefix(prefix).unwrap_or_default();
            !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit())
        })
}

/// Refuses a plugin whose device has no driver here.
///
/// # Errors
/// The driver is missing.
pub(super) fn check_driver(
    plugin: &Plugin,
    loads: impl Fn(&str) -> Result<(), String>,
) -> Result<(), PluginError> {
    let Some(accelerator) = Accelerator::of(&plugin.platform) else {
        return Ok(());
    };
    match accelerator.missing(Path::new("/dev"), loads) {
        None => Ok(()),
        Some(reason) => Err(PluginError::NoDriver {
            path: plugin.path.clone(),
            platform: plugin.platform.clone(),
            missing: accelerator.to_string(),
            reason,
            help: accelerator.help(),
        }),
    }
}

/// What JAX passes to `PJRT_Client_Create` of a plugin for `platform`; nothing but for GPUs.
///
/// Source: `generate_pjrt_gpu_plugin_options` of jaxlib, and `initialize` of `jax_plugins.xla_cuda13` and
/// `jax_plugins.xla_rocm7`.
///
/// # Errors
/// A variable has a value that can't be understood.
pub(super) fn create_options(
    platform: &str,
    surroundings: &Surroundings,
) -> Result<BTreeMap<String, OptionValue>, PluginError> {
    let name = match Accelerator::of(platform) {
        Some(Accelerator::Nvidia) => "cuda",
        Some(Accelerator::Amd) => "ROCM",
        Some(Accelerator::Tpu) | None => return Ok(BTreeMap::new()),
    };
    let variables = Variables(surroundings);
    let memory_fraction = match variables.fraction("XLA_CLIENT_MEM_FRACTION")? {
        Some(fraction) => Some(fraction),
        None => variables.fraction("XLA_PYTHON_CLIENT_MEM_FRACTION")?,
    };
    let preallocate = surroundings
        .text("XLA_PYTHON_CLIENT_PREALLOCATE")
        .map(|text| !["false", "False", "0"].contains(&text.as_str()));
    let abort = variables.switch("XLA_PYTHON_CLIENT_ABORT_COLLECTIVES_ON_FAILURE")?;
    let tfrt = variables.switch("XLA_PYTHON_CLIENT_USE_TFRT_GPU_CLIENT")?;
    let options = [
        ("platform_name", Some(name.into())),
        ("allocator", Some(variables.allocator()?.into())),
        ("memory_fraction", memory_fraction.map(OptionValue::Float)),
        ("preallocate", preallocate.map(OptionValue::Bool)),
        (
            "collective_memory_size",
            variables.collective_memory()?.map(OptionValue::Int),
        ),
        ("abort_collectives_on_failure", Some(abort.into())),
        ("use_tfrt_gpu_client", Some(tfrt.into())),
    ];
    Ok(options
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), value?)))
        .collect())
}

/// The variables by which users of JAX say what a GPU's client does.
struct Variables<'a>(&'a Surroundings);

impl Variables<'_> {
    fn read<T>(
        &self,
        name: &'static str,
        expected: &'static str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<T>, PluginError> {
        let Some(value) = self.0.text(name) else {
            return Ok(None);
        };
        match parse(&value) {
            Some(parsed) => Ok(Some(parsed)),
            None => Err(PluginError::OptionVariable {
                name,
                value,
                expected,
            }),
        }
    }

    fn allocator(&self) -> Result<String, PluginError> {
        let known = ["default", "platform", "bfc", "cuda_async", "vmm"];
        let parsed = self.read(
            "XLA_PYTHON_CLIENT_ALLOCATOR",
            "one of default, platform, bfc, cuda_async and vmm",
            |value| {
                let value = value.to_lowercase();
                known.contains(&value.as_str()).then_some(value)
            },
        )?;
        Ok(parsed.unwrap_or_else(|| known[0].to_owned()))
    }

    fn fraction(&self, name: &'static str) -> Result<Option<f32>, PluginError> {
        self.read(name, "a number such as 0.75", |value| {
            value
                .trim()
                .parse()
                .ok()
                .filter(|number: &f32| number.is_finite())
        })
    }

    /// In bytes.
    fn collective_memory(&self) -> Result<Option<i64>, PluginError> {
        self.read(
            "XLA_PYTHON_CLIENT_COLLECTIVE_MEM_SIZE_MB",
            "a whole number of MiB",
            |value| value.trim().parse::<i64>().ok()?.checked_mul(1 << 20),
        )
    }

    fn switch(&self, name: &'static str) -> Result<bool, PluginError> {
        let parsed = self.read(name, "0 or 1", |value| {
            value.trim().parse::<i64>().ok().map(|number| number != 0)
        })?;
        Ok(parsed.unwrap_or(false))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn absent(name: &str) -> Result<(), String> {
        Err(format!("{name}: cannot open shared object file"))
    }

    #[test]
    fn a_platform_without_a_version_is_served_by_every_version() {
        for (own, platform, expected) in [
            ("cuda13", "cuda", true),
            ("cuda13", "cuda13", true),
            ("cuda", "cuda", true),
            ("rocm7", "rocm", true),
            ("cuda13", "cuda12", false),
            ("cudax", "cuda", false),
            ("cpu", "cuda", false),
            ("cpu1", "cpu", false),
        ] {
            assert_eq!(serves(own, platform), expected, "{own} {platform}");
        }
    }

    #[test]
    fn devices_are_looked_for_where_drivers_put_them() {
        let devices = tempfile::tempdir().unwrap();
        let devices = devices.path();
        let missing = |accelerator: Accelerator| accelerator.missing(devices, absent);
        assert_eq!(
            missing(Accelerator::Nvidia).unwrap(),
            "libcuda.so.1: cannot open shared object file"
        );
        assert!(missing(Accelerator::Amd).unwrap().ends_with("/kfd"));
        assert!(missing(Accelerator::Tpu).unwrap().contains("/accel0"));

        assert_eq!(Accelerator::Nvidia.missing(devices, |_| Ok(())), None);
        std::fs::write(devices.join("kfd"), "").unwrap();
        assert_eq!(missing(Accelerator::Amd), None);
        // The driver of other devices has this one.
        std::fs::create_dir(devices.join("vfio")).unwrap();
        std::fs::write(devices.join("vfio/vfio"), "").unwrap();
        assert!(missing(Accelerator::Tpu).is_some());
        std::fs::write(devices.join("vfio/0"), "").unwrap();
        assert_eq!(missing(Accelerator::Tpu), None);
        std::fs::remove_file(devices.join("vfio/0")).unwrap();
        std::fs::write(devices.join("accel0"), "").unwrap();
        assert_eq!(missing(Accelerator::Tpu), None);
    }

    #[test]
    fn a_plugin_for_the_processor_needs_no_driver() {
        check_driver(&Plugin::new("cpu", "/opt/x.so"), absent).unwrap();
    }

    #[test]
    fn the_missing_driver_is_named() {
        let error = check_driver(&Plugin::new("cuda13", "/opt/x.so"), absent).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the PJRT plugin /opt/x.so for `cuda13` can't run on this machine, which lacks the driver of NVIDIA: libcuda.so.1: \
             cannot open shared object file\n  help: install the driver of NVIDIA, so that nvidia-smi lists the GPUs; start a \
             container with --gpus=all; or choose another platform, CYXLA_PLATFORM=cpu"
        );
    }
}
