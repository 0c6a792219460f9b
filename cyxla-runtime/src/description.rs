//! What a plugin knows of a compiled program: its name, its results, its bytes.

use std::ptr::NonNull;

use cyxla_artifact::{ArrayType, DType};
use cyxla_pjrt_sys::{
    Args as _, Call as _, PJRT_Executable, PJRT_Executable_Destroy_Args, PJRT_Executable_Name_Args,
    PJRT_Executable_NumOutputs_Args, PJRT_Executable_OutputDimensions_Args,
    PJRT_Executable_OutputElementTypes_Args, PJRT_Executable_Serialize_Args,
    PJRT_LoadedExecutable_GetExecutable_Args,
};

use crate::api::{self, Api};
use crate::element_type;
use crate::error::ApiError;
use crate::executable::Handle;

/// The plugin's description of an executable, destroyed when dropped.
pub(crate) struct Description<'a> {
    api: &'a Api,
    raw: NonNull<PJRT_Executable>,
}

impl<'a> Description<'a> {
    pub(crate) fn of(handle: &'a Handle) -> Result<Self, ApiError> {
        let api = handle.api();
        let mut args = PJRT_LoadedExecutable_GetExecutable_Args {
            loaded_executable: handle.raw(),
            ..PJRT_LoadedExecutable_GetExecutable_Args::new()
        };
        // SAFETY: the executable is alive.
        unsafe { api.call(&mut args)? };
        match NonNull::new(args.executable) {
            Some(raw) => Ok(Self { api, raw }),
            None => Err(api.nothing(PJRT_LoadedExecutable_GetExecutable_Args::FUNCTION)),
        }
    }

    /// The name of the module.
    pub(crate) fn name(&self) -> Result<String, ApiError> {
        let mut args = PJRT_Executable_Name_Args {
            executable: self.raw.as_ptr(),
            ..PJRT_Executable_Name_Args::new()
        };
        // SAFETY: the executable is alive, and so is its name.
        unsafe {
            self.api.call(&mut args)?;
            Ok(api::text(args.executable_name, args.executable_name_size))
        }
    }

    /// The types of the results; or why these are none that cyxla carries.
    pub(crate) fn output_types(&self) -> Result<Result<Vec<ArrayType>, String>, ApiError> {
        let len = self.num_outputs()?;
        let mut elements = PJRT_Executable_OutputElementTypes_Args {
            executable: self.raw.as_ptr(),
            ..PJRT_Executable_OutputElementTypes_Args::new()
        };
        let mut shapes = PJRT_Executable_OutputDimensions_Args {
            executable: self.raw.as_ptr(),
            num_outputs: len,
            ..PJRT_Executable_OutputDimensions_Args::new()
        };
        // SAFETY: the executable is alive, and so are its lists: one number for each output, and all axes of all outputs one
        // behind the other.
        let (elements, ranks, dims) = unsafe {
            self.api.call(&mut elements)?;
            self.api.call(&mut shapes)?;
            let ranks = api::slice(shapes.dim_sizes, len);
            (
                api::slice(elements.output_types, elements.num_output_types),
                ranks,
                api::slice(shapes.dims, ranks.iter().sum()),
            )
        };
        if elements.len() != len || ranks.len() != len {
            return Ok(Err(format!(
                "{len} results, but {} element types",
                elements.len()
            )));
        }
        let mut dims = dims.iter();
        let shapes = ranks.iter().map(|&rank| dims.by_ref().take(rank).collect());
        let types = std::iter::zip(elements, shapes);
        Ok(types
            .enumerate()
            .map(|(index, (&element, shape))| {
                let dtype = element_type::from_pjrt(element);
                let dtype = dtype.ok_or_else(|| {
                    format!("result {index} has the element type {element} of PJRT")
                })?;
                array_type(dtype, shape)
                    .ok_or_else(|| format!("result {index} has a shape without bounds"))
            })
            .collect())
    }

    fn num_outputs(&self) -> Result<usize, ApiError> {
        let mut args = PJRT_Executable_NumOutputs_Args {
            executable: self.raw.as_ptr(),
            ..PJRT_Executable_NumOutputs_Args::new()
        };
        // SAFETY: the executable is alive.
        unsafe { self.api.call(&mut args)? };
        Ok(args.num_outputs)
    }

    /// The executable as bytes.
    pub(crate) fn serialize(&self) -> Result<Vec<u8>, ApiError> {
        let mut args = PJRT_Executable_Serialize_Args {
            executable: self.raw.as_ptr(),
            ..PJRT_Executable_Serialize_Args::new()
        };
        // SAFETY: the executable is alive; the bytes live until their owner is freed, which is once, with the function that
        // came with it.
        unsafe {
            self.api.call(&mut args)?;
            let bytes = api::slice(
                args.serialized_bytes.cast::<u8>(),
                args.serialized_bytes_size,
            )
            .to_vec();
            if let Some(free) = args.serialized_executable_deleter {
                free(args.serialized_executable);
            }
            Ok(bytes)
        }
    }
}

impl Drop for Description<'_> {
    fn drop(&mut self) {
        let mut args = PJRT_Executable_Destroy_Args {
            executable: self.raw.as_ptr(),
            ..PJRT_Executable_Destroy_Args::new()
        };
        // SAFETY: the description is alive and ours. What could be told of an error here is of no use to anybody.
        let _ = unsafe { self.api.call(&mut args) };
    }
}

fn array_type(dtype: DType, dims: Vec<&i64>) -> Option<ArrayType> {
    let shape: Option<Vec<usize>> = dims.into_iter().map(|&n| n.try_into().ok()).collect();
    ArrayType::new(dtype, &shape?).ok()
}
