//! `lapack_?geqrf_ffi`, `lapack_?orgqr_ffi` (complex: ungqr), `lapack_?ormqr_ffi` (complex: unmqr), `lapack_?geqp3_ffi`

use cyxla_ffi::{CallFrame, Error, Parts};

use super::{Lapack, cost};
use crate::batch::{Read, Write, for_each};
use crate::options::Side;
use crate::shapes::{Matrices, expect_len, share};

/// x: T[…, m, n] → x: T[…, m, n] in place, tau: T[…, min(m, n)].
pub(crate) fn geqrf<T: Lapack>(frame: &mut CallFrame<'_>) -> Result<(), Error> {
    let Parts {
        arguments: [x],
        results: [out, tau],
        ..
    } = frame.parts()?;
    let shape = Matrices::of("x", &x)?;
    let (out, tau) = (out.in_place_of::<T>(&x)?, tau.into_slice::<T>()?);
    expect_len("tau", tau.len(), shape.count * shape.rank())?;
    // Nothing bounds the number of matrices without elements.
    if out.is_empty() {
        return Ok(());
    }
    let Matrices { count, rows, cols } = shape;
    let members = (Write::new(out, shape.size()), Write::new(tau, shape.rank()));
    for_each(
        count,
        cost::<T>(4.0 / 3.0, [rows, cols, shape.rank()]),
        members,
        |(a, tau)| {
            crate::qr::geqrf(rows, cols, a, tau);
        },
    );
    Ok(())
}

/// x: T[…, m, n], tau: T[…, k] → q: T[…, m, n] in place of x.
pub(crate) fn orgqr<T: Lapack>(frame: &mut CallFrame<'_>) -> Result<(), Error> {
    let Parts {
        arguments: [x, tau],
        results: [out],
        ..
    } = frame.parts()?;
    let shape = Matrices::of("x", &x)?;
    let (out, tau) = (out.in_place_of::<T>(&x)?, tau.as_slice::<T>()?);
    let reflectors = share("tau", tau.len(), shape.count)?;
    let Matrices { count, rows, cols } = shape;
    if cols > rows || reflectors > cols {
        return Err(Error::invalid_argument(format_args!(
            "{reflectors} reflectors have no product of {rows} rows and {cols} columns"
        )));
    }
    if out.is_empty() {
        return Ok(());
    }
    let members = (Write::new(out, shape.size()), Read::new(tau, reflectors));
    for_each(
        count,
        cost::<T>(4.0 / 3.0, [rows, cols, reflectors]),
        members,
        |(a, tau)| {
            crate::reflectors::orgqr(rows, cols, a, tau);
        },
    );
    Ok(())
}

/// a: T[…, order, …], tau: T[…, k], c: T[…, m, n] → Q c, Qᴴ c, c Q or c Qᴴ: T[…, m, n] in place of c; `left`, `transpose`.
pub(crate) fn ormqr<T: Lapack>(frame: &mut CallFrame<'_>) -> Result<(), Error> {
    let side = if frame.attribute("left")? {
        Side::Left
    } else {
        Side::Right
    };
    let adjoint = frame.attribute("transpose")?;
    let Parts {
        arguments: [a, tau, c],
        results: [out],
        ..
    } = frame.parts()?;
    let (reflectors, shape) = (Matrices::of("a", &a)?, Matrices::of("c", &c)?);
    let (out, a, tau) = (
        out.in_place_of::<T>(&c)?,
        a.as_slice::<T>()?,
        tau.as_slice::<T>()?,
    );
    let Matrices { count, rows, cols } = shape;
    let number = share("tau", tau.len(), count)?;
    let order = if side == Side::Left { rows } else { cols };
    if (reflectors.count, reflectors.rows) != (count, order) || number > reflectors.cols.min(order)
    {
        return Err(Error::invalid_argument(format_args!(
            "{number} reflectors in {} matrices of {} rows and {} columns can't be applied to {count} matrices of {rows} rows \
             and {cols} columns from the {side:?}",
            reflectors.count, reflectors.rows, reflectors.cols
        )));
    }
    if out.is_empty() {
        return Ok(());
    }
    let members = (
        Read::new(a, reflectors.size()),
        Read::new(tau, number),
        Write::new(out, shape.size()),
    );
    for_each(
        count,
        cost::<T>(4.0, [rows, cols, number]),
        members,
        |(a, tau, c)| {
            crate::reflectors::ormqr(side, adjoint, (rows, cols), a, tau, c);
        },
    );
    Ok(())
}

/// x: T[…, m, n], order: i32[…, n] → x: T[…, m, n] and order: i32[…, n] in place, tau: T[…, min(m, n)].
pub(crate) fn geqp3<T: Lapack>(frame: &mut CallFrame<'_>) -> Result<(), Error> {
    let Parts {
        arguments: [x, order],
        results: [out, order_out, tau],
        ..
    } = frame.parts()?;
    let shape = Matrices::of("x", &x)?;
    let (out, tau) = (out.in_place_of::<T>(&x)?, tau.into_slice::<T>()?);
    let order = order_out.in_place_of::<i32>(&order)?;
    let Matrices { count, rows, cols } = shape;
    expect_len("jpvt", order.len(), count * cols)?;
    expect_len("tau", tau.len(), count * shape.rank())?;
    if out.is_empty() && order.is_empty() {
        return Ok(());
    }
    let members = (
        Write::new(out, shape.size()),
        Write::new(order, cols),
        Write::new(tau, shape.rank()),
    );
    for_each(
        count,
        cost::<T>(4.0 / 3.0, [rows, cols, shape.rank()]),
        members,
        |members| {
            let (a, order, tau) = members;
            crate::pivoted_qr::geqp3(rows, cols, a, order, tau);
        },
    );
    Ok(())
}
