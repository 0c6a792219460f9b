//! `lapack_?getrf_ffi`

use cyxla_ffi::{CallFrame, Error, Parts};

use super::{Lapack, cost};
use crate::batch::{Write, for_each};
use crate::shapes::{Matrices, expect_len};

/// x: T[…, m, n] → lu: T[…, m, n] in place, pivots: i32[…, min(m, n)], info: i32[…].
pub(crate) fn getrf<T: Lapack>(frame: &mut CallFrame<'_>) -> Result<(), Error> {
    let Parts {
        arguments: [x],
        results: [out, pivots, info],
        ..
    } = frame.parts()?;
    let shape = Matrices::of("x", &x)?;
    let (out, info) = (out.in_place_of::<T>(&x)?, info.into_slice::<i32>()?);
    let pivots = pivots.into_slice::<i32>()?;
    expect_len("info", info.len(), shape.count)?;
    expect_len("the pivots", pivots.len(), shape.count * shape.rank())?;
    let Matrices { count, rows, cols } = shape;
    let members = (
        Write::new(out, shape.size()),
        Write::new(pivots, shape.rank()),
        Write::new(info, 1),
    );
    for_each(
        count,
        cost::<T>(2.0 / 3.0, [rows, cols, shape.rank()]),
        members,
        |members| {
            let (a, pivots, info) = members;
            info[0] = crate::lu::getrf(rows, cols, a, pivots);
        },
    );
    Ok(())
}
