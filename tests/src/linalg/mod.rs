//! What `jnp.linalg` costs through cyxla, measured beside `jax.jit` of the same functions in a Python process: from arrays of the
//! host to arrays of the host, matrices small and large, alone and in batches.
//!
//! A row is a function; it has a comparison for each [`Shape`]. The programs are lowered when their row is measured.

pub mod accuracy;
mod lowered;
mod matrices;

use std::hint::black_box;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use cyxla::{DType, Executable, HostArray};

use crate::measure::arguments::Command;
use crate::measure::jax_jit::{JaxJit, Script};
use crate::measure::sides::{Plan, Side};
use crate::measure::{Bound, Failure, Quantity, Row};

const USAGE: &str = "\
Measures jnp.linalg through cyxla beside jax.jit of the same functions, in one run, and prints how they compare: of f32, f64,
c64 and c128, n × n, one matrix and 256 of them at once.

usage: linalg [OPTION …] [ROW …]
       linalg accuracy …   how exact it is; linalg accuracy --help says more

  ROW              only these rows:
    cholesky       jnp.linalg.cholesky
    lu             jax.scipy.linalg.lu_factor
    solve_triangular jax.scipy.linalg.solve_triangular, of as many right-hand sides as unknowns
    qr             jnp.linalg.qr
    eigh           jnp.linalg.eigh
    svd            jnp.linalg.svd
    eig            jnp.linalg.eig, without a bound
    schur          jax.scipy.linalg.schur, without a bound

  --plugin PATH    the PJRT plugin (else the default one)
  --python PY      a Python with JAX (else the managed environment of the tests)
  --no-jax         without jax.jit
  --json FILE      where to write all numbers as JSON, too: an object for each row
  --short          few sizes and few calls, to see that all works; bounds are not judged
  --only SIDE N    only N calls of one side (ours, jax_jit) of each shape, for a profiler

The ratio is the time of jax.jit by ours. The exit code is 1 if a bound is missed.";

/// The binary that measures linear algebra.
pub const COMMAND: Command = Command {
    name: "linalg",
    usage: USAGE,
    rows: &[
        "cholesky",
        "lu",
        "solve_triangular",
        "qr",
        "eigh",
        "svd",
        "eig",
        "schur",
    ],
};

/// The Python side of `jax.jit`.
pub const JIT: Script = Script {
    script: include_str!("jit.py"),
    programs: (
        "linalg_speed.py",
        include_str!("../../python/linalg_speed.py"),
    ),
};

const SIZES: [usize; 9] = [2, 3, 4, 6, 8, 16, 32, 128, 512];

/// The sizes of a short run: small, of a few vectors, and large.
const FEW_SIZES: [usize; 3] = [3, 32, 512];

const BATCH: usize = 256;

/// The largest size that is measured in a batch.
const LARGEST_IN_BATCH: usize = 32;

/// How long a block of calls of ours takes, about.
const BLOCK: Duration = Duration::from_millis(2);

/// How long all blocks of a side of a comparison may take, about, where calls are long; there are [`FEWEST`] at least.
const WHOLE: Duration = Duration::from_secs(1);

/// The numbers of blocks that a median is of.
const FEWEST: usize = 7;
const MOST: usize = 30;

const DTYPES: [DType; 4] = [DType::F32, DType::F64, DType::C64, DType::C128];

/// What rows are measured with.
#[derive(Debug)]
pub struct Setup {
    /// The Python with JAX that lowers.
    pub python: PathBuf,
    /// The rival, unless it is left out.
    pub jax: Option<JaxJit>,
    /// How much to measure.
    pub plan: Plan,
}

/// What a function is called with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// `F32`, `F64`, `C64` or `C128`.
    pub dtype: DType,
    /// Rows and columns of a matrix.
    pub n: usize,
    /// Matrices in an argument.
    pub batch: usize,
}

impl Setup {
    /// Measures the row of this name.
    ///
    /// # Blocking
    /// For minutes: Python lowers each program.
    ///
    /// # Errors
    /// A program can't be lowered or compiled, or a side of it fails.
    pub fn measure(&mut self, function: &'static str) -> Result<Row, Failure> {
        let shapes = shapes(self.plan.short);
        let programs = lowered::programs(&self.python, function, &shapes)?;
        let client = cyxla::default_client()?;
        let mut row = Row::new(function);
        for (shape, program) in shapes.into_iter().zip(&programs) {
            let (executable, _) = cyxla::compile_program(&client, program, false)?;
            let arguments = matrices::arguments(function, shape)?;
            self.compare(&mut row, shape, &executable, &arguments)?;
        }
        Ok(row)
    }

    fn compare(
        &mut self,
        row: &mut Row,
        shape: Shape,
        executable: &Executable,
        arguments: &[HostArray],
    ) -> Result<(), Failure> {
        let views: Vec<_> = arguments.iter().map(HostArray::view).collect();
        let call = || {
            black_box(executable.run(black_box(&views))?);
            Ok(())
        };
        call()?;
        let start = Instant::now();
        call()?;
        let call_time = start.elapsed();
        let fitting = |whole: Duration| {
            usize::try_from(whole.as_nanos() / call_time.as_nanos().max(1)).unwrap_or(MOST)
        };
        let calls = fitting(BLOCK).clamp(1, 1000);
        let blocks = fitting(WHOLE).clamp(FEWEST, MOST);

        let mut sides = vec![Side::of_calls("ours", call)];
        if let Some(jax) = &mut self.jax {
            let Shape { n, batch, dtype } = shape;
            let dtype = dtype.name();
            sides.push(jax.side(format!("{} {dtype} {n} {batch}", row.name)));
        }
        let measured = self.plan.whole(&mut sides, blocks, calls)?;

        let (ours, theirs) = (measured.median("ours"), measured.median("jax_jit"));
        row.value(format!("{shape} ours_ns"), ours);
        row.value(format!("{shape} jax_jit_ns"), theirs);
        // Of the fastest blocks, which others on the machine have held up least.
        for side in ["ours", "jax_jit"] {
            let best = measured.quantile(side, 0.0);
            row.value(format!("{shape} {side}_best_ns"), best);
        }
        let bound = bound(row.name, shape.n);
        let rival = ("jax.jit", theirs);
        row.compare(shape.to_string(), Quantity::Nanoseconds, ours, rival, bound);
        Ok(())
    }
}

impl std::fmt::Display for Shape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.batch {
            1 => write!(f, "{} {}", self.dtype, self.n),
            batch => write!(f, "{} {}×{batch}", self.dtype, self.n),
        }
    }
}

fn shapes(short: bool) -> Vec<Shape> {
    let sizes: &[usize] = if short { &FEW_SIZES } else { &SIZES };
    let mut shapes = Vec::new();
    for dtype in DTYPES {
        for batch in [1, BATCH] {
            let sizes = sizes
                .iter()
                .filter(|&&n| batch == 1 || n <= LARGEST_IN_BATCH);
            shapes.extend(sizes.map(|&n| Shape { dtype, n, batch }));
        }
    }
    shapes
}

/// Small matrices take as long as LAPACK's at most. Of large ones, LAPACK's blocked factorizations are of assembly for each
/// processor, and its iterations have had decades of tuning.
fn bound(function: &str, n: usize) -> Bound {
    Bound::Faster(match function {
        // For information: the README of cyxla-linalg says where they lose.
        "eig" | "schur" => 0.0,
        "eigh" | "svd" if n > 16 => 0.5,
        "eigh" | "svd" => 1.0,
        _ if n > 32 => 0.7,
        _ => 1.0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_small_matrices_come_in_batches() {
        let shapes = shapes(false);
        // For each of four types: nine sizes alone, seven of them in batches.
        assert_eq!(shapes.len(), 4 * (9 + 7));
        let large = shapes.iter().filter(|shape| shape.n > 32);
        assert!(large.into_iter().all(|shape| shape.batch == 1));
    }

    #[test]
    fn shapes_are_told_by_type_size_and_batch() {
        let shape = |batch| Shape {
            dtype: DType::F32,
            n: 16,
            batch,
        };
        assert_eq!(shape(1).to_string(), "f32 16");
        assert_eq!(shape(256).to_string(), "f32 16×256");
    }

    #[test]
    fn bounds_are_lower_for_large_matrices() {
        assert_eq!(bound("qr", 32), Bound::Faster(1.0));
        assert_eq!(bound("qr", 512), Bound::Faster(0.7));
        assert_eq!(bound("svd", 16), Bound::Faster(1.0));
        assert_eq!(bound("svd", 512), Bound::Faster(0.5));
    }
}
