//! A call that moves megabytes.

use std::hint::black_box;

use super::{Setup, in_rounds, jax_side};
use crate::calls::programs::{large_box, large_view, ones};
use crate::measure::sides::Side;
use crate::measure::{Bound, Failure, Quantity, Row};

pub(super) fn copied(setup: &mut Setup) -> Result<Row, Failure> {
    let measured = in_rounds(setup, |setup| {
        let mut call = setup.raw.large()?;
        let mut kept_call = setup.raw.large()?;
        let mut kept = vec![0.0; 1024 * 1024];
        let (a, b) = (ones(), ones());
        let mut sides = vec![
            Side::of_calls("ours", || {
                black_box(large_box(black_box(&a), black_box(&b))?);
                Ok(())
            }),
            Side::of_calls("raw_c", || {
                black_box(call.run()?.read_new(0)?);
                Ok(())
            }),
            Side::of_calls("raw_c_kept", || {
                kept_call.run()?.read(0, &mut kept)?;
                black_box(&kept);
                Ok(())
            }),
        ];
        sides.extend(jax_side(&mut setup.jax, "large_box"));
        setup.plan.whole(&mut sides, 10, 20)
    })?;

    let mut row = Row::new("large_box");
    row.value("ours_ns", measured.median("ours"));
    row.value("raw_c_ns", measured.median("raw_c"));
    row.value("raw_c_kept_ns", measured.median("raw_c_kept"));
    row.value("jax_jit_ns", measured.median("jax_jit"));
    let mut compare = |rival: &'static str, theirs, bound| {
        let (ours, theirs) = (measured.median("ours"), (rival, measured.median(theirs)));
        row.compare("call", Quantity::Nanoseconds, ours, theirs, bound);
    };
    compare("raw C, new output", "raw_c", Bound::AtMost(1.1));
    compare("raw C, kept output", "raw_c_kept", Bound::None);
    compare("jax.jit", "jax_jit", Bound::None);
    Ok(row)
}

pub(super) fn viewed(setup: &mut Setup) -> Result<Row, Failure> {
    let measured = in_rounds(setup, |setup| {
        let mut call = setup.raw.large()?;
        let (a, b) = (ones(), ones());
        let mut sides = [
            Side::of_calls("ours", || {
                let sum = large_view(black_box(&a), black_box(&b))?;
                let view = sum.view()?;
                black_box((view[0][0], view[1023][1023]));
                Ok(())
            }),
            Side::of_calls("raw_c", || {
                let mut results = call.run()?;
                let view = results.view(0)?;
                black_box((view.first(), view.last()));
                Ok(())
            }),
        ];
        setup.plan.whole(&mut sides, 10, 20)
    })?;

    let mut row = Row::new("large_view");
    row.value("ours_ns", measured.median("ours"));
    row.value("raw_c_ns", measured.median("raw_c"));
    row.compare(
        "call",
        Quantity::Nanoseconds,
        measured.median("ours"),
        ("raw C, borrowed", measured.median("raw_c")),
        Bound::AtMost(1.1),
    );
    Ok(row)
}
