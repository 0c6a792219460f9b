//! The steady call of a small program: time of a call, and memory over a million of them.
//!
//! `cargo run --release -p cyxla-tests --bin steady`

use std::error::Error;
use std::time::{Duration, Instant};

/// Twice the sine: the program of the latency table in `jax.jit`'s terms, `lambda x: 2 * jnp.sin(x)`.
#[cyxla::program("model:twice_sine")]
fn twice_sine(x: &[f32; 2]) -> cyxla::Result<[f32; 2]>;

const CALLS: usize = 1_000_000;

fn main() -> Result<(), Box<dyn Error>> {
    let mut x = [0.0, 1.0];
    let mut call = || -> Result<Duration, Box<dyn Error>> {
        let start = Instant::now();
        let y = twice_sine(&x)?;
        let time = start.elapsed();
        x[0] = y[0] / 2.0 + 0.1;
        Ok(time)
    };
    for _ in 0..10_000 {
        call()?;
    }

    // Not zero, so that its pages are there now and don't count below.
    let mut times = vec![Duration::MAX; CALLS];
    let before = resident_kilobytes()?;
    for time in &mut times {
        *time = call()?;
    }
    let after = resident_kilobytes()?;
    times.sort_unstable();
    let quantile = |thousandths: usize| times[(CALLS - 1) * thousandths / 1000];
    println!(
        "f32[2] -> f32[2], {CALLS} calls: p50 {:.2?}, p99 {:.2?}, p99.9 {:.2?}",
        quantile(500),
        quantile(990),
        quantile(999)
    );
    println!("resident memory: {before} kB before, {after} kB after");
    Ok(())
}

/// Memory of this process that is in RAM, from `/proc`.
fn resident_kilobytes() -> Result<u64, Box<dyn Error>> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let number = line.and_then(|line| line.split_whitespace().next());
    Ok(number.ok_or("no VmRSS")?.parse()?)
}
