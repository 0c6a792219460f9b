//! The command line.

use std::path::PathBuf;

use cyxla::Engine;

use super::sides::Plan;

/// A binary that measures.
#[derive(Clone, Copy, Debug)]
pub struct Command {
    /// Its name.
    pub name: &'static str,
    /// What its command line takes, printed by `--help`.
    pub usage: &'static str,
    /// The names of its rows, in order.
    pub rows: &'static [&'static str],
}

/// What the command line says.
#[derive(Clone, Debug)]
pub struct Arguments {
    /// The rows to measure.
    pub rows: Vec<&'static str>,
    /// What runs the programs.
    pub engine: Engine,
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
    #[error("{0}")]
    Help(&'static str),
    /// A mistake.
    #[error("{mistake}\n  help: {command} --help shows what it takes")]
    Mistake {
        /// What is wrong.
        mistake: String,
        /// The name of the binary.
        command: &'static str,
    },
}

impl Arguments {
    /// Reads the command line, without the name of the program.
    ///
    /// # Errors
    /// `--help`, or a mistake.
    pub fn parse(
        command: &Command,
        arguments: impl IntoIterator<Item = String>,
    ) -> Result<Self, Unusable> {
        let mut arguments = arguments.into_iter();
        let mut parsed = Self {
            rows: Vec::new(),
            engine: Engine::Pjrt,
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
                let missing = || command.mistake(format!("{argument} needs a value"));
                arguments.next().ok_or_else(missing)
            };
            match argument.as_str() {
                "--help" | "-h" => return Err(Unusable::Help(command.usage)),
                "--engine" => {
                    let named = crate::engine::named(&value()?);
                    parsed.engine = named.map_err(|mistake| command.mistake(mistake))?;
                }
                "--plugin" => parsed.plugin = Some(value()?.into()),
                "--python" => parsed.python = Some(value()?.into()),
                "--no-jax" => parsed.jax = false,
                "--json" => parsed.json = Some(value()?.into()),
                "--short" => parsed.plan.short = true,
                "--only" => {
                    let (side, calls) = (value()?, value()?);
                    let calls = calls.parse().ok().filter(|&calls: &usize| calls > 0);
                    let mistake = || command.mistake("--only takes a side and calls".into());
                    parsed.plan.only = Some((side, calls.ok_or_else(mistake)?));
                }
                option if option.starts_with('-') => {
                    return Err(command.mistake(format!("there is no option {option}")));
                }
                name => parsed.rows.push(command.row(name)?),
            }
        }
        if parsed.rows.is_empty() {
            parsed.rows.extend(command.rows);
        }
        Ok(parsed)
    }
}

impl Command {
    fn row(&self, name: &str) -> Result<&'static str, Unusable> {
        let row = self.rows.iter().find(|&&row| row == name);
        row.copied().ok_or_else(|| {
            let known = self.rows.join(", ");
            self.mistake(format!("there is no row `{name}`, only {known}"))
        })
    }

    fn mistake(&self, mistake: String) -> Unusable {
        Unusable::Mistake {
            mistake,
            command: self.name,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMMANDS: [Command; 2] = [crate::calls::COMMAND, crate::linalg::COMMAND];

    fn parse(line: &str) -> Result<Arguments, Unusable> {
        Arguments::parse(&COMMANDS[0], line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn options_and_rows_are_read() {
        let line = "--engine native --plugin p.so --python py --no-jax --json out.json --short \
                    --only ours 12 twelve tiny";
        let arguments = parse(line).unwrap();
        assert_eq!(arguments.rows, ["twelve", "tiny"]);
        assert_eq!(arguments.engine, Engine::Native);
        assert_eq!(arguments.plugin, Some("p.so".into()));
        assert_eq!(arguments.python, Some("py".into()));
        assert_eq!(arguments.json, Some("out.json".into()));
        assert!(!arguments.jax && arguments.plan.short);
        assert_eq!(arguments.plan.only, Some(("ours".to_owned(), 12)));
    }

    #[test]
    fn without_names_all_rows_are_measured() {
        assert_eq!(parse("").unwrap().rows, COMMANDS[0].rows);
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
        assert!(matches!(parse("--help"), Err(Unusable::Help(_))));
    }

    #[test]
    fn the_help_names_every_row() {
        for command in COMMANDS {
            for row in command.rows {
                assert!(command.usage.contains(&format!("\n    {row} ")), "{row}");
            }
        }
    }
}
