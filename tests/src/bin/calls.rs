//! Measures calls: see `cyxla_tests::calls`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use cyxla_build::ManagedEnvironment;
use cyxla_tests::calls::arguments::{Arguments, Unusable};
use cyxla_tests::calls::jax_jit::JaxJit;
use cyxla_tests::calls::raw::Raw;
use cyxla_tests::calls::rows::Setup;
use cyxla_tests::calls::{Comparison, table};

type Failure = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    let outcome = match Arguments::parse(std::env::args().skip(1)) {
        Ok(arguments) => run(&arguments),
        Err(Unusable::Help) => {
            println!("{}", Unusable::Help);
            Ok(true)
        }
        Err(mistake) => Err(mistake.into()),
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::from(2)
        }
    }
}

/// Whether all bounds are reached.
fn run(arguments: &Arguments) -> Result<bool, Failure> {
    let mut options = cyxla::Options::new();
    if let Some(plugin) = &arguments.plugin {
        options = options.plugin_path(std::path::absolute(plugin)?);
    }
    let info = cyxla::initialize(options)?;
    let mut setup = Setup {
        raw: Raw::beside(&info)?,
        jax: if arguments.jax {
            Some(JaxJit::start(&python(arguments)?)?)
        } else {
            None
        },
        plan: arguments.plan.clone(),
    };

    let is_judged = !arguments.plan.short;
    let mut json = serde_json::Map::new();
    let mut is_reached = true;
    println!("{}", table::head());
    for name in &arguments.rows {
        let row = setup.measure(name)?;
        print!("{}", table::lines(&row, is_judged));
        json.insert(row.name.to_owned(), row.to_json());
        is_reached &= row.comparisons.iter().all(Comparison::is_reached);
    }
    if let Some(file) = &arguments.json {
        std::fs::write(file, serde_json::to_vec_pretty(&json)?)
            .map_err(|error| format!("can't write {}: {error}", file.display()))?;
    }
    Ok(is_reached || !is_judged)
}

/// The Python that is named, else that of the managed environment of the tests.
fn python(arguments: &Arguments) -> Result<PathBuf, Failure> {
    if let Some(python) = &arguments.python {
        return Ok(python.clone());
    }
    let requirements = "environment/requirements/main.txt";
    let environment =
        ManagedEnvironment::new(Path::new(env!("CARGO_MANIFEST_DIR")).join(requirements));
    Ok(environment.create()?.interpreter().to_owned())
}
