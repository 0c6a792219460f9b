//! What is compiled once is loaded the next time.

use cyxla_artifact::{DType, LoweredProgram};
use cyxla_runtime::{
    CacheError, CacheOutcome, Client, CompileError, DiskCache, Error, HostArray, HostView,
    compile_program, compile_program_in, error_info,
};

use crate::support::{array, program, sine, zero_copy_clients};
use crate::{cache_in, entries, entry_of, sine_in, write_content};

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
        program.record.custom_calls = ["ApproxTopK", "my_norm", "my_sum"].map(String::from).into();
        let before = error_info().count;
        let error = error_of(&client, &program);
        let CompileError::CustomCalls { targets, .. } = &error else {
            panic!("{error}");
        };
        // XLA has the first one itself.
        assert_eq!(targets, &["my_norm", "my_sum"]);
        let text = error.to_string();
        assert!(text.starts_with("`sine` calls my_norm, my_sum,"), "{text}");
        assert!(text.contains("\n  help: "), "{text}");
        assert!(error_info().count > before);
    }
}

/// No program is known that these plugins can't serialize before it runs, so the entry is written here.
#[test]
fn a_program_that_could_not_be_serialized_is_compiled_and_not_tried_again() {
    for client in zero_copy_clients() {
        let directory = tempfile::tempdir().unwrap();
        let cache = cache_in(&directory);
        let first = sine_in(&cache, &client);
        let key = first.key.as_ref().unwrap();
        let parts: Vec<_> = key.parts().collect();
        let path = entry_of(&cache, &first);
        let said = b"Sine is not serializable";
        write_content(&path, key.digest(), "unserializable", &parts, said);
        let entry = std::fs::read(&path).unwrap();

        let outcome = sine_in(&cache, &client).cache;
        let CacheOutcome::Unused { reason } = &outcome else {
            panic!("{outcome}");
        };
        assert!(
            matches!(reason, CacheError::Unserializable { message } if message.as_bytes() == said),
            "{reason}"
        );
        assert_eq!(std::fs::read(&path).unwrap(), entry);
        let listed = cache.list().unwrap();
        assert_eq!(listed[0].unserializable.as_ref().unwrap().as_bytes(), said);
    }
}

#[test]
fn what_is_kept_is_listed_with_the_key_that_it_was_compiled_under() {
    for client in zero_copy_clients() {
        let directory = tempfile::tempdir().unwrap();
        let cache = cache_in(&directory);
        let compiled = sine_in(&cache, &client);
        let listed = cache.list().unwrap();
        assert_eq!(listed.len(), 1);
        assert_eq!(listed[0].program, "sine");
        assert_eq!(Some(&listed[0].key), compiled.key.as_ref());
        assert_eq!(listed[0].path, entry_of(&cache, &compiled));
        let statistics = cache.statistics().unwrap();
        assert_eq!(statistics.bytes, listed[0].bytes);
        assert_eq!(cache.clear().unwrap(), 1);
        assert!(matches!(
            sine_in(&cache, &client).cache,
            CacheOutcome::Kept { .. }
        ));
    }
}
