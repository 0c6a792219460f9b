//! The programs on the raw C API: the same plugin with the same options as cyxla's.

use std::hint::black_box;

use cyxla::{OptionValue, Program, RuntimeInfo, compile_options};
use cyxla_rival::{Call, Client, CreateOption, Steps};

use super::programs::{self, Body, Vector, X};
use crate::measure::Failure;

const VECTOR: &[i64] = &[3];
const SCALAR: &[i64] = &[];
const LARGE: &[i64] = &[1024, 1024];
const STATE: &[i64] = &[1 << 20];

/// The rival on the C API.
#[derive(Debug)]
pub struct Raw(Client);

impl Raw {
    /// Starts another client of the plugin that cyxla runs on, with the options that cyxla has started its own with.
    ///
    /// # Errors
    /// The plugin refuses.
    pub fn beside(info: &RuntimeInfo) -> Result<Self, Failure> {
        let options = info.plugin.create_options.iter();
        let options: Vec<_> = options
            .filter_map(|(name, value)| Some((name.clone(), create_option(value)?)))
            .collect();
        Ok(Self(Client::open(&info.plugin.path, &options)?))
    }

    /// A call of [`programs::tiny()`], for [`tiny`].
    ///
    /// # Errors
    /// The plugin refuses.
    pub fn tiny(&self) -> Result<Call, Failure> {
        Ok(Call::new(
            &self.compile(programs::tiny::program())?,
            &[&[2]],
        )?)
    }

    /// A call of [`programs::large_box()`], with ones.
    ///
    /// # Errors
    /// The plugin refuses.
    pub fn large(&self) -> Result<Call, Failure> {
        let program = self.compile(programs::large_box::program())?;
        let mut call = Call::new(&program, &[LARGE, LARGE])?;
        call.input(0).fill(1.0);
        call.input(1).fill(1.0);
        Ok(call)
    }

    /// A state of zeros and [`programs::step()`].
    ///
    /// # Errors
    /// The plugin refuses.
    pub fn fresh_steps(&self) -> Result<Steps, Failure> {
        self.steps(programs::step::program())
    }

    /// A state of zeros and [`programs::moved_step()`].
    ///
    /// # Errors
    /// The plugin refuses.
    pub fn moved_steps(&self) -> Result<Steps, Failure> {
        self.steps(programs::moved_step::program())
    }

    /// A call of [`programs::twelve()`], for [`twelve`].
    ///
    /// # Errors
    /// The plugin refuses.
    pub fn twelve(&self) -> Result<Call, Failure> {
        let shapes = [
            VECTOR, VECTOR, VECTOR, VECTOR, SCALAR, VECTOR, SCALAR, VECTOR, VECTOR, SCALAR, VECTOR,
            SCALAR,
        ];
        let program = self.compile(programs::twelve::program())?;
        Ok(Call::new(&program, &shapes)?)
    }

    fn steps(&self, program: &Program) -> Result<Steps, Failure> {
        let mut steps = Steps::new(&self.compile(program)?, &[STATE, SCALAR])?;
        steps.input(1)?.fill(1.0);
        Ok(steps)
    }

    /// Compiles the code of a program of cyxla, as cyxla does.
    fn compile(&self, program: &Program) -> Result<cyxla_rival::Program, Failure> {
        let (code, options) = (program.code(), compile_options());
        Ok(cyxla_rival::Program::compile(&self.0, code, options)?)
    }
}

/// Twice the sine.
///
/// # Errors
/// The call fails.
#[inline]
pub fn tiny(call: &mut Call, x: &[f32; 2]) -> Result<[f32; 2], Failure> {
    let mut y = [0.0; 2];
    call.input(0).copy_from_slice(x);
    call.run()?.read(0, &mut y)?;
    Ok(y)
}

/// Calls [`tiny`] whenever it is called, for a thread.
pub fn tiny_again(call: &mut Call) -> impl FnMut() -> Result<(), Failure> + Send {
    move || {
        black_box(tiny(call, black_box(&X))?);
        Ok(())
    }
}

/// Where a body is after a step of time.
///
/// # Errors
/// The call fails.
#[inline]
pub fn twelve(call: &mut Call, body: &Body) -> Result<Vector, Failure> {
    let mut position = [0.0; 3];
    for (index, array) in body.arrays().into_iter().enumerate() {
        call.input(index).copy_from_slice(array);
    }
    call.run()?.read(0, &mut position)?;
    Ok(position)
}

fn create_option(value: &OptionValue) -> Option<CreateOption> {
    Some(match value {
        OptionValue::Bool(value) => CreateOption::Bool(*value),
        OptionValue::Int(value) => CreateOption::Int(*value),
        OptionValue::Float(value) => CreateOption::Float(*value),
        OptionValue::Str(value) => CreateOption::Str(value.clone()),
        OptionValue::IntList(values) => CreateOption::IntList(values.clone()),
        _ => return None,
    })
}
