//! `lapack_?syevd_ffi`, `lapack_?heevd_ffi`

use cyxla_ffi::{CallFrame, Error, Parts};

use super::{Lapack, cost};
use crate::batch::{Write, for_each};
use crate::eigh::{eigh, scratch};
use crate::scratch::with_scratch;
use crate::shapes::{Matrices, expect_len, triangle, unknown};

/// x: T[…, n, n] → v: T[…, n, n] in place, w: R[…, n] for R the real type of T, info: i32[…]; `mode`, `uplo`.
///
/// `mode` says whether the eigenvectors are wanted; they are written all the same, into memory that is x otherwise.
pub(crate) fn syevd<T: Lapack<Real: Lapack>>(frame: &mut CallFrame<'_>) -> Result<(), Error> {
    let mode = frame.attribute("mode")?;
    if !matches!(mode, b'V' | b'N') {
        return Err(unknown("mode", mode, "`V` or `N`"));
    }
    let triangle = triangle(frame.attribute("uplo")?)?;
    let Parts {
        arguments: [x],
        results: [out, w, info],
        ..
    } = frame.parts()?;
    let shape = Matrices::square("x", &x)?;
    let Matrices { count, rows: n, .. } = shape;
    let (out, info) = (out.in_place_of::<T>(&x)?, info.into_slice::<i32>()?);
    let w = w.into_slice::<T::Real>()?;
    expect_len("info", info.len(), count)?;
    expect_len("w", w.len(), count * n)?;
    let members = (
        Write::new(out, shape.size()),
        Write::new(w, n),
        Write::new(info, 1),
    );
    let need = scratch::<T>(n);
    for_each(count, cost::<T>(6.0, [n; 3]), members, |(a, w, info)| {
        info[0] = with_scratch(need, |stack| eigh(triangle, n, a, w, stack));
    });
    Ok(())
}
