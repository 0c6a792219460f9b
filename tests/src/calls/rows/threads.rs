//! What a second thread brings.

use std::hint::black_box;
use std::sync::Barrier;
use std::time::Instant;

use cyxla_rival::Call;

use super::Setup;
use crate::calls::programs::tiny;
use crate::calls::sides::{Block, Side, per_call};
use crate::calls::{Bound, Failure, Quantity, Row};

const X: [f32; 2] = [0.25, 1.0];

pub(super) fn measure(setup: &mut Setup) -> Result<Row, Failure> {
    let program = setup.compile(tiny::program())?;
    let mut calls = [Call::new(&program, &[&[2]])?, Call::new(&program, &[&[2]])?];
    let ours = || {
        black_box(tiny(black_box(&X))?);
        Ok(())
    };
    let raw = |call: &mut Call| {
        let mut y = [0.0; 2];
        call.input(0).copy_from_slice(black_box(&X));
        call.run()?.read(0, &mut y)?;
        black_box(y);
        Ok(())
    };
    let [first, second] = &mut calls;
    let mut sides = [
        Side::of_blocks("ours", |block| {
            let calls = number(&block);
            let one = together(calls, [ours])?;
            Ok(2.0 * one / together(calls, [ours, ours])?)
        }),
        Side::of_blocks("raw_c", |block| {
            let calls = number(&block);
            let one = together(calls, [|| raw(&mut *first)])?;
            let both: [Box<dyn FnMut() -> _ + Send>; 2] = [
                Box::new(|| raw(&mut *first)),
                Box::new(|| raw(&mut *second)),
            ];
            Ok(2.0 * one / together(calls, both)?)
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

fn number(block: &Block<'_>) -> usize {
    match block {
        Block::Whole(calls) => *calls,
        Block::Each(times) => times.len(),
    }
}

/// Has each of these called so often, all at once, in threads of their own. Gives nanoseconds from the first start to the last
/// end, by the number of calls of one.
fn together<const N: usize>(
    calls: usize,
    each: [impl FnMut() -> Result<(), Failure> + Send; N],
) -> Result<f64, Failure> {
    let barrier = Barrier::new(N);
    std::thread::scope(|scope| {
        let threads = each.map(|mut call| {
            let barrier = &barrier;
            scope.spawn(move || {
                // What a thread does once is not what a call costs.
                for _ in 0..100 {
                    call()?;
                }
                barrier.wait();
                let start = Instant::now();
                for _ in 0..calls {
                    call()?;
                }
                Ok::<_, Failure>(per_call(start, calls))
            })
        });
        let mut longest = 0.0_f64;
        for thread in threads {
            longest = longest.max(thread.join().map_err(|_| Failure::Thread)??);
        }
        Ok(longest)
    })
}
