//! What other users could have written, and what can't be written.

use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown, symlink};
use std::os::unix::process::CommandExt as _;
use std::process::Command;

use super::*;

const NOBODY: u32 = 65_534;

fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

fn is_root(directory: &tempfile::TempDir) -> bool {
    directory.path().metadata().unwrap().uid() == 0
}

#[test]
fn the_directory_is_made_for_this_user_alone() {
    let directory = tempfile::tempdir().unwrap();
    let cache = DiskCache::at(directory.path().join("cyxla/executables"));
    put(&cache, b"x").unwrap();
    for name in ["cyxla", "cyxla/executables"] {
        let mode = directory.path().join(name).metadata().unwrap().mode();
        assert_eq!(mode & 0o777, 0o700, "{name}");
    }
    let entry = path_of(cache.directory().unwrap(), &key())
        .metadata()
        .unwrap();
    assert_eq!(entry.mode() & 0o777, 0o600);
}

#[test]
fn a_directory_that_others_may_write_to_is_not_used() {
    let directory = tempfile::tempdir().unwrap();
    let cache = cache_in(&directory);
    put(&cache, b"x").unwrap();
    for mode in [0o770, 0o702, 0o777, 0o1777] {
        set_mode(cache.directory().unwrap(), mode);
        assert!(
            matches!(cache.get(&key()), Err(CacheError::Untrusted { .. })),
            "{mode:o}"
        );
        assert!(matches!(
            put(&cache, b"y"),
            Err(CacheError::Untrusted { .. })
        ));
    }
    set_mode(cache.directory().unwrap(), 0o755);
    assert_eq!(cache.get(&key()).unwrap(), b"x");
}

#[test]
fn an_entry_that_others_may_write_to_is_not_used() {
    let directory = tempfile::tempdir().unwrap();
    let cache = cache_in(&directory);
    put(&cache, b"x").unwrap();
    set_mode(&path_of(cache.directory().unwrap(), &key()), 0o620);
    assert!(matches!(
        cache.get(&key()),
        Err(CacheError::Untrusted { .. })
    ));
}

#[test]
fn a_directory_behind_a_symbolic_link_is_not_used() {
    let directory = tempfile::tempdir().unwrap();
    let real = DiskCache::at(directory.path().join("real"));
    put(&real, b"x").unwrap();
    let link = directory.path().join("executables");
    symlink(real.directory().unwrap(), &link).unwrap();
    let cache = DiskCache::at(link);
    assert!(matches!(
        cache.get(&key()),
        Err(CacheError::Untrusted { .. })
    ));
    assert!(matches!(
        put(&cache, b"y"),
        Err(CacheError::Untrusted { .. })
    ));
}

#[test]
fn an_entry_that_is_no_file_is_not_opened() {
    let directory = tempfile::tempdir().unwrap();
    let cache = cache_in(&directory);
    put(&cache, b"x").unwrap();
    let path = path_of(cache.directory().unwrap(), &key());
    std::fs::remove_file(&path).unwrap();
    assert!(
        Command::new("mkfifo")
            .arg(&path)
            .status()
            .unwrap()
            .success()
    );
    assert!(matches!(
        cache.get(&key()),
        Err(CacheError::Untrusted { .. })
    ));
    std::fs::remove_file(&path).unwrap();
    symlink("/etc/passwd", &path).unwrap();
    assert!(matches!(
        cache.get(&key()),
        Err(CacheError::Untrusted { .. })
    ));
    // Keeping something replaces the link, not what it points to.
    put(&cache, b"y").unwrap();
    assert_eq!(cache.get(&key()).unwrap(), b"y");
}

#[test]
fn what_another_user_wrote_is_not_used() {
    let directory = tempfile::tempdir().unwrap();
    if !is_root(&directory) {
        eprintln!("SKIPPED: only root can give a file to another user");
        return;
    }
    let cache = cache_in(&directory);
    put(&cache, b"x").unwrap();
    let entry = path_of(cache.directory().unwrap(), &key());
    chown(&entry, Some(NOBODY), None).unwrap();
    assert!(matches!(
        cache.get(&key()),
        Err(CacheError::Untrusted { .. })
    ));
    chown(&entry, Some(0), None).unwrap();
    assert!(cache.get(&key()).is_ok());
    chown(cache.directory().unwrap(), Some(NOBODY), None).unwrap();
    assert!(matches!(
        cache.get(&key()),
        Err(CacheError::Untrusted { .. })
    ));
    assert!(matches!(
        put(&cache, b"y"),
        Err(CacheError::Untrusted { .. })
    ));
}

#[test]
fn a_directory_that_can_not_be_written_is_still_read() {
    if let Some(cache) = child() {
        assert_eq!(cache.get(&key()).unwrap(), b"x");
        assert!(matches!(put(&cache, b"y"), Err(CacheError::Io { .. })));
        assert!(matches!(cache.remove(&key()), Err(CacheError::Io { .. })));
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let cache = cache_in(&directory);
    put(&cache, b"x").unwrap();
    let path = cache.directory().unwrap();
    set_mode(path, 0o500);
    // Root may write anywhere, so this needs another user, and a copy of this program that the other may run.
    let program = directory.path().join("tests");
    std::fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    let mut command = Command::new(&program);
    if is_root(&directory) {
        set_mode(directory.path(), 0o755);
        chown(path, Some(NOBODY), None).unwrap();
        chown(path_of(path, &key()), Some(NOBODY), None).unwrap();
        command.uid(NOBODY).gid(NOBODY);
    }
    command.args([
        "--exact",
        "cache::tests::permissions::a_directory_that_can_not_be_written_is_still_read",
    ]);
    run(command.current_dir(directory.path()), path);
    set_mode(path, 0o700);
}

#[test]
fn nothing_is_left_of_an_entry_that_the_disk_has_no_room_for() {
    if let Some(cache) = child() {
        let error = put(&cache, &vec![0; 1 << 20]).unwrap_err();
        assert!(matches!(error, CacheError::Io { .. }), "{error}");
        return;
    }
    // A limit on the size of files stands for the full disk: writing fails at some byte in either case.
    let directory = tempfile::tempdir().unwrap();
    let cache = cache_in(&directory);
    put_under(&cache, &key_of("another"), b"x").unwrap();
    let mut shell = Command::new("sh");
    shell.args(["-c", "trap '' XFSZ; ulimit -f 64; exec \"$0\" \"$@\""]);
    shell.arg(std::env::current_exe().unwrap());
    shell.args([
        "--exact",
        "cache::tests::permissions::nothing_is_left_of_an_entry_that_the_disk_has_no_room_for",
    ]);
    run(&mut shell, cache.directory().unwrap());
    let left = std::fs::read_dir(cache.directory().unwrap()).unwrap();
    assert_eq!(left.count(), 1);
}
