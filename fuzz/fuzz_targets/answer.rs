//! Any bytes as what Python answers.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| cyxla_build::fuzzing::answer(bytes));
