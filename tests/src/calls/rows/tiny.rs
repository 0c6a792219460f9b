//! The smallest call: what it costs, and how evenly.

use std::hint::black_box;

use cyxla_rival::Call;

use super::{Setup, jax_side};
use crate::calls::programs::tiny;
use crate::calls::sides::Side;
use crate::calls::{Bound, Failure, Quantity, Row};

const X: [f32; 2] = [0.25, 1.0];

pub(super) fn measure(setup: &mut Setup) -> Result<Row, Failure> {
    let program = setup.compile(tiny::program())?;
    let mut call = Call::new(&program, &[&[2]])?;
    let ours = || {
        black_box(tiny(black_box(&X))?);
        Ok(())
    };
    let raw = || {
        let mut y = [0.0; 2];
        call.input(0).copy_from_slice(black_box(&X));
        call.run()?.read(0, &mut y)?;
        black_box(y);
        Ok(())
    };
    let mut sides = vec![Side::of_calls("ours", ours), Side::of_calls("raw_c", raw)];
    let each = setup.plan.each(&mut sides, 100, 1000)?;
    sides.extend(jax_side(&mut setup.jax, "tiny"));
    let whole = setup.plan.whole(&mut sides, 300, 1000)?;

    let mut row = Row::new("tiny");
    let spread = |side| Some(each.quantile(side, 0.99)? / each.median(side)?);
    row.value("ours_ns", whole.median("ours"));
    row.value("raw_c_ns", whole.median("raw_c"));
    row.value("jax_jit_ns", whole.median("jax_jit"));
    // Each call is timed by itself here, which takes time as well.
    row.value("p50_ns", each.median("ours"));
    row.value("p99_ns", each.quantile("ours", 0.99));
    row.value("raw_c_p50_ns", each.median("raw_c"));
    row.value("raw_c_p99_ns", each.quantile("raw_c", 0.99));
    row.compare(
        "call",
        Quantity::Nanoseconds,
        whole.median("ours"),
        ("raw C", whole.median("raw_c")),
        Bound::AtMost(1.15),
    );
    row.compare(
        "call",
        Quantity::Nanoseconds,
        whole.median("ours"),
        ("jax.jit", whole.median("jax_jit")),
        Bound::Faster(2.2),
    );
    row.compare(
        "p99 / p50",
        Quantity::Times,
        spread("ours"),
        ("raw C", spread("raw_c")),
        Bound::AtMost(1.3),
    );
    Ok(row)
}
