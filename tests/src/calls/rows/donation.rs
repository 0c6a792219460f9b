//! A state that is moved through a program.

use cyxla_rival::Steps;

use super::{Setup, jax_side};
use crate::calls::memory;
use crate::calls::programs::{State, step};
use crate::calls::sides::{Plan, Side};
use crate::calls::{Bound, Failure, Quantity, Row};

const SHAPES: [&[i64]; 2] = [&[1 << 20], &[]];

/// Steps of a block, and of a run whose memory is looked at.
const STEPS: usize = 1000;

#[expect(clippy::cast_precision_loss, reason = "a few megabytes")]
const STATE_BYTES: f64 = size_of::<State>() as f64;

pub(super) fn measure(setup: &mut Setup) -> Result<Row, Failure> {
    let fresh = setup.compile(step::program())?;
    let steps = |program| {
        let mut steps = Steps::new(program, &SHAPES)?;
        steps.input(1).fill(1.0);
        Ok::<_, Failure>(steps)
    };
    let plan = &setup.plan;
    let raw_fresh_memory = peak_states(plan, || {
        let mut steps = steps(&fresh)?;
        Ok(move || Ok(steps.step()?))
    })?;

    let mut raw_fresh = steps(&fresh)?;
    let mut sides = vec![Side::of_calls("raw_c_fresh", || Ok(raw_fresh.step()?))];
    sides.extend(jax_side(&mut setup.jax, "donation"));
    let measured = plan.whole(&mut sides, 7, STEPS)?;

    let mut row = Row::new("donation");
    row.value("ours_ns", measured.median("ours"));
    row.value("raw_c_fresh_ns", measured.median("raw_c_fresh"));
    row.value("jax_jit_ns", measured.median("jax_jit"));
    row.value("raw_c_fresh_states", raw_fresh_memory);
    let ours = measured.median("ours");
    let mut compare = |rival: &'static str, side, bound| {
        let rival = (rival, measured.median(side));
        row.compare("step", Quantity::Nanoseconds, ours, rival, bound);
    };
    compare("jax.jit, donated", "jax_jit", Bound::AtMost(1.0));
    Ok(row)
}

/// The most memory that so many steps take at once, with what they begin with, in states. Nothing if only one side is run.
fn peak_states<S>(
    plan: &Plan,
    start: impl FnOnce() -> Result<S, Failure>,
) -> Result<Option<f64>, Failure>
where
    S: FnMut() -> Result<(), Failure>,
{
    if plan.only.is_some() {
        return Ok(None);
    }
    memory::reset_peak()?;
    let before = memory::resident()?;
    let mut step = start()?;
    for _ in 0..if plan.short { 20 } else { STEPS } {
        step()?;
    }
    Ok(Some((memory::peak()? - before) / STATE_BYTES))
}
