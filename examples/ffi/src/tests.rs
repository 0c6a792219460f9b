//! The expected values are arithmetic: norms, and differences of the energy.

use std::sync::Once;

use super::{imaginary, lengths, my_norm, my_norm_gradient, springs};

const X: [[f32; 3]; 4] = [
    [3.0, 4.0, 0.0],
    [1.0, -2.0, 2.0],
    [0.0, 0.5, 0.0],
    [-1.0, -1.0, 1.0],
];

fn register() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        my_norm::register().unwrap();
        my_norm_gradient::register().unwrap();
    });
}

fn norm(row: [f64; 3]) -> f64 {
    (row.iter().map(|x| x * x).sum::<f64>() + 1e-6).sqrt()
}

/// The energy of springs of the length 1.
fn energy(x: [[f64; 3]; 4]) -> f64 {
    0.5 * x.map(|row| (norm(row) - 1.0).powi(2)).iter().sum::<f64>()
}

fn assert_close(found: f32, expected: f64) {
    assert!(
        (f64::from(found) - expected).abs() < 1e-5 * (1.0 + expected.abs()),
        "{found} is not {expected}"
    );
}

#[test]
fn lengths_are_those_of_pythagoras() {
    register();
    let found = lengths(&X).unwrap();
    for (found, expected) in found.into_iter().zip([5.0, 3.0, 0.5, 3.0_f64.sqrt()]) {
        assert_close(found, expected);
    }
}

#[test]
fn the_force_is_the_slope_of_the_energy() {
    register();
    let (found, force) = springs(&X, &[1.0; 4]).unwrap();
    let x = X.map(|row| row.map(f64::from));
    assert_close(found, energy(x));
    for i in 0..4 {
        for j in 0..3 {
            let (mut above, mut below) = (x, x);
            above[i][j] += 1e-5;
            below[i][j] -= 1e-5;
            assert_close(force[i][j], -(energy(above) - energy(below)) / 2e-5);
        }
    }
}

#[test]
fn what_the_handler_refuses_is_an_error_with_its_words() {
    register();
    let error = imaginary(&X).unwrap_err().to_string();
    let words =
        "the custom call `my_norm` failed: eps is -1, but roots of negative numbers are not real";
    assert!(error.contains(words), "{error}");
}

#[test]
fn handlers_are_still_functions() {
    use cyxla::ffi::OwnedCall;

    let mut call = OwnedCall::new()
        .argument(&[3.0_f32, 4.0], &[1, 2])
        .and_then(|call| call.result::<f32>(&[1]))
        .unwrap()
        .attribute("eps", 0.0_f32);
    call.run(&my_norm {}).unwrap();
    assert_eq!(call.result_slice::<f32>(0).unwrap(), [5.0]);
}
