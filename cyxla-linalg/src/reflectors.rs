//! Products of reflectors: orgqr/ungqr, ormqr/unmqr, and the blocks that these and geqrf work in.

use faer::dyn_stack::{DynArray, MemStack, StackReq};
use faer::reborrow::ReborrowMut;
use faer::{MatMut, MatRef};

use crate::columns::Columns;
use crate::element::Element;
use crate::householder::reflect;
use crate::matrix::{set_product, subtract_product, view, view_mut};
use crate::options::{Op, Side};
use crate::scratch::{with_scratch, zeros};
use crate::simd::{Kernel, axpy, scale, vectorised};

/// How many reflectors are applied as one block.
pub(crate) const BLOCK: usize = 32;

/// Overwrites `a` (`rows × cols`), whose first columns hold the `tau.len()` reflectors that geqrf left there, with the first
/// `cols` columns of their product `H₁ H₂ …` (LAPACK's `orgqr` and `ungqr`).
pub(crate) fn orgqr<T: Element>(rows: usize, cols: usize, a: &mut [T], tau: &[T]) {
    let cols = cols.min(rows);
    let tau = &tau[..tau.len().min(cols)];
    if cols == 0 {
        return;
    }
    if cols <= BLOCK {
        vectorised(Form {
            rows,
            cols,
            a: &mut a[..rows * cols],
            tau,
        });
        return;
    }
    for (j, column) in a
        .chunks_exact_mut(rows)
        .enumerate()
        .take(cols)
        .skip(tau.len())
    {
        column.fill(T::ZERO);
        column[j] = T::ONE;
    }
    with_scratch(block_scratch::<T>(rows, cols), |stack| {
        for first in (0..tau.len()).step_by(BLOCK).rev() {
            let count = BLOCK.min(tau.len() - first);
            let (left, right) = a[..rows * cols].split_at_mut((first + count) * rows);
            let panel = &mut left[first * rows..];
            let height = rows - first;
            let (block, stack) = block(panel, rows, first, &tau[first..first + count], stack);
            let rest = view_mut(right, rows, cols - first - count, rows);
            block.apply_left(Op::None, rest.subrows_mut(first, height), stack);
            for (j, column) in panel.chunks_exact_mut(rows).enumerate() {
                column.fill(T::ZERO);
                column[first + j] = T::ONE;
            }
            let own = view_mut(panel, rows, count, rows);
            block.apply_left(Op::None, own.subrows_mut(first, height), stack);
        }
    });
}

/// Multiplies the identity `q` from the left by the product of the reflectors of a Hessenberg form, whose tails are below the
/// subdiagonal of `h`: `Q ← H₁ H₂ …`.
///
/// The columns of both are as far apart, and what lies between them is zero.
pub(crate) fn form_hessenberg_basis<T: Element>(
    h: &Columns<'_, T>,
    tau: &[T],
    q: &mut Columns<'_, T>,
    stack: &mut MemStack,
) {
    let (n, stride) = (h.rows(), h.stride());
    for first in (0..tau.len()).step_by(BLOCK).rev() {
        let count = BLOCK.min(tau.len() - first);
        let panel = &h.elements()[first * stride..][..count * stride];
        let row = first + 1;
        let (block, stack) = block(panel, stride, row, &tau[first..first + count], stack);
        let q = view_mut(q.elements_mut(), stride, n, stride);
        // The reflectors have changed no column left of theirs yet.
        let reached = q.subcols_mut(row, n - row).subrows_mut(row, stride - row);
        block.apply_left(Op::None, reached, stack);
    }
}

/// Overwrites `c` (`rows × cols`) with `Q C`, `Qᴴ C`, `C Q` or `C Qᴴ`, Q the product of the `tau.len()` reflectors in the
/// columns of `a` (LAPACK's `ormqr` and `unmqr`).
///
/// The columns of `a` are as long as Q is high: `rows` on the left, `cols` on the right.
pub(crate) fn ormqr<T: Element>(
    side: Side,
    adjoint: bool,
    (rows, cols): (usize, usize),
    a: &[T],
    tau: &[T],
    c: &mut [T],
) {
    let order = if side == Side::Left { rows } else { cols };
    let tau = &tau[..tau.len().min(order)];
    if rows == 0 || cols == 0 || tau.is_empty() {
        return;
    }
    let op = if adjoint { Op::Adjoint } else { Op::None };
    let blocks = tau.len().div_ceil(BLOCK);
    // Q is H₁ H₂ …: the factor that meets C first is the last one on the left, the first one on the right.
    let ascending = (side == Side::Right) != adjoint;
    with_scratch(block_scratch::<T>(order, rows.max(cols)), |stack| {
        for step in 0..blocks {
            let first = BLOCK * if ascending { step } else { blocks - 1 - step };
            let count = BLOCK.min(tau.len() - first);
            let panel = &a[first * order..(first + count) * order];
            let (block, stack) = block(panel, order, first, &tau[first..first + count], stack);
            let c = view_mut(c, rows, cols, rows);
            if side == Side::Left {
                block.apply_left(op, c.subrows_mut(first, rows - first), stack);
            } else {
                block.apply_right(op, c.subcols_mut(first, cols - first), stack);
            }
        }
    });
}

/// The scratch of [`block`] and of applying the block to a matrix of `others` columns (on its left) or rows.
pub(crate) fn block_scratch<T: Element>(order: usize, others: usize) -> StackReq {
    StackReq::all_of(&[
        StackReq::new::<T>(order * BLOCK),
        StackReq::new::<T>(BLOCK * BLOCK),
        StackReq::new::<T>(BLOCK * others.max(BLOCK)),
        StackReq::new::<T>(BLOCK * others.max(BLOCK)),
    ])
}

/// `I − V T Vᴴ`, the product of some reflectors.
pub(crate) struct BlockReflector<'a, T> {
    height: usize,
    count: usize,
    v: DynArray<'a, T>,
    t: DynArray<'a, T>,
}

/// Collects the reflectors of a panel (columns `stride` apart, the first one starting in row `first`), at most [`BLOCK`] of
/// them, into one block; answers what is left of the scratch too.
pub(crate) fn block<'a, T: Element>(
    panel: &[T],
    stride: usize,
    first: usize,
    tau: &[T],
    stack: &'a mut MemStack,
) -> (BlockReflector<'a, T>, &'a mut MemStack) {
    let count = tau.len();
    let height = stride - first;
    let (mut v, stack) = zeros::<T>(stack, height * count);
    for (j, (column, source)) in v
        .chunks_exact_mut(height)
        .zip(panel.chunks_exact(stride))
        .enumerate()
    {
        column[j] = T::ONE;
        column[j + 1..].copy_from_slice(&source[first + j + 1..]);
    }
    let (mut t, stack) = zeros::<T>(stack, count * count);
    {
        let v = view(&v, height, count, height);
        let (mut products, _) = zeros::<T>(stack, count * count);
        set_product(
            view_mut(&mut products, count, count, count),
            (Op::Adjoint, v),
            (Op::None, v),
        );
        vectorised(Triangle {
            count,
            tau,
            products: &products,
            t: &mut t,
        });
    }
    (
        BlockReflector {
            height,
            count,
            v,
            t,
        },
        stack,
    )
}

impl<T: Element> BlockReflector<'_, T> {
    fn v(&self) -> MatRef<'_, T> {
        view(&self.v, self.height, self.count, self.height)
    }

    fn t(&self) -> MatRef<'_, T> {
        view(&self.t, self.count, self.count, self.count)
    }

    /// `C ← op(I − V T Vᴴ) C`.
    pub(crate) fn apply_left(&self, op: Op, c: MatMut<'_, T>, stack: &mut MemStack) {
        let (count, cols) = (self.count, c.ncols());
        if cols == 0 {
            return;
        }
        let (mut products, stack) = zeros::<T>(stack, count * cols);
        let mut products = view_mut(&mut products, count, cols, count);
        set_product(
            products.rb_mut(),
            (Op::Adjoint, self.v()),
            (Op::None, c.as_ref()),
        );
        let (mut factors, _) = zeros::<T>(stack, count * cols);
        let mut factors = view_mut(&mut factors, count, cols, count);
        set_product(
            factors.rb_mut(),
            (op, self.t()),
            (Op::None, products.as_ref()),
        );
        subtract_product(c, (Op::None, self.v()), (Op::None, factors.as_ref()));
    }

    /// `C ← C op(I − V T Vᴴ)`.
    pub(crate) fn apply_right(&self, op: Op, c: MatMut<'_, T>, stack: &mut MemStack) {
        let (count, rows) = (self.count, c.nrows());
        if rows == 0 {
            return;
        }
        let (mut products, stack) = zeros::<T>(stack, rows * count);
        let mut products = view_mut(&mut products, rows, count, rows);
        set_product(
            products.rb_mut(),
            (Op::None, c.as_ref()),
            (Op::None, self.v()),
        );
        let (mut factors, _) = zeros::<T>(stack, rows * count);
        let mut factors = view_mut(&mut factors, rows, count, rows);
        set_product(
            factors.rb_mut(),
            (Op::None, products.as_ref()),
            (op, self.t()),
        );
        subtract_product(c, (Op::None, factors.as_ref()), (Op::Adjoint, self.v()));
    }
}

/// The triangle T of a block, by columns (LAPACK's `larft`), from `Vᴴ V`.
struct Triangle<'a, T> {
    count: usize,
    tau: &'a [T],
    products: &'a [T],
    t: &'a mut [T],
}

impl<T: Element> Kernel for Triangle<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        let Self {
            count,
            tau,
            products,
            t,
        } = self;
        for j in 0..count {
            let (done, rest) = t.split_at_mut(j * count);
            let column = &mut rest[..count];
            for (done, &product) in done.chunks_exact(count).zip(&products[j * count..]) {
                axpy::<T, FUSED>(-tau[j] * product, &done[..j], &mut column[..j]);
            }
            column[j] = tau[j];
        }
    }
}

/// The product of few reflectors, one at a time (LAPACK's `org2r`).
struct Form<'a, T> {
    rows: usize,
    cols: usize,
    a: &'a mut [T],
    tau: &'a [T],
}

impl<T: Element> Kernel for Form<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        let Self { rows, cols, a, tau } = self;
        for (j, column) in a
            .chunks_exact_mut(rows)
            .enumerate()
            .take(cols)
            .skip(tau.len())
        {
            column.fill(T::ZERO);
            column[j] = T::ONE;
        }
        for (i, &tau) in tau.iter().enumerate().rev() {
            let (left, right) = a.split_at_mut((i + 1) * rows);
            let own = &mut left[i * rows..];
            for column in right.chunks_exact_mut(rows) {
                reflect::<T, FUSED>(&own[i + 1..], tau, &mut column[i..]);
            }
            scale(-tau, &mut own[i + 1..]);
            own[i] = T::ONE - tau;
            own[..i].fill(T::ZERO);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::qr::geqrf;
    use crate::testing::{Tested, Wide, distance, for_each_type, random};

    fn reflectors<T: Tested>(order: usize, count: usize) -> (Vec<T>, Vec<T>, Wide) {
        let mut a = random::<T>(order, order * count);
        let mut tau = vec![T::ZERO; count];
        geqrf(order, count, &mut a, &mut tau);
        let mut q = a.clone();
        q.resize(order * order, T::ZERO);
        orgqr(order, order, &mut q, &tau);
        (a, tau, Wide::new(order, order, &q))
    }

    fn whole_product<T: Tested>() {
        for (order, count) in [(1, 1), (5, 2), (33, 33), (50, 40), (100, 65), (70, 3)] {
            let (_, _, q) = reflectors::<T>(order, count);
            let orthogonal = distance(&q.adjoint(), &q, &Wide::identity(order));
            let bound = 20.0 * order as f64 * T::unit_roundoff();
            assert!(
                orthogonal <= bound,
                "{orthogonal:e} > {bound:e} at {order}, {count}"
            );
        }
    }

    #[test]
    fn more_columns_than_reflectors_are_orthogonal_too() {
        for_each_type!(whole_product);
    }

    fn products<T: Tested>() {
        for (order, count, others) in [(1, 1, 1), (6, 4, 3), (40, 40, 7), (70, 50, 40), (64, 64, 1)]
        {
            let (a, tau, q) = reflectors::<T>(order, count);
            for side in [Side::Left, Side::Right] {
                let (rows, cols) = if side == Side::Left {
                    (order, others)
                } else {
                    (others, order)
                };
                let c = random::<T>(7, rows * cols);
                for adjoint in [false, true] {
                    let mut product = c.clone();
                    ormqr(side, adjoint, (rows, cols), &a, &tau, &mut product);
                    let (c, product) = (Wide::new(rows, cols, &c), Wide::new(rows, cols, &product));
                    let q = if adjoint { q.adjoint() } else { q.clone() };
                    let difference = if side == Side::Left {
                        distance(&q, &c, &product)
                    } else {
                        distance(&c, &q, &product)
                    };
                    let bound = 10.0 * order as f64 * T::unit_roundoff() * c.norm();
                    assert!(
                        difference <= bound,
                        "{difference:e} > {bound:e} at {order}, {count}"
                    );
                }
            }
        }
    }

    #[test]
    fn products_with_q_are_those_with_the_formed_q() {
        for_each_type!(products);
    }
}
