//! Which engine runs a program.

use std::fmt;
use std::sync::OnceLock;

use cyxla_artifact::Engine;

use crate::error::{Error, NativeError};
use crate::native::Native;
use crate::program::Program;

/// What [`Options::engine`](crate::Options::engine) has chosen.
static OF_OPTIONS: OnceLock<Engine> = OnceLock::new();

/// Has programs that have both engines, and are loaded from now on, run on this one. The first choice holds.
pub(crate) fn choose(engine: Engine) {
    // A later one comes too late.
    let _ = OF_OPTIONS.set(engine);
}

/// The variable that chooses between the engines of programs that have both.
const VARIABLE: &str = "CYXLA_ENGINE";

/// What runs a [`Program`], and why.
///
/// ```no_run
/// # fn report(program: &cyxla_runtime::Program) -> cyxla_runtime::Result<()> {
/// println!("{}: {}", program.name(), program.engine()?);    // predict: native
/// # Ok(())
/// # }
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum RunsOn {
    /// The machine code that is part of this binary.
    Native,
    /// A PJRT plugin.
    Pjrt {
        /// Why not machine code.
        reason: String,
    },
}

impl fmt::Display for RunsOn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Native => f.write_str("native"),
            Self::Pjrt { reason } => write!(f, "pjrt ({reason})"),
        }
    }
}

/// The engine of a program, ready to be called.
#[cfg_attr(
    feature = "native",
    expect(
        clippy::large_enum_variant,
        reason = "there is one for each program, in a static"
    )
)]
pub(crate) enum Chosen {
    Native(Native),
    /// PJRT, with the reason.
    Pjrt(String),
}

impl Chosen {
    /// The engine of a program: machine code if it is asked for and there is some for this processor.
    ///
    /// # Errors
    /// There is none, and the program is not to run on PJRT; or `CYXLA_ENGINE` names no engine.
    pub(crate) fn of(program: &Program) -> Result<Self, Error> {
        let asked = program.asked_engine();
        if asked == Engine::Pjrt {
            return Ok(Self::Pjrt("the program was built for it".to_owned()));
        }
        let chosen = chosen()?;
        if let (Engine::Auto, Some((Engine::Pjrt, who))) = (asked, &chosen) {
            return Ok(Self::Pjrt(format!("chosen by {who}")));
        }
        let is_forced = matches!(chosen, Some((Engine::Native, _)));
        match Native::load(program) {
            Ok(native) => Ok(Self::Native(native)),
            Err(error) if asked == Engine::Native || is_forced => Err(error.into()),
            Err(error) => Ok(Self::Pjrt(error.reason())),
        }
    }

    pub(crate) fn runs_on(&self) -> RunsOn {
        match self {
            Self::Native(_) => RunsOn::Native,
            Self::Pjrt(reason) => RunsOn::Pjrt {
                reason: reason.clone(),
            },
        }
    }
}

/// What was chosen for all programs, and where; the environment goes before the program.
fn chosen() -> Result<Option<(Engine, &'static str)>, NativeError> {
    let word = std::env::var_os(VARIABLE).unwrap_or_default();
    if !word.is_empty() {
        let engine = word.to_string_lossy().parse();
        return engine
            .map(|engine| Some((engine, VARIABLE)))
            .map_err(NativeError::Variable);
    }
    Ok(OF_OPTIONS.get().map(|&engine| (engine, "Options::engine")))
}
