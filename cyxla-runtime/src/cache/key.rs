use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fmt::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::UNIX_EPOCH;

use cyxla_artifact::{Digest, Hasher, StableHloVersion};

use super::entry::FORMAT;
use super::{CacheError, host};
use crate::plugin::{OptionValue, Surroundings};

/// What an executable is kept under: everything that decides what the compiler makes of a program and where that runs, as
/// a list of named parts.
///
/// It prints as that list, a part to a line, to see why two processes don't share an executable.
#[derive(Clone, PartialEq, Eq)]
pub struct CacheKey {
    parts: Vec<Part>,
    digest: Digest,
}

/// The name of a part, and what it is for this key.
type Part = (Cow<'static, str>, String);

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
    /// What kind of device it compiles for.
    pub(crate) device_kind: &'a str,
    /// The StableHLO versions that it reads, if it says so.
    pub(crate) stablehlo_versions: Option<(StableHloVersion, StableHloVersion)>,
    /// The targets of custom calls that have a handler, sorted.
    pub(crate) handlers: &'a [&'a str],
}

/// Which plugin this is, and what it reads of its surroundings once, when it is loaded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct PluginIdentity {
    file: String,
    xla_flags: String,
    /// `PJRT_NPROC`, `NPROC`, and the processors that this process may use: the threads that XLA has. It splits loops for
    /// them, and bakes that in.
    threads: [String; 3],
}

impl PluginIdentity {
    /// What this was for the library at `path` when it was first asked: best before the library is loaded.
    ///
    /// A plugin stays loaded when its file is replaced, and keeps its flags when the variable is changed; so what it makes
    /// must not be kept under the later ones.
    pub(crate) fn when_first_seen(path: &Path) -> Result<Self, CacheError> {
        static SEEN: Mutex<BTreeMap<PathBuf, PluginIdentity>> = Mutex::new(BTreeMap::new());

        let mut seen = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(identity) = seen.get(path) {
            return Ok(identity.clone());
        }
        let identity = Self::now(path, &Surroundings::of_process())?;
        seen.insert(path.to_owned(), identity.clone());
        Ok(identity)
    }

    fn now(path: &Path, surroundings: &Surroundings) -> Result<Self, CacheError> {
        let variable = |name| surroundings.text(name).unwrap_or_default();
        let processors = std::thread::available_parallelism();
        let processors = processors.map_or_else(|_| "unknown".to_owned(), |n| n.to_string());
        Ok(Self {
            file: file_identity(path)?,
            xla_flags: xla_flags(surroundings)?,
            threads: [variable("PJRT_NPROC"), variable("NPROC"), processors],
        })
    }
}

/// Which file this is, without reading its hundreds of megabytes: that takes most of a second for each start.
///
/// A file that is replaced gets another inode or another time; one that is edited in place gets another time.
fn file_identity(path: &Path) -> Result<String, CacheError> {
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
        .unwrap_or_else(|error| error.duration());
    Ok(format!(
        "{} {} bytes, modified {}.{:09}, inode {}",
        escaped(path.as_os_str()),
        metadata.len(),
        modified.as_secs(),
        modified.subsec_nanos(),
        inode(&metadata)
    ))
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
    /// The key for what `compiler` compiles on this machine.
    pub(crate) fn new(compiler: &Compiler<'_>) -> Result<Self, CacheError> {
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
        let plugin = compiler.plugin;
        let parts = vec![
            ("cache format", FORMAT.to_string()),
            ("cyxla", env!("CARGO_PKG_VERSION").to_owned()),
            ("module", compiler.module.to_string()),
            ("compile options", hexadecimal(compiler.compile_options)),
            ("create options", options(compiler.create_options)),
            ("plugin", plugin.file.clone()),
            ("PJRT API", format!("{major}.{minor}")),
            ("platform", compiler.platform.to_owned()),
            ("platform version", compiler.platform_version.to_owned()),
            ("device", compiler.device_kind.to_owned()),
            ("StableHLO", stablehlo),
            ("XLA_FLAGS", plugin.xla_flags.clone()),
            ("threads", plugin.threads.join(", ")),
            ("processor features", features.join(" ")),
            ("processor model", host::model().to_owned()),
            ("handlers", compiler.handlers.join(" ")),
        ];
        let parts = parts.into_iter();
        Ok(Self::of(
            parts.map(|(name, value)| (name.into(), value)).collect(),
        ))
    }

    /// The key with these parts.
    pub(super) fn of(parts: Vec<Part>) -> Self {
        let hasher = parts.iter().fold(Hasher::new(), |hasher, (name, value)| {
            hasher.part(name, value)
        });
        Self {
            digest: hasher.finish(),
            parts,
        }
    }

    /// The parts, each with its name.
    pub fn parts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.parts.iter().map(|(name, value)| (&**name, &**value))
    }

    /// The names of the parts that are not the same in both keys, to see why a program that is kept was compiled again.
    ///
    /// ```no_run
    /// # fn explain(program: &cyxla_runtime::Program) -> Result<(), cyxla_runtime::CacheError> {
    /// if let Some(key) = program.cache_key() {
    ///     for kept in cyxla_runtime::cache().list()? {
    ///         println!("{} differs in {:?}", kept.program, key.differences(&kept.key));
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn differences<'a>(&'a self, other: &'a Self) -> Vec<&'a str> {
        let is_in = |key: &Self, part: &Part| key.parts.contains(part);
        let own = self.parts.iter().filter(|part| !is_in(other, part));
        let others = other.parts.iter().filter(|part| !is_in(self, part));
        let mut names: Vec<&str> = own.map(|(name, _)| &**name).collect();
        for (name, _) in others {
            if !names.contains(&&**name) {
                names.push(name);
            }
        }
        names
    }

    /// The digest of all parts: the name of the entry.
    pub const fn digest(&self) -> &Digest {
        &self.digest
    }
}

/// Prints the parts, a line for each: `name: value`. Line breaks in a value are printed as `\n`.
impl fmt::Display for CacheKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (name, value)) in self.parts().enumerate() {
            let end = if index > 0 { "\n" } else { "" };
            write!(f, "{end}{name}: {}", value.replace('\n', "\\n"))?;
        }
        Ok(())
    }
}

impl fmt::Debug for CacheKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.parts()).finish()
    }
}

/// The text with escapes for whatever is not ASCII, so that no two look the same.
fn escaped(text: &OsStr) -> String {
    text.as_encoded_bytes().escape_ascii().to_string()
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

/// The flags of XLA. The variable holds them, or the name of a file with them.
fn xla_flags(surroundings: &Surroundings) -> Result<String, CacheError> {
    let Some(flags) = surroundings.variable("XLA_FLAGS") else {
        return Ok(String::new());
    };
    let text = flags.to_string_lossy();
    if text.trim_start().starts_with('-') {
        return Ok(escaped(&flags));
    }
    let content = std::fs::read(&flags).map_err(|error| CacheError::NoKey {
        reason: format!("XLA_FLAGS names a file that can't be read, {text}: {error}"),
    })?;
    Ok(format!("file {}", Digest::of(&content)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A plugin that differs from others in one of the two.
    fn plugin(file: &str, xla_flags: &str, threads: &str) -> PluginIdentity {
        PluginIdentity {
            file: file.to_owned(),
            xla_flags: xla_flags.to_owned(),
            threads: [threads.to_owned(), String::new(), String::new()],
        }
    }

    fn compiler<'a>(
        plugin: &'a PluginIdentity,
        create_options: &'a BTreeMap<String, OptionValue>,
    ) -> Compiler<'a> {
        Compiler {
            module: Digest::of(b"module"),
            compile_options: &[0x1a, 0x04],
            create_options,
            plugin,
            api_version: (0, 115),
            platform: "cpu",
            platform_version: "1",
            device_kind: "cpu",
            stablehlo_versions: Some((StableHloVersion::new(0, 9, 0), StableHloVersion::DEFAULT)),
            handlers: &[],
        }
    }

    #[test]
    fn whatever_decides_the_machine_code_is_part_of_the_key() {
        let none = BTreeMap::new();
        let number = BTreeMap::from([("cpu_device_count".to_owned(), OptionValue::Int(1))]);
        let text = BTreeMap::from([("cpu_device_count".to_owned(), OptionValue::from("1"))]);
        let plugins = [
            plugin("a.so", "", ""),
            plugin("b.so", "", ""),
            plugin("a.so", "--xla_cpu_max_isa=AVX2", ""),
            plugin("a.so", "", "2"),
        ];
        let usual = || compiler(&plugins[0], &none);
        let older = StableHloVersion::new(1, 9, 0);
        let compilers = [
            usual(),
            compiler(&plugins[1], &none),
            compiler(&plugins[2], &none),
            compiler(&plugins[3], &none),
            compiler(&plugins[0], &number),
            compiler(&plugins[0], &text),
            Compiler {
                module: Digest::of(b"other"),
                ..usual()
            },
            Compiler {
                compile_options: &[0x1a],
                ..usual()
            },
            Compiler {
                api_version: (0, 114),
                ..usual()
            },
            Compiler {
                platform: "host",
                ..usual()
            },
            Compiler {
                platform_version: "2",
                ..usual()
            },
            Compiler {
                device_kind: "NVIDIA H100 80GB HBM3",
                ..usual()
            },
            Compiler {
                stablehlo_versions: Some((older, StableHloVersion::DEFAULT)),
                ..usual()
            },
            Compiler {
                stablehlo_versions: None,
                ..usual()
            },
            Compiler {
                handlers: &["lapack_spotrf_ffi"],
                ..usual()
            },
        ];
        let keys = compilers.each_ref().map(|one| CacheKey::new(one).unwrap());
        let digests: std::collections::BTreeSet<_> = keys.iter().map(CacheKey::digest).collect();
        assert_eq!(digests.len(), compilers.len(), "{keys:#?}");
        assert_eq!(keys[0], CacheKey::new(&usual()).unwrap());
    }

    #[test]
    fn the_parts_can_be_read() {
        let options = BTreeMap::from([("cpu_device_count".to_owned(), OptionValue::Int(1))]);
        let plugin = plugin("x.so 5 bytes", "--a --b", "2");
        let key = CacheKey::new(&compiler(&plugin, &options)).unwrap();
        let parts: BTreeMap<_, _> = key.parts().collect();
        assert_eq!(parts["module"], Digest::of(b"module").to_string());
        assert_eq!(parts["compile options"], "1a04");
        assert_eq!(parts["create options"], "\"cpu_device_count\"=1");
        assert_eq!(parts["PJRT API"], "0.115");
        assert_eq!(parts["StableHLO"], "0.9.0 to 1.10.0");
        assert_eq!(parts["XLA_FLAGS"], "--a --b");
        assert_eq!(parts["plugin"], "x.so 5 bytes");
        assert_eq!(parts["threads"], "2, , ");
        assert!(parts.contains_key("processor features"));
        assert!(format!("{key:?}").contains("\"platform version\": \"1\""));
    }

    #[test]
    fn a_key_is_printed_a_part_to_a_line() {
        let key = CacheKey::of(vec![
            ("platform".into(), "cpu".to_owned()),
            ("platform version".into(), "1\n2".to_owned()),
        ]);
        assert_eq!(key.to_string(), "platform: cpu\nplatform version: 1\\n2");
    }

    #[test]
    fn keys_tell_in_which_parts_they_differ() {
        let key = |parts: &[(&'static str, &str)]| {
            let parts = parts.iter();
            CacheKey::of(
                parts
                    .map(|&(name, value)| (name.into(), value.into()))
                    .collect(),
            )
        };
        let one = key(&[
            ("module", "m"),
            ("threads", "1"),
            ("old", "1"),
            ("platform", "cpu"),
        ]);
        let other = key(&[
            ("module", "m"),
            ("threads", "2"),
            ("new", "1"),
            ("platform", "cuda"),
        ]);
        let differences = ["threads", "old", "platform", "new"];
        assert_eq!(one.differences(&other), differences);
        assert!(one.differences(&one).is_empty());
    }

    #[test]
    fn flags_in_a_file_count_by_its_content() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("flags");
        let surroundings = Surroundings::with(&[("XLA_FLAGS", file.as_os_str())]);
        let unknown = xla_flags(&surroundings);
        assert!(matches!(unknown, Err(CacheError::NoKey { .. })));
        std::fs::write(&file, "--a").unwrap();
        let first = xla_flags(&surroundings).unwrap();
        std::fs::write(&file, "--b").unwrap();
        assert_ne!(xla_flags(&surroundings).unwrap(), first);
    }

    #[test]
    fn the_variables_that_xla_reads_are_seen() {
        let directory = tempfile::tempdir().unwrap();
        let library = directory.path().join("x.so");
        std::fs::write(&library, "").unwrap();
        let now = |name: &str, value: &str| {
            let surroundings = Surroundings::with(&[(name, value.as_ref())]);
            PluginIdentity::now(&library, &surroundings).unwrap()
        };
        let plain = now("OTHER", "1");
        assert_ne!(now("XLA_FLAGS", "--xla_cpu_max_isa=AVX2"), plain);
        assert_ne!(now("PJRT_NPROC", "2"), plain);
        assert_ne!(now("NPROC", "2"), plain);
        assert_eq!(now("OTHER", "2"), plain);
    }

    #[test]
    fn a_plugin_that_is_replaced_or_edited_is_another() {
        let directory = tempfile::tempdir().unwrap();
        let library = directory.path().join("x.so");
        let write = |path: &Path, seconds| {
            std::fs::write(path, "text").unwrap();
            let file = std::fs::File::options().write(true).open(path).unwrap();
            let modified = UNIX_EPOCH + std::time::Duration::from_secs(seconds);
            file.set_modified(modified).unwrap();
        };
        write(&library, 1_000);
        let first = file_identity(&library).unwrap();
        assert!(first.ends_with(&format!(
            "modified 1000.000000000, inode {}",
            inode(&library.metadata().unwrap())
        )));
        assert_eq!(file_identity(&library).unwrap(), first);

        write(&library, 1_001);
        let edited = file_identity(&library).unwrap();
        assert_ne!(edited, first);

        let replacement = directory.path().join("y.so");
        write(&replacement, 1_001);
        std::fs::rename(&replacement, &library).unwrap();
        if cfg!(unix) {
            assert_ne!(file_identity(&library).unwrap(), edited);
        }
        std::fs::remove_file(&library).unwrap();
        assert!(file_identity(&library).is_err());
    }

    #[test]
    fn a_loaded_plugin_stays_the_same_when_its_file_is_replaced() {
        let directory = tempfile::tempdir().unwrap();
        let library = directory.path().join("x.so");
        std::fs::write(&library, "one").unwrap();
        let first = PluginIdentity::when_first_seen(&library).unwrap();
        std::fs::write(&library, "another").unwrap();
        assert_ne!(file_identity(&library).unwrap(), first.file);
        assert_eq!(PluginIdentity::when_first_seen(&library).unwrap(), first);
    }
}
