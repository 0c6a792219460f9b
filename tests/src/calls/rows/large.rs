//! A call that moves megabytes.

use std::hint::black_box;

use cyxla::Host;
use cyxla_rival::Call;

use super::{Setup, jax_side};
use crate::calls::programs::{Large, large_box};
use crate::calls::sides::Side;
use crate::calls::{Bound, Failure, Quantity, Row};

const SHAPE: &[i64] = &[1024, 1024];

fn ones() -> Host<Large> {
    let mut ones = Host::<Large>::zeros();
    ones.as_flattened_mut().fill(1.0);
    ones
}

/// A rival's call with all elements 1.
fn raw_call(setup: &Setup, program: &cyxla::Program) -> Result<Call, Failure> {
    let mut call = Call::new(&setup.compile(program)?, &[SHAPE, SHAPE])?;
    call.input(0).fill(1.0);
    call.input(1).fill(1.0);
    Ok(call)
}

pub(super) fn copied(setup: &mut Setup) -> Result<Row, Failure> {
    let program = large_box::program();
    let mut call = raw_call(setup, program)?;
    let mut kept_call = raw_call(setup, program)?;
    let mut kept = vec![0.0; 1024 * 1024];
    let (a, b) = (ones(), ones());
    let ours = || {
        black_box(large_box(black_box(&a), black_box(&b))?);
        Ok(())
    };
    let raw = || {
        black_box(call.run()?.read_new(0)?);
        Ok(())
    };
    let raw_kept = || {
        kept_call.run()?.read(0, &mut kept)?;
        black_box(&kept);
        Ok(())
    };
    let mut sides = vec![
        Side::of_calls("ours", ours),
        Side::of_calls("raw_c", raw),
        Side::of_calls("raw_c_kept", raw_kept),
    ];
    sides.extend(jax_side(&mut setup.jax, "large_box"));
    let measured = setup.plan.whole(&mut sides, 60, 20)?;

    let mut row = Row::new("large_box");
    row.value("ours_ns", measured.median("ours"));
    row.value("raw_c_ns", measured.median("raw_c"));
    row.value("raw_c_kept_ns", measured.median("raw_c_kept"));
    row.value("jax_jit_ns", measured.median("jax_jit"));
    let ours = measured.median("ours");
    let mut compare = |rival: &'static str, side, bound| {
        let rival = (rival, measured.median(side));
        row.compare("call", Quantity::Nanoseconds, ours, rival, bound);
    };
    compare("raw C", "raw_c", Bound::AtMost(1.1));
    compare("raw C, kept output", "raw_c_kept", Bound::None);
    compare("jax.jit", "jax_jit", Bound::None);
    Ok(row)
}

pub(super) fn viewed(setup: &mut Setup) -> Result<Row, Failure> {
    let mut call = raw_call(setup, large_box::program())?;
    let raw = || {
        let mut results = call.run()?;
        let view = results.view(0)?;
        black_box((view.first(), view.last()));
        Ok(())
    };
    let mut sides = [Side::of_calls("raw_c", raw)];
    let measured = setup.plan.whole(&mut sides, 60, 20)?;
    let mut row = Row::new("large_view");
    row.value("raw_c_ns", measured.median("raw_c"));
    Ok(row)
}
