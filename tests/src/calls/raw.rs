//! The raw C API: the same plugin with the same options as cyxla's.

use cyxla::{OptionValue, Program, RuntimeInfo, compile_options};
use cyxla_rival::{Client, CreateOption};

use super::Failure;

/// Starts another client of the plugin that cyxla runs on, with the options that cyxla has started its own with.
///
/// # Errors
/// The plugin refuses.
pub fn client(info: &RuntimeInfo) -> Result<Client, Failure> {
    let options = info.plugin.create_options.iter();
    let options: Vec<_> = options
        .filter_map(|(name, value)| Some((name.clone(), create_option(value)?)))
        .collect();
    Ok(Client::open(&info.plugin.path, &options)?)
}

/// Compiles the code of a program of cyxla, as cyxla does.
///
/// # Errors
/// The plugin refuses.
pub fn compile(client: &Client, program: &Program) -> Result<cyxla_rival::Program, Failure> {
    let (code, options) = (program.code(), compile_options());
    Ok(cyxla_rival::Program::compile(client, code, options)?)
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
