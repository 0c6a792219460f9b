//! geev: eigenvalues and eigenvectors of a square matrix.

use faer::dyn_stack::{MemStack, StackReq};
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use num_complex::Complex;

use crate::balance::Balance;
use crate::columns::Columns;
use crate::element::{Element, Number};
use crate::hessenberg;
use crate::range::{is_finite, largest_part, scaling};
use crate::schur::{Triangularize, basis_scratch, clear_below_subdiagonal, form_basis, spaced};
use crate::schur_vectors::{SchurForm, Widen, normalize};
use crate::scratch::zeros;
use crate::simd::{Kernel, vectorised};

/// An element type whose matrices [`geev`] decomposes.
pub(crate) trait Decompose: Triangularize + Widen {}

impl<T: Triangularize + Widen> Decompose for T {}

macro_rules! widen {
    ($($real:ident)*) => { $(
        impl Widen for $real {
            type Complex = Complex<$real>;

            #[inline(always)]
            fn widen(self) -> Complex<$real> {
                Complex::new(self, 0.0)
            }

            #[inline(always)]
            fn times(self, other: Complex<$real>) -> Complex<$real> {
                Complex::new(self * other.re, self * other.im)
            }

            #[inline(always)]
            fn parts(value: Complex<$real>) -> (Self, Self) {
                (value.re, value.im)
            }

            #[inline(always)]
            fn join(first: Self, second: Self) -> Complex<$real> {
                Complex::new(first, second)
            }
        }

        impl Widen for Complex<$real> {
            type Complex = Self;

            #[inline(always)]
            fn widen(self) -> Self {
                self
            }

            #[inline(always)]
            fn times(self, other: Self) -> Self {
                self * other
            }

            #[inline(always)]
            fn parts(value: Self) -> (Self, Self) {
                (value, Complex::new(0.0, 0.0))
            }

            #[inline(always)]
            fn join(first: Self, _second: Self) -> Self {
                first
            }
        }
    )* };
}

widen!(f32 f64);

/// What [`geev`] needs beside its arguments for matrices of `n` rows.
pub(crate) fn scratch<T: Decompose>(n: usize) -> StackReq {
    StackReq::all_of(&[
        StackReq::new::<T>(n * spaced(n)).array(4),
        StackReq::new::<T>(n).array(2),
        StackReq::new::<T::Complex>(n),
        StackReq::new::<T::Real>(n).array(2),
        StackReq::new::<usize>(n),
        basis_scratch::<T>(n),
    ])
}

/// The eigenvalues of the column-major matrix `a` of `n` rows, and where asked for its left and right eigenvectors as the
/// columns of `vl` and `vr`: `vlᴴ A = Λ vlᴴ`, `A vr = vr Λ`.
///
/// `wr` gets the eigenvalues of a complex matrix; `wr` and `wi` the parts of those of a real one, of a pair of conjugates that
/// above the axis first. Vectors have norm one, complex ones a largest element that is real. Returns LAPACK's info: zero, −4 for a
/// matrix with NaN or infinity in it, or the number of the row, from one, below which eigenvalues were found.
#[allow(clippy::too_many_arguments, reason = "LAPACK's own")]
pub(crate) fn geev<T: Decompose>(
    n: usize,
    a: &[T],
    wr: &mut [T],
    wi: &mut [T],
    vl: Option<&mut [T::Complex]>,
    vr: Option<&mut [T::Complex]>,
    stack: &mut MemStack,
) -> i32 {
    let a = &a[..n * n];
    let largest = largest_part(a);
    if !is_finite(largest) {
        return -4;
    }
    if n == 0 {
        return 0;
    }
    let factor = scaling(largest).unwrap_or(T::Real::ONE);
    let info = vectorised(Form {
        n,
        a,
        wr,
        wi,
        vl,
        vr,
        factor,
        stack,
    });
    i32::try_from(info).unwrap_or(i32::MAX)
}

struct Form<'a, T: Decompose> {
    n: usize,
    a: &'a [T],
    wr: &'a mut [T],
    wi: &'a mut [T],
    vl: Option<&'a mut [T::Complex]>,
    vr: Option<&'a mut [T::Complex]>,
    factor: T::Real,
    stack: &'a mut MemStack,
}

impl<T: Decompose> Kernel for Form<'_, T> {
    type Output = usize;

    #[inline(always)]
    fn run<const FUSED: bool>(self) -> usize {
        let Self {
            n,
            a,
            wr,
            wi,
            vl,
            vr,
            factor,
            stack,
        } = self;
        let stride = spaced(n);
        let (mut h, stack) = zeros::<T>(stack, n * stride);
        let (mut z, stack) = zeros::<T>(stack, n * stride);
        let (mut x, stack) = zeros::<T>(stack, n * stride);
        let (mut v, stack) = zeros::<T>(stack, n * stride);
        let (mut tau, stack) = zeros::<T>(stack, n);
        let (mut work, stack) = zeros::<T>(stack, n);
        let (mut vector, stack) = zeros::<T::Complex>(stack, n);
        let (mut factors, stack) = zeros::<T::Real>(stack, n);
        let (mut sizes, stack) = zeros::<T::Real>(stack, n);
        let (mut places, stack) = stack.make_with(n, |i| i);
        let mut h = Columns::with_stride(&mut h, n, stride);
        let mut q = Columns::with_stride(&mut z, n, stride);
        for j in 0..n {
            for (h, &a) in h.column_mut(j).iter_mut().zip(&a[j * n..]) {
                *h = a.scale(factor);
            }
        }
        let balance = Balance::of::<T, FUSED>(&mut h, &mut factors, &mut places);
        let (low, high) = (balance.low, balance.high);
        let tau = &mut tau[..n - 1];
        hessenberg::reduce::<T, FUSED>(low, high, &mut h, tau, &mut work);
        let wanted = vl.is_some() || vr.is_some();
        if wanted {
            q.set_identity(n);
            form_basis::<T, FUSED>(&h, tau, &mut q, stack);
        }
        clear_below_subdiagonal(&mut h);
        let (wr, wi) = (&mut wr[..n], &mut wi[..if T::IS_REAL { n } else { 0 }]);
        let vectors = wanted.then(|| q.reborrow());
        let info = T::triangularize::<FUSED>(low, high, wanted, &mut h, vectors, wr, wi);
        if wanted && info == 0 {
            let schur = SchurForm::new(&h, &mut sizes);
            for (target, left) in [(vl, true), (vr, false)] {
                let Some(target) = target else { continue };
                let mut x = Columns::with_stride(&mut x, n, stride);
                let mut k = 0;
                while k < n {
                    let imaginary = wi.get(k).copied().unwrap_or(T::ZERO);
                    let pair = imaginary != T::ZERO;
                    let eigenvalue = T::join(wr[k], imaginary);
                    if left {
                        schur.left_vector(k, eigenvalue, &mut vector);
                    } else {
                        schur.right_vector(k, eigenvalue, &mut vector);
                    }
                    for (i, &value) in vector.iter().enumerate() {
                        let (first, second) = T::parts(value);
                        x.set(i, k, first);
                        if pair {
                            x.set(i, k + 1, second);
                        }
                    }
                    k += if pair { 2 } else { 1 };
                }
                product(&q, &x, &mut v, stride);
                let v = Columns::with_stride(&mut v, n, stride);
                write_vectors(&v, wi, &balance, left, target);
            }
        }
        let back = T::Real::ONE / factor;
        for w in wr.iter_mut().chain(wi) {
            *w = w.scale(back);
        }
        info
    }
}

/// `v = q x`.
fn product<T: Element>(q: &Columns<'_, T>, x: &Columns<'_, T>, v: &mut [T], stride: usize) {
    let n = q.rows();
    matmul(
        MatMut::from_column_major_slice_with_stride_mut(v, n, n, stride),
        Accum::Replace,
        MatRef::from_column_major_slice_with_stride(q.elements(), n, n, stride),
        MatRef::from_column_major_slice_with_stride(x.elements(), n, n, stride),
        T::ONE,
        Par::Seq,
    );
}

/// Writes the vectors that are held in `v`, for a real type each pair of conjugates in two columns.
#[inline(always)]
fn write_vectors<T: Decompose>(
    v: &Columns<'_, T>,
    wi: &[T],
    balance: &Balance<'_, T::Real>,
    left: bool,
    target: &mut [T::Complex],
) {
    let n = v.rows();
    let mut k = 0;
    while k < n {
        let pair = wi.get(k).is_some_and(|&imaginary| imaginary != T::ZERO);
        let (column, rest) = target[k * n..].split_at_mut(n);
        for (i, x) in column.iter_mut().enumerate() {
            *x = T::join(v.at(i, k), if pair { v.at(i, k + 1) } else { T::ZERO });
        }
        balance.undo(column, left);
        // Real vectors stay as they are but for the length.
        normalize(column, pair || !T::IS_REAL);
        if pair {
            for (conjugate, &x) in rest.iter_mut().zip(column.iter()) {
                *conjugate = Number::conj(x);
            }
        }
        k += if pair { 2 } else { 1 };
    }
}

#[cfg(test)]
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_precision_loss,
    reason = "sizes of matrices are small"
)]
mod tests;
