//! `lapack_?potrf_ffi`

use cyxla_ffi::{CallFrame, Error, Parts};

use super::{Lapack, cost};
use crate::batch::{Write, for_each};
use crate::shapes::{Matrices, expect_len, triangle};

/// x: T[…, n, n] → x: T[…, n, n] in place, info: i32[…]; `uplo`.
pub(crate) fn potrf<T: Lapack>(frame: &mut CallFrame<'_>) -> Result<(), Error> {
    let triangle = triangle(frame.attribute("uplo")?)?;
    let Parts {
        arguments: [x],
        results: [out, info],
        ..
    } = frame.parts()?;
    let shape = Matrices::square("x", &x)?;
    let (out, info) = (out.in_place_of::<T>(&x)?, info.into_slice::<i32>()?);
    expect_len("info", info.len(), shape.count)?;
    let n = shape.rows;
    let members = (Write::new(out, shape.size()), Write::new(info, 1));
    for_each(
        shape.count,
        cost::<T>(1.0 / 3.0, [n; 3]),
        members,
        |(a, info)| {
            info[0] = crate::cholesky::potrf(triangle, n, a);
        },
    );
    Ok(())
}
