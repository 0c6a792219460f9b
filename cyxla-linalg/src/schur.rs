//! gees: the Schur form, `A = Z T Zᴴ`.

use faer::dyn_stack::{MemStack, StackReq};
use num_complex::Complex;

use crate::columns::Columns;
use crate::element::{Element, Number};
use crate::householder::apply_reflectors;
use crate::range::{is_finite, largest_part, scaling};
use crate::reflectors::{block_scratch, form_hessenberg_basis};
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
    if n >= 64 && n.is_multiple_of(32) {
        n + 8
    } else {
        n
    }
}

/// What [`gees`] needs beside its arguments for matrices of `n` rows.
pub(crate) fn scratch<T: Element>(n: usize) -> StackReq {
    StackReq::all_of(&[
        StackReq::new::<T>(n * spaced(n)).array(2),
        StackReq::new::<T>(n).array(2),
        basis_scratch::<T>(n),
    ])
}

/// From how many rows on the basis of a Hessenberg form is made of blocks.
const BLOCKED: usize = 64;

/// The scratch of [`form_basis`].
pub(crate) fn basis_scratch<T: Element>(n: usize) -> StackReq {
    if n < BLOCKED {
        StackReq::EMPTY
    } else {
        block_scratch::<T>(spaced(n), n)
    }
}

/// Makes of the identity `q` the basis in which the matrix has its Hessenberg form. What lies between the columns is zero.
#[inline(always)]
pub(crate) fn form_basis<T: Element, const FUSED: bool>(
    h: &Columns<'_, T>,
    tau: &[T],
    q: &mut Columns<'_, T>,
    stack: &mut MemStack,
) {
    let n = h.rows();
    if n < BLOCKED {
        apply_reflectors::<T, FUSED>(h, tau, 1, q, n, true);
    } else {
        form_hessenberg_basis(h, tau, q, stack);
    }
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
        let (mut work, stack) = zeros::<T>(stack, n);
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
            form_basis::<T, FUSED>(&h, tau, &mut z, stack);
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

#[cfg(test)]
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_precision_loss,
    reason = "sizes of matrices are small"
)]
mod tests {
    use super::*;
    use crate::element::Real;
    use crate::scratch::with_scratch;
    use crate::testing::{
        Numbers, Tested, Wide, assert_as_exact_as_lapack, distance, for_each_type, random,
        residual_of_basis, sizes,
    };

    struct Decomposed<T> {
        info: i32,
        t: Vec<T>,
        z: Vec<T>,
        wr: Vec<T>,
        wi: Vec<T>,
    }

    fn decompose<T: Tested + Triangularize>(n: usize, a: &[T]) -> Decomposed<T> {
        let (mut t, mut z) = (a.to_vec(), vec![T::ZERO; n * n]);
        let (mut wr, mut wi) = (vec![T::ZERO; n], vec![T::ZERO; n]);
        let info = with_scratch(scratch::<T>(n), |stack| {
            gees(n, &mut t, Some(&mut z), &mut wr, &mut wi, stack)
        });
        Decomposed { info, t, z, wr, wi }
    }

    /// Checks the form of T, and answers the residual and the distance of Z from orthogonality.
    fn residuals<T: Tested + Triangularize>(n: usize, a: &[T]) -> [f64; 2] {
        let Decomposed { info, t, z, wr, wi } = decompose(n, a);
        assert_eq!(info, 0);
        let at = |i: usize, j: usize| t[j * n + i];
        for j in 0..n {
            for i in j + 1..n {
                if i > j + 1 || !T::IS_REAL {
                    assert_eq!(at(i, j), T::ZERO, "below the diagonal");
                }
            }
            assert_eq!(wr[j], at(j, j), "eigenvalues are on the diagonal");
            if j + 1 == n || at(j + 1, j) == T::ZERO {
                continue;
            }
            assert_eq!(at(j, j), at(j + 1, j + 1), "a block in standard form");
            assert!(at(j, j + 1).re() * at(j + 1, j).re() < T::Real::ZERO);
            assert!(
                j + 2 == n || at(j + 2, j + 1) == T::ZERO,
                "blocks stand alone"
            );
            assert!(
                wi[j].re() > T::Real::ZERO && wi[j + 1] == -wi[j],
                "above the axis first"
            );
        }
        let (t, z) = (Wide::new(n, n, &t), Wide::new(n, n, &z));
        let residual = residual_of_basis(&Wide::new(n, n, a), &z, &t);
        [residual, distance(&z.adjoint(), &z, &Wide::identity(n))]
    }

    fn random_matrices<T: Tested + Triangularize>() {
        for n in sizes() {
            let [residual, orthogonal] = residuals::<T>(n, &random(2 * n, n * n));
            assert_as_exact_as_lapack::<T>("gees", n, residual);
            assert_as_exact_as_lapack::<T>("gees-orthogonal", n, orthogonal);
        }
    }

    #[test]
    fn schur_forms_are_as_exact_as_those_of_lapack() {
        for_each_type!(random_matrices);
    }

    fn special<T: Tested + Triangularize>() {
        for n in [1, 2, 3, 4, 9, 30] {
            let bound = 30.0 * (n as f64) * T::unit_roundoff();
            let from = |value: &dyn Fn(usize, usize) -> f64| -> Vec<T> {
                (0..n * n)
                    .map(|k| T::from_re(T::Real::from_f64(value(k % n, k / n))))
                    .collect()
            };
            let number = |holds: bool| f64::from(u8::from(holds));
            let matrices = [
                from(&|i, j| number(i == j)),
                from(&|i, j| number(j == i + 1)),
                from(&|i, j| number(i == j + 1)),
                from(&|i, j| number(i == (j + 1) % n)),
                from(&|i, j| number(i == n - 1 - j)),
                from(&|i, j| if i == 0 { -1.0 } else { number(i == j + 1) }),
                from(&|i, j| 10.0_f64.powi(-2 * (i as i32 + j as i32))),
                from(&|_, _| 1.0),
                from(&|i, j| i as f64 - j as f64),
            ];
            for (number, a) in matrices.iter().enumerate() {
                let [residual, orthogonal] = residuals(n, a);
                assert!(
                    residual <= bound && orthogonal <= bound,
                    "{number}, {n}: {residual} {orthogonal}"
                );
            }
            let zero = decompose(n, &vec![T::ZERO; n * n]);
            assert_eq!(zero.info, 0);
            assert!(zero.t.iter().chain(&zero.wr).all(|&x| x == T::ZERO));
        }
    }

    #[test]
    fn identity_shift_cyclic_companion_graded_and_singular_matrices_are_decomposed() {
        for_each_type!(special);
    }

    fn triangular<T: Tested + Triangularize>() {
        let n = 12;
        let mut a = random::<T>(n, n * n);
        for j in 0..n {
            a[j * n + j + 1..(j + 1) * n].fill(T::ZERO);
        }
        let found = decompose(n, &a);
        assert_eq!(found.t, a);
        assert_eq!(
            Wide::new(n, n, &found.z).elements,
            Wide::identity(n).elements
        );
    }

    #[test]
    fn a_triangular_matrix_is_its_own_schur_form() {
        for_each_type!(triangular);
    }

    #[test]
    fn a_rotation_is_a_block_in_standard_form() {
        // [[1, 5], [−2, 1]]: 1 ± i √10.
        let found = decompose::<f64>(2, &[1.0, -2.0, 5.0, 1.0]);
        assert_eq!((found.info, found.t), (0, vec![1.0, -2.0, 5.0, 1.0]));
        let imaginary = 10.0_f64.sqrt();
        assert!((found.wi[0] - imaginary).abs() < 1e-15 && found.wi[1] == -found.wi[0]);
    }

    fn not_finite<T: Tested + Triangularize>() {
        for value in [f64::NAN, f64::INFINITY] {
            for n in [1, 2, 5, 40] {
                let mut a = random::<T>(n, n * n);
                a[n * n - 1] = T::from_re(T::Real::from_f64(value));
                assert!(decompose(n, &a).info > 0);
            }
        }
    }

    #[test]
    fn a_matrix_that_is_not_finite_has_no_schur_form() {
        for_each_type!(not_finite);
    }

    fn wild<T: Tested + Triangularize>() {
        for n in [1, 2, 3, 4, 8, 20] {
            for seed in 0..20 {
                let mut numbers = Numbers::new(seed);
                let a: Vec<T> = (0..n * n).map(|_| numbers.wild()).collect();
                decompose(n, &a);
                let finite: Vec<T> = a
                    .iter()
                    .map(|x| if is_finite(x.abs1()) { *x } else { T::ONE })
                    .collect();
                assert_eq!(decompose(n, &finite).info, 0);
            }
        }
    }

    #[test]
    fn numbers_out_of_the_ordinary_end() {
        for_each_type!(wild);
    }

    #[test]
    fn an_empty_matrix_is_its_schur_form() {
        assert_eq!(decompose::<f32>(0, &[]).info, 0);
    }
}
