//! `plugin.toml`, the file that makes a directory a plugin.
//!
//! ```toml
//! platform = "cpu"
//! library = "pjrt_c_api_cpu_plugin.so"  # absolute, or relative to this file
//! preload = ["libcudart.so.13"]         # libraries to load before it; the same rule
//!
//! [create_options]                      # for PJRT_Client_Create
//! cpu_device_count = 1
//! ```

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::{OptionValue, Plugin, PluginSource};

/// The name of the file.
pub(super) const PLUGIN_FILE: &str = "plugin.toml";

/// More than any real file has, and little enough to read whatever is there.
const LONGEST: u64 = 1 << 20;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PluginToml {
    platform: String,
    library: PathBuf,
    #[serde(default)]
    preload: Vec<PathBuf>,
    #[serde(default)]
    create_options: BTreeMap<String, Value>,
}

#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "a truth value, a number, a string or a list of integers was expected"
)]
enum Value {
    Bool(bool),
    Int(i64),
    Float(f64),
    Str(String),
    IntList(Vec<i64>),
}

/// Reads the plugin that a `plugin.toml` describes; else says what is wrong with the file.
pub(super) fn read(file: &Path) -> Result<Plugin, String> {
    let mut text = String::new();
    let opened = std::fs::File::open(file).map_err(|error| error.to_string())?;
    let length = opened
        .take(LONGEST + 1)
        .read_to_string(&mut text)
        .map_err(|error| error.to_string())?;
    if length as u64 > LONGEST {
        return Err(format!("longer than {LONGEST} bytes"));
    }
    let toml: PluginToml = toml::from_str(&text).map_err(|error| problem(&text, &error))?;
    if !is_platform(&toml.platform) {
        return Err(format!(
            "{:?} is no name of a platform, such as \"cpu\"",
            toml.platform
        ));
    }

    // Joining an absolute path gives that path.
    let directory = file.parent().unwrap_or(Path::new("/"));
    let library = directory.join(toml.library);
    if !library.is_file() {
        return Err(format!("its library {} is not there", library.display()));
    }
    let mut plugin =
        Plugin::new(toml.platform, library).found(PluginSource::Directory(file.to_owned()));
    plugin.preload = toml
        .preload
        .into_iter()
        .map(|path| directory.join(path))
        .collect();
    for (name, value) in toml.create_options {
        let value = value
            .into_option()
            .map_err(|problem| format!("create_options.{name}: {problem}"))?;
        plugin.create_options.insert(name, value);
    }
    Ok(plugin)
}

/// What is wrong and in which line, on one line: it stands in a list.
fn problem(text: &str, error: &toml::de::Error) -> String {
    let message = error.message().replace('\n', ", ");
    match error.span().and_then(|span| text.get(..span.start)) {
        Some(before) => format!("line {}: {message}", before.matches('\n').count() + 1),
        None => message,
    }
}

impl Value {
    fn into_option(self) -> Result<OptionValue, String> {
        Ok(match self {
            Self::Bool(value) => OptionValue::Bool(value),
            Self::Int(value) => OptionValue::Int(value),
            Self::Float(value) => {
                #[expect(
                    clippy::cast_possible_truncation,
                    reason = "PJRT carries single precision; what does not fit is refused below"
                )]
                let single = value as f32;
                if !single.is_finite() {
                    return Err(format!("{value:e} is no finite number in single precision"));
                }
                OptionValue::Float(single)
            }
            Self::Str(value) => OptionValue::Str(value),
            Self::IntList(values) => OptionValue::IntList(values),
        })
    }
}

/// Whether this could be the name of a platform: lower-case letters, digits and `_`, a letter first.
pub(super) fn is_platform(name: &str) -> bool {
    let character = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    name.starts_with(|first: char| first.is_ascii_lowercase()) && name.bytes().all(character)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: impl AsRef<[u8]>) -> Result<Plugin, String> {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("x.so"), b"").unwrap();
        let file = directory.path().join(PLUGIN_FILE);
        std::fs::write(&file, text).unwrap();
        read(&file)
    }

    #[test]
    fn every_kind_of_option_is_read() {
        let plugin = read_text(
            r#"
            platform = "cuda13"
            library = "x.so"
            preload = ["libcudart.so.13", "/opt/libnccl.so.2"]

            [create_options]
            preallocate = false
            num_nodes = 2
            memory_fraction = 0.5
            platform_name = "cuda"
            visible_devices = [0, 3]
            "#,
        )
        .unwrap();
        let directory = plugin.path.parent().unwrap();
        assert_eq!(plugin.platform, "cuda13");
        assert_eq!(
            plugin.preload,
            [
                directory.join("libcudart.so.13"),
                "/opt/libnccl.so.2".into()
            ]
        );
        let expected = BTreeMap::from(
            [
                ("preallocate", OptionValue::Bool(false)),
                ("num_nodes", OptionValue::Int(2)),
                ("memory_fraction", OptionValue::Float(0.5)),
                ("platform_name", OptionValue::Str("cuda".to_owned())),
                ("visible_devices", OptionValue::IntList(vec![0, 3])),
            ]
            .map(|(name, value)| (name.to_owned(), value)),
        );
        assert_eq!(plugin.create_options, expected);
        assert_eq!(
            plugin.source,
            PluginSource::Directory(directory.join(PLUGIN_FILE))
        );
    }

    #[test]
    fn what_is_wrong_with_a_file_is_said() {
        let good = "platform = \"cpu\"\nlibrary = \"x.so\"\n";
        let cases: &[(&str, &str)] = &[
            ("", "missing field `platform`"),
            ("platform = \"cpu\"", "missing field `library`"),
            ("platform = 1\nlibrary = \"x.so\"", "invalid type"),
            (
                "platform = \"../x\"\nlibrary = \"x.so\"",
                "no name of a platform",
            ),
            (
                "platform = \"\"\nlibrary = \"x.so\"",
                "no name of a platform",
            ),
            ("platform = \"cpu\"\nlibrary = \"y.so\"", "is not there"),
            (
                "platform = \"cpu\"\nlibrary = \"a\\u0000b\"",
                "is not there",
            ),
            (&format!("{good}path = 1"), "unknown field `path`"),
            (
                &format!("{good}create_options = {{ a = {{ b = 1 }} }}"),
                "list of integers was expected",
            ),
            (
                &format!("{good}create_options = {{ a = 1e300 }}"),
                "create_options.a: 1e300",
            ),
            (
                &format!("{good}create_options = {{ a = [1, \"b\"] }}"),
                "list of integers was expected",
            ),
            ("library = \"x.so\"\nplatform = \"cpu", "line 2: "),
        ];
        for (text, expected) in cases {
            let problem = read_text(text).unwrap_err();
            assert!(problem.contains(expected), "{text:?} gives {problem:?}");
            assert!(!problem.contains('\n'), "{problem:?}");
        }
    }

    #[test]
    fn bytes_that_are_no_text_are_refused() {
        assert!(read_text(b"platform = \"cpu\xff\"").is_err());
    }

    #[test]
    fn deep_nesting_and_endless_files_are_refused() {
        let deep = format!("a = {}", "[".repeat(100_000));
        assert!(read_text(deep).is_err());
        let long = format!("# {}", "x".repeat(usize::try_from(LONGEST).unwrap()));
        assert!(read_text(long).unwrap_err().contains("longer than"));
    }

    #[test]
    fn every_truncation_of_a_file_is_refused_or_complete() {
        let text = "platform = \"cpu\"\nlibrary = \"x.so\"\n[create_options]\na = [1, 2]\n";
        for end in 0..text.len() {
            if let Ok(plugin) = read_text(&text[..end]) {
                assert_eq!(plugin.platform, "cpu");
            }
        }
    }
}
