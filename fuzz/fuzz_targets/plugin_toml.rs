//! Any bytes as `plugin.toml`.
#![no_main]

use std::path::PathBuf;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;

/// Beside it lies a library by the name that the seeds have.
static PATH: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a temporary folder").keep();
    std::fs::write(folder.join("plugin.so"), b"").expect("a library");
    folder.join("plugin.toml")
});

fuzz_target!(|bytes: &[u8]| {
    std::fs::write(&*PATH, bytes).expect("the file is written");
    cyxla_runtime::fuzzing::plugin_toml(&PATH);
});
