//! `lapack_?trsm_ffi`

use cyxla_ffi::{CallFrame, Error, Parts};

use super::{Lapack, cost};
use crate::batch::{Read, Write, for_each};
use crate::options::{Op, Side};
use crate::shapes::{Matrices, diagonal, side, triangle, unknown};

/// a: T[…, p, p], y: T[…, m, n] → x: T[…, m, n] in place of y; `side`, `uplo`, `trans_x`, `diag`.
pub(crate) fn trsm<T: Lapack>(frame: &mut CallFrame<'_>) -> Result<(), Error> {
    let side = side(frame.attribute("side")?)?;
    let triangle = triangle(frame.attribute("uplo")?)?;
    let diagonal = diagonal(frame.attribute("diag")?)?;
    let op = match frame.attribute("trans_x")? {
        b'N' => Op::None,
        b'T' => Op::Transpose,
        b'C' => Op::Adjoint,
        letter => return Err(unknown("trans_x", letter, "`N`, `T` or `C`")),
    };
    let Parts {
        arguments: [a, y],
        results: [out],
        ..
    } = frame.parts()?;
    let (factors, shape) = (Matrices::square("a", &a)?, Matrices::of("y", &y)?);
    let (out, a) = (out.in_place_of::<T>(&y)?, a.as_slice::<T>()?);
    let Matrices { count, rows, cols } = shape;
    let size = if side == Side::Left { rows } else { cols };
    if (factors.count, factors.rows) != (count, size) {
        return Err(Error::invalid_argument(format_args!(
            "a has {} matrices of {} rows, but y takes {count} of {size}",
            factors.count, factors.rows
        )));
    }
    // Nothing bounds the number of systems without equations or right-hand sides.
    if out.is_empty() {
        return Ok(());
    }
    let members = (Read::new(a, factors.size()), Write::new(out, shape.size()));
    for_each(
        count,
        cost::<T>(1.0, [rows, cols, size]),
        members,
        |(a, y)| {
            crate::triangular::trsm(side, triangle, op, diagonal, (rows, cols), a, y);
        },
    );
    Ok(())
}
