//! gees: the Schur form, `A = Z T Zᴴ`.

use faer::dyn_stack::{MemStack, StackReq};
use num_complex::Complex;

use crate::columns::Columns;
use crate::element::{Element, Number, Real};
use crate::householder::apply_reflectors;
use crate::range::{is_finite, largest_part, scaling};
use crate::scratch::zeros;
use crate::simd::{Kernel, vectorised};
use crate::{complex_qr, francis, hessenberg};

/// An element type with its way from Hessenberg to Schur form: quasi-triangular for a real type.
pub(crate) trait Triangularize: Element {
    /// [`francis::triangularize`] or [`complex_qr::triangularize`], by whether the type is real. The eigenvalues of a complex
    /// type are on the diagonal of `h`; those of a real one go to `wr` and `wi`.
    #[allow(clippy::too_many_arguments, reason = "LAPACK's own")]
    fn triangularize<const FUSED: bool>(
        low: usize,
        high: usize,
        whole: bool,
        h: &mut Columns<'_, Self>,
        z: Option<Columns<'_, Self>>,
        wr: &mut [Self],
        wi: &mut [Self],
    ) -> usize;
}

macro_rules! triangularize {
    ($($real:ident)*) => { $(
        impl Triangularize for $real {
            #[inline(always)]
            fn triangularize<const FUSED: bool>(
                low: usize,
                high: usize,
                whole: bool,
                h: &mut Columns<'_, Self>,
                z: Option<Columns<'_, Self>>,
                wr: &mut [Self],
                wi: &mut [Self],
            ) -> usize {
                francis::triangularize::<Self, FUSED>(low, high, whole, h, z, wr, wi)
            }
        }

        impl Triangularize for Complex<$real> {
            #[inline(always)]
            fn triangularize<const FUSED: bool>(
                low: usize,
                high: usize,
                whole: bool,
                h: &mut Columns<'_, Self>,
                z: Option<Columns<'_, Self>>,
                wr: &mut [Self],
                _wi: &mut [Self],
            ) -> usize {
                complex_qr::triangularize::<Self, FUSED>(low, high, whole, h, z, wr)
            }
        }
    )* };
}

triangularize!(f32 f64);

/// How far apart columns of `n` elements are kept: at powers of two, the columns of a row share few lines of the cache.
pub(crate) fn spaced(n: usize) -> usize {
    if n >= 64 && n % 32 == 0 { n + 8 } else { n }
}

/// What [`gees`] needs beside its arguments for matrices of `n` rows.
pub(crate) fn scratch<T: Element>(n: usize) -> StackReq {
    StackReq::all_of(&[
        StackReq::new::<T>(n * spaced(n)).array(2),
        StackReq::new::<T>(n).array(2),
    ])
}

/// Replaces the column-major matrix `a` of `n` rows by its Schur form, and writes the Schur vectors to `vs` where given.
///
/// `wr` gets the eigenvalues of a complex matrix; `wr` and `wi` the real and imaginary parts of those of a real one, of a pair of
/// conjugates that above the axis first. Returns LAPACK's info: zero, or the number of the row, from one, below which
/// eigenvalues were found; a matrix that isn't finite has none.
pub(crate) fn gees<T: Triangularize>(
    n: usize,
    a: &mut [T],
    vs: Option<&mut [T]>,
    wr: &mut [T],
    wi: &mut [T],
    stack: &mut MemStack,
) -> i32 {
    let a = &mut a[..n * n];
    let largest = largest_part(a);
    if !is_finite(largest) {
        return i32::try_from(n).unwrap_or(i32::MAX);
    }
    let factor = scaling(largest).unwrap_or(T::Real::ONE);
    let info = vectorised(Form {
        n,
        a,
        vs,
        wr,
        wi,
        factor,
        stack,
    });
    i32::try_from(info).unwrap_or(i32::MAX)
}

struct Form<'a, T: Element> {
    n: usize,
    a: &'a mut [T],
    vs: Option<&'a mut [T]>,
    wr: &'a mut [T],
    wi: &'a mut [T],
    factor: T::Real,
    stack: &'a mut MemStack,
}

impl<T: Triangularize> Kernel for Form<'_, T> {
    type Output = usize;

    #[inline(always)]
    fn run<const FUSED: bool>(self) -> usize {
        let Self {
            n,
            a,
            vs,
            wr,
            wi,
            factor,
            stack,
        } = self;
        let stride = spaced(n);
        let (mut h, stack) = zeros::<T>(stack, n * stride);
        let (mut z, stack) = zeros::<T>(stack, n * stride);
        let (mut tau, stack) = zeros::<T>(stack, n);
        let (mut work, _) = zeros::<T>(stack, n);
        let mut h = Columns::with_stride(&mut h, n, stride);
        let mut z = Columns::with_stride(&mut z, n, stride);
        for j in 0..n {
            for (h, &a) in h.column_mut(j).iter_mut().zip(&a[j * n..]) {
                *h = a.scale(factor);
            }
        }
        let tau = &mut tau[..n.saturating_sub(1)];
        hessenberg::reduce::<T, FUSED>(0, n.saturating_sub(1), &mut h, tau, &mut work);
        if vs.is_some() {
            z.set_identity(n);
            apply_reflectors::<T, FUSED>(&h, tau, 1, &mut z, n, true);
        }
        clear_below_subdiagonal(&mut h);
        let vectors = vs.is_some().then(|| z.reborrow());
        let (wr, wi) = (&mut wr[..n], &mut wi[..if T::IS_REAL { n } else { 0 }]);
        let last = n.saturating_sub(1);
        let info = T::triangularize::<FUSED>(0, last, true, &mut h, vectors, wr, wi);
        let back = T::Real::ONE / factor;
        for j in 0..n {
            for (a, &h) in a[j * n..].iter_mut().zip(h.column(j)) {
                *a = h.scale(back);
            }
        }
        for w in wr.iter_mut().chain(wi) {
            *w = w.scale(back);
        }
        if let Some(vs) = vs {
            for j in 0..n {
                vs[j * n..][..n].copy_from_slice(z.column(j));
            }
        }
        info
    }
}

/// Removes the tails of reflectors from a Hessenberg matrix.
#[inline(always)]
pub(crate) fn clear_below_subdiagonal<T: Element>(h: &mut Columns<'_, T>) {
    for j in 0..h.rows().saturating_sub(2) {
        h.column_mut(j)[j + 2..].fill(T::ZERO);
    }
}
