//! `lapack_?gtsv_ffi`, `tridiagonal_solve_perturbed_ffi`

use cyxla_ffi::{CallFrame, DType, Error, Parts};
use num_complex::Complex;

use super::{Lapack, cost};
use crate::batch::{Read, Write, for_each};
use crate::shapes::{Matrices, expect_len};
use crate::tridiagonal_solve::solve_perturbed;

/// dl, d, du: T[…, n], b: T[…, n, r] → all four in place, b now the solution; info: i32[…].
pub(crate) fn gtsv<T: Lapack>(frame: &mut CallFrame<'_>) -> Result<(), Error> {
    let Parts {
        arguments: [lower, d, upper, b],
        results: [lower_out, d_out, upper_out, b_out, info],
        ..
    } = frame.parts()?;
    let shape = Matrices::of("b", &b)?;
    let Matrices {
        count,
        rows: n,
        cols,
    } = shape;
    let (lower, d) = (
        lower_out.in_place_of::<T>(&lower)?,
        d_out.in_place_of::<T>(&d)?,
    );
    let (upper, b) = (
        upper_out.in_place_of::<T>(&upper)?,
        b_out.in_place_of::<T>(&b)?,
    );
    let info = info.into_slice::<i32>()?;
    for (name, len) in [("dl", lower.len()), ("d", d.len()), ("du", upper.len())] {
        expect_len(name, len, count * n)?;
    }
    expect_len("info", info.len(), count)?;
    let members = (
        Write::new(lower, n),
        Write::new(d, n),
        Write::new(upper, n),
        Write::new(b, shape.size()),
        Write::new(info, 1),
    );
    for_each(
        count,
        cost::<T>(8.0, [n, cols, 1]),
        members,
        |(lower, d, upper, b, info)| {
            // The first element below the diagonal is in the second row; the last above it in the row before the last.
            let (_, lower) = lower.split_at_mut(lower.len().min(1));
            let last = upper.len().saturating_sub(1);
            info[0] = crate::tridiagonal_solve::gtsv(lower, d, &mut upper[..last], b, cols);
        },
    );
    Ok(())
}

/// dl, d, du: T[…, n], b: T[…, n, r] → x: T[…, n, r], for T one of LAPACK's types.
pub(crate) fn perturbed(frame: &mut CallFrame<'_>) -> Result<(), Error> {
    let parts = frame.parts::<4, 1>()?;
    match parts.arguments[3].dtype() {
        DType::F32 => perturbed_of::<f32>(parts),
        DType::F64 => perturbed_of::<f64>(parts),
        DType::C64 => perturbed_of::<Complex<f32>>(parts),
        DType::C128 => perturbed_of::<Complex<f64>>(parts),
        other => Err(Error::invalid_argument(format_args!(
            "b is of {other}, but can be of f32, f64, c64 or c128"
        ))),
    }
}

fn perturbed_of<T: Lapack>(parts: Parts<'_, 4, 1>) -> Result<(), Error> {
    let Parts {
        arguments: [lower, d, upper, b],
        results: [x],
        ..
    } = parts;
    let shape = Matrices::of("b", &b)?;
    let Matrices {
        count,
        rows: n,
        cols,
    } = shape;
    let diagonals = [
        lower.as_slice::<T>()?,
        d.as_slice::<T>()?,
        upper.as_slice::<T>()?,
    ];
    let (b, x) = (b.as_slice::<T>()?, x.into_slice::<T>()?);
    for (name, diagonal) in ["dl", "d", "du"].into_iter().zip(diagonals) {
        expect_len(name, diagonal.len(), count * n)?;
    }
    expect_len("x", x.len(), b.len())?;
    // Nothing bounds the number of systems without equations or right-hand sides.
    if x.is_empty() {
        return Ok(());
    }
    let [lower, d, upper] = diagonals.map(|diagonal| Read::new(diagonal, n));
    let members = (
        lower,
        d,
        upper,
        Read::new(b, shape.size()),
        Write::new(x, shape.size()),
    );
    for_each(
        count,
        cost::<T>(8.0, [n, cols, 1]),
        members,
        |(lower, d, upper, b, x)| {
            solve_perturbed((lower, d, upper), b, x, cols);
        },
    );
    Ok(())
}
