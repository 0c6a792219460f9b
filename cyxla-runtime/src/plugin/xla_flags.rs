//! The flags in `XLA_FLAGS`. A plugin that meets one it does not know ends the process, when it makes its first client; so
//! they are looked up in its library before it is loaded.
//!
//! XLA has the name of each flag as a C string, so the bytes of the library hold it with a zero behind. That a name is there
//! does not prove that it is a flag, so a mistake may still reach the plugin; a flag that it knows is never refused. Values
//! are not looked at: the library does not show which ones a flag takes.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use super::{PluginError, Surroundings};

const VARIABLE: &str = "XLA_FLAGS";

/// Bytes that are read of the library at once.
const PIECE: usize = 1 << 20;

/// Checks that the plugin in `library` knows the flags of this process.
///
/// # Blocking
/// If there are flags, some 10 ms: XLA has their names in the first tenth of the library. If one is unknown, for as long as it
/// takes to read all of it.
///
/// # Errors
/// A flag is unknown, or the variable names a file that can't be read.
pub(super) fn check(library: &Path, surroundings: &Surroundings) -> Result<(), PluginError> {
    let Some(variable) = surroundings.variable(VARIABLE) else {
        return Ok(());
    };
    let text = text(&variable);
    let flags = text.as_deref().map(flags).unwrap_or_default();
    if text.is_ok() && flags.is_empty() {
        return Ok(());
    }
    let names = flags.iter().filter_map(|flag| flag.strip_prefix("--"));
    let names: Vec<&str> = names.chain([VARIABLE]).collect();
    // A library that can't be read is the loader's to tell. One without the name of the variable does not read it.
    let Ok(absent) = absent(library, &names) else {
        return Ok(());
    };
    if absent.contains(&VARIABLE) {
        return Ok(());
    }
    if let Err(error) = text {
        return Err(PluginError::Variable {
            name: VARIABLE,
            value: variable.to_string_lossy().into_owned(),
            reason: format!("it is taken for a file with flags, which can't be read: {error}"),
            help: "set flags that begin with `--`, or the path of a file with such flags",
        });
    }
    let is_unknown = |flag: &&str| {
        let name = flag.strip_prefix("--");
        name.is_none_or(|name| absent.contains(&name))
    };
    let mut unknown: Vec<&str> = flags.into_iter().filter(is_unknown).collect();
    unknown.dedup();
    if unknown.is_empty() {
        Ok(())
    } else {
        Err(PluginError::UnknownFlags {
            path: library.to_owned(),
            flags: unknown.join(" "),
        })
    }
}

/// The flags as one text: the variable holds them, or names a file with them.
fn text(variable: &OsStr) -> std::io::Result<String> {
    let text = variable.to_string_lossy();
    if text.trim_start_matches(is_space).starts_with('-') {
        return Ok(text.into_owned());
    }
    let bytes = std::fs::read(variable)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The flags of a text, without their values. They end at the first word that does not begin with `-`.
///
/// Source: `xla/parse_flags_from_env.cc`.
fn flags(text: &str) -> Vec<&str> {
    let mut flags = Vec::new();
    let mut rest = text.trim_start_matches(is_space);
    while rest.starts_with('-') {
        let is_in_name = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        let (name, after) = split_at_first(rest, |c| !is_in_name(c));
        let quoted = after.strip_prefix('=').and_then(|value| {
            let quote = value.chars().next()?;
            matches!(quote, '"' | '\'').then(|| (quote, &value[1..]))
        });
        let (flag, after) = if let Some((quote, value)) = quoted {
            (name, behind_quote(value, quote))
        } else {
            let (word, after) = split_at_first(rest, is_space);
            (split_at_first(word, |c| c == '=').0, after)
        };
        flags.push(flag);
        rest = after.trim_start_matches(is_space);
    }
    flags
}

fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n')
}

fn split_at_first(text: &str, is_end: impl Fn(char) -> bool) -> (&str, &str) {
    text.split_at(text.find(is_end).unwrap_or(text.len()))
}

/// What follows the closing quote. In double quotes, a backslash goes before a character that is meant as it is.
fn behind_quote(value: &str, quote: char) -> &str {
    let mut is_escaped = false;
    for (position, c) in value.char_indices() {
        if is_escaped {
            is_escaped = false;
        } else if c == quote {
            return &value[position + 1..];
        } else {
            is_escaped = c == '\\' && quote == '"';
        }
    }
    ""
}

/// Those of `names` that `library` does not hold as C strings. It is read as far as the last one.
fn absent<'a>(library: &Path, names: &[&'a str]) -> std::io::Result<Vec<&'a str>> {
    let mut file = File::open(library)?;
    // Each with the zero behind it. An empty name is no flag, whatever is found.
    let mut absent: Vec<(&str, Vec<u8>)> = names
        .iter()
        .map(|&name| (name, [name.as_bytes(), &[0]].concat()))
        .collect();
    // Names that lie across two pieces are found in what is kept of the first, with the byte before them.
    let kept = 1 + absent.iter().map(|(_, c)| c.len()).max().unwrap_or(0);
    let mut bytes = Vec::with_capacity(kept + PIECE);
    while absent.iter().any(|(name, _)| !name.is_empty()) {
        let length = (&mut file).take(PIECE as u64).read_to_end(&mut bytes)?;
        if length == 0 {
            break;
        }
        absent.retain(|(name, c_string)| name.is_empty() || !holds(&bytes, c_string));
        bytes.drain(..bytes.len().saturating_sub(kept));
    }
    Ok(absent.into_iter().map(|(name, _)| name).collect())
}

/// Whether a C string is in `bytes`. Where it is the end of a longer word it doesn't count, unless it begins as the flags of
/// XLA do: linkers let a string share the end of another.
fn holds(bytes: &[u8], c_string: &[u8]) -> bool {
    let may_share = c_string.starts_with(b"xla_");
    let mut from = 0;
    while let Some(position) = find(&bytes[from..], c_string) {
        let start = from + position;
        let before = start.checked_sub(1).map(|before| bytes[before]);
        if may_share || !before.is_some_and(|byte| byte == b'_' || byte.is_ascii_alphanumeric()) {
            return true;
        }
        from = start + 1;
    }
    false
}

/// Where `needle` is. Not by an iterator: that takes seconds for a library where nothing is optimized.
#[cfg(unix)]
fn find(bytes: &[u8], needle: &[u8]) -> Option<usize> {
    // SAFETY: both are as long as they say, and are only read.
    let found = unsafe {
        libc::memmem(
            bytes.as_ptr().cast(),
            bytes.len(),
            needle.as_ptr().cast(),
            needle.len(),
        )
    };
    // What is found is in `bytes`, so behind their start.
    (!found.is_null()).then(|| found.addr() - bytes.as_ptr().addr())
}

/// Where `needle` is.
#[cfg(not(unix))]
fn find(bytes: &[u8], needle: &[u8]) -> Option<usize> {
    bytes.windows(needle.len()).position(|part| part == needle)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_read_as_xla_reads_them() {
        let texts: [(&str, &[&str]); 9] = [
            ("", &[]),
            (" \t\n", &[]),
            ("--a --b=1\n--c=x=y", &["--a", "--b", "--c"]),
            ("--a='x --no' --b", &["--a", "--b"]),
            ("--a=\"x \\\" --no\" --b", &["--a", "--b"]),
            ("--a='x\\' --b", &["--a", "--b"]),
            ("--a=\"never closed --no", &["--a"]),
            ("--a word --no", &["--a"]),
            ("-a --x:y=1 --é --", &["-a", "--x:y", "--é", "--"]),
        ];
        for (text, expected) in texts {
            assert_eq!(flags(text), expected, "{text}");
        }
    }

    /// A library that has XLA's strings as compilers write them.
    fn library(directory: &tempfile::TempDir) -> std::path::PathBuf {
        let path = directory.path().join("x.so");
        let mut bytes = b"\x7fELF".repeat(10_000);
        bytes.extend(b"\0XLA_FLAGS\0xla_first\0..field_not_flag..\0cpu_xla_shared\0\0");
        // The last one lies across two pieces.
        bytes.resize(PIECE - 4, 7);
        bytes.extend(b"\0xla_last\0");
        std::fs::write(&path, bytes).unwrap();
        path
    }

    fn checked(flags: &str) -> Result<(), PluginError> {
        let directory = tempfile::tempdir().unwrap();
        let surroundings = Surroundings::with(&[(VARIABLE, OsStr::new(flags))]);
        check(&library(&directory), &surroundings)
    }

    #[test]
    fn flags_that_the_library_has_are_let_through() {
        for flags in [
            "--xla_first",
            "--xla_first=1 --xla_last='a b'",
            "--xla_shared",
        ] {
            checked(flags).unwrap();
        }
    }

    #[test]
    fn flags_that_the_library_has_not_are_named() {
        let cases = [
            ("--xla_firs=1 --xla_last", "--xla_firs"),
            ("--field_not_flag", "--field_not_flag"),
            ("--first", "--first"),
            ("--xla_first -xla_last --", "-xla_last --"),
            ("--xla_bogus --xla_first --other", "--xla_bogus --other"),
        ];
        for (text, expected) in cases {
            let PluginError::UnknownFlags { flags, .. } = checked(text).unwrap_err() else {
                panic!("{text}");
            };
            assert_eq!(flags, expected, "{text}");
        }
    }

    #[test]
    fn flags_may_be_in_a_file() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("flags");
        let missing = checked(file.to_str().unwrap()).unwrap_err();
        assert!(
            matches!(
                missing,
                PluginError::Variable {
                    name: "XLA_FLAGS",
                    ..
                }
            ),
            "{missing}"
        );
        std::fs::write(&file, "--xla_first\n--xla_last\n").unwrap();
        checked(file.to_str().unwrap()).unwrap();
        std::fs::write(&file, "--xla_bogus").unwrap();
        assert!(matches!(
            checked(file.to_str().unwrap()),
            Err(PluginError::UnknownFlags { .. })
        ));
    }

    #[test]
    fn a_library_that_does_not_read_the_variable_takes_any_flag() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("x.so");
        std::fs::write(&path, "\0another\0").unwrap();
        for flags in ["--xla_bogus", "/no/such/file"] {
            let surroundings = Surroundings::with(&[(VARIABLE, OsStr::new(flags))]);
            check(&path, &surroundings).unwrap();
        }
    }
}
