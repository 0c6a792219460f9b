//! Processes that are killed while they write.

use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use super::super::entry::{UNFINISHED, Unwritten};
use super::*;

/// The executables that are written over and over.
fn kept() -> Vec<(CacheKey, Vec<u8>)> {
    let executable = |number: u8| (key_of(&number.to_string()), vec![number; 60_000]);
    (0..3).map(executable).collect()
}

/// Numbers from 0 to 1 that look random, and are the same each time.
///
/// Source: Knuth, The Art of Computer Programming, volume 2, 3.3.4, line 26 of table 1.
fn random() -> impl Iterator<Item = f64> {
    let next = |state: &u64| {
        let next = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        Some(next)
    };
    let states = std::iter::successors(Some(1), next);
    states.map(|state| f64::from(u32::try_from(state >> 32).unwrap()) / f64::from(u32::MAX))
}

fn unfinished(directory: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(directory).unwrap();
    let paths = files.map(|file| file.unwrap().path());
    let is_unfinished = |path: &PathBuf| {
        path.file_name()
            .unwrap()
            .to_str()
            .unwrap()
            .starts_with(UNFINISHED)
    };
    paths.filter(is_unfinished).collect()
}

#[test]
fn two_hundred_writers_killed_at_random_leave_whole_entries_or_none() {
    if let Some(cache) = child() {
        let directory = cache.directory().unwrap();
        let kept = kept();
        let entries: Vec<_> = kept
            .iter()
            .map(|(key, bytes)| {
                let entry = Unwritten::new(key, "program", Content::Executable(bytes));
                (path_of(directory, key), entry)
            })
            .collect();
        // Told when it begins: starting takes longer than writing.
        println!("begins");
        loop {
            for (path, entry) in &entries {
                entry.write(directory, path).unwrap();
            }
        }
    }
    let directory = tempfile::tempdir().unwrap();
    let cache = cache_in(&directory);
    put(&cache, b"from before").unwrap();
    let path = cache.directory().unwrap();

    let mut delays = random();
    for _ in 0..50 {
        let start = |_| {
            let mut command = Command::new(std::env::current_exe().unwrap());
            let test = "two_hundred_writers_killed_at_random_leave_whole_entries_or_none";
            command
                .args([
                    "--nocapture",
                    "--exact",
                    &format!("cache::tests::killed::{test}"),
                ])
                .env("CYXLA_TEST_DIRECTORY", path)
                .stdout(Stdio::piped());
            command.spawn().unwrap()
        };
        let mut writers: Vec<_> = (0..4).map(start).collect();
        for writer in &mut writers {
            let mut lines =
                std::io::BufRead::lines(std::io::BufReader::new(writer.stdout.take().unwrap()));
            assert!(lines.any(|line| line.unwrap().ends_with("begins")));
        }
        for mut writer in writers {
            std::thread::sleep(Duration::from_secs_f64(0.005 * delays.next().unwrap()));
            writer.kill().unwrap();
            assert!(!writer.wait().unwrap().success());
        }
    }

    let left = unfinished(path);
    assert!(!left.is_empty(), "no writer was killed while it wrote");
    assert_eq!(cache.get(&key()).unwrap(), b"from before");
    for (key, executable) in kept() {
        assert_eq!(cache.get(&key).unwrap(), executable);
    }
    // An hour later.
    for file in &left {
        let file = std::fs::File::options().write(true).open(file).unwrap();
        let time = SystemTime::now() - Duration::from_secs(2 * 60 * 60);
        file.set_modified(time).unwrap();
    }
    put(&cache, b"from after").unwrap();
    assert_eq!(unfinished(path), [] as [PathBuf; 0]);
    assert_eq!(cache.statistics().unwrap().entries, 4);
}
