//! The smallest call: what it costs, and how evenly.

use std::hint::black_box;

use cyxla::Engine;

use super::{Setup, jax_side};
use crate::calls::programs::{X, tiny};
use crate::calls::raw;
use crate::measure::sides::Side;
use crate::measure::{Bound, Failure, Quantity, Row};

pub(super) fn measure(setup: &mut Setup) -> Result<Row, Failure> {
    let mut call = setup.raw.tiny()?;
    let mut prepared = tiny::prepare()?;
    let mut sides = vec![
        Side::of_calls("ours", || {
            black_box(tiny(black_box(&X))?);
            Ok(())
        }),
        Side::of_calls("raw_c", || {
            black_box(raw::tiny(&mut call, black_box(&X))?);
            Ok(())
        }),
    ];
    let each = setup.plan.each(&mut sides, 100, 1000)?;
    sides.push(Side::of_calls("prepared", || {
        *prepared.inputs() = *black_box(&X);
        black_box(prepared.run()?);
        Ok(())
    }));
    sides.extend(jax_side(&mut setup.jax, "tiny"));
    let whole = setup.plan.whole(&mut sides, 300, 1000)?;

    let mut row = Row::new("tiny");
    row.value("ours_ns", whole.median("ours"));
    row.value("prepared_ns", whole.median("prepared"));
    row.value("raw_c_ns", whole.median("raw_c"));
    row.value("jax_jit_ns", whole.median("jax_jit"));
    // Each call is timed by itself here, which takes time as well.
    row.value("p50_ns", each.median("ours"));
    row.value("p99_ns", each.quantile("ours", 0.99));
    row.value("raw_c_p50_ns", each.median("raw_c"));
    row.value("raw_c_p99_ns", each.quantile("raw_c", 0.99));
    let mut compare = |what, side, rival: &'static str, theirs, bound| {
        let (ours, theirs) = (whole.median(side), (rival, whole.median(theirs)));
        row.compare(what, Quantity::Nanoseconds, ours, theirs, bound);
    };
    let (of_raw_c, of_jax_jit) = match setup.engine {
        Engine::Native => (Bound::Faster(80.0), Bound::Faster(300.0)),
        _ => (Bound::AtMost(1.15), Bound::Faster(2.2)),
    };
    compare("call", "ours", "raw C", "raw_c", of_raw_c);
    compare("call", "ours", "jax.jit", "jax_jit", of_jax_jit);
    compare("prepared", "prepared", "raw C", "raw_c", Bound::None);
    if setup.engine == Engine::Native {
        // That calls the kernel where its arrays are, and nothing else.
        compare("call", "ours", "prepared", "prepared", Bound::AtMost(1.5));
    }
    let spread = |side| Some(each.quantile(side, 0.99)? / each.median(side)?);
    let rival = ("raw C", spread("raw_c"));
    row.compare(
        "p99 / p50",
        Quantity::Times,
        spread("ours"),
        rival,
        Bound::AtMost(1.3),
    );
    Ok(row)
}
