//! The expected values are arithmetic: the network and its gradient written out in `f64`, and the period of a pendulum.

use super::{error, predict, swing};

const HIDDEN: [[f64; 3]; 2] = [[1.0, -0.5, 0.25], [0.5, 1.0, -1.0]];
const OUTPUT: [[f64; 2]; 3] = [[1.0, 0.5], [0.5, -1.0], [-0.5, 1.0]];
const BIAS: [f64; 2] = [0.25, -0.25];

fn hidden(x: [f32; 2]) -> [f64; 3] {
    [0, 1, 2].map(|j| (f64::from(x[0]) * HIDDEN[0][j] + f64::from(x[1]) * HIDDEN[1][j]).tanh())
}

fn network(x: [f32; 2]) -> [f64; 2] {
    let hidden = hidden(x);
    [0, 1].map(|k| BIAS[k] + (0..3).map(|j| hidden[j] * OUTPUT[j][k]).sum::<f64>())
}

/// The gradient of the squared distance by the chain rule, with tanh' = 1 - tanh².
fn gradient(x: [f32; 2], target: [f32; 2]) -> [f64; 2] {
    let (hidden, y) = (hidden(x), network(x));
    let by_y = [0, 1].map(|k| 2.0 * (y[k] - f64::from(target[k])));
    let by_hidden = [0, 1, 2].map(|j| OUTPUT[j][0] * by_y[0] + OUTPUT[j][1] * by_y[1]);
    [0, 1].map(|i| {
        (0..3)
            .map(|j| HIDDEN[i][j] * (1.0 - hidden[j] * hidden[j]) * by_hidden[j])
            .sum()
    })
}

fn assert_close(found: f32, expected: f64) {
    assert!(
        (f64::from(found) - expected).abs() < 1e-5 * (1.0 + expected.abs()),
        "{found} is not {expected}"
    );
}

#[test]
fn predict_is_the_network_written_out() {
    for x in [[0.5, -1.0], [0.0, 0.0], [-3.0, 2.0]] {
        let y = predict(&x).unwrap();
        let expected = network(x);
        assert_close(y[0], expected[0]);
        assert_close(y[1], expected[1]);
    }
}

#[test]
fn error_and_gradient_follow_the_chain_rule() {
    let (x, target) = ([0.5, -1.0], [1.0, -0.5]);
    let (distance, slope) = error(&x, &target).unwrap();
    let y = network(x);
    assert_close(distance, (y[0] - 1.0).powi(2) + (y[1] + 0.5).powi(2));
    let expected = gradient(x, target);
    assert_close(slope[0], expected[0]);
    assert_close(slope[1], expected[1]);
}

/// The period of a pendulum is 2π √(l/g) divided by the arithmetic-geometric mean of 1 and cos(θ/2) (Gauss).
#[test]
fn the_pendulum_returns_after_its_period() {
    let angle = 0.5_f64;
    let (mut a, mut b) = (1.0, (angle / 2.0).cos());
    for _ in 0..6 {
        (a, b) = (f64::midpoint(a, b), f64::sqrt(a * b));
    }
    let period = 2.0 * std::f64::consts::PI * (1.0 / 9.81_f64).sqrt() / a;

    let swing = swing(angle, period).unwrap();
    let expected = [
        (1, [0.0, f64::NAN]), // a quarter: hanging
        (3, [-angle, 0.0]),   // a half: at rest on the other side
        (5, [0.0, f64::NAN]),
        (7, [angle, 0.0]), // back
    ];
    for (eighth, [angle, velocity]) in expected {
        assert!((swing[eighth][0] - angle).abs() < 1e-9, "{swing:?}");
        assert!(
            velocity.is_nan() || (swing[eighth][1] - velocity).abs() < 1e-8,
            "{swing:?}"
        );
    }
    // Energy is conserved: ω² = 2g (cos θ - cos θ₀) at the lowest point.
    let fastest = (2.0 * 9.81 * (1.0 - angle.cos())).sqrt();
    assert!((swing[1][1] + fastest).abs() < 1e-8);
    assert!((swing[5][1] - fastest).abs() < 1e-8);
}
