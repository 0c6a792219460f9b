//! Measures linear algebra: see `cyxla_tests::linalg`, and for `linalg accuracy` `cyxla_tests::linalg::accuracy`.

use std::process::ExitCode;

use cyxla_tests::linalg::{COMMAND, JIT, Setup, accuracy};
use cyxla_tests::measure::arguments::Arguments;
use cyxla_tests::measure::command::{self, Stop};
use cyxla_tests::measure::jax_jit::JaxJit;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1).peekable();
    if arguments.next_if(|first| first == "accuracy").is_some() {
        return command::main(&accuracy::COMMAND, arguments, accuracy::run);
    }
    command::main(&COMMAND, arguments, run)
}

/// Whether all bounds are reached.
fn run(arguments: &Arguments) -> Result<bool, Stop> {
    command::initialize(arguments)?;
    let python = command::python(arguments)?;
    let mut setup = Setup {
        jax: if arguments.jax {
            Some(JaxJit::start(&python, JIT)?)
        } else {
            None
        },
        python,
        plan: arguments.plan.clone(),
    };
    command::rows(arguments, |name| Ok(setup.measure(name)?))
}
