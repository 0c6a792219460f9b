//! `lapack_?sytrd_ffi`, `lapack_?hetrd_ffi`

use cyxla_ffi::{CallFrame, Error, Parts};

use super::{Lapack, cost};
use crate::batch::{Write, for_each};
use crate::shapes::{Matrices, expect_len, triangle};
use crate::tridiagonal;

/// x: T[…, n, n] → x: T[…, n, n] in place, d: R[…, n], e: R[…, n − 1] for R the real type of T, tau: T[…, n − 1],
/// info: i32[…]; `uplo`.
pub(crate) fn sytrd<T: Lapack<Real: Lapack>>(frame: &mut CallFrame<'_>) -> Result<(), Error> {
    let triangle = triangle(frame.attribute("uplo")?)?;
    let Parts {
        arguments: [x],
        results: [out, d, e, tau, info],
        ..
    } = frame.parts()?;
    let shape = Matrices::square("x", &x)?;
    let Matrices { count, rows: n, .. } = shape;
    let (out, info) = (out.in_place_of::<T>(&x)?, info.into_slice::<i32>()?);
    let (d, e) = (d.into_slice::<T::Real>()?, e.into_slice::<T::Real>()?);
    let tau = tau.into_slice::<T>()?;
    let beside = n.saturating_sub(1);
    expect_len("info", info.len(), count)?;
    expect_len("d", d.len(), count * n)?;
    expect_len("e", e.len(), count * beside)?;
    expect_len("tau", tau.len(), count * beside)?;
    info.fill(0);
    let members = (
        Write::new(out, shape.size()),
        Write::new(d, n),
        Write::new(e, beside),
        Write::new(tau, beside),
    );
    for_each(
        count,
        cost::<T>(4.0 / 3.0, [n; 3]),
        members,
        |(a, d, e, tau)| tridiagonal::sytrd(triangle, a, d, e, tau),
    );
    Ok(())
}
