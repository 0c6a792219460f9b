//! The command line.

use std::path::PathBuf;
use std::time::Duration;

use cyxla::Engine;

/// What the command line takes, printed by `--help`.
pub const USAGE: &str = "\
Runs real JAX programs through cyxla and compares with JAX.

usage: cases [OPTION …] DIR [NAME …]

  DIR                  a folder with Python modules that define `fn` and `example_args`
  NAME                 only these modules

  --python PY          the Python to lower with, which has the libraries of the cases (else CYXLA_PYTHON)
  --plugin PATH        the PJRT plugin (else the default one)
  --engine ENGINE      what runs the programs: pjrt, the default, or native
  --json FILE          where to write the outcomes as JSON, too
  --time-limit SECONDS for each case (600)

The exit code is 0 if no case differs or fails.";

/// What the command line says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Arguments {
    /// The folder of the cases.
    pub directory: PathBuf,
    /// The cases to run; all if empty.
    pub names: Vec<String>,
    /// The Python to lower with.
    pub python: PathBuf,
    /// What runs the programs.
    pub engine: Engine,
    /// The plugin, unless it is the default one.
    pub plugin: Option<PathBuf>,
    /// Where to write JSON.
    pub json: Option<PathBuf>,
    /// For each case.
    pub time_limit: Duration,
}

/// Something else than [`Arguments`] on the command line.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unusable {
    /// `--help`.
    #[error("{USAGE}")]
    Help,
    /// A mistake.
    #[error("{0}\n  help: cases --help shows what it takes")]
    Mistake(String),
}

impl Arguments {
    /// Reads the command line, without the name of the program; `python` is the one of the environment.
    ///
    /// # Errors
    /// `--help`, or a mistake.
    pub fn parse(
        arguments: impl IntoIterator<Item = String>,
        python: Option<PathBuf>,
    ) -> Result<Self, Unusable> {
        let mut arguments = arguments.into_iter();
        let mut positional = Vec::new();
        let (mut given, mut plugin, mut json) = (None, None, None);
        let mut engine = Engine::Pjrt;
        let mut time_limit = Duration::from_secs(600);
        while let Some(argument) = arguments.next() {
            let mut value = || {
                arguments
                    .next()
                    .ok_or_else(|| Unusable::Mistake(format!("{argument} needs a value")))
            };
            match argument.as_str() {
                "--help" | "-h" => return Err(Unusable::Help),
                "--python" => given = Some(PathBuf::from(value()?)),
                "--plugin" => plugin = Some(PathBuf::from(value()?)),
                "--json" => json = Some(PathBuf::from(value()?)),
                "--engine" => {
                    engine = crate::engine::named(&value()?).map_err(Unusable::Mistake)?;
                }
                "--time-limit" => time_limit = seconds(&value()?)?,
                option if option.starts_with('-') => {
                    return Err(Unusable::Mistake(format!("there is no option {option}")));
                }
                _ => positional.push(argument),
            }
        }
        if positional.is_empty() {
            return Err(Unusable::Mistake("no folder with cases is given".into()));
        }
        let python = given.or(python).ok_or_else(|| {
            let mistake = "no Python is given: name one with --python or CYXLA_PYTHON, with JAX and the libraries \
                           that the cases import";
            Unusable::Mistake(mistake.into())
        })?;
        Ok(Self {
            directory: positional.remove(0).into(),
            names: positional,
            python,
            engine,
            plugin,
            json,
            time_limit,
        })
    }
}

fn seconds(text: &str) -> Result<Duration, Unusable> {
    let seconds = text.parse().ok().filter(|&seconds: &f64| seconds > 0.0);
    let limit = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    limit.ok_or_else(|| Unusable::Mistake(format!("`{text}` is no time limit in seconds")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Arguments, Unusable> {
        Arguments::parse(line.split_whitespace().map(str::to_owned), None)
    }

    #[test]
    fn options_and_names_are_read() {
        let line =
            "--engine native --python py --plugin p.so --json out.json --time-limit 1.5 dir a b";
        let expected = Arguments {
            directory: "dir".into(),
            names: vec!["a".into(), "b".into()],
            python: "py".into(),
            engine: Engine::Native,
            plugin: Some("p.so".into()),
            json: Some("out.json".into()),
            time_limit: Duration::from_millis(1500),
        };
        assert_eq!(parse(line), Ok(expected));
    }

    #[test]
    fn mistakes_are_named() {
        let cases = [
            ("--python py", "no folder"),
            ("dir", "no Python"),
            ("dir --python", "--python needs a value"),
            ("--engine magic dir", "no engine `magic`"),
            ("--fast dir", "no option --fast"),
            ("--time-limit -1 dir", "`-1` is no time limit"),
        ];
        for (line, expected) in cases {
            let error = parse(line).unwrap_err().to_string();
            assert!(error.contains(expected), "{line}: {error}");
        }
        assert_eq!(parse("--help"), Err(Unusable::Help));
    }

    #[test]
    fn an_option_goes_before_the_environment() {
        let words = ["--python", "given", "dir"].map(str::to_owned);
        let arguments = Arguments::parse(words, Some("of environment".into())).unwrap();
        assert_eq!(arguments.python, PathBuf::from("given"));
    }
}
