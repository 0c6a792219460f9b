//! A call with twelve arguments.

use std::hint::black_box;

use super::{Setup, jax_side};
use crate::calls::programs::Body;
use crate::calls::raw;
use crate::measure::sides::Side;
use crate::measure::{Bound, Failure, Quantity, Row};

pub(super) fn measure(setup: &mut Setup) -> Result<Row, Failure> {
    let mut call = setup.raw.twelve()?;
    let mut sides = vec![
        Side::of_calls("ours", || {
            black_box(black_box(&Body::SOME).step()?);
            Ok(())
        }),
        Side::of_calls("raw_c", || {
            black_box(raw::twelve(&mut call, black_box(&Body::SOME))?);
            Ok(())
        }),
    ];
    sides.extend(jax_side(&mut setup.jax, "twelve"));
    let measured = setup.plan.whole(&mut sides, 200, 1000)?;

    let mut row = Row::new("twelve");
    row.value("ours_ns", measured.median("ours"));
    row.value("raw_c_ns", measured.median("raw_c"));
    row.value("jax_jit_ns", measured.median("jax_jit"));
    let mut compare = |rival: &'static str, theirs, bound| {
        let (ours, theirs) = (measured.median("ours"), (rival, measured.median(theirs)));
        row.compare("call", Quantity::Nanoseconds, ours, theirs, bound);
    };
    compare("raw C", "raw_c", Bound::AtMost(1.15));
    compare("jax.jit", "jax_jit", Bound::None);
    Ok(row)
}
