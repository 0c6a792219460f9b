//! `lapack_?gehrd_ffi`

use cyxla_ffi::{CallFrame, Error, Parts};

use super::{Lapack, cost};
use crate::batch::{Write, for_each};
use crate::shapes::{Matrices, expect_len};

/// x: T[…, n, n] → x: T[…, n, n] in place, tau: T[…, n − 1], info: i32[…]; `low`, `high`, which count from one.
pub(crate) fn gehrd<T: Lapack>(frame: &mut CallFrame<'_>) -> Result<(), Error> {
    let (low, high): (i32, i32) = (frame.attribute("low")?, frame.attribute("high")?);
    let Parts {
        arguments: [x],
        results: [out, tau, info],
        ..
    } = frame.parts()?;
    let shape = Matrices::square("x", &x)?;
    let Matrices { count, rows: n, .. } = shape;
    let (out, info) = (out.in_place_of::<T>(&x)?, info.into_slice::<i32>()?);
    let tau = tau.into_slice::<T>()?;
    let factors = n.saturating_sub(1);
    expect_len("info", info.len(), count)?;
    expect_len("tau", tau.len(), count * factors)?;
    info.fill(0);
    let range = match (usize::try_from(low), usize::try_from(high)) {
        (Ok(low), Ok(high)) if 1 <= low && low <= high && high <= n => (low - 1, high - 1),
        _ if n == 0 => return Ok(()),
        _ => {
            return Err(Error::invalid_argument(format_args!(
                "low is {low} and high {high}, but they name rows of {n}, from 1, the lower one first"
            )));
        }
    };
    let members = (Write::new(out, shape.size()), Write::new(tau, factors));
    for_each(count, cost::<T>(10.0 / 3.0, [n; 3]), members, |(a, tau)| {
        crate::hessenberg::gehrd(n, range.0, range.1, a, tau);
    });
    Ok(())
}
