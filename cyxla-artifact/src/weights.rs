use std::borrow::Cow;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::{ArrayType, Digest};

/// Where the weights of a program are: the arrays that it holds, as opposed to those that it is called with.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum WeightsIn {
    /// `binary`: in the binary, once for each content.
    #[default]
    Binary,
    /// `file`: in files beside the binary, which are mapped into memory.
    File,
    /// `code`: in the code of the program, as JAX writes it. The compiler sees their values, and takes longer for it.
    Code,
}

impl WeightsIn {
    /// Every one.
    pub const ALL: [Self; 3] = [Self::Binary, Self::File, Self::Code];

    /// Bytes from which an array that a function closes over is a weight, unless it is said otherwise. What is smaller is a
    /// constant of the code.
    pub const DEFAULT_THRESHOLD: u64 = 4096;

    /// Its word: `file`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Binary => "binary",
            Self::File => "file",
            Self::Code => "code",
        }
    }
}

impl fmt::Display for WeightsIn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A word that names no place for weights.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{text}` is no place for weights, which are `binary`, `file` and `code`")]
pub struct UnknownWeightsIn {
    /// What was met.
    pub text: String,
}

impl FromStr for WeightsIn {
    type Err = UnknownWeightsIn;

    fn from_str(text: &str) -> Result<Self, UnknownWeightsIn> {
        let known = Self::ALL.into_iter().find(|place| place.name() == text);
        known.ok_or_else(|| UnknownWeightsIn {
            text: text.to_owned(),
        })
    }
}

/// The weights of a program: its module takes them as arguments, behind those that it is called with.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Weights {
    /// Where a binary has them.
    #[serde(default, rename = "in")]
    pub place: WeightsIn,
    /// The arrays, in the order of the module's arguments.
    pub arrays: Vec<Weight>,
}

impl Weights {
    /// Whether there is nothing to say.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// One array of the weights.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Weight {
    /// The name of the bound parameter and the path below it, `params['w']`; of an array that a function closes over its
    /// variable, or `constants[0]` if that is not known.
    pub path: String,
    /// Element type and shape.
    #[serde(rename = "type")]
    pub array_type: ArrayType,
    /// Whether it was bound to a parameter, as opposed to closed over.
    pub bound: bool,
    /// The name of the file with its elements, row major and little endian, without any folder. Arrays of equal content
    /// share one.
    pub file: String,
    /// The digest of the file.
    pub sha256: Digest,
}

/// The elements of one array of the weights, row major and little endian.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum WeightData {
    /// In memory; borrowed where they are part of the binary.
    Bytes(Cow<'static, [u8]>),
    /// In a file that holds nothing else.
    File(PathBuf),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_as_they_are_written() {
        for place in WeightsIn::ALL {
            assert_eq!(place.to_string().parse(), Ok(place));
        }
        assert!("Binary".parse::<WeightsIn>().is_err() && "".parse::<WeightsIn>().is_err());
    }
}
