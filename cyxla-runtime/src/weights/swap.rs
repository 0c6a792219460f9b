//! Other weights for a program that is loaded.

use std::path::Path;
use std::sync::Arc;

use cyxla_artifact::{ArrayType, Weight};

use super::safetensors::SafeTensors;
use super::{WeightSet, WeightsError, names};
use crate::device::OwnedBuffer;
use crate::error::Error;
use crate::error_info::counted;
use crate::executable::Executable;
use crate::host::HostView;

/// The most names of a file that a message lists.
const MOST_LISTED: usize = 20;

impl Executable {
    /// Takes other weights from a file in the format of safetensors, as
    /// [`Program::load_weights`](crate::Program::load_weights).
    ///
    /// # Blocking
    /// Until they are read and on the device.
    ///
    /// # Errors
    /// The file can't be read, lacks weights, or has them with other types. The weights are then as before.
    pub fn load_weights(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        counted(load(self, path.as_ref()))
    }
}

fn load(executable: &Executable, path: &Path) -> Result<(), Error> {
    let inner = executable.inner();
    inner.handle.client.check_process()?;
    if inner.weight_types.is_empty() {
        let program = inner.program.clone();
        return Err(WeightsError::Nothing { program }.into());
    }
    let mut file = SafeTensors::open(path)?;
    let chosen = choose(&inner.program, &inner.weight_types, &file)?;
    let before = inner.weights.get();
    let mut buffers = Vec::with_capacity(chosen.len());
    for ((weight, offsets), old) in std::iter::zip(&inner.weight_types, chosen).zip(&before.0) {
        let Some(offsets) = offsets else {
            buffers.push(Arc::clone(old));
            continue;
        };
        let memory = file.read(offsets)?;
        let view = HostView::new(&weight.array_type, memory.bytes())?;
        let buffer = OwnedBuffer::copy(&inner.handle.client, &view)?;
        buffers.push(Arc::new(buffer));
    }
    inner.weights.replace(Arc::new(WeightSet(buffers.into())));
    // Those that wait for calls would keep what they had.
    while inner.frames.take().is_some() {}
    Ok(())
}

/// Where in the file each array of the weights is; none for one that is closed over and not there, which stays.
fn choose(
    program: &str,
    weights: &[Weight],
    file: &SafeTensors,
) -> Result<Vec<Option<[u64; 2]>>, WeightsError> {
    let mut missing = Vec::new();
    let mut chosen = Vec::new();
    for weight in weights {
        let name = names::matching(&weight.path, &file.names());
        let Some(tensor) = name.and_then(|name| file.tensor(name)) else {
            if weight.bound {
                missing.push(weight.path.clone());
            }
            chosen.push(None);
            continue;
        };
        if tensor.array_type().as_ref() != Some::<&ArrayType>(&weight.array_type) {
            return Err(WeightsError::Type {
                program: program.to_owned(),
                path: file.path().to_owned(),
                name: weight.path.clone(),
                expected: Box::new(weight.array_type),
                found: tensor.described(),
            });
        }
        chosen.push(Some(tensor.offsets()));
    }
    let is_of_none = chosen.iter().all(Option::is_none);
    if missing.is_empty() && !is_of_none {
        return Ok(chosen);
    }
    if missing.is_empty() {
        missing = weights.iter().map(|weight| weight.path.clone()).collect();
    }
    Err(WeightsError::Missing {
        program: program.to_owned(),
        path: file.path().to_owned(),
        missing,
        found: file.names().take(MOST_LISTED).map(str::to_owned).collect(),
    })
}
