//! Handlers that are registered before any plugin is loaded, and programs with handlers in the disk cache.

#![allow(clippy::unwrap_used, reason = "a test")]

mod support;

use cyxla_artifact::DType;
use cyxla_ffi::{CallFrame, Error};
use cyxla_runtime::{CacheOutcome, DiskCache, HostView, compile_program_in, register_ffi_target};
use support::{array, client_of, plugins, program};

fn negate(frame: &mut CallFrame<'_>) -> Result<(), Error> {
    let parts = frame.parts::<1, 1>()?;
    let ([x], [y]) = (parts.arguments, parts.results);
    for (y, x) in y.into_slice::<f32>()?.iter_mut().zip(x.as_slice::<f32>()?) {
        *y = -x;
    }
    Ok(())
}

#[test]
fn plugins_that_are_loaded_later_have_the_handler() {
    register_ffi_target("test_early", negate).unwrap();
    let pair = array(DType::F32, &[2]);
    let mut program = program("ffi_early", &[pair], &[pair]);
    program.record.custom_calls = vec!["test_early".into()];
    for path in plugins() {
        let directory = tempfile::tempdir().unwrap();
        let cache = DiskCache::at(directory.path());
        // A second client of the same plugin, too.
        let mut outcomes = Vec::new();
        for _ in 0..2 {
            let client = client_of(&path);
            let compiled = compile_program_in(&cache, &client, &program).unwrap();
            let y = compiled
                .executable
                .run(&[HostView::of(&[1.0_f32, -2.0])])
                .unwrap();
            assert_eq!(y[0].as_slice::<f32>(), Some(&[-1.0, 2.0][..]));
            outcomes.push(compiled.cache);
        }
        assert!(
            matches!(
                outcomes[..],
                [CacheOutcome::Kept { .. }, CacheOutcome::Loaded]
            ),
            "{outcomes:?}"
        );
    }
}
