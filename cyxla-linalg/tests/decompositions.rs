//! The custom calls of eigenvalues, singular values and condensed forms as an engine makes them.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test")]

use cyxla_ffi::{Element, Error, OwnedCall};
use cyxla_linalg::targets;
use num_complex::Complex;

fn call(name: &str, frame: &mut OwnedCall) -> Result<(), Error> {
    let (_, handler) = targets()
        .iter()
        .find(|(target, _)| *target == name)
        .expect("a target");
    frame.run(handler)
}

fn argument<T: Element>(elements: &[T], dims: &[usize]) -> OwnedCall {
    OwnedCall::new().argument(elements, dims).unwrap()
}

#[test]
fn every_routine_has_a_name_for_each_element_type() {
    for (real, complex) in [
        ("gesdd", "gesdd"),
        ("gesvd", "gesvd"),
        ("syevd", "heevd"),
        ("geev", "geev"),
        ("gees", "gees"),
        ("gehrd", "gehrd"),
        ("sytrd", "hetrd"),
    ] {
        for (letters, routine) in [("sd", real), ("cz", complex)] {
            for letter in letters.chars() {
                let name = format!("lapack_{letter}{routine}_ffi");
                assert!(
                    targets().iter().any(|(target, _)| *target == name),
                    "{name}"
                );
            }
        }
    }
}

/// A call of gesdd with the matrices of `dims`.
fn singular(x: &[f64], dims: [usize; 3], mode: u8) -> OwnedCall {
    let [count, m, n] = dims;
    let k = m.min(n);
    let (left, right) = if mode == b'S' { (k, k) } else { (m, n) };
    argument(x, &dims)
        .result::<f64>(&dims)
        .unwrap()
        .result::<f64>(&[count, k])
        .unwrap()
        .result::<f64>(&[count, m, left])
        .unwrap()
        .result::<f64>(&[count, right, n])
        .unwrap()
        .result::<i32>(&[count])
        .unwrap()
        .attribute("mode", mode)
}

#[test]
fn singular_values_descend_and_vectors_are_column_major() {
    // (3, 0, 0; 0, 4, 0), column by column: the largest value belongs to the second row and column.
    let x = [3.0, 0.0, 0.0, 4.0, 0.0, 0.0];
    for name in ["lapack_dgesdd_ffi", "lapack_dgesvd_ffi"] {
        for (mode, rows) in [(b'A', 3), (b'S', 2)] {
            let frame = singular(&x, [1, 2, 3], mode);
            for mut frame in [frame.clone(), frame.in_place(0, 0).unwrap()] {
                call(name, &mut frame).unwrap();
                assert_eq!(frame.result_slice::<f64>(1).unwrap(), [4.0, 3.0]);
                assert_eq!(frame.result_slice::<i32>(4).unwrap(), [0]);
                let (u, vt) = (
                    frame.result_slice::<f64>(2).unwrap(),
                    frame.result_slice::<f64>(3).unwrap(),
                );
                for i in 0..2 {
                    for j in 0..3 {
                        let product = u[i] * 4.0 * vt[j * rows] + u[2 + i] * 3.0 * vt[j * rows + 1];
                        assert!((product - x[j * 2 + i]).abs() < 1e-14);
                    }
                }
            }
        }
    }
}

#[test]
fn a_member_that_is_not_finite_leaves_the_others_of_the_batch_alone() {
    let x = [f64::NAN, 0.0, 0.0, 1.0, 2.0, 0.0, 0.0, 5.0];
    let mut frame = singular(&x, [2, 2, 2], b'A');
    call("lapack_dgesdd_ffi", &mut frame).unwrap();
    assert_eq!(frame.result_slice::<i32>(4).unwrap(), [-4, 0]);
    assert_eq!(frame.result_slice::<f64>(1).unwrap()[2..], [5.0, 2.0]);

    let mut frame = hermitian(&x, [2, 2], b'L');
    call("lapack_dsyevd_ffi", &mut frame).unwrap();
    let info = frame.result_slice::<i32>(2).unwrap();
    assert!(info[0] != 0 && info[1] == 0);
    assert_eq!(frame.result_slice::<f64>(1).unwrap()[2..], [2.0, 5.0]);

    let mut frame = general(&x, [2, 2], b'N', b'V');
    call("lapack_dgeev_ffi", &mut frame).unwrap();
    assert_eq!(frame.result_slice::<i32>(4).unwrap(), [-4, 0]);
    assert_eq!(frame.result_slice::<f64>(0).unwrap()[2..], [2.0, 5.0]);
}

#[test]
fn values_without_vectors_need_none() {
    let mut frame = singular(&[3.0, 0.0, 0.0, 4.0], [1, 2, 2], b'N');
    call("lapack_dgesdd_ffi", &mut frame).unwrap();
    assert_eq!(frame.result_slice::<f64>(1).unwrap(), [4.0, 3.0]);
}

/// A call of syevd with `dims[0]` matrices of `dims[1]` rows.
fn hermitian(x: &[f64], dims: [usize; 2], uplo: u8) -> OwnedCall {
    let [count, n] = dims;
    argument(x, &[count, n, n])
        .result::<f64>(&[count, n, n])
        .unwrap()
        .result::<f64>(&[count, n])
        .unwrap()
        .result::<i32>(&[count])
        .unwrap()
        .attribute("mode", b'V')
        .attribute("uplo", uplo)
}

#[test]
fn eigenvalues_are_of_the_triangle_that_is_named() {
    // Column by column: below the diagonal 1, above it 0, on it 2. The lower triangle means (2, 1; 1, 2).
    let x = [2.0, 1.0, 0.0, 2.0];
    for (uplo, expected) in [(b'L', [1.0, 3.0]), (b'U', [2.0, 2.0])] {
        let frame = hermitian(&x, [1, 2], uplo);
        for mut frame in [frame.clone(), frame.in_place(0, 0).unwrap()] {
            call("lapack_dsyevd_ffi", &mut frame).unwrap();
            let w = frame.result_slice::<f64>(1).unwrap();
            assert!((w[0] - expected[0]).abs() < 1e-15 && (w[1] - expected[1]).abs() < 1e-15);
        }
    }
}

#[test]
fn a_hermitian_matrix_has_real_eigenvalues() {
    // (1, −i; i, 1): 0 and 2.
    let x = [
        Complex::new(1.0_f32, 0.0),
        Complex::new(0.0, 1.0),
        Complex::new(0.0, -1.0),
        Complex::new(1.0, 0.0),
    ];
    let mut frame = argument(&x, &[2, 2])
        .result::<Complex<f32>>(&[2, 2])
        .unwrap()
        .result::<f32>(&[2])
        .unwrap()
        .result::<i32>(&[])
        .unwrap()
        .attribute("mode", b'V')
        .attribute("uplo", b'L');
    call("lapack_cheevd_ffi", &mut frame).unwrap();
    let w = frame.result_slice::<f32>(1).unwrap();
    assert!(w[0].abs() < 1e-6 && (w[1] - 2.0).abs() < 1e-6);
}

/// A call of geev with `dims[0]` matrices of `dims[1]` rows.
fn general(x: &[f64], dims: [usize; 2], left: u8, right: u8) -> OwnedCall {
    let [count, n] = dims;
    argument(x, &[count, n, n])
        .result::<f64>(&[count, n])
        .unwrap()
        .result::<f64>(&[count, n])
        .unwrap()
        .result::<Complex<f64>>(&[count, n, n])
        .unwrap()
        .result::<Complex<f64>>(&[count, n, n])
        .unwrap()
        .result::<i32>(&[count])
        .unwrap()
        .attribute("compute_left", left)
        .attribute("compute_right", right)
}

#[test]
fn a_pair_of_conjugates_has_that_above_the_axis_first_and_complex_vectors() {
    // (0, −1; 1, 0): ±i.
    let mut frame = general(&[0.0, 1.0, -1.0, 0.0], [1, 2], b'V', b'V');
    call("lapack_dgeev_ffi", &mut frame).unwrap();
    assert_eq!(frame.result_slice::<f64>(0).unwrap(), [0.0, 0.0]);
    assert_eq!(frame.result_slice::<f64>(1).unwrap(), [1.0, -1.0]);
    for vectors in [2, 3] {
        // A v = i v is −v₁ = i v₀; vᴴ A = i vᴴ is v̄₁ = i v̄₀, which is the same.
        let v = frame.result_slice::<Complex<f64>>(vectors).unwrap();
        assert!((v[1] + v[0] * Complex::i()).norm() < 1e-15);
        assert!((v[0].norm_sqr() + v[1].norm_sqr() - 1.0).abs() < 1e-15);
        assert_eq!([v[2], v[3]], [v[0].conj(), v[1].conj()]);
    }
}

#[test]
fn vectors_that_are_not_wanted_are_left_as_they_are() {
    let mut frame = general(&[2.0, 0.0, 0.0, 5.0], [1, 2], b'N', b'N');
    let untouched = frame.result_slice::<Complex<f64>>(2).unwrap().to_vec();
    call("lapack_dgeev_ffi", &mut frame).unwrap();
    let after = frame.result_slice::<Complex<f64>>(2).unwrap();
    let bits = |x: &Complex<f64>| (x.re.to_bits(), x.im.to_bits());
    assert!(after.iter().map(bits).eq(untouched.iter().map(bits)));
    assert_eq!(frame.result_slice::<f64>(0).unwrap(), [2.0, 5.0]);
}

#[test]
fn complex_matrices_have_one_array_of_eigenvalues() {
    let i = Complex::<f64>::i();
    let zero = Complex::new(0.0, 0.0);
    let x = [i, zero, zero, -i];
    let frame = argument(&x, &[2, 2]);
    let mut eig = frame
        .clone()
        .result::<Complex<f64>>(&[2])
        .unwrap()
        .result::<Complex<f64>>(&[2, 2])
        .unwrap()
        .result::<Complex<f64>>(&[2, 2])
        .unwrap()
        .result::<i32>(&[])
        .unwrap()
        .attribute("compute_left", b'N')
        .attribute("compute_right", b'V');
    call("lapack_zgeev_ffi", &mut eig).unwrap();
    assert_eq!(eig.result_slice::<Complex<f64>>(0).unwrap(), [i, -i]);

    let mut schur = frame
        .result::<Complex<f64>>(&[2, 2])
        .unwrap()
        .result::<Complex<f64>>(&[2, 2])
        .unwrap()
        .result::<Complex<f64>>(&[2])
        .unwrap()
        .result::<i32>(&[])
        .unwrap()
        .result::<i32>(&[])
        .unwrap()
        .attribute("mode", b'V')
        .attribute("sort", b'N');
    call("lapack_zgees_ffi", &mut schur).unwrap();
    assert_eq!(schur.result_slice::<Complex<f64>>(0).unwrap(), x);
    assert_eq!(schur.result_slice::<Complex<f64>>(2).unwrap(), [i, -i]);
    assert_eq!(schur.result_slice::<i32>(4).unwrap(), [0]);
}

/// A call of gees with one matrix of `n` rows.
fn schur(x: &[f32], n: usize, mode: u8) -> OwnedCall {
    argument(x, &[n, n])
        .result::<f32>(&[n, n])
        .unwrap()
        .result::<f32>(&[n, n])
        .unwrap()
        .result::<f32>(&[n])
        .unwrap()
        .result::<f32>(&[n])
        .unwrap()
        .result::<i32>(&[])
        .unwrap()
        .result::<i32>(&[])
        .unwrap()
        .attribute("mode", mode)
        .attribute("sort", b'N')
}

#[test]
fn a_real_schur_form_keeps_a_pair_of_conjugates_in_a_block() {
    // (1, 5; −2, 1) is in standard form already: 1 ± i √10.
    let x = [1.0, -2.0, 5.0, 1.0];
    for mode in [b'V', b'N'] {
        let frame = schur(&x, 2, mode);
        for mut frame in [frame.clone(), frame.in_place(0, 0).unwrap()] {
            call("lapack_sgees_ffi", &mut frame).unwrap();
            assert_eq!(frame.result_slice::<f32>(0).unwrap(), x);
            assert_eq!(frame.result_slice::<f32>(2).unwrap(), [1.0, 1.0]);
            assert_eq!(frame.result_slice::<i32>(5).unwrap(), [0]);
            if mode == b'V' {
                assert_eq!(frame.result_slice::<f32>(1).unwrap(), [1.0, 0.0, 0.0, 1.0]);
            }
        }
    }
}

/// A call of gehrd with one matrix of `n` rows.
fn hessenberg(x: &[f64], n: usize, low: i32, high: i32) -> OwnedCall {
    argument(x, &[n, n])
        .result::<f64>(&[n, n])
        .unwrap()
        .result::<f64>(&[n - 1])
        .unwrap()
        .result::<i32>(&[])
        .unwrap()
        .attribute("low", low)
        .attribute("high", high)
}

#[test]
fn reflectors_of_condensed_forms_are_those_of_lapack() {
    // The first column is (0, 3, 4): β = −5, τ = 8/5, v = 4 / (3 + 5).
    let x = [0.0, 3.0, 4.0, 3.0, 0.0, 0.0, 4.0, 0.0, 0.0];
    let mut frame = hessenberg(&x, 3, 1, 3);
    call("lapack_dgehrd_ffi", &mut frame).unwrap();
    assert_eq!(frame.result_slice::<f64>(0).unwrap()[1..3], [-5.0, 0.5]);
    assert_eq!(frame.result_slice::<f64>(1).unwrap(), [1.6, 0.0]);
    assert_eq!(frame.result_slice::<i32>(2).unwrap(), [0]);

    let mut frame = argument(&x, &[3, 3])
        .result::<f64>(&[3, 3])
        .unwrap()
        .result::<f64>(&[3])
        .unwrap()
        .result::<f64>(&[2])
        .unwrap()
        .result::<f64>(&[2])
        .unwrap()
        .result::<i32>(&[])
        .unwrap()
        .attribute("uplo", b'L');
    call("lapack_dsytrd_ffi", &mut frame).unwrap();
    assert_eq!(frame.result_slice::<f64>(0).unwrap()[1..3], [-5.0, 0.5]);
    assert_eq!(frame.result_slice::<f64>(2).unwrap()[0], -5.0);
    assert_eq!(frame.result_slice::<f64>(3).unwrap()[0], 1.6);
}

#[test]
fn a_single_number_has_no_reflectors() {
    let mut frame = hessenberg(&[7.0], 1, 1, 1);
    call("lapack_dgehrd_ffi", &mut frame).unwrap();
    assert_eq!(frame.result_slice::<f64>(0).unwrap(), [7.0]);

    let mut frame = argument(&[7.0], &[1, 1])
        .result::<f64>(&[1, 1])
        .unwrap()
        .result::<f64>(&[1])
        .unwrap()
        .result::<f64>(&[0])
        .unwrap()
        .result::<f64>(&[0])
        .unwrap()
        .result::<i32>(&[])
        .unwrap()
        .attribute("uplo", b'U');
    call("lapack_dsytrd_ffi", &mut frame).unwrap();
    assert_eq!(frame.result_slice::<f64>(1).unwrap(), [7.0]);
}

#[test]
fn attributes_that_lapack_does_not_know_are_errors() {
    let square = [1.0; 4];
    let wrong: [(&str, OwnedCall); 6] = [
        ("lapack_dgesdd_ffi", singular(&square, [1, 2, 2], b'O')),
        ("lapack_dsyevd_ffi", hermitian(&square, [1, 2], b'X')),
        ("lapack_dgeev_ffi", general(&square, [1, 2], b'V', b'A')),
        ("lapack_sgees_ffi", schur(&[1.0; 4], 2, b'S')),
        ("lapack_dgehrd_ffi", hessenberg(&square, 2, 0, 2)),
        ("lapack_dgehrd_ffi", hessenberg(&square, 2, 1, 3)),
    ];
    for (name, mut frame) in wrong {
        assert!(call(name, &mut frame).is_err(), "{name}");
    }
}

#[test]
fn frames_whose_arrays_do_not_fit_are_errors() {
    let not_square = argument(&[1.0; 6], &[2, 3])
        .result::<f64>(&[2, 3])
        .unwrap()
        .result::<f64>(&[2])
        .unwrap()
        .result::<i32>(&[])
        .unwrap()
        .attribute("mode", b'V')
        .attribute("uplo", b'L');
    let few_values = argument(&[1.0; 4], &[2, 2])
        .result::<f64>(&[2, 2])
        .unwrap()
        .result::<f64>(&[1])
        .unwrap()
        .result::<i32>(&[])
        .unwrap()
        .attribute("mode", b'V')
        .attribute("uplo", b'L');
    let of_f32 = argument(&[1.0_f32; 4], &[2, 2])
        .result::<f32>(&[2, 2])
        .unwrap()
        .result::<f32>(&[2])
        .unwrap()
        .result::<i32>(&[])
        .unwrap()
        .attribute("mode", b'V')
        .attribute("uplo", b'L');
    for mut frame in [not_square, few_values, of_f32] {
        assert!(call("lapack_dsyevd_ffi", &mut frame).is_err());
    }
    assert!(
        call(
            "lapack_dgesdd_ffi",
            &mut OwnedCall::new().attribute("mode", b'A')
        )
        .is_err()
    );
}
