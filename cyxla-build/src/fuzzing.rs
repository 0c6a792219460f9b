//! Doors for the fuzz targets, which are built with `--cfg fuzzing`.

use std::path::Path;

use crate::cargo::Variables;
use crate::package::{Package, Settings, Target};
use crate::protocol::Answer;

/// Looks for declarations in the library of the package in this folder.
pub fn declarations(folder: &Path) {
    let package = Package {
        name: "demo".to_owned(),
        root: folder.to_owned(),
        workspace_root: folder.to_owned(),
        targets: vec![Target {
            crate_name: "demo".to_owned(),
            is_library: true,
            source: folder.join("src/lib.rs"),
            is_2015: false,
        }],
        settings: Settings::default(),
    };
    let _ = crate::scan::scan(&package, &Variables::fixed([]));
}

/// Reads bytes as what Python answers.
pub fn answer(bytes: &[u8]) {
    let _ = crate::protocol::progress(bytes);
    for programs in 0..3 {
        let _ = Answer::from_json(bytes, programs);
    }
}
