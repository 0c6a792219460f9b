//! jnp.linalg without LAPACK: factors and systems of equations, end to end.

use cyxla::Complex;

#[cyxla::program("factors:solve")]
fn solve(a: &[[f64; 3]; 3], b: &[f64; 3]) -> cyxla::Result<[f64; 3]>;

#[cyxla::program("factors:solve")]
fn solve_complex(
    a: &[[Complex<f32>; 2]; 2],
    b: &[Complex<f32>; 2],
) -> cyxla::Result<[Complex<f32>; 2]>;

#[cyxla::program("factors:cholesky")]
fn cholesky(a: &[[[f32; 2]; 2]; 3]) -> cyxla::Result<[[[f32; 2]; 2]; 3]>;

#[cyxla::program("factors:qr")]
fn qr(a: &[[f64; 2]; 3]) -> cyxla::Result<([[f64; 2]; 3], [[f64; 2]; 2])>;

#[cyxla::program("factors:determinant")]
fn determinant(a: &[[f32; 4]; 4]) -> cyxla::Result<f32>;

#[cyxla::program("factors:solve_upper")]
fn solve_upper(a: &[[f32; 2]; 2], b: &[[f32; 3]; 2]) -> cyxla::Result<[[f32; 3]; 2]>;

#[cyxla::program("factors:solve_tridiagonal")]
fn solve_tridiagonal(
    lower: &[f64; 3],
    diagonal: &[f64; 3],
    upper: &[f64; 3],
    b: &[[f64; 1]; 3],
) -> cyxla::Result<[[f64; 1]; 3]>;

#[cyxla::program("factors:gradient")]
fn gradient(a: &[[f64; 2]; 2], b: &[f64; 2]) -> cyxla::Result<[[f64; 2]; 2]>;

fn assert_near(found: &[f64], expected: &[f64]) {
    for (x, y) in found.iter().zip(expected) {
        assert!((x - y).abs() < 1e-12, "{found:?} is not {expected:?}");
    }
}

#[test]
fn systems_are_solved() {
    // (0, 2, 1; 1, 1, 0; 3, 0, 1) (1, 2, 3) = (7, 3, 6); the first pivot is zero, so rows must be exchanged.
    let a = [[0.0, 2.0, 1.0], [1.0, 1.0, 0.0], [3.0, 0.0, 1.0]];
    assert_near(&solve(&a, &[7.0, 3.0, 6.0]).unwrap(), &[1.0, 2.0, 3.0]);
}

#[test]
fn complex_systems_are_solved() {
    // (i, 0; 1, 2) (1, i) = (i, 1 + 2i)
    let c = Complex::new;
    let a = [[c(0.0, 1.0), c(0.0, 0.0)], [c(1.0, 0.0), c(2.0, 0.0)]];
    let x = solve_complex(&a, &[c(0.0, 1.0), c(1.0, 2.0)]).unwrap();
    assert!((x[0] - c(1.0, 0.0)).norm_sqr() < 1e-12, "{x:?}");
    assert!((x[1] - c(0.0, 1.0)).norm_sqr() < 1e-12, "{x:?}");
}

#[test]
fn the_member_of_a_batch_that_is_not_positive_definite_is_nan() {
    let good = [[4.0, 2.0], [2.0, 5.0]];
    let l = cholesky(&[good, [[1.0, 2.0], [2.0, 1.0]], good]).unwrap();
    assert_eq!(l[0], [[2.0, 0.0], [1.0, 2.0]]);
    assert!(
        [l[1][0][0], l[1][1][0], l[1][1][1]]
            .iter()
            .all(|x| x.is_nan())
    );
    assert_eq!(l[2], l[0]);
}

#[test]
fn q_and_r_multiply_to_the_matrix() {
    let a = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]];
    let (q, r) = qr(&a).unwrap();
    for i in 0..3 {
        for j in 0..2 {
            assert_near(&[q[i][0] * r[0][j] + q[i][1] * r[1][j]], &[a[i][j]]);
        }
    }
    let product = |x: usize, y: usize| q.iter().map(|row| row[x] * row[y]).sum::<f64>();
    assert_near(
        &[product(0, 0), product(0, 1), product(1, 1)],
        &[1.0, 0.0, 1.0],
    );
    assert_eq!(r[1][0], 0.0);
}

#[test]
fn the_sign_of_a_determinant_follows_the_pivots() {
    // A cyclic permutation of four columns is odd.
    let a = [
        [0.0, 1.0, 0.0, 0.0],
        [0.0, 0.0, 1.0, 0.0],
        [0.0, 0.0, 0.0, 1.0],
        [1.0, 0.0, 0.0, 0.0],
    ];
    assert_eq!(determinant(&a).unwrap(), -1.0);
}

#[test]
fn triangles_are_solved_transposed() {
    // (2, 1; 0, 4)ᵀ (1, 2, 3; 1, 0, 1) = (2, 4, 6; 5, 2, 7)
    let x = solve_upper(
        &[[2.0, 1.0], [0.0, 4.0]],
        &[[2.0, 4.0, 6.0], [5.0, 2.0, 7.0]],
    )
    .unwrap();
    assert_eq!(x, [[1.0, 2.0, 3.0], [1.0, 0.0, 1.0]]);
}

#[test]
fn tridiagonal_systems_are_solved() {
    // (2, 1, 0; 1, 3, 1; 0, 1, 2) (1, 2, 3) = (4, 10, 8)
    let x = solve_tridiagonal(
        &[0.0, 1.0, 1.0],
        &[2.0, 3.0, 2.0],
        &[1.0, 1.0, 0.0],
        &[[4.0], [10.0], [8.0]],
    );
    let x = x.unwrap();
    assert_near(&[x[0][0], x[1][0], x[2][0]], &[1.0, 2.0, 3.0]);
}

#[test]
fn gradients_go_through_a_solution() {
    // d(1ᵀ A⁻¹ b)/dA = −A⁻ᵀ 1 (A⁻¹ b)ᵀ; with A = diag(2, 4), b = (2, 4): −(1/2, 1/4) (1, 1)ᵀ.
    let slope = gradient(&[[2.0, 0.0], [0.0, 4.0]], &[2.0, 4.0]).unwrap();
    assert_near(slope.as_flattened(), &[-0.5, -0.5, -0.25, -0.25]);
}
