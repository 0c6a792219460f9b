//! What every binary that measures does around its rows.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use cyxla_build::ManagedEnvironment;

use super::arguments::{Arguments, Command, Unusable};
use super::{Comparison, Row, table};

/// Why a binary that measures stops.
pub type Stop = Box<dyn std::error::Error>;

/// Reads the command line and measures. The exit code is 1 if a bound is missed, 2 if something fails.
///
/// `line` is the command line, from the first argument on.
pub fn main(
    command: &Command,
    line: impl Iterator<Item = String>,
    run: impl FnOnce(&Arguments) -> Result<bool, Stop>,
) -> ExitCode {
    let outcome = match Arguments::parse(command, line) {
        Ok(arguments) => run(&arguments),
        Err(help @ Unusable::Help(_)) => {
            println!("{help}");
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

/// Loads the plugin that the command line names, or the default one, and chooses the engine.
///
/// # Errors
/// There is none, or it does not load.
pub fn initialize(arguments: &Arguments) -> Result<cyxla::RuntimeInfo, Stop> {
    let mut options = cyxla::Options::new().engine(arguments.engine);
    if let Some(plugin) = &arguments.plugin {
        options = options.plugin_path(std::path::absolute(plugin)?);
    }
    Ok(cyxla::initialize(options)?)
}

/// Measures each row, and prints it and writes it as the command line says. Gives whether all bounds are reached, or not judged.
///
/// # Blocking
/// For minutes.
///
/// # Errors
/// A row can't be measured, or the file can't be written.
pub fn rows(
    arguments: &Arguments,
    mut measure: impl FnMut(&'static str) -> Result<Row, Stop>,
) -> Result<bool, Stop> {
    let is_judged = !arguments.plan.short;
    let mut json = serde_json::Map::new();
    let mut is_reached = true;
    println!("{}", table::head());
    for name in &arguments.rows {
        let row = measure(name)?;
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
///
/// # Errors
/// The environment can't be made.
pub fn python(arguments: &Arguments) -> Result<PathBuf, Stop> {
    if let Some(python) = &arguments.python {
        return Ok(python.clone());
    }
    let requirements = "environment/requirements/main.txt";
    let environment =
        ManagedEnvironment::new(Path::new(env!("CARGO_MANIFEST_DIR")).join(requirements));
    Ok(environment.create()?.interpreter().to_owned())
}
