//! `lapack_?gesdd_ffi`, `lapack_?gesvd_ffi`

use cyxla_ffi::{CallFrame, Error, Parts};

use super::{Lapack, cost};
use crate::batch::{Write, for_each};
use crate::scratch::with_scratch;
use crate::shapes::{Matrices, expect_len, fits, too_large, unknown};
use crate::svd::{Want, scratch, svd};

/// x: T[…, m, n] → x: T[…, m, n] in place, not used; s: R[…, k], u: T[…, m, m or k], vt: T[…, n or k, n], info: i32[…], for
/// k = min(m, n) and R the real type of T; `mode`.
pub(crate) fn gesdd<T: Lapack<Real: Lapack>>(frame: &mut CallFrame<'_>) -> Result<(), Error> {
    let want = match frame.attribute("mode")? {
        b'A' => Want::All,
        b'S' => Want::Economy,
        b'N' => Want::Values,
        letter => return Err(unknown("mode", letter, "`A`, `S` or `N`")),
    };
    let Parts {
        arguments: [x],
        results: [out, s, u, vt, info],
        ..
    } = frame.parts()?;
    let shape = Matrices::of("x", &x)?;
    let Matrices { count, rows, cols } = shape;
    let rank = shape.rank();
    let (out, info) = (out.in_place_of::<T>(&x)?, info.into_slice::<i32>()?);
    let s = s.into_slice::<T::Real>()?;
    let (u, vt) = (u.into_slice::<T>()?, vt.into_slice::<T>()?);
    expect_len("info", info.len(), count)?;
    expect_len("s", s.len(), count * rank)?;
    if want == Want::All && !(fits([count, rows, rows]) && fits([count, cols, cols])) {
        return Err(too_large("u or vt", rows.max(cols), rows.max(cols)));
    }
    let (u_size, vt_size) = match want {
        Want::All => (rows * rows, cols * cols),
        Want::Economy => (rows * rank, rank * cols),
        Want::Values => (0, 0),
    };
    if want != Want::Values {
        expect_len("u", u.len(), count * u_size)?;
        expect_len("vt", vt.len(), count * vt_size)?;
    }
    let members = (
        Write::new(out, shape.size()),
        Write::new(s, rank),
        Write::new(u, u_size),
        Write::new(vt, vt_size),
        Write::new(info, 1),
    );
    let need = scratch::<T>(rows, cols, want);
    for_each(
        count,
        cost::<T>(12.0, [rows, cols, rank]),
        members,
        |(a, s, u, vt, info)| {
            info[0] = with_scratch(need, |stack| svd(want, rows, cols, a, s, u, vt, stack));
        },
    );
    Ok(())
}
