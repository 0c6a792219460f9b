use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::{Digest, ManifestError};

/// What runs a program.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Engine {
    /// `pjrt`: a PJRT plugin, which compiles the program on the machine where it runs.
    #[default]
    Pjrt,
    /// `native`: machine code that XLA made when the package was built. That there is none is an error.
    Native,
    /// `auto`: machine code where there is some for the processor, else a PJRT plugin.
    Auto,
}

impl Engine {
    /// Every one.
    pub const ALL: [Self; 3] = [Self::Pjrt, Self::Native, Self::Auto];

    /// Its word: `native`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pjrt => "pjrt",
            Self::Native => "native",
            Self::Auto => "auto",
        }
    }

    /// Whether machine code is made when the package is built.
    pub const fn is_baked(self) -> bool {
        matches!(self, Self::Native | Self::Auto)
    }
}

/// The instructions that machine code may use.
///
/// Levels are those of the psABI of x86-64. XLA also uses what the machine that builds has beyond a level; what an image
/// really needs it says itself.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Level {
    /// `x86-64-v2`: SSE4.2, every x86-64 since about 2010.
    #[serde(rename = "x86-64-v2")]
    V2,
    /// `x86-64-v3`: AVX2 and FMA, most since about 2014.
    #[serde(rename = "x86-64-v3")]
    V3,
    /// `x86-64-v4`: AVX-512.
    #[serde(rename = "x86-64-v4")]
    V4,
    /// `native`: all that the machine has which builds.
    #[serde(rename = "native")]
    Native,
}

impl Level {
    /// Every one, the least demanding first.
    pub const ALL: [Self; 4] = [Self::V2, Self::V3, Self::V4, Self::Native];

    /// Those that code is made for unless others are asked for.
    pub const DEFAULT: [Self; 3] = [Self::V2, Self::V3, Self::V4];

    /// Its word: `x86-64-v3`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::V2 => "x86-64-v2",
            Self::V3 => "x86-64-v3",
            Self::V4 => "x86-64-v4",
            Self::Native => "native",
        }
    }
}

words! {
    Engine, "engine";
    Level, "level of instructions";
}

/// What is known of a program's machine code.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Native {
    /// What is to run it.
    pub engine: Engine,
    /// The images, the most demanding first: the first that a processor can run is the one to take.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<ImageFile>,
    /// Why there is no image, if there should be one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl Native {
    /// Whether there is nothing to tell.
    pub(crate) fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// A file with an image of `cyxla-native`, beside the manifest.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ImageFile {
    /// The instructions that it was made for.
    pub level: Level,
    /// The name of the file, without any folder.
    pub file: String,
    /// The digest of its bytes.
    pub sha256: Digest,
}

impl ImageFile {
    /// The bytes of the image, of the artifact in `directory`.
    ///
    /// # Errors
    /// The file can't be read, or it is not the one that the manifest names.
    pub fn read(&self, directory: &Path) -> Result<Vec<u8>, ManifestError> {
        let path = directory.join(&self.file);
        match fs::read(&path) {
            Ok(bytes) if Digest::of(&bytes) == self.sha256 => Ok(bytes),
            Ok(_) => Err(ManifestError::Code { path }),
            Err(source) => Err(ManifestError::Io { path, source }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_as_they_are_written() {
        assert_eq!("native".parse(), Ok(Engine::Native));
        assert_eq!("x86-64-v3".parse(), Ok(Level::V3));
        for level in Level::ALL {
            let json = serde_json::to_string(&level).unwrap();
            assert_eq!(json, format!("{:?}", level.name()));
        }
        for engine in Engine::ALL {
            let json = serde_json::to_string(&engine).unwrap();
            assert_eq!(json, format!("{:?}", engine.name()));
        }
    }

    #[test]
    fn an_image_that_is_not_the_one_that_was_written_is_refused() {
        let image = ImageFile {
            level: Level::V3,
            file: "Cargo.toml".into(),
            sha256: Digest::of(b"something else"),
        };
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        assert!(matches!(image.read(here), Err(ManifestError::Code { .. })));
        let gone = here.join("gone");
        assert!(matches!(image.read(&gone), Err(ManifestError::Io { .. })));
    }

    #[test]
    fn an_unknown_word_is_answered_with_those_that_there_are() {
        assert_eq!(
            "gpu".parse::<Engine>().unwrap_err().to_string(),
            "`gpu` is no engine, which are pjrt, native, auto"
        );
    }
}
