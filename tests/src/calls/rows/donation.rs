//! A state that is moved through a program.

use std::time::Instant;

use super::{Setup, in_rounds, jax_side};
use crate::calls::memory;
use crate::calls::programs::{State, moved_step, step, zero_state};
use crate::measure::sides::{Measured, Plan, Side, per_call};
use crate::measure::{Bound, Failure, Quantity, Row};

/// Steps of a run whose memory is looked at.
const STEPS: usize = 1000;

#[expect(clippy::cast_precision_loss, reason = "a few megabytes")]
const STATE_BYTES: f64 = size_of::<State>() as f64;

pub(super) fn measure(setup: &mut Setup) -> Result<Row, Failure> {
    let Setup { raw, plan, .. } = setup;
    // The first call of a program is no step.
    moved_step(zero_state()?, 1.0)?;
    step(&zero_state()?, 1.0)?;
    let ours_states = peak_states(plan, || Ok(ours_moved(Some(zero_state()?))))?;
    let mut moved = raw.moved_steps()?;
    let raw_states = peak_states(plan, || Ok(|| Ok(moved.step()?)))?;
    let fresh_states = peak_states(plan, || {
        let mut state = zero_state()?;
        Ok(move || {
            state = step(&state, 1.0)?;
            Ok(())
        })
    })?;
    let measured = in_rounds(setup, times)?;

    let mut row = Row::new("donation");
    row.value("ours_ns", measured.median("ours"));
    row.value("ours_not_donated_ns", measured.median("ours_not_donated"));
    row.value("raw_c_ns", measured.median("raw_c"));
    row.value("raw_c_not_awaited_ns", measured.median("raw_c_not_awaited"));
    row.value("jax_jit_ns", measured.median("jax_jit"));
    row.value("ours_states", ours_states);
    row.value("ours_not_donated_states", fresh_states);
    row.value("raw_c_states", raw_states);
    let mut compare = |rival: &'static str, theirs, bound| {
        let (ours, theirs) = (measured.median("ours"), (rival, measured.median(theirs)));
        row.compare("step", Quantity::Nanoseconds, ours, theirs, bound);
    };
    compare("ours, not donated", "ours_not_donated", Bound::AtMost(1.0));
    compare("jax.jit, donated", "jax_jit", Bound::AtMost(1.0));
    compare("raw C", "raw_c", Bound::None);
    compare("raw C, not awaited", "raw_c_not_awaited", Bound::None);
    let mut compare = |rival: &'static str, theirs, bound| {
        row.compare(
            "memory",
            Quantity::States,
            ours_states,
            (rival, theirs),
            bound,
        );
    };
    compare("a state + one", Some(2.0), Bound::AtMost(1.05));
    compare("ours, not donated", fresh_states, Bound::None);
    Ok(row)
}

/// What steps take.
fn times(setup: &mut Setup) -> Result<Measured, Failure> {
    let Setup { raw, jax, plan, .. } = setup;
    let (mut moved, mut not_awaited) = (raw.moved_steps()?, raw.moved_steps()?);
    let mut state = zero_state()?;
    let mut sides = vec![
        Side::of_calls("ours", ours_moved(Some(zero_state()?))),
        Side::of_calls("ours_not_donated", || {
            state = step(&state, 1.0)?;
            Ok(())
        }),
        Side::of_calls("raw_c", || Ok(moved.step()?)),
        // As jax.jit does it: the end alone is waited for.
        Side::of_blocks("raw_c_not_awaited", |block| {
            let start = Instant::now();
            for _ in 0..block.calls() {
                not_awaited.start()?;
            }
            not_awaited.finish()?;
            Ok(per_call(start, block.calls()))
        }),
    ];
    sides.extend(jax_side(jax, "donation"));
    plan.whole(&mut sides, 5, 200)
}

/// Steps of a state that is moved.
fn ours_moved(mut state: Option<cyxla::Buffer<State>>) -> impl FnMut() -> Result<(), Failure> {
    move || {
        // None only after an error.
        if let Some(before) = state.take() {
            state = Some(moved_step(before, 1.0)?);
        }
        Ok(())
    }
}

/// The most memory that so many steps take at once, with the state that they begin with, in states. Nothing if only one side
/// is run.
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
    let mut step = start()?;
    // Its memory is there from now on.
    step()?;
    memory::reset_peak()?;
    let before = memory::resident()?;
    for _ in 0..if plan.short { 20 } else { STEPS } {
        step()?;
    }
    Ok(Some(1.0 + (memory::peak()? - before) / STATE_BYTES))
}
