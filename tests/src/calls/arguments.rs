//! The command line.

use std::path::PathBuf;

use super::rows;
use super::sides::Plan;

/// What the command line takes, printed by `--help`.
pub const USAGE: &str = "\
Measures calls through cyxla beside the raw C API and jax.jit, in one run, and prints how they compare.

usage: calls [OPTION …] [ROW …]

  ROW              only these rows:
    tiny           f32[2] -> f32[2]; also how far the slowest hundredth of calls lies from the median (p99 / p50)
    large_box      f32[1024,1024] + f32[1024,1024], aliased in, copied out
    large_view     the same, read where the device has it
    donation       a step of a state f32[1 << 20] that is moved through the program; also how much memory it takes
    twelve         a program of 12 arguments
    threads        calls per second of 2 threads by those of one

  --engine pjrt    what runs the programs
  --plugin PATH    the PJRT plugin (else the default one)
  --python PY      a Python with JAX (else the managed environment of the tests)
  --no-jax         without jax.jit
  --json FILE      where to write all numbers as JSON, too: an object for each row
  --short          few calls, to see that all works; bounds are not judged
  --only SIDE N    only N calls of one side (ours, raw_c, …) of each row, for a profiler

The exit code is 1 if a bound is missed.

Instructions of ours beyond those of the raw C API, per call: the difference of
  perf stat -e instructions:u calls --no-jax --only ours 200000 tiny
  perf stat -e instructions:u calls --no-jax --only raw_c 200000 tiny
each less the same with fewer calls. (XLA does not get through compiling under valgrind.)";

/// The one engine.
const ENGINE: &str = "pjrt";

/// What the command line says.
#[derive(Clone, Debug)]
pub struct Arguments {
    /// The rows to measure.
    pub rows: Vec<&'static str>,
    /// The PJRT plugin, unless it is the default one.
    pub plugin: Option<PathBuf>,
    /// The Python with JAX, unless it is that of the managed environment.
    pub python: Option<PathBuf>,
    /// Whether to measure jax.jit.
    pub jax: bool,
    /// Where to write JSON.
    pub json: Option<PathBuf>,
    /// How much to measure.
    pub plan: Plan,
}

/// Something else than [`Arguments`] on the command line.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unusable {
    /// `--help`.
    #[error("{USAGE}")]
    Help,
    /// A mistake.
    #[error("{0}\n  help: calls --help shows what it takes")]
    Mistake(String),
}

impl Arguments {
    /// Reads the command line, without the name of the program.
    ///
    /// # Errors
    /// `--help`, or a mistake.
    pub fn parse(arguments: impl IntoIterator<Item = String>) -> Result<Self, Unusable> {
        let mut arguments = arguments.into_iter();
        let mut parsed = Self {
            rows: Vec::new(),
            plugin: None,
            python: None,
            jax: true,
            json: None,
            plan: Plan {
                short: false,
                only: None,
            },
        };
        while let Some(argument) = arguments.next() {
            let mut value = || {
                let missing = || Unusable::Mistake(format!("{argument} needs a value"));
                arguments.next().ok_or_else(missing)
            };
            match argument.as_str() {
                "--help" | "-h" => return Err(Unusable::Help),
                "--engine" => match value()? {
                    engine if engine == ENGINE => {}
                    engine => {
                        let mistake = format!("there is no engine `{engine}`, only `{ENGINE}`");
                        return Err(Unusable::Mistake(mistake));
                    }
                },
                "--plugin" => parsed.plugin = Some(value()?.into()),
                "--python" => parsed.python = Some(value()?.into()),
                "--no-jax" => parsed.jax = false,
                "--json" => parsed.json = Some(value()?.into()),
                "--short" => parsed.plan.short = true,
                "--only" => {
                    let (side, calls) = (value()?, value()?);
                    let calls = calls.parse().ok().filter(|&calls: &usize| calls > 0);
                    let mistake = || Unusable::Mistake("--only takes a side and calls".into());
                    parsed.plan.only = Some((side, calls.ok_or_else(mistake)?));
                }
                option if option.starts_with('-') => {
                    return Err(Unusable::Mistake(format!("there is no option {option}")));
                }
                name => parsed.rows.push(row(name)?),
            }
        }
        if parsed.rows.is_empty() {
            parsed.rows.extend(rows::NAMES);
        }
        Ok(parsed)
    }
}

fn row(name: &str) -> Result<&'static str, Unusable> {
    let row = rows::NAMES.into_iter().find(|&row| row == name);
    row.ok_or_else(|| {
        let known = rows::NAMES.join(", ");
        Unusable::Mistake(format!("there is no row `{name}`, only {known}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Arguments, Unusable> {
        Arguments::parse(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn options_and_rows_are_read() {
        let line = "--engine pjrt --plugin p.so --python py --no-jax --json out.json --short \
                    --only ours 12 twelve tiny";
        let arguments = parse(line).unwrap();
        assert_eq!(arguments.rows, ["twelve", "tiny"]);
        assert_eq!(arguments.plugin, Some("p.so".into()));
        assert_eq!(arguments.python, Some("py".into()));
        assert_eq!(arguments.json, Some("out.json".into()));
        assert!(!arguments.jax && arguments.plan.short);
        assert_eq!(arguments.plan.only, Some(("ours".to_owned(), 12)));
    }

    #[test]
    fn without_names_all_rows_are_measured() {
        assert_eq!(parse("").unwrap().rows, rows::NAMES);
    }

    #[test]
    fn mistakes_are_named() {
        let cases = [
            ("--json", "--json needs a value"),
            ("--engine magic", "no engine `magic`"),
            ("--fast", "no option --fast"),
            ("huge", "no row `huge`, only tiny"),
            ("--only ours", "--only needs a value"),
            ("--only ours many", "a side and calls"),
        ];
        for (line, expected) in cases {
            let error = parse(line).unwrap_err().to_string();
            assert!(error.contains(expected), "{line}: {error}");
            assert!(error.contains("\n  help: "), "{line}: {error}");
        }
        assert!(matches!(parse("--help"), Err(Unusable::Help)));
    }

    #[test]
    fn the_help_names_every_row() {
        for row in rows::NAMES {
            assert!(USAGE.contains(&format!("\n    {row} ")), "{row}");
        }
    }
}
