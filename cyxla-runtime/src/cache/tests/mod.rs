#[cfg(unix)]
mod killed;
#[cfg(unix)]
mod permissions;

use std::ffi::OsStr;

use super::*;

fn key() -> CacheKey {
    key_of("key")
}

fn key_of(module: &str) -> CacheKey {
    CacheKey::of(vec![("module".into(), module.to_owned())])
}

/// Runs one of these tests in a process of its own, where it finds `directory` by [`child`].
#[cfg(unix)]
fn run(command: &mut std::process::Command, directory: &Path) {
    command.env("CYXLA_TEST_DIRECTORY", directory);
    let output = loop {
        match command.output() {
            // A process that another test starts holds the copy of this program open for a moment.
            Err(error) if error.kind() == std::io::ErrorKind::ExecutableFileBusy => {
                std::thread::yield_now();
            }
            output => break output.unwrap(),
        }
    };
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "{text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(text.contains("1 passed"), "{text}");
}

#[cfg(unix)]
fn child() -> Option<DiskCache> {
    Some(DiskCache::at(std::env::var_os("CYXLA_TEST_DIRECTORY")?))
}

/// Keeps this executable under [`key`].
fn put(cache: &DiskCache, executable: &[u8]) -> Result<(), CacheError> {
    put_under(cache, &key(), executable)
}

fn put_under(cache: &DiskCache, key: &CacheKey, executable: &[u8]) -> Result<(), CacheError> {
    cache.put(key, "program", Content::Executable(executable))
}

fn cache_in(directory: &tempfile::TempDir) -> DiskCache {
    DiskCache::at(directory.path().join("executables"))
}

fn of(variables: &[(&str, &str)]) -> DiskCache {
    let variables: Vec<_> = variables
        .iter()
        .map(|&(name, value)| (name, OsStr::new(value)))
        .collect();
    DiskCache::of(&Surroundings::with(&variables))
}

#[test]
fn what_is_kept_is_found_again() {
    let directory = tempfile::tempdir().unwrap();
    let cache = cache_in(&directory);
    assert!(matches!(cache.get(&key()), Err(CacheError::Absent { .. })));
    put(&cache, b"executable").unwrap();
    assert_eq!(cache.get(&key()).unwrap(), b"executable");
    assert!(matches!(
        cache.get(&key_of("other")),
        Err(CacheError::Absent { .. })
    ));
    put(&cache, b"another").unwrap();
    assert_eq!(cache.get(&key()).unwrap(), b"another");
    cache.remove(&key()).unwrap();
    assert!(matches!(cache.get(&key()), Err(CacheError::Absent { .. })));
}

#[test]
fn the_environment_says_where_and_whether() {
    let directory = Some(Path::new("/c/executables"));
    let place = ("CYXLA_CACHE_DIR", "/c");
    assert_eq!(of(&[place]), DiskCache::at("/c/executables"));
    assert_eq!(of(&[place, ("CYXLA_CACHE", "on")]).directory(), directory);
    let read_only = of(&[place, ("CYXLA_CACHE", "read-only")]);
    assert_eq!(read_only, DiskCache::at("/c/executables").read_only());
    let sized = of(&[place, ("CYXLA_CACHE_SIZE", "3M")]);
    assert_eq!(sized, DiskCache::at("/c/executables").size_limit(3 << 20));
    let not_sized = of(&[place, ("CYXLA_CACHE_SIZE", "much")]);
    assert_eq!(not_sized.directory(), None);
    for off in ["off", "0", "readonly"] {
        assert_eq!(
            of(&[place, ("CYXLA_CACHE", off)]).directory(),
            None,
            "{off}"
        );
    }
    assert_eq!(of(&[]).directory(), None);
    assert_eq!(of(&[("CYXLA_CACHE_DIR", "relative")]).directory(), None);
}

#[test]
fn a_read_only_cache_is_read_and_nothing_else() {
    let directory = tempfile::tempdir().unwrap();
    let cache = cache_in(&directory);
    let read_only = cache.clone().read_only();
    assert!(matches!(
        put(&read_only, b"x"),
        Err(CacheError::ReadOnly { .. })
    ));
    assert!(!directory.path().join("executables").exists());

    put(&cache, b"x").unwrap();
    assert!(matches!(
        read_only.remove(&key()),
        Err(CacheError::ReadOnly { .. })
    ));
    assert_eq!(read_only.get(&key()).unwrap(), b"x");
}

#[test]
fn a_cache_that_is_off_holds_nothing() {
    let cache = DiskCache::off();
    assert!(matches!(cache.get(&key()), Err(CacheError::Off { .. })));
    assert!(matches!(put(&cache, b"x"), Err(CacheError::Off { .. })));
    assert_eq!(cache.clone().read_only(), cache);
}

#[test]
fn a_relative_directory_is_not_used() {
    let cache = DiskCache::at("executables");
    assert!(matches!(
        put(&cache, b"x"),
        Err(CacheError::Untrusted { .. })
    ));
    assert!(!Path::new("executables").exists());
}

#[test]
fn one_changed_byte_anywhere_in_the_file_is_a_miss() {
    let directory = tempfile::tempdir().unwrap();
    let cache = cache_in(&directory);
    put(&cache, b"a small executable").unwrap();
    let path = path_of(cache.directory().unwrap(), &key());
    let good = std::fs::read(&path).unwrap();
    for position in 0..good.len() {
        let mut bad = good.clone();
        bad[position] = !bad[position];
        std::fs::write(&path, &bad).unwrap();
        assert!(
            matches!(cache.get(&key()), Err(CacheError::Damaged { .. })),
            "byte {position}"
        );
    }
    std::fs::write(&path, &good).unwrap();
    assert!(cache.get(&key()).is_ok());
}

#[test]
fn threads_that_keep_the_same_program_at_once_never_see_half_of_it() {
    let directory = tempfile::tempdir().unwrap();
    let cache = cache_in(&directory);
    let executable = |thread: u8| vec![thread; 100_000];
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let cache = &cache;
            scope.spawn(move || {
                for _ in 0..20 {
                    put(cache, &executable(thread)).unwrap();
                    let found = cache.get(&key()).unwrap();
                    assert_eq!(found, executable(found[0]));
                }
            });
        }
    });
    let left = std::fs::read_dir(cache.directory().unwrap()).unwrap();
    assert_eq!(left.count(), 1);
}

#[test]
fn the_size_of_the_cache_is_bounded_and_what_was_used_least_recently_goes() {
    let directory = tempfile::tempdir().unwrap();
    let cache = cache_in(&directory);
    for module in ["a", "b", "c"] {
        put_under(&cache, &key_of(module), &[0; 1_000]).unwrap();
    }
    let bytes = cache.statistics().unwrap().bytes;
    // As if they were kept an hour ago, one second after the other.
    for (module, age) in [("a", 3_602), ("b", 3_601), ("c", 3_600)] {
        let path = path_of(cache.directory().unwrap(), &key_of(module));
        let file = std::fs::File::options().write(true).open(path).unwrap();
        let time = std::time::SystemTime::now() - std::time::Duration::from_secs(age);
        file.set_modified(time).unwrap();
    }
    cache.get(&key_of("a")).unwrap();
    cache.clone().read_only().get(&key_of("b")).unwrap();
    let bounded = cache.clone().size_limit(bytes);
    put_under(&bounded, &key_of("d"), &[0; 1_000]).unwrap();
    assert!(matches!(
        cache.get(&key_of("b")),
        Err(CacheError::Absent { .. })
    ));
    for module in ["a", "c", "d"] {
        assert!(cache.get(&key_of(module)).is_ok(), "{module}");
    }
    assert_eq!(bounded.statistics().unwrap().bytes, bytes);
}

#[test]
fn threads_that_keep_programs_at_once_stay_within_the_size() {
    let directory = tempfile::tempdir().unwrap();
    let cache = cache_in(&directory).size_limit(10_000);
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let cache = &cache;
            scope.spawn(move || {
                for number in 0..50 {
                    let key = key_of(&format!("{thread} {number}"));
                    put_under(cache, &key, &[thread; 1_000]).unwrap();
                    match cache.get(&key) {
                        Ok(found) => assert_eq!(found, [thread; 1_000]),
                        // The others have used theirs more recently.
                        Err(error) => {
                            assert!(matches!(error, CacheError::Absent { .. }), "{error}");
                        }
                    }
                }
            });
        }
    });
    let statistics = cache.statistics().unwrap();
    // As many entries as fit: each is 1,000 bytes, and some 200 of header and record.
    assert!(statistics.bytes <= 10_000, "{statistics:?}");
    assert!(statistics.entries >= 5, "{statistics:?}");
}

#[test]
fn an_executable_that_is_larger_than_the_cache_replaces_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let cache = cache_in(&directory).size_limit(1_000);
    put(&cache, b"small").unwrap();
    let error = put_under(&cache, &key_of("large"), &[0; 1_000]).unwrap_err();
    assert!(
        matches!(error, CacheError::TooLarge { limit: 1_000, .. }),
        "{error}"
    );
    assert_eq!(cache.get(&key()).unwrap(), b"small");
}

#[test]
fn what_can_not_be_serialized_is_remembered_with_its_reason() {
    let directory = tempfile::tempdir().unwrap();
    let cache = cache_in(&directory);
    let refused = Content::Unserializable("LessThan is not serializable");
    cache.put(&key(), "sort", refused).unwrap();
    let error = cache.get(&key()).unwrap_err();
    let CacheError::Unserializable { message } = error else {
        panic!("{error}");
    };
    assert_eq!(message, "LessThan is not serializable");
    let listed = cache.list().unwrap();
    assert_eq!(listed[0].unserializable.as_deref(), Some(&*message));
}

#[test]
fn the_programs_in_the_cache_are_listed_with_their_keys() {
    let directory = tempfile::tempdir().unwrap();
    let cache = cache_in(&directory);
    assert_eq!(cache.list().unwrap(), []);
    for (program, module) in [("old", "a"), ("new", "b")] {
        let content = Content::Executable(b"an executable");
        cache.put(&key_of(module), program, content).unwrap();
        let path = path_of(cache.directory().unwrap(), &key_of("a"));
        let file = std::fs::File::options().write(true).open(path).unwrap();
        file.set_modified(std::time::UNIX_EPOCH).unwrap();
    }
    // Header, record (five texts: kind, name, and one part of the key), executable.
    let bytes = 124 + (8 + 10) + (8 + 3) + (8 + 6) + (8 + 1) + 13;
    let listed = cache.list().unwrap();
    let programs: Vec<_> = listed.iter().map(|entry| &*entry.program).collect();
    assert_eq!(programs, ["new", "old"]);
    assert_eq!((listed[0].bytes, listed[1].bytes), (bytes, bytes));
    assert_eq!(listed[1].last_used, std::time::UNIX_EPOCH);
    assert_eq!(listed[0].key, key_of("b"));
    assert_eq!(listed[0].key.to_string(), "module: b");
    assert_eq!(listed[0].unserializable, None);

    let statistics = cache.statistics().unwrap();
    assert_eq!((statistics.entries, statistics.bytes), (2, 2 * bytes));
    assert_eq!(statistics.limit, 2 << 30);

    std::fs::write(&listed[0].path, "damaged").unwrap();
    assert_eq!(cache.list().unwrap().len(), 1);
    assert_eq!(cache.statistics().unwrap().entries, 2);
}

#[test]
fn a_cleared_cache_is_empty_and_usable() {
    let directory = tempfile::tempdir().unwrap();
    let cache = cache_in(&directory);
    assert_eq!(cache.clear().unwrap(), 0);
    put(&cache, b"x").unwrap();
    put_under(&cache, &key_of("other"), b"y").unwrap();
    assert!(matches!(
        cache.clone().read_only().clear(),
        Err(CacheError::ReadOnly { .. })
    ));
    assert_eq!(cache.clear().unwrap(), 2);
    assert_eq!(cache.statistics().unwrap().entries, 0);
    put(&cache, b"x").unwrap();
    assert_eq!(cache.get(&key()).unwrap(), b"x");
    assert!(matches!(
        DiskCache::off().clear(),
        Err(CacheError::Off { .. })
    ));
}
