//! Measures calls: see `cyxla_tests::calls`.

use std::process::ExitCode;

use cyxla_tests::calls::raw::Raw;
use cyxla_tests::calls::rows::Setup;
use cyxla_tests::calls::{COMMAND, JIT};
use cyxla_tests::measure::arguments::Arguments;
use cyxla_tests::measure::command::{self, Stop};
use cyxla_tests::measure::jax_jit::JaxJit;

fn main() -> ExitCode {
    command::main(&COMMAND, std::env::args().skip(1), run)
}

/// Whether all bounds are reached.
fn run(arguments: &Arguments) -> Result<bool, Stop> {
    let info = command::initialize(arguments)?;
    let mut setup = Setup {
        engine: arguments.engine,
        raw: Raw::beside(&info)?,
        jax: if arguments.jax {
            Some(JaxJit::start(&command::python(arguments)?, JIT)?)
        } else {
            None
        },
        plan: arguments.plan.clone(),
    };
    command::rows(arguments, |name| Ok(setup.measure(name)?))
}
