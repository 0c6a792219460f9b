//! Handlers are called with whatever a frame can say: arrays of any shape and type that share memory or don't, with any numbers
//! in them, and attributes of all kinds. No call panics, none takes for ever, and those that fit are served.
//!
//! A run has the same calls each time. `CYXLA_FUZZ_SECONDS=600` has it go on with other calls, and larger ones, for so long;
//! `CYXLA_FUZZ_SEED=7` has it begin elsewhere.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    clippy::many_single_char_names,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test, of small numbers"
)]

mod calls;
mod damage;
mod random;
mod values;
mod watch;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use calls::{Call, Kind, fitting};
use cyxla_ffi::{CallFrame, Error, OwnedCall};
use cyxla_linalg::{Target, targets};
use damage::{damage, share};
use num_complex::Complex;
use random::Random;
use watch::Watch;

/// A number from the environment.
fn variable(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().unwrap())
}

/// Has `check` look at each target, over and over: some rounds, or for as long as was asked for.
fn each_target(rounds: u64, check: impl Fn(&Target, &mut Random, &Round<'_>)) {
    let watch = Watch::start();
    let first = variable("CYXLA_FUZZ_SEED").unwrap_or(0);
    let long = variable("CYXLA_FUZZ_SECONDS").map(Duration::from_secs);
    let start = Instant::now();
    let mut round = first;
    while long.map_or(round < first + rounds, |long| start.elapsed() < long) {
        for (index, target) in targets().iter().enumerate() {
            let seed = round * targets().len() as u64 + index as u64;
            let context = Round {
                watch: &watch,
                target,
                seed: round,
                is_large: long.is_some(),
            };
            check(target, &mut Random::new(seed), &context);
        }
        round += 1;
    }
}

struct Round<'a> {
    watch: &'a Watch,
    target: &'a Target,
    seed: u64,
    is_large: bool,
}

impl Round<'_> {
    /// Calls the handler, and tells what it was called with if it panics.
    fn run(&self, call: &Call, owned: &mut OwnedCall) -> Result<(), Error> {
        let (name, handler) = *self.target;
        let what = format!("{name} with CYXLA_FUZZ_SEED={}: {call:?}", self.seed);
        self.watch.begin(what.clone());
        let handler = move |frame: &mut CallFrame<'_>| handler(frame);
        let outcome = catch_unwind(AssertUnwindSafe(|| owned.run(&handler)));
        self.watch.end();
        outcome.unwrap_or_else(|_| panic!("{what} panicked"))
    }
}

#[test]
fn calls_that_fit_are_served_whatever_their_numbers() {
    each_target(300, |(name, _), random, round| {
        let call = fitting(name, random, round.is_large);
        let Some(mut owned) = call.owned(random) else {
            return;
        };
        let outcome = round.run(&call, &mut owned);
        assert!(outcome.is_ok(), "{name}: {call:?}: {outcome:?}");
        // Until a handler writes it, an integer is −1, which no routine reports.
        if let Some(info) = call.info {
            let info = owned.result_slice::<i32>(info).unwrap();
            assert!(!info.contains(&-1), "{name}: {call:?}: {info:?}");
        }
    });
}

#[test]
fn calls_with_faults_are_served_or_refused() {
    each_target(2000, |(name, _), random, round| {
        let mut call = fitting(name, random, false);
        for _ in 0..=random.below(3) {
            damage(&mut call, random);
        }
        if let Some(mut owned) = call.owned(random)
            && let Err(error) = round.run(&call, &mut owned)
        {
            assert!(!error.message().is_empty(), "{name}: {call:?}");
        }
    });
}

#[test]
fn results_are_the_same_in_the_memory_of_arguments() {
    each_target(150, |(name, _), random, round| {
        let apart = fitting(name, random, round.is_large);
        let mut shared = apart.clone();
        share(&mut shared, random);
        // The same numbers in both.
        let seed = random.next();
        let Some(mut in_place) = shared.owned(&mut Random::new(seed)) else {
            return;
        };
        // Another argument than that in whose place a result belongs can't be read while the result is written.
        if round.run(&shared, &mut in_place).is_err() {
            return;
        }
        let mut of_its_own = apart.owned(&mut Random::new(seed)).unwrap();
        round.run(&apart, &mut of_its_own).unwrap();
        for (index, result) in apart.results.iter().enumerate() {
            assert_eq!(
                bits(&in_place, index, result.kind),
                bits(&of_its_own, index, result.kind),
                "{name}: result {index} of {shared:?}"
            );
        }
    });
}

/// The bits of a result; all NaNs are one.
fn bits(call: &OwnedCall, index: usize, kind: Kind) -> Vec<u64> {
    let of = |part: f64| {
        if part.is_nan() {
            u64::MAX
        } else {
            part.to_bits()
        }
    };
    let single = |parts: &[f32]| parts.iter().map(|&part| of(part.into())).collect();
    let double = |parts: &[f64]| parts.iter().map(|&part| of(part)).collect();
    match kind {
        Kind::F32 => single(call.result_slice(index).unwrap()),
        Kind::F64 => double(call.result_slice(index).unwrap()),
        Kind::C64 => {
            let numbers = call.result_slice::<Complex<f32>>(index).unwrap();
            let parts = numbers.iter().flat_map(|number| [number.re, number.im]);
            single(&parts.collect::<Vec<_>>())
        }
        Kind::C128 => {
            let numbers = call.result_slice::<Complex<f64>>(index).unwrap();
            let parts = numbers.iter().flat_map(|number| [number.re, number.im]);
            double(&parts.collect::<Vec<_>>())
        }
        Kind::I32 => {
            let numbers = call.result_slice::<i32>(index).unwrap();
            numbers.iter().map(|&number| number as u64).collect()
        }
        Kind::I64 => {
            let numbers = call.result_slice::<i64>(index).unwrap();
            numbers.iter().map(|&number| number as u64).collect()
        }
        Kind::U8 | Kind::Bool => Vec::new(),
    }
}
