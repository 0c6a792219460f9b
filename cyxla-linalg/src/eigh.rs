//! syevd and heevd: eigenvalues and eigenvectors of a Hermitian matrix.

use faer::dyn_stack::{MemStack, StackReq};
use faer::linalg::evd::{
    ComputeEigenvectors, SelfAdjointEvdParams, self_adjoint_evd, self_adjoint_evd_scratch,
};
use faer::{Auto, Par, diag::DiagMut};

use crate::columns::Columns;
use crate::element::{Element, Number, Real};
use crate::householder::apply_reflectors;
use crate::options::Triangle;
use crate::range::{is_finite, largest_part, scaling};
use crate::simd::{Kernel, vectorised};
use crate::symmetric_qr::diagonalize;
use crate::tridiagonal::reduce;

/// The size from which faer's blocked reduction and divide and conquer are quicker than the QR algorithm; that turns complex
/// eigenvectors at twice the cost.
const fn large_from<T: Element>() -> usize {
    if T::IS_REAL { 160 } else { 96 }
}

fn params<T: Element>() -> faer::Spec<SelfAdjointEvdParams, T> {
    faer::Spec::new(Auto::<T>::auto())
}

/// What [`eigh`] needs beside its arguments for matrices of `n` rows.
pub(crate) fn scratch<T: Element>(n: usize) -> StackReq {
    let own = StackReq::all_of(&[
        StackReq::new::<T>(n * n),
        StackReq::new::<T>(n).array(2),
        StackReq::new::<T::Real>(n).array(2),
        StackReq::new::<usize>(n),
    ]);
    if n < large_from::<T>() {
        return own;
    }
    let faer = self_adjoint_evd_scratch::<T>(n, ComputeEigenvectors::Yes, Par::Seq, params::<T>());
    own.or(StackReq::new::<T>(n * n)
        .and(StackReq::new::<T>(n))
        .and(faer))
}

/// Replaces the Hermitian matrix of which `a` holds one triangle, column-major with `n` rows, by its eigenvectors, and writes
/// the eigenvalues to `w`, ascending.
///
/// Returns LAPACK's info: zero, or how many elements beside the diagonal didn't vanish. A matrix that isn't finite has none
/// that do.
pub(crate) fn eigh<T: Element>(
    triangle: Triangle,
    n: usize,
    a: &mut [T],
    w: &mut [T::Real],
    stack: &mut MemStack,
) -> i32 {
    let a = &mut a[..n * n];
    let w = &mut w[..n];
    let mut columns = Columns::new(a, n);
    if triangle == Triangle::Upper {
        for j in 0..n {
            for i in j + 1..n {
                columns.set(i, j, Number::conj(columns.at(j, i)));
            }
        }
    }
    let mut largest = T::Real::ZERO;
    for j in 0..n {
        let part = largest_part(&columns.column(j)[j..]);
        // A NaN is kept: it is larger than nothing, and nothing is larger.
        if !(part <= largest) {
            largest = part;
        }
    }
    if !is_finite(largest) {
        return i32::try_from(n).unwrap_or(i32::MAX);
    }
    let factor = scaling(largest);
    if let Some(factor) = factor {
        for x in a.iter_mut() {
            *x = x.scale(factor);
        }
    }
    let info = if n < large_from::<T>() {
        vectorised(Small { n, a, w, stack })
    } else {
        large(n, a, w, stack)
    };
    if let Some(factor) = factor {
        for w in w.iter_mut() {
            *w /= factor;
        }
    }
    info
}

struct Small<'a, T: Element> {
    n: usize,
    a: &'a mut [T],
    w: &'a mut [T::Real],
    stack: &'a mut MemStack,
}

impl<T: Element> Kernel for Small<'_, T> {
    type Output = i32;

    #[inline(always)]
    fn run<const FUSED: bool>(self) -> i32 {
        let Self { n, a, w, stack } = self;
        let (mut z, stack) = stack.make_with(n * n, |_| T::ZERO);
        let (mut tau, stack) = stack.make_with(n, |_| T::ZERO);
        let (mut work, stack) = stack.make_with(n, |_| T::ZERO);
        let (mut d, stack) = stack.make_with(n, |_| T::Real::ZERO);
        let (mut e, stack) = stack.make_with(n, |_| T::Real::ZERO);
        let (mut order, _) = stack.make_with(n, |i| i);
        let mut a = Columns::new(a, n);
        let mut z = Columns::new(&mut z, n);
        reduce::<T, FUSED>(Triangle::Lower, &mut a, &mut d, &mut e, &mut tau, &mut work);
        z.set_identity(n);
        let taus = &tau[..n.saturating_sub(1)];
        apply_reflectors::<T, FUSED>(&a, taus, 1, &mut z, n, true);
        let info = diagonalize(&mut d, &mut e, Some(z.reborrow()));
        sort_by(&mut order, |i, j| d[i] < d[j]);
        for (j, &from) in order.iter().enumerate() {
            w[j] = d[from];
            a.column_mut(j).copy_from_slice(z.column(from));
        }
        i32::try_from(info).unwrap_or(i32::MAX)
    }
}

/// Sorts `order` such that `before` holds from each to the next; a few rows: by insertion.
#[inline(always)]
pub(crate) fn sort_by(order: &mut [usize], before: impl Fn(usize, usize) -> bool) {
    for end in 1..order.len() {
        let mut at = end;
        while at > 0 && before(order[at], order[at - 1]) {
            order.swap(at, at - 1);
            at -= 1;
        }
    }
}

fn large<T: Element>(n: usize, a: &mut [T], w: &mut [T::Real], stack: &mut MemStack) -> i32 {
    let (given, stack) = stack.make_with(n * n, |i| a[i]);
    let (mut s, stack) = stack.make_with(n, |_| T::ZERO);
    let given = faer::MatRef::from_column_major_slice(&given, n, n);
    let vectors = faer::MatMut::from_column_major_slice_mut(a, n, n);
    let values = DiagMut::from_slice_mut(&mut s);
    match self_adjoint_evd(given, values, Some(vectors), Par::Seq, stack, params::<T>()) {
        Ok(()) => {
            for (w, s) in w.iter_mut().zip(s.iter()) {
                *w = s.re();
            }
            0
        }
        Err(_) => i32::try_from(n).unwrap_or(i32::MAX),
    }
}
