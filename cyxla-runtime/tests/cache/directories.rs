//! Directories that may not be used, written or made.

use cyxla_runtime::{CacheError, CacheOutcome, DiskCache};

use crate::support::zero_copy_clients;
use crate::{cache_in, entry_of, sine_in, write_entry};

#[test]
fn a_read_only_cache_is_not_changed() {
    for client in zero_copy_clients() {
        let directory = tempfile::tempdir().unwrap();
        let cache = cache_in(&directory);
        let read_only = cache.clone().read_only();
        let outcome = sine_in(&read_only, &client).cache;
        let kept = matches!(
            outcome,
            CacheOutcome::NotKept {
                reason: CacheError::ReadOnly { .. },
                ..
            }
        );
        assert!(kept, "{outcome:?}");
        assert!(!cache.directory().unwrap().exists());

        let first = sine_in(&cache, &client);
        assert!(matches!(
            sine_in(&read_only, &client).cache,
            CacheOutcome::Loaded
        ));
        let path = entry_of(&cache, &first);
        write_entry(&path, first.key.as_ref().unwrap(), b"no executable");
        let outcome = sine_in(&read_only, &client).cache;
        assert!(
            matches!(outcome, CacheOutcome::NotKept { .. }),
            "{outcome:?}"
        );
        assert!(path.exists());
    }
}

/// Neither read nor written to.
#[cfg(unix)]
fn assert_untrusted(outcome: CacheOutcome) {
    let CacheOutcome::NotKept { missed, reason } = outcome else {
        panic!("it is used: {outcome}");
    };
    assert!(matches!(missed, CacheError::Untrusted { .. }), "{missed}");
    assert!(matches!(reason, CacheError::Untrusted { .. }), "{reason}");
}

#[cfg(unix)]
#[test]
fn a_directory_that_others_may_write_to_stops_no_program() {
    use std::os::unix::fs::PermissionsExt as _;

    for client in zero_copy_clients() {
        let directory = tempfile::tempdir().unwrap();
        let cache = cache_in(&directory);
        sine_in(&cache, &client);
        let open = std::fs::Permissions::from_mode(0o777);
        std::fs::set_permissions(cache.directory().unwrap(), open).unwrap();
        assert_untrusted(sine_in(&cache, &client).cache);
    }
}

#[test]
fn a_directory_that_can_not_be_made_stops_no_program() {
    for client in zero_copy_clients() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("file");
        std::fs::write(&file, "").unwrap();
        let outcome = sine_in(&DiskCache::at(file.join("executables")), &client).cache;
        assert!(
            matches!(outcome, CacheOutcome::NotKept { .. }),
            "{outcome:?}"
        );
    }
}

#[cfg(unix)]
#[test]
fn a_directory_behind_a_symbolic_link_stops_no_program() {
    for client in zero_copy_clients() {
        let directory = tempfile::tempdir().unwrap();
        let real = DiskCache::at(directory.path().join("real"));
        sine_in(&real, &client);
        let link = cache_in(&directory);
        std::os::unix::fs::symlink(real.directory().unwrap(), link.directory().unwrap()).unwrap();
        assert_untrusted(sine_in(&link, &client).cache);
    }
}

#[cfg(unix)]
#[test]
fn a_directory_of_another_user_stops_no_program() {
    use std::os::unix::fs::{MetadataExt as _, chown};

    const NOBODY: u32 = 65_534;

    for client in zero_copy_clients() {
        let directory = tempfile::tempdir().unwrap();
        if directory.path().metadata().unwrap().uid() != 0 {
            eprintln!("SKIPPED: only root can give a directory to another user");
            return;
        }
        let cache = cache_in(&directory);
        sine_in(&cache, &client);
        chown(cache.directory().unwrap(), Some(NOBODY), None).unwrap();
        assert_untrusted(sine_in(&cache, &client).cache);
    }
}
