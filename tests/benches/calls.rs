//! Calls through cyxla beside the same calls on the raw C API.
//!
//! `cargo run --release -p cyxla-tests --bin calls` has them take turns and judges the outcome; here each is measured by
//! itself, and compared with the time before.

#![allow(missing_docs, reason = "a macro of criterion makes a function")]
#![allow(clippy::unwrap_used, reason = "a failed call ends the bench")]

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use cyxla_tests::calls::programs::{
    self, Body, X, large_box, large_view, moved_step, ones, zero_state,
};
use cyxla_tests::calls::raw::{self, Raw};
use cyxla_tests::calls::together::together;

fn beside() -> Raw {
    Raw::beside(&cyxla::initialize(cyxla::Options::new()).unwrap()).unwrap()
}

fn tiny(criterion: &mut Criterion) {
    let mut call = beside().tiny().unwrap();
    let mut prepared = programs::tiny::prepare().unwrap();
    let mut group = criterion.benchmark_group("tiny");
    group.bench_function("ours", |bencher| {
        bencher.iter(|| programs::tiny(black_box(&X)).unwrap());
    });
    group.bench_function("prepared", |bencher| {
        bencher.iter(|| {
            *prepared.inputs() = *black_box(&X);
            black_box(prepared.run().unwrap());
        });
    });
    group.bench_function("raw C", |bencher| {
        bencher.iter(|| raw::tiny(&mut call, black_box(&X)).unwrap());
    });
}

fn large(criterion: &mut Criterion) {
    let mut call = beside().large().unwrap();
    let (a, b) = (ones(), ones());
    let mut group = criterion.benchmark_group("large");
    group.bench_function("ours, box", |bencher| {
        bencher.iter(|| large_box(&a, &b).unwrap());
    });
    group.bench_function("raw C, box", |bencher| {
        bencher.iter(|| call.run().unwrap().read_new(0).unwrap());
    });
    group.bench_function("ours, view", |bencher| {
        bencher.iter(|| black_box(large_view(&a, &b).unwrap().view().unwrap()[1023][1023]));
    });
    group.bench_function("raw C, view", |bencher| {
        bencher.iter(|| black_box(call.run().unwrap().view(0).unwrap().last().copied()));
    });
}

fn donation(criterion: &mut Criterion) {
    let mut steps = beside().moved_steps().unwrap();
    let mut group = criterion.benchmark_group("donation");
    let mut state = Some(zero_state().unwrap());
    group.bench_function("ours", |bencher| {
        bencher.iter(|| state = Some(moved_step(state.take().unwrap(), 1.0).unwrap()));
    });
    group.bench_function("raw C", |bencher| {
        bencher.iter(|| steps.step().unwrap());
    });
}

fn twelve(criterion: &mut Criterion) {
    let mut call = beside().twelve().unwrap();
    let mut group = criterion.benchmark_group("twelve");
    group.bench_function("ours", |bencher| {
        bencher.iter(|| black_box(&Body::SOME).step().unwrap());
    });
    group.bench_function("raw C", |bencher| {
        bencher.iter(|| raw::twelve(&mut call, black_box(&Body::SOME)).unwrap());
    });
}

/// Two threads with as many calls each: the time of one of two calls that run at once.
fn threads(criterion: &mut Criterion) {
    let client = beside();
    let mut calls = [client.tiny().unwrap(), client.tiny().unwrap()];
    let number = |iterations: u64| usize::try_from(iterations).unwrap();
    let mut group = criterion.benchmark_group("threads");
    group.bench_function("ours", |bencher| {
        let call = || {
            black_box(programs::tiny(black_box(&X))?);
            Ok(())
        };
        bencher.iter_custom(|iterations| together(number(iterations), [call, call]).unwrap());
    });
    group.bench_function("raw C", |bencher| {
        bencher.iter_custom(|iterations| {
            let each = calls.iter_mut().map(raw::tiny_again);
            together(number(iterations), each).unwrap()
        });
    });
}

criterion_group!(benches, tiny, large, donation, twelve, threads);
criterion_main!(benches);
