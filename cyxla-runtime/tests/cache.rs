//! Programs are loaded from the disk cache, and whatever is wrong with it, they run.

#![allow(clippy::unwrap_used, reason = "a test")]

mod support;

use std::path::{Path, PathBuf};

use cyxla_artifact::{DType, Digest, LoweredProgram};
use cyxla_runtime::{
    CacheError, CacheOutcome, Client, CompileError, Compiled, DiskCache, Error, HostArray,
    HostView, compile_program, compile_program_in, error_info,
};
use support::{array, program, sine, zero_copy_clients};

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
fn write_entry(path: &Path, compiled: &Compiled, executable: &[u8]) {
    let mut entry = b"CYXLAEXE\x01\0\0\0".to_vec();
    entry.extend(compiled.key.as_ref().unwrap().digest().as_bytes());
    entry.extend((executable.len() as u64).to_le_bytes());
    entry.extend(Digest::of(executable).as_bytes());
    entry.extend(executable);
    std::fs::write(path, entry).unwrap();
}

#[test]
fn a_program_is_compiled_once_and_then_loaded() {
    for client in zero_copy_clients() {
        let directory = tempfile::tempdir().unwrap();
        let cache = cache_in(&directory);

        let first = sine_in(&cache, &client);
        let outcome = &first.cache;
        let absent = matches!(
            outcome,
            CacheOutcome::Kept {
                missed: CacheError::Absent { .. },
                ..
            }
        );
        assert!(absent, "{outcome:?}");
        assert_eq!((first.statistics.compiled, first.statistics.loaded), (1, 0));
        assert!(first.statistics.compile_seconds > 0.0);
        assert_eq!(entries(&cache), [entry_of(&cache, &first)]);

        let second = sine_in(&cache, &client);
        assert!(
            matches!(second.cache, CacheOutcome::Loaded),
            "{:?}",
            second.cache
        );
        assert_eq!(
            (second.statistics.compiled, second.statistics.loaded),
            (0, 1)
        );
        assert!(second.statistics.load_seconds > 0.0);
        assert_eq!(second.key, first.key);
    }
}

#[test]
fn plugins_do_not_share_executables() {
    let directory = tempfile::tempdir().unwrap();
    let cache = cache_in(&directory);
    let clients = zero_copy_clients();
    for client in &clients {
        let outcome = sine_in(&cache, client).cache;
        assert!(matches!(outcome, CacheOutcome::Kept { .. }), "{outcome:?}");
    }
    assert_eq!(entries(&cache).len(), clients.len());
}

#[test]
fn a_changed_byte_is_compiled_over() {
    for client in zero_copy_clients() {
        let directory = tempfile::tempdir().unwrap();
        let cache = cache_in(&directory);
        let path = entry_of(&cache, &sine_in(&cache, &client));
        let length = std::fs::read(&path).unwrap().len();
        // Magic, version, key, length, checksum, and the executable here and there.
        for position in [0, 9, 20, 45, 60, 84, length / 4, length / 2, length - 1] {
            let mut bytes = std::fs::read(&path).unwrap();
            bytes[position] ^= 1;
            std::fs::write(&path, bytes).unwrap();
            let outcome = sine_in(&cache, &client).cache;
            let damaged = matches!(
                outcome,
                CacheOutcome::Kept {
                    missed: CacheError::Damaged { .. },
                    ..
                }
            );
            assert!(damaged, "byte {position}: {outcome:?}");
        }
        assert!(matches!(
            sine_in(&cache, &client).cache,
            CacheOutcome::Loaded
        ));
    }
}

#[test]
fn an_entry_that_the_plugin_refuses_is_compiled_over() {
    for client in zero_copy_clients() {
        let directory = tempfile::tempdir().unwrap();
        let cache = cache_in(&directory);
        let first = sine_in(&cache, &client);
        let path = entry_of(&cache, &first);
        for executable in [&b"no executable"[..], b""] {
            write_entry(&path, &first, executable);
            let outcome = sine_in(&cache, &client).cache;
            let refused = matches!(
                outcome,
                CacheOutcome::Kept {
                    missed: CacheError::Plugin { .. },
                    ..
                }
            );
            assert!(refused, "{outcome:?}");
            assert!(matches!(
                sine_in(&cache, &client).cache,
                CacheOutcome::Loaded
            ));
        }
    }
}

#[test]
fn the_executable_of_another_program_is_refused() {
    let matrix = array(DType::F32, &[128, 64]);
    let add = program("add", &[matrix, matrix], &[matrix]);
    for client in zero_copy_clients() {
        let directory = tempfile::tempdir().unwrap();
        let cache = cache_in(&directory);
        let sine = sine_in(&cache, &client);
        let other = compile_program_in(&cache, &client, &add).unwrap();
        write_entry(
            &entry_of(&cache, &sine),
            &sine,
            &other.executable.serialize().unwrap(),
        );
        let outcome = sine_in(&cache, &client).cache;
        let refused = matches!(
            outcome,
            CacheOutcome::Kept {
                missed: CacheError::Plugin { .. },
                ..
            }
        );
        assert!(refused, "{outcome:?}");
    }
}

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
        write_entry(&path, &first, b"no executable");
        let outcome = sine_in(&read_only, &client).cache;
        assert!(
            matches!(outcome, CacheOutcome::NotKept { .. }),
            "{outcome:?}"
        );
        assert!(path.exists());
    }
}

/// XLA:CPU serializes a program that sorts, but not any more once it has run: "`LessThan` is not serializable".
#[test]
fn a_program_that_sorts_is_kept_before_it_runs() {
    let four = array(DType::F32, &[4]);
    let sort = program("sort", &[four], &[four]);
    for client in zero_copy_clients() {
        let directory = tempfile::tempdir().unwrap();
        let cache = cache_in(&directory);
        for expected in [0, 1] {
            let compiled = compile_program_in(&cache, &client, &sort).unwrap();
            assert_eq!(compiled.statistics.loaded, expected, "{:?}", compiled.cache);
            let values = [3.0_f32, -1.0, 2.0, 0.5];
            let results = compiled.executable.run(&[HostView::of(&values)]).unwrap();
            let sorted = results[0].as_slice::<f32>().unwrap();
            assert_eq!(sorted, [-1.0, 0.5, 2.0, 3.0]);
        }
    }
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
        let CacheOutcome::NotKept { missed, reason } = sine_in(&cache, &client).cache else {
            panic!("it is used");
        };
        assert!(matches!(missed, CacheError::Untrusted { .. }), "{missed}");
        assert!(matches!(reason, CacheError::Untrusted { .. }), "{reason}");
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

#[test]
fn without_the_cache_every_program_is_compiled() {
    for client in zero_copy_clients() {
        let (executable, statistics) = compile_program(&client, &sine(), false).unwrap();
        assert_eq!((statistics.compiled, statistics.loaded), (1, 0));
        assert_eq!(executable.num_outputs(), 1);
        let compiled = sine_in(&DiskCache::off(), &client);
        let off = matches!(
            compiled.cache,
            CacheOutcome::Unused {
                reason: CacheError::Off { .. },
                ..
            }
        );
        assert!(off, "{:?}", compiled.cache);
        assert!(compiled.key.is_none());
    }
}

#[test]
fn threads_that_get_a_program_ready_at_once_all_have_it() {
    for client in zero_copy_clients() {
        let directory = tempfile::tempdir().unwrap();
        let cache = cache_in(&directory);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| sine_in(&cache, &client));
            }
        });
        assert_eq!(entries(&cache).len(), 1);
    }
}

fn error_of(client: &Client, program: &LoweredProgram) -> CompileError {
    let directory = tempfile::tempdir().unwrap();
    match compile_program_in(&cache_in(&directory), client, program) {
        Err(Error::Compile(error)) => *error,
        other => panic!("{other:?}"),
    }
}

#[test]
fn custom_calls_without_handlers_are_listed() {
    for client in zero_copy_clients() {
        let mut program = sine();
        program.record.custom_calls = ["ApproxTopK", "lapack_sgetrf_ffi", "lapack_spotrf_ffi"]
            .map(String::from)
            .into();
        let before = error_info().count;
        let error = error_of(&client, &program);
        let CompileError::CustomCalls { targets, .. } = &error else {
            panic!("{error}");
        };
        // XLA has the first one itself.
        assert_eq!(targets, &["lapack_sgetrf_ffi", "lapack_spotrf_ffi"]);
        let text = error.to_string();
        assert!(
            text.starts_with("`sine` calls lapack_sgetrf_ffi, lapack_spotrf_ffi,"),
            "{text}"
        );
        assert!(text.contains("\n  help: "), "{text}");
        assert!(error_info().count > before);
    }
}

#[test]
fn a_program_for_another_platform_is_refused_even_if_its_code_is_kept() {
    for client in zero_copy_clients() {
        let directory = tempfile::tempdir().unwrap();
        let cache = cache_in(&directory);
        sine_in(&cache, &client);
        let mut program = sine();
        program.record.platform = "cuda".into();
        let error = compile_program_in(&cache, &client, &program).unwrap_err();
        let Error::Compile(error) = error else {
            panic!("{error}");
        };
        assert!(matches!(*error, CompileError::Platform { .. }), "{error}");
    }
}

#[test]
fn a_loaded_program_checks_its_arguments_like_a_compiled_one() {
    for client in zero_copy_clients() {
        let directory = tempfile::tempdir().unwrap();
        let cache = cache_in(&directory);
        let texts = [sine_in(&cache, &client), sine_in(&cache, &client)].map(|compiled| {
            let wrong = HostArray::from_slice(&[1_i32, 2], &[2]).unwrap();
            compiled
                .executable
                .run(&[wrong.view()])
                .unwrap_err()
                .to_string()
        });
        assert_eq!(texts[0], texts[1]);
        assert!(texts[0].contains("x0"), "{}", texts[0]);
    }
}
