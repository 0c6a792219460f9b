//! The custom calls as an engine makes them: layouts, batches, attributes, and frames that are wrong.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::expect_used,
    clippy::many_single_char_names,
    clippy::unwrap_used,
    reason = "a test, of small numbers"
)]

use cyxla_ffi::{Error, OwnedCall};
use cyxla_linalg::targets;

fn call(name: &str, frame: &mut OwnedCall) -> Result<(), Error> {
    let (_, handler) = targets()
        .iter()
        .find(|(target, _)| *target == name)
        .expect("a target");
    frame.run(handler)
}

fn attributes(call: OwnedCall, letters: &[(&str, u8)]) -> OwnedCall {
    letters
        .iter()
        .fold(call, |call, &(name, letter)| call.attribute(name, letter))
}

#[test]
fn every_routine_has_a_name_for_each_element_type() {
    for (real, complex) in [
        ("potrf", "potrf"),
        ("getrf", "getrf"),
        ("geqrf", "geqrf"),
        ("orgqr", "ungqr"),
        ("ormqr", "unmqr"),
        ("geqp3", "geqp3"),
        ("trsm", "trsm"),
        ("gtsv", "gtsv"),
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

#[test]
fn no_name_is_there_twice() {
    let mut names: Vec<_> = targets().iter().map(|(name, _)| name).collect();
    names.sort_unstable();
    assert!(names.windows(2).all(|pair| pair[0] != pair[1]));
}

#[test]
fn a_batch_of_cholesky_factors_has_an_info_each() {
    // (4, 2; 2, 5) is L Lᵀ for L = (2, 0; 1, 2). The second matrix has a negative second minor.
    let x = [4.0_f32, 2.0, 2.0, 5.0, 1.0, 2.0, 2.0, 1.0];
    let frame = OwnedCall::new().argument(&x, &[2, 2, 2]).unwrap();
    let frame = frame
        .result::<f32>(&[2, 2, 2])
        .unwrap()
        .result::<i32>(&[2])
        .unwrap();
    let frame = attributes(frame, &[("uplo", b'L')]);
    for mut frame in [frame.clone(), frame.in_place(0, 0).unwrap()] {
        call("lapack_spotrf_ffi", &mut frame).unwrap();
        let l = frame.result_slice::<f32>(0).unwrap();
        assert_eq!((l[0], l[1], l[3]), (2.0, 1.0, 2.0));
        assert_eq!(frame.result_slice::<i32>(1).unwrap(), [0, 2]);
    }
}

#[test]
fn lu_takes_matrices_that_are_not_square() {
    // One column (1, 2, 4): the pivot is the third row, L below it is (1/2, 1/4) after the exchange.
    let frame = OwnedCall::new()
        .argument(&[1.0, 2.0, 4.0], &[3, 1])
        .unwrap();
    let frame = frame
        .result::<f64>(&[3, 1])
        .unwrap()
        .result::<i32>(&[1])
        .unwrap();
    let mut frame = frame.result::<i32>(&[]).unwrap();
    call("lapack_dgetrf_ffi", &mut frame).unwrap();
    assert_eq!(frame.result_slice::<f64>(0).unwrap(), [4.0, 0.5, 0.25]);
    assert_eq!(frame.result_slice::<i32>(1).unwrap(), [3]);
    assert_eq!(frame.result_slice::<i32>(2).unwrap(), [0]);
}

#[test]
fn reflectors_of_qr_make_q() {
    // (3, 4) is (−3/5, −4/5) times −5.
    let frame = OwnedCall::new().argument(&[3.0, 4.0], &[2, 1]).unwrap();
    let mut frame = frame
        .result::<f64>(&[2, 1])
        .unwrap()
        .result::<f64>(&[1])
        .unwrap();
    call("lapack_dgeqrf_ffi", &mut frame).unwrap();
    let qr = frame.result_slice::<f64>(0).unwrap().to_vec();
    let tau = frame.result_slice::<f64>(1).unwrap().to_vec();
    assert_eq!(qr[0], -5.0);
    let frame = OwnedCall::new()
        .argument(&qr, &[2, 1])
        .unwrap()
        .argument(&tau, &[1])
        .unwrap();
    let mut frame = frame.result::<f64>(&[2, 1]).unwrap();
    call("lapack_dorgqr_ffi", &mut frame).unwrap();
    let q = frame.result_slice::<f64>(0).unwrap();
    assert!(
        (q[0] + 0.6).abs() < 1e-15 && (q[1] + 0.8).abs() < 1e-15,
        "{q:?}"
    );

    // Qᵀ (3, 4) is (−5, 0).
    let frame = OwnedCall::new()
        .argument(&qr, &[2, 1])
        .unwrap()
        .argument(&tau, &[1])
        .unwrap();
    let frame = frame
        .argument(&[3.0, 4.0], &[2, 1])
        .unwrap()
        .result::<f64>(&[2, 1])
        .unwrap();
    let mut frame = frame.attribute("left", true).attribute("transpose", true);
    call("lapack_dormqr_ffi", &mut frame).unwrap();
    let c = frame.result_slice::<f64>(0).unwrap();
    assert!((c[0] + 5.0).abs() < 1e-14 && c[1].abs() < 1e-14, "{c:?}");
}

#[test]
fn pivoted_qr_numbers_its_columns() {
    let frame = OwnedCall::new()
        .argument(&[1.0_f32, 0.0, 0.0, 3.0], &[2, 2])
        .unwrap();
    let frame = frame
        .argument(&[0, 0], &[2])
        .unwrap()
        .result::<f32>(&[2, 2])
        .unwrap();
    let mut frame = frame
        .result::<i32>(&[2])
        .unwrap()
        .result::<f32>(&[2])
        .unwrap();
    call("lapack_sgeqp3_ffi", &mut frame).unwrap();
    assert_eq!(frame.result_slice::<i32>(1).unwrap(), [2, 1]);
}

#[test]
fn triangular_systems_take_their_choices_from_attributes() {
    // A = (2, 0; 1, 4), column major. A x = (2, 9) has x = (1, 2); Aᵀ x = (2, 9) has x = (−1/8, 9/4); x A = (2, 9) too.
    let a = [2.0, 1.0, 0.0, 4.0];
    let y = [2.0, 9.0];
    for (side, trans, dims, x) in [
        (b'L', b'N', [2, 1], [1.0, 2.0]),
        (b'L', b'T', [2, 1], [-0.125, 2.25]),
        (b'R', b'N', [1, 2], [-0.125, 2.25]),
        (b'R', b'C', [1, 2], [1.0, 2.0]),
    ] {
        let frame = OwnedCall::new()
            .argument(&a, &[2, 2])
            .unwrap()
            .argument(&y, &dims)
            .unwrap();
        let frame = frame.result::<f64>(&dims).unwrap();
        let letters = [
            ("side", side),
            ("uplo", b'L'),
            ("trans_x", trans),
            ("diag", b'N'),
        ];
        let mut frame = attributes(frame, &letters);
        call("lapack_dtrsm_ffi", &mut frame).unwrap();
        assert_eq!(frame.result_slice::<f64>(0).unwrap(), x);
    }
}

#[test]
fn tridiagonal_systems_leave_out_the_corners() {
    // (2, 1; 1, 3) x = (4, 7) has x = (1, 2). What stands in the corners belongs to no element.
    let (lower, d, upper) = ([f64::NAN, 1.0], [2.0, 3.0], [1.0, f64::NAN]);
    let arguments = || {
        let frame = OwnedCall::new()
            .argument(&lower, &[2])
            .unwrap()
            .argument(&d, &[2])
            .unwrap();
        frame
            .argument(&upper, &[2])
            .unwrap()
            .argument(&[4.0, 7.0], &[2, 1])
            .unwrap()
    };
    let mut frame = arguments();
    for dims in [&[2][..], &[2], &[2], &[2, 1]] {
        frame = frame.result::<f64>(dims).unwrap();
    }
    let mut frame = frame.result::<i32>(&[]).unwrap();
    call("lapack_dgtsv_ffi", &mut frame).unwrap();
    let x = frame.result_slice::<f64>(3).unwrap();
    assert!(
        (x[0] - 1.0).abs() < 1e-15 && (x[1] - 2.0).abs() < 1e-15,
        "{x:?}"
    );
    assert_eq!(frame.result_slice::<i32>(4).unwrap(), [0]);

    let mut frame = arguments().result::<f64>(&[2, 1]).unwrap();
    call("tridiagonal_solve_perturbed_ffi", &mut frame).unwrap();
    let x = frame.result_slice::<f64>(0).unwrap();
    assert!(
        (x[0] - 1.0).abs() < 1e-15 && (x[1] - 2.0).abs() < 1e-15,
        "{x:?}"
    );
}

#[test]
fn sparse_matrices_times_vectors_and_matrices() {
    // (1, 0, 2; 0, 3, 0)
    let arguments = || {
        let frame = OwnedCall::new()
            .argument(&[1.0_f32, 2.0, 3.0], &[3])
            .unwrap();
        frame
            .argument(&[0, 2, 3], &[3])
            .unwrap()
            .argument(&[0, 2, 1], &[3])
            .unwrap()
    };
    let frame = arguments().argument(&[1.0_f32, 2.0, 3.0], &[3]).unwrap();
    let mut frame = frame.result::<f32>(&[2]).unwrap();
    call("cpu_csr_sparse_dense_ffi", &mut frame).unwrap();
    assert_eq!(frame.result_slice::<f32>(0).unwrap(), [7.0, 6.0]);

    let frame = arguments()
        .argument(&[1.0_f32, 4.0, 2.0, 5.0, 3.0, 6.0], &[3, 2])
        .unwrap();
    let mut frame = frame.result::<f32>(&[2, 2]).unwrap();
    call("cpu_csr_sparse_dense_ffi", &mut frame).unwrap();
    assert_eq!(
        frame.result_slice::<f32>(0).unwrap(),
        [7.0, 16.0, 6.0, 15.0]
    );
}

#[test]
fn a_large_batch_gives_what_its_members_give_alone() {
    let (count, n) = (200, 24);
    let mut numbers = Numbers(1);
    let x: Vec<f64> = (0..count * n * n)
        .map(|_| f64::from(numbers.next()) / 2_f64.powi(32))
        .collect();
    let frame = OwnedCall::new().argument(&x, &[count, n, n]).unwrap();
    let frame = frame
        .result::<f64>(&[count, n, n])
        .unwrap()
        .result::<i32>(&[count, n])
        .unwrap();
    let mut whole = frame.result::<i32>(&[count]).unwrap();
    call("lapack_dgetrf_ffi", &mut whole).unwrap();
    for (member, x) in x.chunks_exact(n * n).enumerate() {
        let frame = OwnedCall::new().argument(x, &[n, n]).unwrap();
        let frame = frame
            .result::<f64>(&[n, n])
            .unwrap()
            .result::<i32>(&[n])
            .unwrap();
        let mut alone = frame.result::<i32>(&[]).unwrap();
        call("lapack_dgetrf_ffi", &mut alone).unwrap();
        let range = member * n * n..(member + 1) * n * n;
        assert_eq!(
            whole.result_slice::<f64>(0).unwrap()[range],
            *alone.result_slice::<f64>(0).unwrap()
        );
    }
}

#[test]
fn errors_say_what_is_wrong() {
    let frame = OwnedCall::new().argument(&[1.0_f32; 6], &[2, 3]).unwrap();
    let frame = frame
        .result::<f32>(&[2, 3])
        .unwrap()
        .result::<i32>(&[])
        .unwrap();
    let mut wrong_shape = frame.clone().attribute("uplo", b'L');
    let error = call("lapack_spotrf_ffi", &mut wrong_shape).unwrap_err();
    assert_eq!(
        error.message(),
        "x has matrices of 2 rows and 3 columns, but takes square ones"
    );
    let mut wrong_letter = frame.attribute("uplo", b'X');
    let error = call("lapack_spotrf_ffi", &mut wrong_letter).unwrap_err();
    assert_eq!(
        error.message(),
        "the attribute uplo is `X`, but can be `L` or `U`"
    );
}

/// Numbers that are the same in each run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u32 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 32) as u32
    }
}
