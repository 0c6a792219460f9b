//! Any text as the source of a package whose declarations are looked for.
#![no_main]

use std::path::PathBuf;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;

static PACKAGE: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a temporary folder").keep();
    std::fs::create_dir(folder.join("src")).expect("a folder for sources");
    folder
});

fuzz_target!(|text: &str| {
    std::fs::write(PACKAGE.join("src/lib.rs"), text).expect("the source is written");
    cyxla_build::fuzzing::declarations(&PACKAGE);
});
