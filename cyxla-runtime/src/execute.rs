//! A call of a compiled program: arguments in, wait, results out.

use std::mem::MaybeUninit;

use cyxla_artifact::{ArrayType, DType};
use cyxla_pjrt_sys::{
    Args as _, Call as _, PJRT_Buffer_Type, PJRT_Buffer_UnsafePointer_Args, PJRT_ExecuteOptions,
    PJRT_LoadedExecutable_Execute_Args,
};

use crate::buffer::{Arguments, Buffers, HostData, Lending};
use crate::element_type;
use crate::error::{ApiError, ArgumentError, CompileError, Error, ExecuteError};
use crate::error_info::counted;
use crate::event::Event;
use crate::executable::{Executable, Inner};
use crate::host::{ALIGNMENT, HostView};

/// An argument of a program.
pub(crate) struct Input {
    pub(crate) array_type: ArrayType,
    /// The name of the leaf in Python, `params['w']`.
    name: String,
    /// Whether the program may reuse the memory, so that it must not be the caller's.
    donated: bool,
    element: PJRT_Buffer_Type,
    dims: Box<[i64]>,
}

impl Input {
    /// # Errors
    /// PJRT has no such arrays.
    pub(crate) fn new(
        array_type: ArrayType,
        name: String,
        donated: bool,
    ) -> Result<Self, CompileError> {
        let dims = array_type.shape().iter().map(|&n| i64::try_from(n).ok());
        match (element_type::to_pjrt(array_type.dtype()), dims.collect()) {
            (Some(element), Some(dims)) => Ok(Self {
                array_type,
                name,
                donated,
                element,
                dims,
            }),
            _ => Err(CompileError::Input {
                name,
                array_type: Box::new(array_type),
            }),
        }
    }
}

impl Executable {
    /// Runs the program, and fills `outputs` with its results, every byte, with elements of the
    /// [output types](Executable::output_types). On an error they are left in any state.
    ///
    /// # Errors
    /// Arguments or outputs do not fit, this is a forked child of the client's process, or the program fails.
    pub(crate) fn call_into(
        &self,
        arguments: &[HostView<'_>],
        outputs: &mut [&mut [MaybeUninit<u8>]],
    ) -> Result<(), Error> {
        counted(self.inner().call_into(arguments, outputs))
    }
}

impl Inner {
    fn call_into(
        &self,
        arguments: &[HostView<'_>],
        outputs: &mut [&mut [MaybeUninit<u8>]],
    ) -> Result<(), Error> {
        self.check_arguments(arguments)?;
        self.check_room(outputs)?;
        self.handle.client.check_process()?;
        self.execute(arguments, outputs)
            .map_err(|source| self.failed(source))
    }

    /// PJRT compares numbers of bytes only, and would take `f32[8,4]` for `f32[4,8]`.
    #[inline]
    fn check_arguments(&self, arguments: &[HostView<'_>]) -> Result<(), Error> {
        if arguments.len() != self.inputs.len() {
            return Err(self.wrong_count(arguments.len()));
        }
        for (index, (input, view)) in std::iter::zip(&self.inputs, arguments).enumerate() {
            if input.array_type != *view.array_type() {
                return Err(self.wrong_type(index, view.array_type()));
            }
        }
        Ok(())
    }

    #[cold]
    fn wrong_count(&self, found: usize) -> Error {
        ArgumentError::Count {
            program: self.program.clone(),
            expected: self.inputs.len(),
            found,
            inputs: self.inputs.iter().map(|input| input.array_type).collect(),
        }
        .into()
    }

    #[cold]
    fn wrong_type(&self, index: usize, found: &ArrayType) -> Error {
        let input = &self.inputs[index];
        ArgumentError::Type {
            program: self.program.clone(),
            index,
            name: input.name.clone(),
            expected: Box::new(input.array_type),
            found: Box::new(*found),
        }
        .into()
    }

    #[inline]
    fn check_room(&self, outputs: &[&mut [MaybeUninit<u8>]]) -> Result<(), Error> {
        let found = || outputs.iter().map(|room| room.len());
        let needed = || self.output_types.iter().map(ArrayType::nbytes);
        if needed().eq(found()) {
            return Ok(());
        }
        Err(ExecuteError::Room {
            program: self.program.clone(),
            needed: needed().collect(),
            found: found().collect(),
        }
        .into())
    }

    #[cold]
    fn failed(&self, source: ApiError) -> Error {
        ExecuteError::Failed {
            program: self.program.clone(),
            plugin: self.handle.api().library().to_owned(),
            source,
        }
        .into()
    }

    fn execute(
        &self,
        arguments: &[HostView<'_>],
        outputs: &mut [&mut [MaybeUninit<u8>]],
    ) -> Result<(), ApiError> {
        let arguments = self.arguments(arguments)?;
        let results = self.launch(&arguments)?;
        let in_place = self.in_place(&results);
        for (index, output) in outputs.iter_mut().enumerate() {
            let array_type = &self.output_types[index];
            if output.is_empty() {
                continue;
            }
            if in_place[index] {
                let pointer = results.pointer(index)?;
                if pointer.is_null() {
                    return Err(self
                        .handle
                        .api()
                        .nothing(PJRT_Buffer_UnsafePointer_Args::FUNCTION));
                }
                // SAFETY: the program is done, so that the buffer holds its result: as many bytes as `in_place` has made
                // sure of, in memory that the host can read.
                let bytes = unsafe { std::slice::from_raw_parts(pointer.cast(), output.len()) };
                output.copy_from_slice(bytes);
            } else {
                results.copy_to_host(index, array_type.shape().len(), output)?;
            }
            make_valid(array_type.dtype(), output);
        }
        Ok(())
    }

    /// Gives the arguments to the plugin.
    fn arguments(&self, views: &[HostView<'_>]) -> Result<Arguments<'_>, ApiError> {
        let client = &self.handle.client;
        let mut arguments = Arguments::with_capacity(client.api(), views.len());
        for (input, view) in std::iter::zip(&self.inputs, views) {
            let bytes = view.bytes();
            let lent = client.aliased_inputs()
                && !input.donated
                && !bytes.is_empty()
                && bytes.as_ptr().addr() % ALIGNMENT == 0;
            let data = HostData {
                start: bytes.as_ptr(),
                element: input.element,
                dims: &input.dims,
            };
            let lending = if lent {
                Lending::UntilDropped
            } else {
                Lending::DuringCall
            };
            // SAFETY: client and device are alive; a view has as many bytes as its type says, and that type is the input's.
            // The views outlive the call that `execute` makes, and `Arguments` ends the lending when it is dropped there.
            unsafe { arguments.put(client.raw(), client.device(), data, lending)? };
        }
        Ok(arguments)
    }

    /// Starts the program and waits until it is done.
    fn launch(&self, arguments: &Arguments<'_>) -> Result<Buffers<'_>, ApiError> {
        let api = self.handle.api();
        let mut results = Buffers::room(api, self.output_types.len());
        let mut options = PJRT_ExecuteOptions::new();
        let argument_list = arguments.buffers().as_ptr();
        let result_list = results.as_mut_ptr();
        let mut done = std::ptr::null_mut();
        let mut args = PJRT_LoadedExecutable_Execute_Args {
            executable: self.handle.raw(),
            options: &raw mut options,
            argument_lists: &raw const argument_list,
            num_devices: 1,
            num_args: arguments.buffers().len(),
            output_lists: &raw const result_list,
            device_complete_events: &raw mut done,
            ..PJRT_LoadedExecutable_Execute_Args::new()
        };
        // SAFETY: one device, for which the program was compiled; a list of living buffers, one for each argument; room for
        // as many results as the executable has, compared when it was made; room for one event, which is ours.
        let done = unsafe {
            api.call(&mut args)?;
            Event::from_raw(api, done)
        };
        match done {
            Some(done) => done.wait()?,
            None => return Err(api.nothing(PJRT_LoadedExecutable_Execute_Args::FUNCTION)),
        }
        Ok(results)
    }

    /// For each result, whether its bytes on the device are those of the host: in memory that the host can read, row major,
    /// one byte or more for each element.
    fn in_place(&self, results: &Buffers<'_>) -> &[bool] {
        // The layout of results is part of the compiled program, so that the first ones tell of all.
        self.in_place.get_or_init(|| {
            let types = self.output_types.iter().enumerate();
            types
                .map(|(index, array_type)| self.is_in_place(results, index, array_type))
                .collect()
        })
    }

    /// What the plugin does not tell is taken as a no; its own copy is right in any case.
    fn is_in_place(&self, results: &Buffers<'_>, index: usize, array_type: &ArrayType) -> bool {
        let rank = array_type.shape().len();
        self.handle.client.inplace_outputs()
            && array_type.nbytes() > 0
            && !matches!(array_type.dtype(), DType::I4 | DType::U4)
            && results
                .device_size(index)
                .is_ok_and(|size| size == array_type.nbytes())
            && results.is_row_major(index, rank).unwrap_or(false)
    }
}

/// Makes each byte one that Rust's type of the element can have.
///
/// XLA takes any byte but 0 for true, and leaves the upper half of the byte around a 4-bit integer open.
fn make_valid(dtype: DType, bytes: &mut [MaybeUninit<u8>]) {
    let valid: fn(u8) -> u8 = match dtype {
        DType::Bool => |byte| u8::from(byte != 0),
        DType::U4 => |byte| byte & 0x0F,
        DType::I4 => |byte| ((byte << 4).cast_signed() >> 4).cast_unsigned(),
        _ => return,
    };
    for byte in bytes {
        // SAFETY: the caller has filled it.
        byte.write(valid(unsafe { byte.assume_init() }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn valid(dtype: DType, bytes: &[u8]) -> Vec<u8> {
        let mut bytes: Vec<_> = bytes.iter().copied().map(MaybeUninit::new).collect();
        make_valid(dtype, &mut bytes);
        // SAFETY: all were initialized above.
        bytes
            .iter()
            .map(|byte| unsafe { byte.assume_init() })
            .collect()
    }

    #[test]
    fn any_byte_but_zero_is_true() {
        assert_eq!(valid(DType::Bool, &[0, 1, 2, 255]), [0, 1, 1, 1]);
        assert_eq!(valid(DType::U8, &[0, 1, 2, 255]), [0, 1, 2, 255]);
    }

    #[test]
    fn four_bits_are_extended_by_their_sign() {
        // -1 is 1111 in binary, -8 is 1000.
        assert_eq!(
            valid(DType::I4, &[0x0F, 0xF8, 0x07, 0x38]),
            [0xFF, 0xF8, 7, 0xF8]
        );
        assert_eq!(valid(DType::U4, &[0x0F, 0xF8, 0x07]), [15, 8, 7]);
    }
}
