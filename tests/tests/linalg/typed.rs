//! Typed functions over jnp.linalg, with the handlers of cyxla.

use cyxla::Complex;

use crate::matrix::{Matrix, Number};

type C32 = Complex<f32>;
type C64 = Complex<f64>;

#[cyxla::program("linalg:solve")]
fn solve(a: &[[C64; 4]; 4], b: &[[C64; 2]; 4]) -> cyxla::Result<[[C64; 2]; 4]>;

#[cyxla::program("linalg:cholesky")]
fn cholesky(a: &[[C64; 4]; 4]) -> cyxla::Result<[[C64; 4]; 4]>;

#[cyxla::program("linalg:qr")]
fn qr(a: &[[C32; 3]; 5]) -> cyxla::Result<([[C32; 3]; 5], [[C32; 3]; 3])>;

#[cyxla::program("linalg:pivoted_qr")]
fn pivoted_qr(a: &[[f64; 3]; 5]) -> cyxla::Result<([[f64; 3]; 5], [[f64; 3]; 3], [i32; 3])>;

#[cyxla::program("linalg:svd")]
fn svd(a: &[[f32; 3]; 5]) -> cyxla::Result<([[f32; 3]; 5], [f32; 3], [[f32; 3]; 3])>;

#[cyxla::program("linalg:svd")]
fn svd_complex(a: &[[C64; 5]; 3]) -> cyxla::Result<([[C64; 3]; 3], [f64; 3], [[C64; 5]; 3])>;

#[cyxla::program("linalg:eigh")]
fn eigh(a: &[[f64; 4]; 4]) -> cyxla::Result<([f64; 4], [[f64; 4]; 4])>;

#[cyxla::program("linalg:eigh")]
fn eigh_complex(a: &[[C32; 4]; 4]) -> cyxla::Result<([f32; 4], [[C32; 4]; 4])>;

#[cyxla::program("linalg:eig")]
fn eig(a: &[[f32; 4]; 4]) -> cyxla::Result<([C32; 4], [[C32; 4]; 4])>;

#[cyxla::program("linalg:eig")]
fn eig_complex(a: &[[C64; 4]; 4]) -> cyxla::Result<([C64; 4], [[C64; 4]; 4])>;

#[cyxla::program("linalg:expm")]
fn expm(a: &[[f64; 2]; 2]) -> cyxla::Result<[[f64; 2]; 2]>;

#[cyxla::program("linalg:lstsq")]
fn lstsq(a: &[[f64; 3]; 5], b: &[f64; 5]) -> cyxla::Result<[f64; 3]>;

#[cyxla::program("linalg:schur")]
fn schur(a: &[[f64; 4]; 4]) -> cyxla::Result<([[f64; 4]; 4], [[f64; 4]; 4])>;

#[cyxla::program("linalg:schur")]
fn schur_complex(a: &[[C32; 4]; 4]) -> cyxla::Result<([[C32; 4]; 4], [[C32; 4]; 4])>;

#[cyxla::program("linalg:sqrtm")]
fn sqrtm(a: &[[f64; 4]; 4]) -> cyxla::Result<[[C64; 4]; 4]>;

#[cyxla::program("linalg:hessenberg")]
fn hessenberg(a: &[[C64; 4]; 4]) -> cyxla::Result<([[C64; 4]; 4], [[C64; 4]; 4])>;

#[cyxla::program("linalg:kalman")]
fn kalman(measured: &[[f64; 2]; 6]) -> cyxla::Result<[[f64; 2]; 6]>;

#[cyxla::program("linalg:qr", linalg = "portable")]
fn portable_qr(a: &[[f32; 3]; 5]) -> cyxla::Result<([[f32; 3]; 5], [[f32; 3]; 3])>;

const SINGLE: f64 = 50.0 * f32::EPSILON as f64;
const DOUBLE: f64 = 50.0 * f64::EPSILON;

/// The example, as exact as `T` has it.
fn example<T: Number, const N: usize, const M: usize>() -> ([[T; N]; M], Matrix) {
    let array = Matrix::example(M, N).array();
    let rounded = Matrix::of(&array);
    (array, rounded)
}

/// The same, hermitian and positive definite.
fn definite<T: Number, const N: usize>() -> ([[T; N]; N], Matrix) {
    let (_, a) = example::<T, N, N>();
    let array = a.gram().array();
    let rounded = Matrix::of(&array);
    (array, rounded)
}

#[test]
fn complex_systems_have_several_right_sides() {
    let ((a, a_matrix), (b, b_matrix)) = (example(), example());
    let x = solve(&a, &b).unwrap();
    a_matrix
        .times(&Matrix::of(&x))
        .assert_near(&b_matrix, DOUBLE);
}

#[test]
fn complex_cholesky_factors_multiply_to_the_matrix() {
    let (array, a) = definite();
    let l = Matrix::of(&cholesky(&array).unwrap());
    l.adjoint().assert_upper(0);
    l.times(&l.adjoint()).assert_near(&a, DOUBLE);
}

#[test]
fn complex_q_and_r_multiply_to_the_matrix() {
    let (array, a) = example();
    let (q, r) = qr(&array).unwrap();
    let (q, r) = (Matrix::of(&q), Matrix::of(&r));
    q.assert_orthonormal(SINGLE);
    r.assert_upper(0);
    q.times(&r).assert_near(&a, SINGLE);
}

#[test]
fn pivoted_q_and_r_multiply_to_the_permuted_matrix() {
    let (array, a) = example();
    let (q, r, p) = pivoted_qr(&array).unwrap();
    let (q, r) = (Matrix::of(&q), Matrix::of(&r));
    let permuted = Matrix::from_fn(5, 3, |i, j| a.at(i, usize::try_from(p[j]).unwrap()));
    q.times(&r).assert_near(&permuted, DOUBLE);
    // The pivots fall: that is what they are chosen for.
    assert!((1..3).all(|i| r.at(i, i).norm_sqr() <= r.at(i - 1, i - 1).norm_sqr()));
}

#[track_caller]
fn assert_singular<T: Number>(u: &Matrix, s: &[T], vh: &Matrix, a: &Matrix, tolerance: f64) {
    u.assert_orthonormal(tolerance);
    vh.adjoint().assert_orthonormal(tolerance);
    assert!(s.is_sorted_by(|x, y| x.wide().re >= y.wide().re && y.wide().re >= 0.0));
    u.times(&Matrix::diagonal(s))
        .times(vh)
        .assert_near(a, tolerance);
}

#[test]
fn singular_vectors_diagonalise_the_matrix() {
    let (array, a) = example();
    let (u, s, vh) = svd(&array).unwrap();
    assert_singular(&Matrix::of(&u), &s, &Matrix::of(&vh), &a, SINGLE);
}

#[test]
fn singular_vectors_of_wide_complex_matrices_do_too() {
    let (array, a) = example();
    let (u, s, vh) = svd_complex(&array).unwrap();
    assert_singular(&Matrix::of(&u), &s, &Matrix::of(&vh), &a, DOUBLE);
}

#[track_caller]
fn assert_hermitian_eigen<T: Number>(w: &[T], v: &Matrix, a: &Matrix, tolerance: f64) {
    v.assert_orthonormal(tolerance);
    assert!(w.is_sorted_by(|x, y| x.wide().re <= y.wide().re));
    v.times(&Matrix::diagonal(w))
        .times(&v.adjoint())
        .assert_near(a, tolerance);
}

#[test]
fn eigenvectors_of_symmetric_matrices_are_orthonormal() {
    let (array, a) = definite();
    let (w, v) = eigh(&array).unwrap();
    assert_hermitian_eigen(&w, &Matrix::of(&v), &a, DOUBLE);
}

#[test]
fn eigenvectors_of_hermitian_matrices_are_orthonormal() {
    let (array, a) = definite();
    let (w, v) = eigh_complex(&array).unwrap();
    assert_hermitian_eigen(&w, &Matrix::of(&v), &a, SINGLE);
}

#[test]
fn real_matrices_have_complex_eigenvectors() {
    // Turns by 90 and 45 degrees in two planes: the eigenvalues are ±i and (1 ± i)/√2.
    let h = std::f32::consts::FRAC_1_SQRT_2;
    let turns = [
        [0.0, -1.0, 0.0, 0.0],
        [1.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, h, -h],
        [0.0, 0.0, h, h],
    ];
    let (w, v) = eig(&turns).unwrap();
    let (a, v) = (Matrix::of(&turns), Matrix::of(&v));
    a.times(&v)
        .assert_near(&v.times(&Matrix::diagonal(&w)), SINGLE);
    let mut found = w.map(|w| (w.re, w.im));
    found.sort_by(|x, y| x.partial_cmp(y).unwrap());
    found[..2].sort_by(|x, y| x.1.total_cmp(&y.1));
    for (found, expected) in found.iter().zip([(0.0, -1.0), (0.0, 1.0), (h, -h), (h, h)]) {
        assert!(
            (found.0 - expected.0).hypot(found.1 - expected.1) < 1e-6,
            "{w:?}"
        );
    }
}

#[test]
fn complex_matrices_have_eigenvectors() {
    let (array, a) = example();
    let (w, v) = eig_complex(&array).unwrap();
    let v = Matrix::of(&v);
    a.times(&v)
        .assert_near(&v.times(&Matrix::diagonal(&w)), DOUBLE);
}

#[test]
fn the_exponential_of_a_turn_is_a_rotation() {
    let t = 2.5_f64;
    let found = expm(&[[0.0, -t], [t, 0.0]]).unwrap();
    let expected = [[t.cos(), -t.sin()], [t.sin(), t.cos()]];
    Matrix::of(&found).assert_near(&Matrix::of(&expected), DOUBLE);
}

#[test]
fn what_least_squares_leave_is_orthogonal_to_the_columns() {
    let (array, a) = example();
    let b = [1.0, -2.0, 0.5, 3.0, 1.5];
    let x = Matrix::column(&lstsq(&array, &b).unwrap());
    let left = a.times(&x).plus(&Matrix::column(&b).negative());
    a.adjoint()
        .times(&left)
        .assert_near(&Matrix::column(&[0.0; 3]), 10.0 * DOUBLE);
}

#[test]
fn schur_factors_multiply_to_the_matrix() {
    let (array, a) = example();
    let (t, z) = schur(&array).unwrap();
    let (t, z) = (Matrix::of(&t), Matrix::of(&z));
    z.assert_orthonormal(DOUBLE);
    // Blocks of two hold the complex pairs.
    t.assert_upper(1);
    assert!((1..3).all(|i| t.at(i, i - 1) == C64::ZERO || t.at(i + 1, i) == C64::ZERO));
    z.times(&t).times(&z.adjoint()).assert_near(&a, DOUBLE);
}

#[test]
fn complex_schur_factors_multiply_to_the_matrix() {
    let (array, a) = example();
    let (t, z) = schur_complex(&array).unwrap();
    let (t, z) = (Matrix::of(&t), Matrix::of(&z));
    z.assert_orthonormal(SINGLE);
    t.assert_upper(0);
    z.times(&t).times(&z.adjoint()).assert_near(&a, SINGLE);
}

#[test]
fn the_root_of_a_matrix_times_itself_is_the_matrix() {
    let (array, a) = definite();
    let root = Matrix::of(&sqrtm(&array).unwrap());
    root.times(&root).assert_near(&a, DOUBLE);
}

#[test]
fn hessenberg_factors_multiply_to_the_matrix() {
    let (array, a) = example();
    let (h, q) = hessenberg(&array).unwrap();
    let (h, q) = (Matrix::of(&h), Matrix::of(&q));
    q.assert_orthonormal(DOUBLE);
    h.assert_upper(1);
    q.times(&h).times(&q.adjoint()).assert_near(&a, DOUBLE);
}

#[allow(
    clippy::many_single_char_names,
    reason = "the names of Kalman's equations"
)]
#[test]
fn a_filter_in_a_loop_is_that_of_the_formulas() {
    let measured = [
        [1.2, 0.9],
        [1.9, 1.1],
        [3.3, 0.8],
        [3.8, 1.0],
        [5.1, 1.2],
        [6.0, 0.9],
    ];
    // x ← F x, P ← F P Fᵀ + Q; K = P (P + R)⁻¹; x ← x + K (z − x), P ← P − K P, for two axes, where a matrix is inverted by
    // its determinant.
    let f = Matrix::of(&[[1.0, 1.0], [0.0, 1.0]]);
    let (q, r) = (Matrix::diagonal(&[0.5, 0.5]), Matrix::diagonal(&[2.0, 2.0]));
    let (mut x, mut p) = (Matrix::column(&[0.0, 0.0]), Matrix::identity(2));
    let mut expected = [[0.0; 2]; 6];
    for (z, expected) in measured.iter().zip(&mut expected) {
        x = f.times(&x);
        p = f.times(&p).times(&f.adjoint()).plus(&q);
        let s = p.plus(&r);
        let determinant = s.at(0, 0) * s.at(1, 1) - s.at(0, 1) * s.at(1, 0);
        let inverse = Matrix::from_fn(2, 2, |i, j| {
            let cofactor = s.at(1 - j, 1 - i) / determinant;
            if i == j { cofactor } else { -cofactor }
        });
        let gain = p.times(&inverse);
        x = x.plus(&gain.times(&Matrix::column(z).plus(&x.negative())));
        p = p.plus(&gain.times(&p).negative());
        *expected = [x.at(0, 0).re, x.at(1, 0).re];
    }
    let found = kalman(&measured).unwrap();
    Matrix::of(&found).assert_near(&Matrix::of(&expected), DOUBLE);
}

#[test]
fn the_option_takes_the_calls_out_of_the_program() {
    let (array, a) = example();
    let (q, r) = portable_qr(&array).unwrap();
    Matrix::of(&q)
        .times(&Matrix::of(&r))
        .assert_near(&a, SINGLE);
    assert_eq!(
        portable_qr::program().lowered().record.custom_calls,
        [""; 0]
    );
    assert_eq!(
        qr::program().lowered().record.custom_calls,
        ["lapack_cgeqrf_ffi", "lapack_cungqr_ffi"]
    );
}
