//! `lapack_?geev_ffi`

use cyxla_ffi::{AnyArray, AnyArrayMut, CallFrame, Error, Parts};

use super::{Lapack, cost};
use crate::batch::{Read, Write, for_each};
use crate::eig::{Decompose, geev, scratch};
use crate::scratch::with_scratch;
use crate::shapes::{Matrices, expect_len, unknown};

/// x: T[…, n, n] → wr, wi: T[…, n], vl, vr: C[…, n, n] for C the complex type of T, info: i32[…]; `compute_left`,
/// `compute_right`.
pub(crate) fn geev_real<T>(frame: &mut CallFrame<'_>) -> Result<(), Error>
where
    T: Lapack + Decompose<Complex: Lapack>,
{
    let wanted = wanted(frame)?;
    let Parts {
        arguments: [x],
        results: [wr, wi, vl, vr, info],
        ..
    } = frame.parts()?;
    let eigenvalues = (wr.into_slice::<T>()?, wi.into_slice::<T>()?);
    decompose(wanted, &x, eigenvalues, [vl, vr], info)
}

/// x: T[…, n, n] → w: T[…, n], vl, vr: T[…, n, n], info: i32[…]; attributes as of [`geev_real`].
pub(crate) fn geev_complex<T>(frame: &mut CallFrame<'_>) -> Result<(), Error>
where
    T: Lapack + Decompose<Complex: Lapack>,
{
    let wanted = wanted(frame)?;
    let Parts {
        arguments: [x],
        results: [w, vl, vr, info],
        ..
    } = frame.parts()?;
    decompose(wanted, &x, (w.into_slice::<T>()?, &mut []), [vl, vr], info)
}

/// Whether left and right vectors are wanted.
fn wanted(frame: &CallFrame<'_>) -> Result<[bool; 2], Error> {
    let is_wanted = |name| match frame.attribute(name)? {
        b'V' => Ok(true),
        b'N' => Ok(false),
        letter => Err(unknown(name, letter, "`V` or `N`")),
    };
    Ok([is_wanted("compute_left")?, is_wanted("compute_right")?])
}

fn decompose<T>(
    wanted: [bool; 2],
    x: &AnyArray<'_>,
    (wr, wi): (&mut [T], &mut [T]),
    vectors: [AnyArrayMut<'_>; 2],
    info: AnyArrayMut<'_>,
) -> Result<(), Error>
where
    T: Lapack + Decompose<Complex: Lapack>,
{
    let shape = Matrices::square("x", x)?;
    let Matrices { count, rows: n, .. } = shape;
    let (x, info) = (x.as_slice::<T>()?, info.into_slice::<i32>()?);
    let [vl, vr] = vectors;
    let (vl, vr) = (
        vl.into_slice::<T::Complex>()?,
        vr.into_slice::<T::Complex>()?,
    );
    let imaginary = if T::IS_REAL { n } else { 0 };
    expect_len("info", info.len(), count)?;
    expect_len("the eigenvalues", wr.len(), count * n)?;
    expect_len("their imaginary parts", wi.len(), count * imaginary)?;
    let [left, right] = wanted.map(|wanted| if wanted { shape.size() } else { 0 });
    for (name, wanted, vectors) in [("vl", wanted[0], &*vl), ("vr", wanted[1], &*vr)] {
        if wanted {
            expect_len(name, vectors.len(), count * shape.size())?;
        }
    }
    let members = (
        Read::new(x, shape.size()),
        Write::new(wr, n),
        Write::new(wi, imaginary),
        Write::new(vl, left),
        Write::new(vr, right),
        Write::new(info, 1),
    );
    let need = scratch::<T>(n);
    for_each(
        count,
        cost::<T>(25.0, [n; 3]),
        members,
        |(a, wr, wi, vl, vr, info)| {
            let (vl, vr) = (wanted[0].then_some(vl), wanted[1].then_some(vr));
            info[0] = with_scratch(need, |stack| geev(n, a, wr, wi, vl, vr, stack));
        },
    );
    Ok(())
}
