//! How exact the handlers of `jnp.linalg` are beside LAPACK, on the same matrices: residuals of both, summed up in a wider type by
//! Python, where SciPy has the LAPACK that jaxlib calls.
//!
//! The tests of cyxla-linalg do this for one matrix of each size with residuals that are stored; here are larger matrices and
//! batches.

mod judge;
mod numbers;
mod routines;

use std::collections::BTreeMap;
use std::path::Path;

use cyxla::Complex;

use crate::measure::arguments::{Arguments, Command};
use crate::measure::command::{self, Stop};
use judge::Judge;
use numbers::Number;

const USAGE: &str = "\
Compares how exact the handlers of jnp.linalg are with how exact LAPACK is: for each routine and element type, sizes 0 to 64, 127
and 512 alone, and some in batches. A residual may be four times LAPACK's, or four times the unit roundoff if that is more.

usage: linalg accuracy [OPTION …] [ROUTINE …]

  ROUTINE          only these, by the name of LAPACK's routine for real types: potrf getrf geqrf (with orgqr and ormqr) geqp3 trsm
                   gtsv perturbed (the perturbed tridiagonal solve) gesdd gesvd syevd geev gees gehrd sytrd

  --python PY      a Python with SciPy (else the managed environment of the tests)
  --json FILE      where to write the worst of each measure and type, too
  --short          few sizes

The exit code is 1 if a bound is missed.";

/// The command line.
pub const COMMAND: Command = Command {
    name: "linalg accuracy",
    usage: USAGE,
    rows: &[
        "potrf",
        "getrf",
        "geqrf",
        "geqp3",
        "trsm",
        "gtsv",
        "perturbed",
        "gesdd",
        "gesvd",
        "syevd",
        "geev",
        "gees",
        "gehrd",
        "sytrd",
    ],
};

/// How many times LAPACK's a residual may be.
const BOUND: f64 = 4.0;

/// The worst of a measure for a type.
#[derive(Clone, Copy, Debug, serde::Serialize)]
struct Worst {
    ratio: f64,
    ours: f64,
    lapack: f64,
    batch: usize,
    rows: usize,
    columns: usize,
}

/// By measure, then by type.
type Table = BTreeMap<String, BTreeMap<&'static str, Worst>>;

/// Compares each routine, and prints how. Gives whether all bounds are reached.
///
/// # Blocking
/// For minutes: Python multiplies large matrices in extended precision.
///
/// # Errors
/// A handler fails, or Python does.
pub fn run(arguments: &Arguments) -> Result<bool, Stop> {
    let python = command::python(arguments)?;
    let mut all = Table::new();
    println!("the worst residual by LAPACK's, and where it is: rows × columns, × matrices");
    for routine in &arguments.rows {
        let mut table = Table::new();
        compare::<f32>(&python, routine, arguments.plan.short, &mut table)?;
        compare::<f64>(&python, routine, arguments.plan.short, &mut table)?;
        compare::<Complex<f32>>(&python, routine, arguments.plan.short, &mut table)?;
        compare::<Complex<f64>>(&python, routine, arguments.plan.short, &mut table)?;
        for (measure, types) in &table {
            let columns = types.iter().map(|(dtype, worst)| {
                let Worst {
                    ratio,
                    batch,
                    rows,
                    columns,
                    ..
                } = worst;
                let verdict = if *ratio <= BOUND { "" } else { " MISSED" };
                let place = format!("{rows}×{columns}×{batch}{verdict}");
                format!("{dtype} {ratio:4.2} at {place:15}")
            });
            let columns: Vec<_> = columns.collect();
            println!("{measure:18} {}", columns.join("  ").trim_end());
        }
        all.append(&mut table);
    }
    if let Some(file) = &arguments.json {
        std::fs::write(file, serde_json::to_vec_pretty(&all)?)
            .map_err(|error| format!("can't write {}: {error}", file.display()))?;
    }
    let mut worst = all.values().flat_map(BTreeMap::values);
    Ok(worst.all(|worst| worst.ratio <= BOUND))
}

fn compare<T: Number>(
    python: &Path,
    routine: &str,
    is_short: bool,
    table: &mut Table,
) -> Result<(), Stop> {
    let mut judge = Judge::start(python)?;
    for dims in dims(routine, is_short) {
        let [batch, rows, columns] = dims;
        let context = |error: &dyn std::fmt::Display| {
            let dtype = T::NAMES.0;
            format!("{routine} of {batch} {rows}×{columns} matrices of {dtype}: {error}")
        };
        let arrays = routines::run::<T>(routine, dims).map_err(|error| context(&error))?;
        // There is nothing to measure of nothing.
        if rows * columns == 0 {
            continue;
        }
        let measured = judge.ask(routine, batch, &arrays);
        for (measure, [ours, lapack]) in measured.map_err(|error| context(&error))? {
            let ratio = ours / lapack.max(T::ROUNDOFF);
            let worst = Worst {
                // NaN is worse than any number.
                ratio: if ratio.is_nan() { f64::INFINITY } else { ratio },
                ours,
                lapack,
                batch,
                rows,
                columns,
            };
            let types = table.entry(measure).or_default();
            let known = types.entry(T::NAMES.0).or_insert(worst);
            if worst.ratio > known.ratio {
                *known = worst;
            }
        }
    }
    Ok(())
}

/// Numbers of matrices, rows and columns for a routine.
fn dims(routine: &str, is_short: bool) -> Vec<[usize; 3]> {
    let alone: Vec<usize> = if is_short {
        vec![0, 1, 2, 5, 16, 33, 64]
    } else {
        (0..=64).chain([127, 512]).collect()
    };
    let batches = [
        [20, 1],
        [20, 2],
        [20, 3],
        [12, 8],
        [8, 16],
        [6, 33],
        [3, 64],
    ];
    let sizes = alone.into_iter().map(|n| [1, n]).chain(batches);
    let shapes = sizes.flat_map(|[batch, n]| {
        let long = n + n / 2;
        match routine {
            "getrf" | "geqrf" | "gesdd" | "gesvd" => {
                vec![[batch, n, n], [batch, long, n], [batch, n, long]]
            }
            "geqp3" => vec![[batch, n, n], [batch, long, n]],
            _ => vec![[batch, n, n]],
        }
    });
    shapes.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_compared_alone_and_in_batches() {
        let square = dims("potrf", false);
        // 0 to 64, 127 and 512, then seven batches.
        assert_eq!(square.len(), 67 + 7);
        assert!(square.contains(&[1, 512, 512]) && square.contains(&[3, 64, 64]));
        assert_eq!(dims("gesdd", false).len(), 3 * 74);
        assert!(dims("gesdd", false).contains(&[1, 768, 512]));
    }

    #[test]
    fn small_matrices_are_as_exact_as_those_of_lapack() {
        let environment = cyxla_test_environment::main();
        let mut table = Table::new();
        for routine in COMMAND.rows {
            compare::<Complex<f64>>(environment.interpreter(), routine, true, &mut table).unwrap();
        }
        for (measure, types) in &table {
            for (dtype, worst) in types {
                assert!(worst.ratio <= BOUND, "{measure} of {dtype}: {worst:?}");
            }
        }
    }
}
