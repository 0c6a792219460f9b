//! `lapack_?gees_ffi`

use cyxla_ffi::{AnyArray, AnyArrayMut, CallFrame, Error, Parts};

use super::{Lapack, cost};
use crate::batch::{Write, for_each};
use crate::schur::{Triangularize, gees, scratch};
use crate::scratch::with_scratch;
use crate::shapes::{Matrices, expect_len, unknown};

/// x: T[…, n, n] → t: T[…, n, n] in place, vs: T[…, n, n], wr, wi: T[…, n], sdim, info: i32[…]; `mode`, `sort`.
pub(crate) fn gees_real<T: Lapack + Triangularize>(frame: &mut CallFrame<'_>) -> Result<(), Error> {
    let wanted = wanted(frame)?;
    let Parts {
        arguments: [x],
        results: [t, vs, wr, wi, sdim, info],
        ..
    } = frame.parts()?;
    let eigenvalues = (wr.into_slice::<T>()?, wi.into_slice::<T>()?);
    decompose(wanted, &x, [t, vs], eigenvalues, [sdim, info])
}

/// x: T[…, n, n] → t: T[…, n, n] in place, vs: T[…, n, n], w: T[…, n], sdim, info: i32[…]; `mode`, `sort`.
pub(crate) fn gees_complex<T: Lapack + Triangularize>(
    frame: &mut CallFrame<'_>,
) -> Result<(), Error> {
    let wanted = wanted(frame)?;
    let Parts {
        arguments: [x],
        results: [t, vs, w, sdim, info],
        ..
    } = frame.parts()?;
    decompose(
        wanted,
        &x,
        [t, vs],
        (w.into_slice::<T>()?, &mut []),
        [sdim, info],
    )
}

/// Whether Schur vectors are wanted. JAX sorts no eigenvalues, for which it would have to pass a function.
fn wanted(frame: &CallFrame<'_>) -> Result<bool, Error> {
    let sort = frame.attribute("sort")?;
    if sort != b'N' {
        return Err(unknown("sort", sort, "`N`"));
    }
    match frame.attribute("mode")? {
        b'V' => Ok(true),
        b'N' => Ok(false),
        letter => Err(unknown("mode", letter, "`V` or `N`")),
    }
}

fn decompose<T: Lapack + Triangularize>(
    wanted: bool,
    x: &AnyArray<'_>,
    [t, vs]: [AnyArrayMut<'_>; 2],
    (wr, wi): (&mut [T], &mut [T]),
    [sdim, info]: [AnyArrayMut<'_>; 2],
) -> Result<(), Error> {
    let shape = Matrices::square("x", x)?;
    let Matrices { count, rows: n, .. } = shape;
    let (t, vs) = (t.in_place_of::<T>(x)?, vs.into_slice::<T>()?);
    let (sdim, info) = (sdim.into_slice::<i32>()?, info.into_slice::<i32>()?);
    let imaginary = if T::IS_REAL { n } else { 0 };
    expect_len("info", info.len(), count)?;
    expect_len("the eigenvalues", wr.len(), count * n)?;
    expect_len("their imaginary parts", wi.len(), count * imaginary)?;
    let vs_size = if wanted { shape.size() } else { 0 };
    if wanted {
        expect_len("vs", vs.len(), count * vs_size)?;
    }
    sdim.fill(0);
    let members = (
        Write::new(t, shape.size()),
        Write::new(vs, vs_size),
        Write::new(wr, n),
        Write::new(wi, imaginary),
        Write::new(info, 1),
    );
    let need = scratch::<T>(n);
    for_each(
        count,
        cost::<T>(25.0, [n; 3]),
        members,
        |(a, vs, wr, wi, info)| {
            let vs = wanted.then_some(vs);
            info[0] = with_scratch(need, |stack| gees(n, a, vs, wr, wi, stack));
        },
    );
    Ok(())
}
