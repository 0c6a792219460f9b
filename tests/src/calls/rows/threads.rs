//! What a second thread brings.

use std::hint::black_box;
use std::time::Duration;

use super::Setup;
use crate::calls::programs::{X, tiny};
use crate::calls::raw::tiny_again;
use crate::calls::together::together;
use crate::measure::sides::Side;
use crate::measure::{Bound, Failure, Quantity, Row};

pub(super) fn measure(setup: &mut Setup) -> Result<Row, Failure> {
    let mut rivals = [setup.raw.tiny()?, setup.raw.tiny()?];
    let ours = || {
        black_box(tiny(black_box(&X))?);
        Ok(())
    };
    let mut sides = [
        Side::of_blocks("ours", |block| {
            let calls = block.calls();
            let one = together(calls, [ours])?;
            Ok(gain(one, together(calls, [ours, ours])?))
        }),
        Side::of_blocks("raw_c", |block| {
            let calls = block.calls();
            let one = together(calls, rivals.iter_mut().take(1).map(tiny_again))?;
            let two = together(calls, rivals.iter_mut().map(tiny_again))?;
            Ok(gain(one, two))
        }),
    ];
    let measured = setup.plan.whole(&mut sides, 50, 10_000)?;

    let mut row = Row::new("threads");
    row.value("ours_ratio", measured.median("ours"));
    row.value("raw_c_ratio", measured.median("raw_c"));
    row.compare(
        "2 ÷ 1",
        Quantity::Times,
        measured.median("ours"),
        ("raw C", measured.median("raw_c")),
        Bound::AtLeast(0.95),
    );
    Ok(row)
}

/// Calls per second of two threads by those of one, where each thread makes as many calls.
fn gain(one: Duration, two: Duration) -> f64 {
    2.0 * one.as_secs_f64() / two.as_secs_f64()
}
