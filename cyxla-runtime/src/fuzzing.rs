//! Doors for the fuzz targets, which are built with `--cfg fuzzing`.

use std::path::Path;

use crate::{cache, plugin};

/// The digest of the key under which [`cache_entry`] looks.
pub fn cache_key() -> [u8; 32] {
    *cache::fuzzed_key().digest().as_bytes()
}

/// Reads a file as an entry of the disk cache, in both ways.
pub fn cache_entry(path: &Path) {
    cache::fuzz_entry(path);
}

/// Reads a file as a `plugin.toml`.
pub fn plugin_toml(path: &Path) {
    plugin::fuzz_toml(path);
}
