use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::path::Path;
use std::time::UNIX_EPOCH;

use cyxla_artifact::{Digest, Hasher, StableHloVersion};

use super::entry::FORMAT;
use super::{CacheError, host};
use crate::plugin::{OptionValue, Surroundings};

/// What an executable is kept under: everything that decides what the compiler makes of a program and where that runs, as
/// a list of named parts.
///
/// `{:?}` prints the list, to see why two processes don't share an executable.
#[derive(Clone, PartialEq, Eq)]
pub struct CacheKey {
    parts: Vec<(&'static str, String)>,
    digest: Digest,
}

/// What compiles a program.
#[derive(Clone, Debug)]
pub(crate) struct Compiler<'a> {
    /// Digest of the StableHLO bytecode.
    pub(crate) module: Digest,
    /// Serialized compile options.
    pub(crate) compile_options: &'a [u8],
    /// What the client was made with.
    pub(crate) create_options: &'a BTreeMap<String, OptionValue>,
    /// The file of the plugin.
    pub(crate) plugin: &'a PluginIdentity,
    /// The version of its PJRT C API.
    pub(crate) api_version: (i32, i32),
    /// The name of its platform.
    pub(crate) platform: &'a str,
    /// The version of its platform, as it says itself.
    pub(crate) platform_version: &'a str,
    /// The StableHLO versions that it reads, if it says so.
    pub(crate) stablehlo_versions: Option<(StableHloVersion, StableHloVersion)>,
    /// The targets of custom calls that have a handler, sorted.
    pub(crate) handlers: &'a [&'a str],
}

/// Which file a plugin is, without reading its hundreds of megabytes: that takes most of a second for each start.
///
/// A plugin that is replaced gets another inode or another time; one that is edited in place gets another time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct PluginIdentity(String);

impl PluginIdentity {
    /// The identity of the library at `path` now.
    pub(crate) fn of(path: &Path) -> Result<Self, CacheError> {
        let metadata = std::fs::metadata(path).and_then(|metadata| {
            let modified = metadata.modified()?;
            Ok((metadata, modified))
        });
        let (metadata, modified) = metadata.map_err(|error| CacheError::NoKey {
            reason: format!("the plugin {} can't be told: {error}", path.display()),
        })?;
        // A file from before 1970 has a negative time; any number will do.
        let modified = modified
            .duration_since(UNIX_EPOCH)
            .map_or_else(|error| error.duration(), |since| since);
        Ok(Self(format!(
            "{} {} bytes, modified {}.{:09}, inode {}",
            path.display(),
            metadata.len(),
            modified.as_secs(),
            modified.subsec_nanos(),
            inode(&metadata)
        )))
    }
}

#[cfg(unix)]
fn inode(metadata: &std::fs::Metadata) -> u64 {
    // Without the device: a container has another one at each start.
    std::os::unix::fs::MetadataExt::ino(metadata)
}

#[cfg(not(unix))]
fn inode(_: &std::fs::Metadata) -> u64 {
    0
}

impl CacheKey {
    /// The key for a program that `compiler` compiles in these surroundings, on this machine.
    pub(crate) fn new(
        compiler: &Compiler<'_>,
        surroundings: &Surroundings,
    ) -> Result<Self, CacheError> {
        let features = host::features().ok_or_else(|| CacheError::NoKey {
            reason: format!(
                "the features of this processor ({}) are unknown",
                std::env::consts::ARCH
            ),
        })?;
        let stablehlo = match compiler.stablehlo_versions {
            Some((minimum, current)) => format!("{minimum} to {current}"),
            None => "unknown".to_owned(),
        };
        let (major, minor) = compiler.api_version;
        let variable = |name| surroundings.text(name).unwrap_or_default();
        let parts = vec![
            ("cache format", FORMAT.to_string()),
            ("cyxla", env!("CARGO_PKG_VERSION").to_owned()),
            ("module", compiler.module.to_string()),
            ("compile options", hexadecimal(compiler.compile_options)),
            ("create options", options(compiler.create_options)),
            ("plugin", compiler.plugin.0.clone()),
            ("PJRT API", format!("{major}.{minor}")),
            ("platform", compiler.platform.to_owned()),
            ("platform version", compiler.platform_version.to_owned()),
            ("StableHLO", stablehlo),
            ("XLA_FLAGS", xla_flags(surroundings)?),
            // XLA splits loops for the threads that it has, and bakes that in.
            ("PJRT_NPROC", variable("PJRT_NPROC")),
            ("NPROC", variable("NPROC")),
            ("processors", processors()),
            ("processor features", features.join(" ")),
            ("processor model", host::model()),
            ("handlers", compiler.handlers.join(" ")),
        ];
        let hasher = parts.iter().fold(Hasher::new(), |hasher, (name, value)| {
            hasher.part(name, value)
        });
        Ok(Self {
            digest: hasher.finish(),
            parts,
        })
    }

    /// The parts, each with its name.
    pub fn parts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.parts.iter().map(|(name, value)| (*name, &**value))
    }

    /// The digest of all parts: the name of the entry.
    pub const fn digest(&self) -> &Digest {
        &self.digest
    }
}

impl fmt::Debug for CacheKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.parts()).finish()
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // A `String` takes any text.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn options(options: &BTreeMap<String, OptionValue>) -> String {
    let each = options
        .iter()
        .map(|(name, value)| format!("{name:?}={value}"));
    each.collect::<Vec<_>>().join(" ")
}

fn processors() -> String {
    std::thread::available_parallelism().map_or_else(|_| "unknown".to_owned(), |n| n.to_string())
}

/// The flags of XLA. The variable holds them, or the name of a file with them.
fn xla_flags(surroundings: &Surroundings) -> Result<String, CacheError> {
    let Some(flags) = surroundings.variable("XLA_FLAGS") else {
        return Ok(String::new());
    };
    let text = flags.to_string_lossy();
    if text.trim_start().starts_with('-') {
        // What is no Unicode is printed as an escape, so that no two values look the same.
        return Ok(format!("{flags:?}"));
    }
    let content = std::fs::read(&flags).map_err(|error| CacheError::NoKey {
        reason: format!("XLA_FLAGS names the file {flags:?}, which can't be read: {error}"),
    })?;
    Ok(format!("file {}", Digest::of(&content)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_flags(flags: &str) -> Surroundings {
        Surroundings::with(&[("XLA_FLAGS", flags.as_ref())])
    }

    fn identity(text: &str) -> PluginIdentity {
        PluginIdentity(text.to_owned())
    }

    /// Every way to differ in exactly one part.
    #[test]
    fn whatever_decides_the_machine_code_is_part_of_the_key() {
        let none = BTreeMap::new();
        let one = BTreeMap::from([("cpu_device_count".to_owned(), OptionValue::Int(1))]);
        let text = BTreeMap::from([("cpu_device_count".to_owned(), OptionValue::from("1"))]);
        let (plugin, other_plugin) = (identity("a"), identity("b"));
        let versions = [(0, 9, 0), (1, 20, 0), (1, 19, 0)]
            .map(|(major, minor, patch)| StableHloVersion::new(major, minor, patch));
        let usual = Compiler {
            module: Digest::of(b"module"),
            compile_options: &[1],
            create_options: &none,
            plugin: &plugin,
            api_version: (0, 115),
            platform: "cpu",
            platform_version: "1",
            stablehlo_versions: Some((versions[0], versions[1])),
            handlers: &[],
        };
        let others = [
            Compiler {
                module: Digest::of(b"other"),
                ..usual.clone()
            },
            Compiler {
                compile_options: &[2],
                ..usual.clone()
            },
            Compiler {
                create_options: &one,
                ..usual.clone()
            },
            Compiler {
                create_options: &text,
                ..usual.clone()
            },
            Compiler {
                plugin: &other_plugin,
                ..usual.clone()
            },
            Compiler {
                api_version: (0, 114),
                ..usual.clone()
            },
            Compiler {
                platform: "host",
                ..usual.clone()
            },
            Compiler {
                platform_version: "2",
                ..usual.clone()
            },
            Compiler {
                stablehlo_versions: Some((versions[0], versions[2])),
                ..usual.clone()
            },
            Compiler {
                stablehlo_versions: None,
                ..usual.clone()
            },
            Compiler {
                handlers: &["lapack_spotrf_ffi"],
                ..usual.clone()
            },
        ];
        let plain = Surroundings::with(&[]);
        let surroundings = [
            with_flags("--xla_cpu_max_isa=AVX2"),
            with_flags("--xla_cpu_max_isa=SSE4_2"),
            Surroundings::with(&[("PJRT_NPROC", "2".as_ref())]),
            Surroundings::with(&[("NPROC", "2".as_ref())]),
        ];
        let mut keys = vec![CacheKey::new(&usual, &plain).unwrap()];
        keys.extend(
            others
                .iter()
                .map(|other| CacheKey::new(other, &plain).unwrap()),
        );
        keys.extend(
            surroundings
                .iter()
                .map(|other| CacheKey::new(&usual, other).unwrap()),
        );
        let digests: std::collections::BTreeSet<_> = keys.iter().map(CacheKey::digest).collect();
        assert_eq!(digests.len(), 1 + 11 + 4, "{keys:#?}");
        assert_eq!(keys[0], CacheKey::new(&usual, &plain).unwrap());
    }

    #[test]
    fn the_parts_can_be_read() {
        let options = BTreeMap::from([("cpu_device_count".to_owned(), OptionValue::Int(1))]);
        let compiler = Compiler {
            module: Digest::of(b""),
            compile_options: &[0x1a, 0x04],
            create_options: &options,
            plugin: &identity("/opt/x.so 5 bytes"),
            api_version: (0, 81),
            platform: "cpu",
            platform_version: "7",
            stablehlo_versions: None,
            handlers: &[],
        };
        let key = CacheKey::new(&compiler, &with_flags("--a --b")).unwrap();
        let parts: BTreeMap<_, _> = key.parts().collect();
        assert_eq!(parts["compile options"], "1a04");
        assert_eq!(parts["create options"], "\"cpu_device_count\"=1");
        assert_eq!(parts["PJRT API"], "0.81");
        assert_eq!(parts["XLA_FLAGS"], "\"--a --b\"");
        assert_eq!(parts["plugin"], "/opt/x.so 5 bytes");
        assert!(format!("{key:?}").contains("\"platform version\": \"7\""));
    }

    #[test]
    fn flags_in_a_file_count_by_its_content() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("flags");
        let surroundings = Surroundings::with(&[("XLA_FLAGS", file.as_os_str())]);
        assert!(matches!(
            xla_flags(&surroundings),
            Err(CacheError::NoKey { .. })
        ));
        std::fs::write(&file, "--a").unwrap();
        let first = xla_flags(&surroundings).unwrap();
        std::fs::write(&file, "--b").unwrap();
        assert_ne!(xla_flags(&surroundings).unwrap(), first);
    }

    #[test]
    fn a_plugin_that_is_replaced_or_edited_is_another() {
        let directory = tempfile::tempdir().unwrap();
        let library = directory.path().join("x.so");
        std::fs::write(&library, "one").unwrap();
        let first = PluginIdentity::of(&library).unwrap();
        assert_eq!(PluginIdentity::of(&library).unwrap(), first);

        let later = std::time::SystemTime::now() + std::time::Duration::from_nanos(5_000);
        std::fs::File::options()
            .write(true)
            .open(&library)
            .unwrap()
            .set_modified(later)
            .unwrap();
        let edited = PluginIdentity::of(&library).unwrap();
        assert_ne!(edited, first);

        let replacement = directory.path().join("y.so");
        std::fs::write(&replacement, "one").unwrap();
        std::fs::File::options()
            .write(true)
            .open(&replacement)
            .unwrap()
            .set_modified(later)
            .unwrap();
        std::fs::rename(&replacement, &library).unwrap();
        if cfg!(unix) {
            assert_ne!(PluginIdentity::of(&library).unwrap(), edited);
        }
        std::fs::remove_file(&library).unwrap();
        assert!(PluginIdentity::of(&library).is_err());
    }
}
