//! Any bytes as an entry of the disk cache; also behind a header whose checksums are right, as a hostile one would have it.
#![no_main]

use std::path::PathBuf;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use sha2::{Digest as _, Sha256};

static PATH: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a temporary folder").keep();
    folder.join("entry")
});

fn look_at(bytes: &[u8]) {
    std::fs::write(&*PATH, bytes).expect("the entry is written");
    cyxla_runtime::fuzzing::cache_entry(&PATH);
}

/// An entry, as `cache/entry.rs` of cyxla-runtime lays it out.
fn entry(record: &[u8], content: &[u8]) -> Vec<u8> {
    let length = |part: &[u8]| (part.len() as u64).to_le_bytes();
    [
        &b"CYXLAEXE"[..],
        &2_u32.to_le_bytes(),
        &cyxla_runtime::fuzzing::cache_key(),
        &length(record),
        &length(content),
        &Sha256::digest(record),
        &Sha256::digest(content),
        record,
        content,
    ]
    .concat()
}

fuzz_target!(|bytes: &[u8]| {
    look_at(bytes);
    if let Some((&at, rest)) = bytes.split_first() {
        let (record, content) = rest.split_at(usize::from(at).min(rest.len()));
        look_at(&entry(record, content));
    }
});
