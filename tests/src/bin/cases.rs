//! Runs real JAX programs through cyxla and compares with JAX: see `cyxla_tests::cases`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use cyxla_tests::cases::arguments::{Arguments, Unusable};
use cyxla_tests::cases::process::{self, TRIAL};
use cyxla_tests::cases::trial::Job;
use cyxla_tests::cases::{Row, list, table};

type Failure = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1).peekable();
    let outcome = if arguments.peek().is_some_and(|first| first == TRIAL) {
        let file = arguments.nth(1).unwrap_or_default();
        process::trial(Path::new(&file))
            .map(|()| true)
            .map_err(Failure::from)
    } else {
        let python = std::env::var_os("CYXLA_PYTHON").map(PathBuf::from);
        match Arguments::parse(arguments, python) {
            Ok(arguments) => run(&arguments),
            Err(Unusable::Help) => {
                println!("{}", Unusable::Help);
                Ok(true)
            }
            Err(mistake) => Err(mistake.into()),
        }
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

/// Whether all is well.
fn run(arguments: &Arguments) -> Result<bool, Failure> {
    let directory = std::path::absolute(&arguments.directory)?;
    let mut names = list::cases(&directory)
        .map_err(|error| format!("can't read the cases in {}: {error}", directory.display()))?;
    if let Some(unknown) = arguments.names.iter().find(|name| !names.contains(name)) {
        let known = names.join(", ");
        return Err(format!("there is no case `{unknown}`\n  help: there are {known}").into());
    }
    if !arguments.names.is_empty() {
        names.retain(|name| arguments.names.contains(name));
    }
    let python = located(&arguments.python)?;
    let plugin = arguments
        .plugin
        .as_deref()
        .map(std::path::absolute)
        .transpose()?;

    println!("{}", table::head());
    let mut rows: Vec<Row> = Vec::new();
    for name in names {
        let scratch = tempfile::tempdir()?;
        let job = Job {
            directory: directory.clone(),
            name,
            python: python.clone(),
            engine: arguments.engine,
            plugin: plugin.clone(),
            scratch: scratch.path().to_owned(),
        };
        let row = process::run(&job, arguments.time_limit)?;
        println!("{}", table::line(&row));
        rows.push(row);
    }
    println!("{}", table::summary(&rows));
    if let Some(file) = &arguments.json {
        std::fs::write(file, serde_json::to_vec_pretty(&rows)?)
            .map_err(|error| format!("can't write {}: {error}", file.display()))?;
    }
    Ok(!rows.iter().any(|row| row.outcome.is_bad()))
}

/// Absolute, as each case runs in a folder of its own; unless it is a name to be searched on PATH.
fn located(python: &Path) -> std::io::Result<PathBuf> {
    if python.components().count() > 1 {
        std::path::absolute(python)
    } else {
        Ok(python.to_owned())
    }
}
