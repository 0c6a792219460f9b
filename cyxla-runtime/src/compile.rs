//! From a lowered program to an executable: out of the disk cache, or out of the compiler and into the cache.

use std::time::Instant;

use cyxla_artifact::{Digest, LoweredProgram, is_xla_call};

use crate::cache::{
    CacheError, CacheKey, CacheOutcome, Compiler, Content, DiskCache, PluginIdentity,
};
use crate::client::Client;
use crate::compile_options::compile_options;
use crate::error::{ApiError, CompileError, Error, ErrorCode};
use crate::error_info::counted;
use crate::executable::{Executable, readable_version};
use crate::ffi;
use crate::statistics::CompileStatistics;
use crate::weights::{self, WeightSet};

/// A program that is ready to be called, and how that came about.
#[derive(Debug)]
#[non_exhaustive]
pub struct Compiled {
    /// What can be called.
    pub executable: Executable,
    /// How long it took.
    pub statistics: CompileStatistics,
    /// What it is kept under in the disk cache; none if that can't be told.
    pub key: Option<CacheKey>,
    /// What the disk cache did.
    pub cache: CacheOutcome,
}

/// Makes a program ready to be called on the device of `client`: loads it from the user's disk cache, or compiles it and
/// keeps it there. Without `disk_cache` it is always compiled, and not kept.
///
/// Trouble with the cache is never an error; [`compile_program_in`] tells it.
///
/// ```no_run
/// use cyxla_runtime::{HostView, compile_program, default_client};
///
/// # fn run(program: &cyxla_artifact::LoweredProgram) -> cyxla_runtime::Result<()> {
/// let (executable, statistics) = compile_program(&default_client()?, program, true)?;
/// let results = executable.run(&[HostView::of(&[1.0_f32, 2.0])])?;
/// println!("{:?} after {:.3} s", results[0].as_slice::<f32>(), statistics.compile_seconds);
/// # Ok(())
/// # }
/// ```
///
/// Source: `compile_program` of the Python package.
///
/// # Blocking
/// Compiling takes 50 ms for small programs, minutes for large ones; loading takes 1 to 10 ms.
///
/// # Errors
/// The program was lowered for another platform, calls functions without a handler, is written at a StableHLO version that
/// the plugin does not read, or is refused by the plugin.
pub fn compile_program(
    client: &Client,
    program: &LoweredProgram,
    disk_cache: bool,
) -> Result<(Executable, CompileStatistics), Error> {
    let cache = if disk_cache {
        DiskCache::of_environment()
    } else {
        DiskCache::off()
    };
    let compiled = compile_program_in(&cache, client, program)?;
    Ok((compiled.executable, compiled.statistics))
}

/// [`compile_program`] with a disk cache of the caller's choice, and with what that cache did.
///
/// # Blocking
/// As [`compile_program`].
///
/// # Errors
/// Those of [`compile_program`].
pub fn compile_program_in(
    cache: &DiskCache,
    client: &Client,
    program: &LoweredProgram,
) -> Result<Compiled, Error> {
    // Here, as the thread with the large stack is another one.
    counted(ffi::check_outside())?;
    counted(on_large_stack(|| load_or_compile(cache, client, program)))
}

fn load_or_compile(
    cache: &DiskCache,
    client: &Client,
    program: &LoweredProgram,
) -> Result<Compiled, Error> {
    // Before the cache is asked: what it keeps says nothing of these.
    client.check_process()?;
    readable_version(client, program)?;
    check_custom_calls(client, program)?;

    // First, so that trouble with them is no trouble of the cache; no more than handles of what other programs use too.
    let given = || weights::of_program(client, program);

    let start = Instant::now();
    let (key, missed) = match key_of(cache, client, program) {
        Err(reason) => (None, reason),
        Ok(key) => match load(cache, &key, program, client, given()?) {
            Err(reason) => (Some(key), reason),
            Ok(executable) => {
                return Ok(Compiled {
                    executable,
                    statistics: CompileStatistics {
                        load_seconds: start.elapsed().as_secs_f64(),
                        loaded: 1,
                        ..CompileStatistics::default()
                    },
                    key: Some(key),
                    cache: CacheOutcome::Loaded,
                });
            }
        },
    };

    let start = Instant::now();
    ffi::prove(client, &program.record.custom_calls)?;
    let executable = Executable::compile_with(client, program, given()?)?;
    let statistics = CompileStatistics {
        compile_seconds: start.elapsed().as_secs_f64(),
        compiled: 1,
        ..CompileStatistics::default()
    };
    let cache = match &key {
        None => CacheOutcome::Unused { reason: missed },
        Some(_) if matches!(missed, CacheError::Unserializable { .. }) => {
            CacheOutcome::Unused { reason: missed }
        }
        Some(key) => match keep(cache, key, program, &executable) {
            Ok(()) => CacheOutcome::Kept { missed },
            Err(reason) => CacheOutcome::NotKept { missed, reason },
        },
    };
    Ok(Compiled {
        executable,
        statistics,
        key,
        cache,
    })
}

fn key_of(
    cache: &DiskCache,
    client: &Client,
    program: &LoweredProgram,
) -> Result<CacheKey, CacheError> {
    cache.opened()?;
    let handlers = program.record.custom_calls.iter().map(String::as_str);
    let handlers: Vec<_> = handlers.filter(|target| !is_xla_call(target)).collect();
    let compiler = Compiler {
        // Not the digest of the record: that is only what the program should be.
        module: Digest::of(&program.code),
        compile_options: compile_options(),
        create_options: &client.plugin().create_options,
        plugin: &PluginIdentity::when_first_seen(&client.plugin().path)?,
        api_version: client.api_version(),
        platform: client.platform(),
        platform_version: client.platform_version(),
        device_kind: client.device_kind(),
        stablehlo_versions: client.stablehlo_versions(),
        handlers: &handlers,
    };
    CacheKey::new(&compiler)
}

fn load(
    cache: &DiskCache,
    key: &CacheKey,
    program: &LoweredProgram,
    client: &Client,
    weights: WeightSet,
) -> Result<Executable, CacheError> {
    let bytes = cache.get(key)?;
    let loaded = Executable::deserialize_program(client, &bytes, program, weights);
    loaded.map_err(|source| {
        // It would be refused again. If it can't be removed, it is replaced, or not: no matter.
        let _ = cache.remove(key);
        let source = Box::new(source);
        CacheError::Plugin { source }
    })
}

/// Keeps what was just compiled. Not later: XLA:CPU can't serialize some programs any more once they have run.
fn keep(
    cache: &DiskCache,
    key: &CacheKey,
    program: &LoweredProgram,
    executable: &Executable,
) -> Result<(), CacheError> {
    // Before it is serialized, which takes a while: nothing may be written to a cache that is read-only.
    cache.writable()?;
    let name = &program.record.name;
    let bytes = executable.serialize().map_err(|source| {
        if let Some(refusal) = refusal(&source) {
            // The next process knows then. If that can't be kept either, it asks again.
            let _ = cache.put(key, name, Content::Unserializable(&refusal.to_string()));
        }
        let source = Box::new(source);
        CacheError::Plugin { source }
    })?;
    cache.put(key, name, Content::Executable(&bytes))
}

/// What the plugin said, if it would say so again.
fn refusal(error: &Error) -> Option<&ApiError> {
    let Error::Compile(error) = error else {
        return None;
    };
    let CompileError::Serialize { source, .. } = &**error else {
        return None;
    };
    let is_passing = matches!(
        source.code,
        ErrorCode::Aborted
            | ErrorCode::Cancelled
            | ErrorCode::DeadlineExceeded
            | ErrorCode::ResourceExhausted
            | ErrorCode::Unavailable
    );
    (!is_passing).then_some(source)
}

/// Refuses a program that calls what nobody implements: plugins say so too, but each in its own words and one at a time.
fn check_custom_calls(client: &Client, program: &LoweredProgram) -> Result<(), Error> {
    // What other platforms implement differs from plugin to plugin.
    if client.platform() != "cpu" {
        return Ok(());
    }
    let record = &program.record;
    let mut missing = Vec::new();
    for target in &record.custom_calls {
        if !is_xla_call(target) && !ffi::is_handled(client, target)? {
            missing.push(target.clone());
        }
    }
    if missing.is_empty() {
        return Ok(());
    }
    Err(CompileError::CustomCalls {
        program: record.name.clone(),
        targets: missing,
    }
    .into())
}

/// Bytes of address space for the stack of a compilation. Only what is touched becomes memory.
const LARGE_STACK: usize = if cfg!(target_pointer_width = "64") {
    256 << 20
} else {
    16 << 20
};

/// Runs `work` with a large stack: XLA compiles on the thread that asks for it, and walks deep programs recursively, both
/// when it compiles and when it loads. A thread of Rust has 2 MiB, and an overflow would end the process.
fn on_large_stack<T: Send>(work: impl Fn() -> T + Sync) -> T {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new()
            .name("cyxla-compile".to_owned())
            .stack_size(LARGE_STACK)
            .spawn_scoped(scope, &work);
        match thread {
            Ok(thread) => thread
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            // There is no room for one more stack, and this one may do.
            Err(_) => work(),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deep_recursion_fits_on_the_stack() {
        fn depth(levels: u32) -> u32 {
            let room = std::hint::black_box([1_u8; 1024]);
            match levels {
                0 => 0,
                _ => depth(levels - 1) + u32::from(room[0]),
            }
        }
        // 100,000 levels of a kilobyte are fifty times the stack of a thread.
        assert_eq!(on_large_stack(|| depth(100_000)), 100_000);
    }
}
