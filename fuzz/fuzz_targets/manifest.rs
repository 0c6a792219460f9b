//! Any bytes as `manifest.json`: an error, or a manifest that is written and read back as the same.
#![no_main]

use std::path::Path;

use cyxla_artifact::Manifest;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let path = Path::new("manifest.json");
    if let Ok(manifest) = Manifest::from_json(bytes, path) {
        let again = Manifest::from_json(&manifest.to_json(), path);
        assert_eq!(again.expect("what was written"), manifest);
    }
});
