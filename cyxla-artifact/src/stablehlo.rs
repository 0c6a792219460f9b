use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A version of the StableHLO portable artifact: `1.10.0`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct StableHloVersion {
    /// Changes when older readers stop working.
    pub major: u32,
    /// Changes with every addition.
    pub minor: u32,
    /// Changes with every fix.
    pub patch: u32,
}

impl StableHloVersion {
    /// What programs are written at unless asked otherwise: old enough for every supported plugin, new enough for every
    /// operation that JAX lowers to.
    pub const DEFAULT: Self = Self::new(1, 10, 0);

    /// The version `major.minor.patch`.
    pub const fn new(major: u32, minor: u32, patch: u32) -> Self {
        Self {
            major,
            minor,
            patch,
        }
    }

    /// The version that the header of some bytecode names; none if these bytes are no StableHLO bytecode.
    ///
    /// Source: MLIR bytecode starts with `ML\xefR`, a version number and the producer, `StableHLO_v1.10.0`.
    pub fn of_bytecode(code: &[u8]) -> Option<Self> {
        let header = code.strip_prefix(b"ML\xefR")?;
        // The version number is a varint of one byte in every format so far, nine at most.
        let start = header.iter().take(16).position(|&byte| byte == b'S')?;
        let producer = header[start..].strip_prefix(b"StableHLO_v")?;
        let end = producer.iter().take(48).position(|&byte| byte == 0)?;
        std::str::from_utf8(&producer[..end]).ok()?.parse().ok()
    }
}

impl fmt::Display for StableHloVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

/// Not three numbers with dots between them.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{text}` is no StableHLO version, such as 1.10.0")]
pub struct StableHloVersionError {
    /// What was met.
    pub text: String,
}

impl FromStr for StableHloVersion {
    type Err = StableHloVersionError;

    fn from_str(text: &str) -> Result<Self, StableHloVersionError> {
        let numbers: Option<Vec<u32>> = text.split('.').map(|number| number.parse().ok()).collect();
        match numbers.as_deref() {
            Some(&[major, minor, patch]) => Ok(Self {
                major,
                minor,
                patch,
            }),
            _ => Err(StableHloVersionError {
                text: text.to_owned(),
            }),
        }
    }
}

impl Serialize for StableHloVersion {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for StableHloVersion {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_ordered_by_number() {
        let parse = |text: &str| text.parse::<StableHloVersion>().unwrap();
        assert!(parse("1.10.0") > parse("1.9.11"));
        assert!("1.10".parse::<StableHloVersion>().is_err());
    }

    #[test]
    fn the_version_is_read_from_bytecode() {
        let code = b"ML\xefR\x0dStableHLO_v1.13.3\0\x01\x02";
        assert_eq!(
            StableHloVersion::of_bytecode(code),
            Some(StableHloVersion::new(1, 13, 3))
        );
    }

    #[test]
    fn other_bytes_have_no_version() {
        for code in [
            b"".as_slice(),
            b"ML\xefR",
            b"module {}",
            b"ML\xefR\x0dMLIR21\0",
            b"ML\xefR\x0dStableHLO_v1.x\0",
        ] {
            assert_eq!(StableHloVersion::of_bytecode(code), None);
        }
    }
}
