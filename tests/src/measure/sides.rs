//! The sides of a row, which take turns.

use std::time::Instant;

use super::Failure;

/// How much is measured.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Little, to see that it works.
    pub short: bool,
    /// Only this side, in one block of so many calls.
    pub only: Option<(String, usize)>,
}

/// What a side is asked for.
#[derive(Debug)]
pub enum Block<'a> {
    /// So many calls, timed as one.
    Whole(usize),
    /// As many calls as there are places, each timed by itself, in nanoseconds.
    Each(&'a mut [f64]),
}

impl Block<'_> {
    /// How many calls are asked for.
    pub fn calls(&self) -> usize {
        match self {
            Self::Whole(calls) => *calls,
            Self::Each(times) => times.len(),
        }
    }
}

/// One of those that are compared.
pub struct Side<'a> {
    name: &'static str,
    run: Box<Run<'a>>,
}

/// Gives nanoseconds per call, or whatever else the row compares.
type Run<'a> = dyn FnMut(Block<'_>) -> Result<f64, Failure> + 'a;

impl<'a> Side<'a> {
    /// A side that is called again and again.
    pub fn of_calls(
        name: &'static str,
        mut call: impl FnMut() -> Result<(), Failure> + 'a,
    ) -> Self {
        Self::of_blocks(name, move |block| match block {
            Block::Whole(calls) => {
                let start = Instant::now();
                for _ in 0..calls {
                    call()?;
                }
                Ok(per_call(start, calls))
            }
            Block::Each(times) => {
                for time in &mut *times {
                    let start = Instant::now();
                    call()?;
                    *time = per_call(start, 1);
                }
                Ok(median(times))
            }
        })
    }

    /// A side that does whole blocks.
    pub fn of_blocks(
        name: &'static str,
        run: impl FnMut(Block<'_>) -> Result<f64, Failure> + 'a,
    ) -> Self {
        Self {
            name,
            run: Box::new(run),
        }
    }
}

impl std::fmt::Debug for Side<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Side")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// What was measured of each side.
#[derive(Debug, Default)]
pub struct Measured(Vec<(&'static str, Vec<f64>)>);

impl Measured {
    /// Adds what was measured of the same sides another time.
    pub fn extend(&mut self, other: Self) {
        for (name, values) in other.0 {
            match self.0.iter_mut().find(|(known, _)| *known == name) {
                Some((_, known)) => known.extend(values),
                None => self.0.push((name, values)),
            }
        }
    }

    /// The median of a side, if it was measured.
    pub fn median(&self, side: &str) -> Option<f64> {
        self.quantile(side, 0.5)
    }

    /// A quantile of a side, such as 0.99, if it was measured.
    pub fn quantile(&self, side: &str, quantile: f64) -> Option<f64> {
        let (_, values) = self.0.iter().find(|(name, _)| *name == side)?;
        Some(self::quantile(&mut values.clone(), quantile))
    }
}

impl Plan {
    /// Whether all of it is measured: neither little nor one side alone.
    pub fn is_complete(&self) -> bool {
        !self.short && self.only.is_none()
    }

    /// Has the sides take turns: `blocks` blocks of `calls` calls each, and one before that does not count. Nor does a call
    /// before each block, which finds the caches and the heap as another side has left them.
    ///
    /// # Errors
    /// Those of the sides.
    pub fn whole(
        &self,
        sides: &mut [Side<'_>],
        blocks: usize,
        calls: usize,
    ) -> Result<Measured, Failure> {
        if let Some((only, calls)) = &self.only {
            let mut measured = Measured::default();
            for side in sides.iter_mut().filter(|side| side.name == only) {
                let value = (side.run)(Block::Whole(*calls))?;
                measured.0.push((side.name, vec![value]));
            }
            return Ok(measured);
        }
        let (blocks, calls) = self.shortened(blocks, calls);
        take_turns(sides, blocks, |side, values| {
            (side.run)(Block::Whole(1))?;
            values.push((side.run)(Block::Whole(calls))?);
            Ok(())
        })
    }

    /// As [`whole`](Self::whole), with each call timed by itself.
    ///
    /// # Errors
    /// Those of the sides.
    pub fn each(
        &self,
        sides: &mut [Side<'_>],
        blocks: usize,
        calls: usize,
    ) -> Result<Measured, Failure> {
        if self.only.is_some() {
            return Ok(Measured::default());
        }
        let (blocks, calls) = self.shortened(blocks, calls);
        let mut times = vec![0.0; calls];
        take_turns(sides, blocks, |side, values| {
            (side.run)(Block::Each(&mut times))?;
            values.extend_from_slice(&times);
            Ok(())
        })
    }

    fn shortened(&self, blocks: usize, calls: usize) -> (usize, usize) {
        if self.short {
            (blocks.min(3), calls.div_ceil(20))
        } else {
            (blocks, calls)
        }
    }
}

fn take_turns(
    sides: &mut [Side<'_>],
    blocks: usize,
    mut run: impl FnMut(&mut Side<'_>, &mut Vec<f64>) -> Result<(), Failure>,
) -> Result<Measured, Failure> {
    let mut measured: Vec<_> = sides.iter().map(|side| (side.name, Vec::new())).collect();
    for block in 0..=blocks {
        for turn in 0..sides.len() {
            // Nobody always comes after the same other.
            let index = (block + turn) % sides.len();
            let values = &mut measured[index].1;
            run(&mut sides[index], values)?;
            if block == 0 {
                values.clear();
            }
        }
    }
    Ok(Measured(measured))
}

/// Nanoseconds per call since `start`.
#[expect(
    clippy::cast_precision_loss,
    reason = "a millisecond has few nanoseconds, and a block few calls"
)]
pub fn per_call(start: Instant, calls: usize) -> f64 {
    start.elapsed().as_nanos() as f64 / calls as f64
}

fn median(values: &mut [f64]) -> f64 {
    quantile(values, 0.5)
}

/// The value below which a part of the values lies; of an even number, the median is the upper one of the middle.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "an index of a list that is not empty, below its length"
)]
fn quantile(values: &mut [f64], quantile: f64) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let index = (values.len() as f64 * quantile) as usize;
    values
        .get(index.min(values.len().saturating_sub(1)))
        .copied()
        .unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_by_rank() {
        let mut values: Vec<f64> = (1..=100).rev().map(f64::from).collect();
        assert_eq!(quantile(&mut values, 0.5), 51.0);
        assert_eq!(quantile(&mut values, 0.99), 100.0);
        assert_eq!(quantile(&mut [7.0], 0.99), 7.0);
    }

    #[test]
    fn sides_take_turns_and_what_warms_up_does_not_count() {
        let order = std::cell::RefCell::new(String::new());
        let side = |name: &'static str| {
            let order = &order;
            Side::of_blocks(name, move |block| {
                if block.calls() == 1 {
                    return Ok(1000.0);
                }
                assert!(matches!(block, Block::Whole(10)));
                order.borrow_mut().push_str(name);
                Ok(f64::from(u32::try_from(order.borrow().len()).unwrap()))
            })
        };
        let plan = Plan {
            short: false,
            only: None,
        };
        let measured = plan.whole(&mut [side("a"), side("b")], 2, 10).unwrap();
        assert_eq!(*order.borrow(), "abbaab");
        // Of the second and third block, a has 4 and 5, b 3 and 6: the upper one.
        assert_eq!(measured.median("a"), Some(5.0));
        assert_eq!(measured.median("b"), Some(6.0));
        assert_eq!(measured.median("c"), None);
    }

    #[test]
    fn one_side_alone_makes_so_many_calls() {
        let calls = std::cell::Cell::new((0, 0));
        let mut sides = [
            Side::of_calls("a", || {
                calls.set((calls.get().0 + 1, calls.get().1));
                Ok(())
            }),
            Side::of_calls("b", || {
                calls.set((calls.get().0, calls.get().1 + 1));
                Ok(())
            }),
        ];
        let plan = Plan {
            short: false,
            only: Some(("b".to_owned(), 12)),
        };
        let measured = plan.whole(&mut sides, 5, 100).unwrap();
        assert_eq!(calls.get(), (0, 12));
        assert!(measured.median("a").is_none() && measured.median("b").is_some());
    }
}
