//! What is not what was written is never used.

use cyxla_artifact::{DType, Hasher};
use cyxla_runtime::{CacheError, CacheOutcome, compile_program_in};

use crate::support::{array, program, zero_copy_clients};
use crate::{cache_in, entry_of, sine_in, write_content, write_entry};

#[test]
fn a_changed_byte_is_compiled_over() {
    for client in zero_copy_clients() {
        let directory = tempfile::tempdir().unwrap();
        let cache = cache_in(&directory);
        let path = entry_of(&cache, &sine_in(&cache, &client));
        let length = std::fs::read(&path).unwrap().len();
        // Magic, version, key, lengths, checksums, record, and the executable here and there.
        for position in [
            0,
            9,
            20,
            45,
            60,
            93,
            130,
            length / 4,
            length / 2,
            length - 1,
        ] {
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
            write_entry(&path, first.key.as_ref().unwrap(), executable);
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
            sine.key.as_ref().unwrap(),
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
fn the_executable_of_another_plugin_under_the_right_name_is_not_used() {
    let directory = tempfile::tempdir().unwrap();
    let cache = cache_in(&directory);
    let clients = zero_copy_clients();
    let compiled: Vec<_> = clients
        .iter()
        .map(|client| sine_in(&cache, client))
        .collect();
    for (index, client) in clients.iter().enumerate() {
        let other = &compiled[(index + 1) % compiled.len()];
        let bytes = std::fs::read(entry_of(&cache, other)).unwrap();
        std::fs::write(entry_of(&cache, &compiled[index]), bytes).unwrap();
        let outcome = sine_in(&cache, client).cache;
        let damaged = matches!(
            outcome,
            CacheOutcome::Kept {
                missed: CacheError::Damaged { .. },
                ..
            }
        );
        assert!(damaged, "{outcome:?}");
    }
}

#[test]
fn the_executable_of_another_processor_under_the_right_name_is_not_used() {
    for client in zero_copy_clients() {
        let directory = tempfile::tempdir().unwrap();
        let cache = cache_in(&directory);
        let own = sine_in(&cache, &client);
        let key = own.key.as_ref().unwrap();
        let mut parts: Vec<_> = key.parts().collect();
        let features = parts
            .iter_mut()
            .find(|(name, _)| *name == "processor features")
            .unwrap();
        features.1 = "amx-tile avx512fp16";
        let other = parts
            .iter()
            .fold(Hasher::new(), |hasher, (name, value)| {
                hasher.part(name, value)
            })
            .finish();
        // As it was written there, and as if it were for this key.
        for digest in [&other, key.digest()] {
            let path = entry_of(&cache, &own);
            write_content(&path, digest, "executable", &parts, b"machine code");
            let outcome = sine_in(&cache, &client).cache;
            let damaged = matches!(
                outcome,
                CacheOutcome::Kept {
                    missed: CacheError::Damaged { .. },
                    ..
                }
            );
            assert!(damaged, "{outcome:?}");
        }
    }
}
