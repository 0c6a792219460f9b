//! The same calls on a GPU and on the processor: `gpu` prints their results on the platform of `CYXLA_PLATFORM`, `gpu compare`
//! runs them on both and says how far they are apart.

mod compare;
mod results;

use std::process::ExitCode;

use compare::{Outcome, compare};
use results::results;

fn main() -> ExitCode {
    let comparing = std::env::args()
        .nth(1)
        .is_some_and(|word| word == "compare");
    let done = if comparing { compare() } else { print() };
    match done {
        Ok(Outcome::Same) => ExitCode::SUCCESS,
        Ok(Outcome::Different) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Prints the results, one program a line, as `compare` reads them.
fn print() -> Result<Outcome, Box<dyn std::error::Error>> {
    let info = cyxla::initialize(cyxla::Options::new())?;
    eprintln!(
        "{}: {}",
        info.platform,
        info.platform_version.replace('\n', ", ")
    );
    print!("{}", results()?.text());
    Ok(Outcome::Same)
}
