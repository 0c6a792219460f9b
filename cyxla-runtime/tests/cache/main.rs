//! Programs are loaded from the disk cache, and whatever is wrong with it, they run.

#![allow(clippy::unwrap_used, reason = "a test")]

mod damage;
mod directories;
mod loading;
mod processes;
#[path = "../support/mod.rs"]
mod support;

use std::path::{Path, PathBuf};

use cyxla_artifact::Digest;
use cyxla_runtime::{CacheKey, Client, Compiled, DiskCache, HostView, compile_program_in};
use support::sine;

/// Gets the sine ready, and makes sure that it is the sine.
fn sine_in(cache: &DiskCache, client: &Client) -> Compiled {
    let compiled = compile_program_in(cache, client, &sine()).unwrap();
    let results = compiled
        .executable
        .run(&[HostView::of(&[0.5_f32, -1.0])])
        .unwrap();
    let &[a, b] = results[0].as_slice::<f32>().unwrap() else {
        panic!("{results:?}");
    };
    // 2 sin(0.5) = 0.958851077…, 2 sin(-1) = -1.682941969…
    assert!(
        (a - 0.958_851_1).abs() < 1e-6 && (b + 1.682_942).abs() < 1e-6,
        "{a} {b}"
    );
    compiled
}

fn cache_in(directory: &tempfile::TempDir) -> DiskCache {
    DiskCache::at(directory.path().join("executables"))
}

fn entries(cache: &DiskCache) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(cache.directory().unwrap()).unwrap();
    entries.map(|entry| entry.unwrap().path()).collect()
}

fn entry_of(cache: &DiskCache, compiled: &Compiled) -> PathBuf {
    let key = compiled.key.as_ref().unwrap().digest();
    cache.directory().unwrap().join(format!("{key}.executable"))
}

/// An entry with this executable, as the format says.
fn write_entry(path: &Path, key: &CacheKey, executable: &[u8]) {
    let parts: Vec<_> = key.parts().collect();
    write_content(path, key.digest(), "executable", &parts, executable);
}

/// An entry with this content, as the format says.
fn write_content(path: &Path, key: &Digest, kind: &str, parts: &[(&str, &str)], content: &[u8]) {
    let parts = parts.iter().flat_map(|&(name, value)| [name, value]);
    let mut record = Vec::new();
    for text in [kind, "sine"].into_iter().chain(parts) {
        record.extend((text.len() as u64).to_le_bytes());
        record.extend(text.as_bytes());
    }
    let mut entry = b"CYXLAEXE\x02\0\0\0".to_vec();
    entry.extend(key.as_bytes());
    entry.extend((record.len() as u64).to_le_bytes());
    entry.extend((content.len() as u64).to_le_bytes());
    entry.extend(Digest::of(&record).as_bytes());
    entry.extend(Digest::of(content).as_bytes());
    entry.extend(record);
    entry.extend(content);
    std::fs::write(path, entry).unwrap();
}
