//! gesdd and gesvd: singular values and singular vectors.

use faer::diag::DiagMut;
use faer::dyn_stack::{MemStack, StackReq};
use faer::linalg::svd::{self as faer_svd, ComputeSvdVectors, SvdParams};
use faer::{Auto, MatMut, MatRef, Par};

use crate::bidiagonal_qr::{Vectors, diagonalize};
use crate::columns::Columns;
use crate::eigh::sort_by;
use crate::element::{Element, Number};
use crate::householder::{apply_reflectors, reflect, reflector};
use crate::range::{is_finite, largest_part, scaling, scaling_to_one};
use crate::scratch::zeros;
use crate::simd::{Kernel, axpy, vectorised};

/// Which singular vectors are wanted: LAPACK's JOBZ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Want {
    /// All: U is m × m, Vᴴ n × n.
    All,
    /// The first min(m, n) of each.
    Economy,
    /// None; the arrays for them are not touched.
    Values,
}

/// The smaller side from which faer's blocked reduction and divide and conquer are quicker than the QR algorithm.
const fn large_from<T: Element>(want: Want) -> usize {
    match want {
        Want::Values => 160,
        _ if T::IS_REAL => 160,
        _ => 128,
    }
}

/// The size below which divide and conquer leaves a part to the QR algorithm, whose rounding errors add up: with faer's own 128,
/// residuals of 512 rows are five times those of LAPACK in single precision, and it takes longer.
const SMALLEST_PART: usize = 32;

fn params<T: Element>() -> faer::Spec<SvdParams, T> {
    faer::Spec::new(SvdParams {
        recursion_threshold: SMALLEST_PART,
        ..Auto::<T>::auto()
    })
}

/// A matrix with at least as many rows as columns: the given one, or its adjoint.
#[derive(Clone, Copy)]
struct Tall {
    rows: usize,
    cols: usize,
    adjoint: bool,
    want: Want,
}

impl Tall {
    fn new(m: usize, n: usize, want: Want) -> Self {
        if m >= n {
            Self {
                rows: m,
                cols: n,
                adjoint: false,
                want,
            }
        } else {
            Self {
                rows: n,
                cols: m,
                adjoint: true,
                want,
            }
        }
    }

    /// How many left singular vectors there are.
    fn left(self) -> usize {
        match self.want {
            Want::All => self.rows,
            Want::Economy => self.cols,
            Want::Values => 0,
        }
    }

    fn right(self) -> usize {
        if self.want == Want::Values {
            0
        } else {
            self.cols
        }
    }

    /// Whether there are neither values nor vectors, however many rows there are.
    fn is_nothing(self) -> bool {
        self.cols == 0 && self.want != Want::All
    }

    fn is_large<T: Element>(self) -> bool {
        self.cols >= large_from::<T>(self.want)
    }

    /// Whether R of a QR decomposition is decomposed in place of the matrix: less work from about here.
    fn by_qr(self) -> bool {
        self.rows >= 2 * self.cols && self.cols > 1
    }
}

/// What [`svd`] needs beside its arguments for `m` × `n` matrices.
pub(crate) fn scratch<T: Element>(m: usize, n: usize, want: Want) -> StackReq {
    let tall = Tall::new(m, n, want);
    if tall.is_nothing() {
        return StackReq::EMPTY;
    }
    let (rows, cols) = (tall.rows, tall.cols);
    let own = StackReq::all_of(&[
        StackReq::new::<T>(rows * cols),
        StackReq::new::<T>(rows * tall.left()),
        StackReq::new::<T>(cols * cols).array(3),
        StackReq::new::<T::Real>(cols * cols).array(2),
        StackReq::new::<T>(rows),
        StackReq::new::<T>(cols).array(3),
        StackReq::new::<T::Real>(cols).array(2),
        StackReq::new::<usize>(cols),
    ]);
    if !tall.is_large::<T>() {
        return own;
    }
    let vectors = match want {
        Want::All => ComputeSvdVectors::Full,
        Want::Economy => ComputeSvdVectors::Thin,
        Want::Values => ComputeSvdVectors::No,
    };
    // The QR algorithm steps in where faer's divide and conquer doesn't converge.
    own.or(StackReq::all_of(&[
        StackReq::new::<T>(rows * cols),
        StackReq::new::<T>(rows * tall.left()),
        StackReq::new::<T>(cols * tall.right()),
        StackReq::new::<T>(cols),
        StackReq::new::<usize>(cols),
        faer_svd::svd_scratch::<T>(rows, cols, vectors, vectors, Par::Seq, params::<T>()),
    ]))
}

/// The singular values of the column-major `m` × `n` matrix `a`, descending, into `s`; U into `u` and Vᴴ into `vh`, both
/// column-major.
///
/// Returns LAPACK's info: zero, −4 for a matrix with NaN or infinity in it, or how many elements beside the diagonal didn't
/// vanish.
#[allow(clippy::too_many_arguments, reason = "LAPACK's own")]
pub(crate) fn svd<T: Element>(
    want: Want,
    m: usize,
    n: usize,
    a: &[T],
    s: &mut [T::Real],
    u: &mut [T],
    vh: &mut [T],
    stack: &mut MemStack,
) -> i32 {
    let a = &a[..m * n];
    let largest = largest_part(a);
    if !is_finite(largest) {
        return -4;
    }
    let tall = Tall::new(m, n, want);
    if tall.is_nothing() {
        return 0;
    }
    let s = &mut s[..tall.cols];
    let factor = if tall.is_large::<T>() {
        scaling_to_one(largest)
    } else {
        scaling(largest)
    };
    let given = Given {
        tall,
        m,
        a,
        factor: factor.unwrap_or(T::Real::ONE),
    };
    let mut info = 1;
    if tall.is_large::<T>() {
        info = large(&given, s, u, vh, stack);
    }
    if info != 0 {
        info = vectorised(Small {
            given,
            s,
            u,
            vh,
            stack,
        });
    }
    if let Some(factor) = factor {
        for s in s.iter_mut() {
            *s /= factor;
        }
    }
    info
}

/// The matrix and by what it is multiplied first.
#[derive(Clone, Copy)]
struct Given<'a, T: Element> {
    tall: Tall,
    m: usize,
    a: &'a [T],
    factor: T::Real,
}

impl<T: Element> Given<'_, T> {
    /// Element k of the tall matrix, in column-major order.
    #[inline(always)]
    fn copy_to(&self, target: &mut [T]) {
        let Tall {
            rows,
            cols,
            adjoint,
            ..
        } = self.tall;
        for j in 0..cols {
            let column = &mut target[j * rows..][..rows];
            if adjoint {
                for (i, x) in column.iter_mut().enumerate() {
                    *x = Number::conj(self.a[i * self.m + j]).scale(self.factor);
                }
            } else {
                for (x, &a) in column.iter_mut().zip(&self.a[j * rows..]) {
                    *x = a.scale(self.factor);
                }
            }
        }
    }

    /// Writes the vectors of the tall matrix, in the order given, as those of the matrix.
    #[inline(always)]
    fn write_vectors(
        &self,
        left: &Columns<'_, T>,
        right: &Columns<'_, T>,
        order: impl Fn(usize) -> usize,
        u: &mut [T],
        vh: &mut [T],
    ) {
        let Tall {
            rows,
            cols,
            adjoint,
            ..
        } = self.tall;
        let (columns, across) = (self.tall.left(), self.tall.right());
        // The rows of Vᴴ are the conjugate columns of V.
        let straight = |from: &Columns<'_, T>, size: usize, count: usize, to: &mut [T]| {
            for j in 0..count {
                let column = from.column(if j < cols { order(j) } else { j });
                to[j * size..][..size].copy_from_slice(&column[..size]);
            }
        };
        let adjoined = |from: &Columns<'_, T>, size: usize, count: usize, to: &mut [T]| {
            for j in 0..count {
                let column = from.column(if j < cols { order(j) } else { j });
                for (i, &x) in column[..size].iter().enumerate() {
                    to[i * count + j] = Number::conj(x);
                }
            }
        };
        if adjoint {
            straight(right, cols, across, u);
            adjoined(left, rows, columns, vh);
        } else {
            straight(left, rows, columns, u);
            adjoined(right, cols, across, vh);
        }
    }
}

struct Small<'a, T: Element> {
    given: Given<'a, T>,
    s: &'a mut [T::Real],
    u: &'a mut [T],
    vh: &'a mut [T],
    stack: &'a mut MemStack,
}

impl<T: Element> Kernel for Small<'_, T> {
    type Output = i32;

    #[inline(always)]
    fn run<const FUSED: bool>(self) -> i32 {
        let Self {
            given,
            s,
            u,
            vh,
            stack,
        } = self;
        let Tall {
            rows, cols, want, ..
        } = given.tall;
        let columns = given.tall.left();
        let (mut copy, stack) = stack.make_with(rows * cols, |_| T::ZERO);
        let (mut left, stack) = stack.make_with(rows * columns, |_| T::ZERO);
        let (mut right, stack) = stack.make_with(cols * cols, |_| T::ZERO);
        let (mut tails, stack) = stack.make_with(cols * cols, |_| T::ZERO);
        let (mut triangle, stack) = stack.make_with(cols * cols, |_| T::ZERO);
        let (mut work, stack) = stack.make_with(rows, |_| T::ZERO);
        let (mut tau, stack) = stack.make_with(cols, |_| T::ZERO);
        let (mut tau_left, stack) = stack.make_with(cols, |_| T::ZERO);
        let (mut tau_right, stack) = stack.make_with(cols, |_| T::ZERO);
        let turned = if T::IS_REAL { 0 } else { cols * cols };
        let (mut turned_left, stack) = zeros::<T::Real>(stack, turned);
        let (mut turned_right, stack) = zeros::<T::Real>(stack, turned);
        let (mut d, stack) = stack.make_with(cols, |_| T::Real::ZERO);
        let (mut e, stack) = stack.make_with(cols, |_| T::Real::ZERO);
        let (mut order, _) = stack.make_with(cols, |k| k);

        given.copy_to(&mut copy);
        let mut copy = Columns::new(&mut copy, rows);
        let mut left = Columns::new(&mut left, rows);
        let mut right = Columns::new(&mut right, cols);
        let mut tails = Columns::new(&mut tails, cols);
        let mut triangle = Columns::new(&mut triangle, cols);
        let by_qr = given.tall.by_qr();
        if by_qr {
            orthogonalize::<T, FUSED>(&mut copy, &mut tau);
            for j in 0..cols {
                triangle.column_mut(j)[..=j].copy_from_slice(&copy.column(j)[..=j]);
            }
        }
        let square = if by_qr { &mut triangle } else { &mut copy };
        bidiagonalize::<T, FUSED>(
            square,
            &mut tails,
            &mut Bidiagonal {
                d: &mut d,
                e: &mut e,
                left: &mut tau_left,
                right: &mut tau_right,
            },
            &mut work,
        );
        let info = if want == Want::Values {
            diagonalize::<T>(&mut d, &mut e, None)
        } else {
            left.set_identity(columns);
            right.set_identity(cols);
            let taus = &tau_right[..cols.saturating_sub(1)];
            let reduced = if by_qr { &triangle } else { &copy };
            // The reflectors of R reach the first rows and columns only.
            let (rows, columns) = if by_qr { (cols, cols) } else { (rows, columns) };
            let mut corner = left.top(rows);
            let info = if T::IS_REAL {
                apply_reflectors::<T, FUSED>(reduced, &tau_left, 0, &mut corner, columns, true);
                apply_reflectors::<T, FUSED>(&tails, taus, 1, &mut right, cols, true);
                let (u, v) = (corner.reborrow(), right.reborrow());
                diagonalize(&mut d, &mut e, Some(Vectors { u, v }))
            } else {
                // The vectors of the bidiagonal matrix are real: half the work.
                let mut u = Columns::new(&mut turned_left, cols);
                let mut v = Columns::new(&mut turned_right, cols);
                u.set_identity(cols);
                v.set_identity(cols);
                let vectors = Vectors {
                    u: u.reborrow(),
                    v: v.reborrow(),
                };
                let info = diagonalize(&mut d, &mut e, Some(vectors));
                corner.widen(&u, cols);
                right.widen(&v, cols);
                apply_reflectors::<T, FUSED>(reduced, &tau_left, 0, &mut corner, columns, false);
                apply_reflectors::<T, FUSED>(&tails, taus, 1, &mut right, cols, false);
                info
            };
            if by_qr {
                apply_reflectors::<T, FUSED>(&copy, &tau, 0, &mut left, given.tall.left(), false);
            }
            info
        };
        sort_by(&mut order, |i, j| d[i] > d[j]);
        for (s, &from) in s.iter_mut().zip(order.iter()) {
            *s = d[from];
        }
        if want != Want::Values {
            given.write_vectors(&left, &right, |j| order[j], u, vh);
        }
        i32::try_from(info).unwrap_or(i32::MAX)
    }
}

/// `A = Q R`: R above the diagonal of as many columns as `tau` has elements, the tails of the reflectors below it.
#[inline(always)]
fn orthogonalize<T: Element, const FUSED: bool>(a: &mut Columns<'_, T>, tau: &mut [T]) {
    let cols = tau.len();
    for (i, tau) in tau.iter_mut().enumerate() {
        let (head, tail) = a.column_mut(i)[i..].split_at_mut(1);
        let (beta, factor) = reflector::<T, FUSED>(head[0], tail);
        head[0] = T::from_re(beta);
        *tau = factor;
        let (left, mut right) = a.split(i + 1);
        for j in 0..cols - i - 1 {
            let column = &mut right.column_mut(j)[i..];
            reflect::<T, FUSED>(&left.column(i)[i + 1..], Number::conj(factor), column);
        }
    }
}

/// A bidiagonal matrix and the factors of the reflectors that lead to it.
struct Bidiagonal<'a, T: Element> {
    d: &'a mut [T::Real],
    e: &'a mut [T::Real],
    left: &'a mut [T],
    right: &'a mut [T],
}

/// `A = (H₀ H₁ …) B (G₀ G₁ …)ᴴ` with B real and upper bidiagonal: the tails of H below the diagonal of `a`, those of G below
/// the subdiagonal of `tails`.
#[inline(always)]
fn bidiagonalize<T: Element, const FUSED: bool>(
    a: &mut Columns<'_, T>,
    tails: &mut Columns<'_, T>,
    b: &mut Bidiagonal<'_, T>,
    work: &mut [T],
) {
    let n = b.d.len();
    for i in 0..n {
        let (head, tail) = a.column_mut(i)[i..].split_at_mut(1);
        (b.d[i], b.left[i]) = reflector::<T, FUSED>(head[0], tail);
        let (left, mut right) = a.split(i + 1);
        let factor = Number::conj(b.left[i]);
        if factor != T::ZERO {
            for j in 0..n - i - 1 {
                let column = &mut right.column_mut(j)[i..];
                reflect::<T, FUSED>(&left.column(i)[i + 1..], factor, column);
            }
        }
        if i + 1 == n {
            break;
        }
        let row = &mut tails.column_mut(i)[i + 1..];
        for (j, x) in row.iter_mut().enumerate() {
            *x = Number::conj(right.at(i, j));
        }
        let (head, tail) = row.split_at_mut(1);
        (b.e[i], b.right[i]) = reflector::<T, FUSED>(head[0], tail);
        let factor = b.right[i];
        if factor == T::ZERO {
            continue;
        }
        head[0] = T::ONE;
        let product = &mut work[..right.rows() - i - 1];
        product.fill(T::ZERO);
        for (j, &x) in row.iter().enumerate() {
            axpy::<T, FUSED>(x, &right.column(j)[i + 1..], product);
        }
        for (j, &x) in row.iter().enumerate() {
            let by = -(factor * Number::conj(x));
            axpy::<T, FUSED>(by, product, &mut right.column_mut(j)[i + 1..]);
        }
    }
}

fn large<T: Element>(
    given: &Given<'_, T>,
    s: &mut [T::Real],
    u: &mut [T],
    vh: &mut [T],
    stack: &mut MemStack,
) -> i32 {
    let Tall {
        rows, cols, want, ..
    } = given.tall;
    let (columns, across) = (given.tall.left(), given.tall.right());
    let (mut copy, stack) = stack.make_with(rows * cols, |_| T::ZERO);
    let (mut left, stack) = stack.make_with(rows * columns, |_| T::ZERO);
    let (mut right, stack) = stack.make_with(cols * across, |_| T::ZERO);
    let (mut values, stack) = stack.make_with(cols, |_| T::ZERO);
    let (mut order, stack) = stack.make_with(cols, |k| k);
    given.copy_to(&mut copy);
    let wanted = want != Want::Values;
    let result = faer_svd::svd(
        MatRef::from_column_major_slice(&copy, rows, cols),
        DiagMut::from_slice_mut(&mut values),
        wanted.then(|| MatMut::from_column_major_slice_mut(&mut left, rows, columns)),
        wanted.then(|| MatMut::from_column_major_slice_mut(&mut right, cols, across)),
        Par::Seq,
        stack,
        params::<T>(),
    );
    if result.is_err() {
        return 1;
    }
    // Divide and conquer leaves those that are zero to its precision in no order.
    sort_by(&mut order, |i, j| values[i].re() > values[j].re());
    for (s, &from) in s.iter_mut().zip(order.iter()) {
        *s = values[from].re();
    }
    if wanted {
        let left = Columns::new(&mut left, rows);
        let right = Columns::new(&mut right, cols);
        given.write_vectors(&left, &right, |j| order[j], u, vh);
    }
    0
}

#[cfg(test)]
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_precision_loss,
    reason = "sizes of matrices are small"
)]
mod tests;
