//! Any bytes as an image of the native engine: an error, or an image that is written as these
//! bytes. Also with a right checksum, as a hostile one would have it.
#![no_main]

use cyxla_native::image::{Image, MAGIC, VERSION};
use libfuzzer_sys::fuzz_target;
use sha2::{Digest as _, Sha256};

fn look_at(bytes: &[u8]) {
    if let Ok(image) = Image::from_bytes(bytes) {
        // Each value has one way to be written.
        assert_eq!(image.to_bytes(), bytes);
    }
}

fuzz_target!(|fields: &[u8]| {
    look_at(fields);
    let digest = Sha256::digest(fields);
    look_at(&[&MAGIC[..], &VERSION.to_le_bytes(), &digest, fields].concat());
});
