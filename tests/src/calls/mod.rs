//! What a call costs, measured beside rivals: the raw C API ([`cyxla_rival`]) in the same process, and `jax.jit` in a Python
//! process.
//!
//! Each row is a [`Row`](crate::measure::Row) made by a function in [`rows`], which sets up a side for each rival.

mod memory;
pub mod programs;
pub mod raw;
pub mod rows;
pub mod together;

/// What the command line takes, printed by `--help`.
const USAGE: &str = "\
Measures calls through cyxla beside the raw C API and jax.jit, in one run, and prints how they compare.

usage: calls [OPTION …] [ROW …]

  ROW              only these rows:
    tiny           f32[2] -> f32[2]; also how far the slowest hundredth of calls lies from the median (p99 / p50)
    large_box      f32[1024,1024] + f32[1024,1024], aliased in, copied out
    large_view     the same, read where the device has it
    donation       a step of a state f32[1 << 20] that is moved through the program; also how much memory it takes
    twelve         a program of 12 arguments
    threads        calls per second of 2 threads by those of one

  --engine ENGINE  what runs the programs: pjrt, the default, or native
  --plugin PATH    the PJRT plugin (else the default one)
  --python PY      a Python with JAX (else the managed environment of the tests)
  --no-jax         without jax.jit
  --json FILE      where to write all numbers as JSON, too: an object for each row
  --short          few calls, to see that all works; bounds are not judged
  --only SIDE N    only N calls of one side (ours, raw_c, …) of each row, for a profiler

The exit code is 1 if a bound is missed.

Instructions of ours beyond those of the raw C API, per call: the difference of
  perf stat -e instructions:u calls --no-jax --only ours 200000 tiny
  perf stat -e instructions:u calls --no-jax --only raw_c 200000 tiny
each less the same with fewer calls. (XLA does not get through compiling under valgrind.)";

/// The binary that measures calls.
pub const COMMAND: crate::measure::arguments::Command = crate::measure::arguments::Command {
    name: "calls",
    usage: USAGE,
    rows: &rows::NAMES,
};

/// The Python side of `jax.jit`.
pub const JIT: crate::measure::jax_jit::Script = crate::measure::jax_jit::Script {
    script: include_str!("jit.py"),
    programs: ("calls.py", include_str!("../../python/calls.py")),
};
