//! The weights that are on the device of a client, one copy for each content.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use cyxla_artifact::{ArrayType, Digest, LoweredProgram, Weight, WeightData};

use super::{WeightSet, WeightsError, map};
use crate::client::Client;
use crate::device::OwnedBuffer;
use crate::error::Error;
use crate::host::HostView;

/// What is on the device, for as long as a program uses it. Two types may have equal contents.
#[derive(Default)]
pub(crate) struct WeightStore(Mutex<HashMap<Digest, Vec<Shared>>>);

/// An array, which keeps its client alive, and must not be kept alive by it.
struct Shared {
    array_type: ArrayType,
    buffer: Weak<OwnedBuffer>,
}

impl WeightStore {
    /// The array of this content and type; made, if it is not there.
    fn get_or_make(
        &self,
        weight: &Weight,
        make: impl FnOnce() -> Result<OwnedBuffer, Error>,
    ) -> Result<Arc<OwnedBuffer>, Error> {
        // Held while it is made: others who want the same wait for it.
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let shared = all.entry(weight.sha256).or_default();
        shared.retain(|shared| shared.buffer.strong_count() > 0);
        let there = shared
            .iter()
            .filter(|shared| shared.array_type == weight.array_type)
            .find_map(|shared| shared.buffer.upgrade());
        if let Some(buffer) = there {
            return Ok(buffer);
        }
        let buffer = Arc::new(make()?);
        shared.push(Shared {
            array_type: weight.array_type,
            buffer: Arc::downgrade(&buffer),
        });
        Ok(buffer)
    }
}

/// The weights that a program comes with, on the device of `client`.
///
/// # Errors
/// They are not those that the program was built with, can't be read, or the device has no room.
pub(crate) fn of_program(client: &Client, program: &LoweredProgram) -> Result<WeightSet, Error> {
    let name = &program.record.name;
    let weights = &program.record.weights.arrays;
    if weights.len() != program.weights.len() {
        return Err(WeightsError::Count {
            program: name.clone(),
            expected: weights.len(),
            found: program.weights.len(),
        }
        .into());
    }
    let buffers = std::iter::zip(weights, &program.weights).map(|(weight, data)| {
        let make = || on_device(client, name, weight, data);
        client.weights().get_or_make(weight, make)
    });
    Ok(WeightSet(buffers.collect::<Result<_, _>>()?))
}

fn on_device(
    client: &Client,
    program: &str,
    weight: &Weight,
    data: &WeightData,
) -> Result<OwnedBuffer, Error> {
    let changed = || WeightsError::Changed {
        program: program.to_owned(),
        name: weight.path.clone(),
    };
    let bytes = match data {
        WeightData::Bytes(bytes) => bytes.clone(),
        WeightData::File(path) => {
            let mapped = map::mapped(path).map_err(|source| WeightsError::Read {
                program: program.to_owned(),
                name: weight.path.clone(),
                path: path.clone(),
                source,
            })?;
            // What is part of the binary is what it was built with; a file may be any.
            if Digest::of(mapped) != weight.sha256 {
                return Err(changed().into());
            }
            Cow::Borrowed(mapped)
        }
        _ => return Err(changed().into()),
    };
    if bytes.len() != weight.array_type.nbytes() {
        return Err(changed().into());
    }
    match bytes {
        Cow::Borrowed(bytes) => OwnedBuffer::look_at(client, &weight.array_type, bytes),
        Cow::Owned(bytes) => OwnedBuffer::copy(client, &HostView::new(&weight.array_type, &bytes)?),
    }
}
