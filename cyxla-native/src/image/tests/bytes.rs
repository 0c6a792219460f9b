use cyxla_artifact::Digest;

use super::sample;
use crate::image::{Image, ImageError, Sequence, Step, VERSION};

/// Where the fields begin, by the table of the format.
const FIELDS: usize = 8 + 4 + 32;

/// The bytes with a checksum that fits.
fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let digest = Digest::of(&bytes[FIELDS..]);
    bytes[FIELDS - 32..FIELDS].copy_from_slice(digest.as_bytes());
    bytes
}

#[test]
fn an_image_is_read_back() {
    let image = sample();
    assert_eq!(Image::from_bytes(&image.to_bytes()), Ok(image));
}

#[test]
fn a_change_of_any_byte_is_refused() {
    let bytes = sample().to_bytes();
    for index in 0..bytes.len() {
        for change in [1, 0x80, 0xff] {
            let mut changed = bytes.clone();
            changed[index] ^= change;
            assert!(Image::from_bytes(&changed).is_err(), "byte {index}");
        }
    }
}

#[test]
fn every_truncation_is_refused() {
    let bytes = sample().to_bytes();
    for end in 0..bytes.len() {
        assert!(Image::from_bytes(&bytes[..end]).is_err(), "{end} bytes");
        if end > FIELDS {
            let sealed = sealed(bytes[..end].to_vec());
            assert!(Image::from_bytes(&sealed).is_err(), "{end} bytes, sealed");
        }
    }
}

#[test]
fn what_a_changed_byte_with_a_fitting_checksum_gives_is_written_as_it_was_read() {
    let bytes = sample().to_bytes();
    for index in FIELDS..bytes.len() {
        for change in [1, 2, 4, 0x40, 0x80, 0xff] {
            let mut changed = bytes.clone();
            changed[index] ^= change;
            let changed = sealed(changed);
            if let Ok(image) = Image::from_bytes(&changed) {
                assert_eq!(image.to_bytes(), changed, "byte {index}");
            }
        }
    }
}

#[test]
fn bytes_of_something_else_are_no_image() {
    for bytes in [&b""[..], b"\x7fELF", b"ML\xefR\x0dStableHLO_v1.10.0\0"] {
        assert_eq!(Image::from_bytes(bytes), Err(ImageError::NoImage));
    }
}

#[test]
fn another_version_is_named() {
    let mut bytes = sample().to_bytes();
    bytes[8] = 9;
    assert_ne!(VERSION, 9);
    assert_eq!(
        Image::from_bytes(&bytes),
        Err(ImageError::Version { found: 9 })
    );
}

#[test]
fn more_bytes_than_the_image_has_are_refused() {
    let mut bytes = sample().to_bytes();
    bytes.push(0);
    assert!(matches!(
        Image::from_bytes(&sealed(bytes)),
        Err(ImageError::Malformed { .. })
    ));
}

#[test]
fn a_schedule_without_end_is_refused() {
    let mut image = sample();
    for _ in 0..10_000 {
        let schedule = std::mem::take(&mut image.schedule);
        image.schedule = Sequence {
            steps: vec![Step::Call(schedule)],
        };
        if image.validate().is_err() {
            break;
        }
    }
    assert!(matches!(
        image.validate(),
        Err(ImageError::Inconsistent { .. })
    ));
    assert!(matches!(
        Image::from_bytes(&image.to_bytes()),
        Err(ImageError::Malformed { .. })
    ));
}

#[test]
fn a_length_that_no_memory_holds_is_refused() {
    let bytes = sample().to_bytes();
    // The length of the name comes first.
    let mut huge = bytes.clone();
    huge[FIELDS..FIELDS + 8].copy_from_slice(&u64::MAX.to_le_bytes());
    assert!(matches!(
        Image::from_bytes(&sealed(huge)),
        Err(ImageError::Malformed { .. })
    ));
}
