//! The steady call of a small program, in each of the ways to call: time of a call, and memory over a million of them.
//!
//! `cargo run --release -p cyxla-tests --bin steady -- [CALLS]`

use std::error::Error;
use std::time::{Duration, Instant};

use cyxla::{Buffer, Prepared};

/// Twice the sine: the program of the latency table in `jax.jit`'s terms, `lambda x: 2 * jnp.sin(x)`.
#[cyxla::program("model:twice_sine")]
fn twice_sine(x: &[f32; 2]) -> cyxla::Result<[f32; 2]>;

#[cyxla::program("model:twice_sine")]
fn on_device(x: Buffer<[f32; 2]>) -> cyxla::Result<Buffer<[f32; 2]>>;

const CALLS: usize = 1_000_000;

fn main() -> Result<(), Box<dyn Error>> {
    let calls = match std::env::args().nth(1) {
        Some(calls) => calls.parse()?,
        None => CALLS,
    };

    let mut x = [0.0, 1.0];
    measure("called", calls, || {
        let y = twice_sine(&x)?;
        x[0] = y[0] / 2.0 + 0.1;
        Ok(())
    })?;

    let mut call: Prepared<[f32; 2], [f32; 2]> = twice_sine::prepare()?;
    measure("prepared", calls, || {
        let y = call.run()?[0];
        call.inputs()[0] = y / 2.0 + 0.1;
        Ok(())
    })?;

    measure("started", calls, || {
        let y = twice_sine::start(&x)?.wait()?;
        x[0] = y[0] / 2.0 + 0.1;
        Ok(())
    })?;

    let mut state = Some(Buffer::from(&x)?);
    measure("donated", calls, || {
        if let Some(x) = state.take() {
            state = Some(on_device(x)?);
        }
        Ok(())
    })?;
    Ok(())
}

/// Calls that often, and prints how long each took and what memory all took.
fn measure(
    way: &str,
    calls: usize,
    mut call: impl FnMut() -> cyxla::Result<()>,
) -> Result<(), Box<dyn Error>> {
    for _ in 0..10_000 {
        call()?;
    }
    // Not zero, so that its pages are there now and don't count below.
    let mut times = vec![Duration::MAX; calls];
    let before = resident_kilobytes()?;
    for time in &mut times {
        let start = Instant::now();
        call()?;
        *time = start.elapsed();
    }
    let after = resident_kilobytes()?;
    times.sort_unstable();
    let quantile = |thousandths: usize| times[(calls - 1) * thousandths / 1000];
    println!(
        "f32[2] -> f32[2], {way} {calls} times: p50 {:.2?}, p99 {:.2?}, p99.9 {:.2?}; resident memory {before} kB before, \
         {after} kB after",
        quantile(500),
        quantile(990),
        quantile(999)
    );
    Ok(())
}

/// Memory of this process that is in RAM, from `/proc`.
fn resident_kilobytes() -> Result<u64, Box<dyn Error>> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let number = line.and_then(|line| line.split_whitespace().next());
    Ok(number.ok_or("no VmRSS")?.parse()?)
}
