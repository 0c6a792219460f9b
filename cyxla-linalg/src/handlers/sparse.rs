//! `cpu_csr_sparse_dense_ffi`

use cyxla_ffi::{CallFrame, DType, Element, Error, Parts};
use num_complex::Complex;

use crate::shapes::expect_len;
use crate::sparse::{Csr, Entry, csr_times_dense};

/// data: T[nnz], indptr: I[m + 1], indices: I[nnz], rhs: T[n] or T[n, r] → T[m] or T[m, r], all row major.
pub(crate) fn csr_dense(frame: &mut CallFrame<'_>) -> Result<(), Error> {
    let parts = frame.parts::<4, 1>()?;
    match parts.arguments[0].dtype() {
        DType::I32 => of_values::<i32>(parts),
        DType::I64 => of_values::<i64>(parts),
        DType::F32 => of_values::<f32>(parts),
        DType::F64 => of_values::<f64>(parts),
        DType::C64 => of_values::<Complex<f32>>(parts),
        DType::C128 => of_values::<Complex<f64>>(parts),
        other => Err(Error::invalid_argument(format_args!(
            "data is of {other}, but can be of s32, s64, f32, f64, c64 or c128"
        ))),
    }
}

fn of_values<T: Entry + Element>(parts: Parts<'_, 4, 1>) -> Result<(), Error> {
    match parts.arguments[1].dtype() {
        DType::I32 => product::<T, i32>(parts),
        DType::I64 => product::<T, i64>(parts),
        other => Err(Error::invalid_argument(format_args!(
            "indptr is of {other}, but can be of s32 or s64"
        ))),
    }
}

fn product<T, I>(parts: Parts<'_, 4, 1>) -> Result<(), Error>
where
    T: Entry + Element,
    I: Element + TryInto<usize>,
{
    let Parts {
        arguments: [data, starts, columns, dense],
        results: [out],
        ..
    } = parts;
    let width = match *dense.dims() {
        [_] => 1,
        [_, width] => width,
        _ => {
            return Err(Error::invalid_argument(format_args!(
                "rhs has {} axes, but can be a vector or a matrix",
                dense.dims().len()
            )));
        }
    };
    let a = Csr {
        values: data.as_slice::<T>()?,
        columns: columns.as_slice::<I>()?,
        starts: starts.as_slice::<I>()?,
    };
    expect_len("indices", a.columns.len(), a.values.len())?;
    let out = out.into_slice::<T>()?;
    expect_len(
        "the result",
        out.len(),
        a.starts.len().saturating_sub(1).saturating_mul(width),
    )?;
    csr_times_dense(&a, dense.as_slice::<T>()?, width, out);
    Ok(())
}
