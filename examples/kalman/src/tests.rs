//! The expected values are the truth behind the track, the steady state in closed form, and what JAX makes of the track.

#![expect(clippy::unreadable_literal, reason = "they are as JAX prints them")]

use std::sync::LazyLock;

use crate::filter::{Filtered, State, filter, smooth};
use crate::track::{self, MEASUREMENTS, Track, TrackError};

static TRACK: LazyLock<Track> = LazyLock::new(|| track::read(track::RECORDED).unwrap());
static FILTERED: LazyLock<Filtered> = LazyLock::new(|| filter(&TRACK).unwrap());
static SMOOTHED: LazyLock<[State; MEASUREMENTS]> =
    LazyLock::new(|| smooth(&FILTERED.means, &FILTERED.covariances).unwrap());

fn assert_close(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (x, y) in found.iter().zip(expected) {
        assert!(
            (x - y).abs() < 1e-9 * (1.0 + y.abs()),
            "{found:?} is not {expected:?}"
        );
    }
}

#[test]
fn the_filter_is_nearer_to_the_truth_than_the_measurements() {
    let (measured, filtered) = (track::error(&TRACK), track::error(&FILTERED.means));
    assert!(filtered < 0.7 * measured, "{filtered} m, {measured} m");
}

#[test]
fn the_smoother_is_nearer_to_the_truth_than_the_filter() {
    let (filtered, smoothed) = (track::error(&FILTERED.means), track::error(&SMOOTHED));
    assert!(smoothed < 0.7 * filtered, "{smoothed} m, {filtered} m");
}

/// With the noise R = (5 m)² and the tracking index λ = 0.5 m/s² (1 s)² / 5 m, the gains of position and velocity settle to
/// α = 1 - r² and β = 2(2 - α) - 4r with r = (4 + λ - √(8λ + λ²)) / 4, and the variances to αR, βR and
/// β(2α - β)R / 2(1 - α): Kalata, The tracking index, IEEE Trans. Aerosp. Electron. Syst. 20 (1984).
#[test]
fn the_covariance_settles_to_that_of_the_tracking_index() {
    let (noise, index) = (25.0, 0.1_f64);
    let r = (4.0 + index - (8.0 * index + index * index).sqrt()) / 4.0;
    let alpha = 1.0 - r * r;
    let beta = 2.0 * (2.0 - alpha) - 4.0 * r;
    let position = alpha * noise;
    let both = beta * noise;
    let velocity = beta * (2.0 * alpha - beta) * noise / (2.0 * (1.0 - alpha));

    assert_close(
        FILTERED.covariances[MEASUREMENTS - 1].as_flattened(),
        [
            [position, 0.0, both, 0.0],
            [0.0, position, 0.0, both],
            [both, 0.0, velocity, 0.0],
            [0.0, both, 0.0, velocity],
        ]
        .as_flattened(),
    );
}

/// Printed by `python/reference.py` with JAX and jaxlib 0.10.2, whose linear algebra is LAPACK's.
#[test]
fn filtered_states_are_those_of_jax() {
    for (second, expected) in [
        (
            0,
            [
                -0.669983257116772,
                4.8498788015169305,
                -0.000267969846067306,
                0.001939781721531991,
            ],
        ),
        (
            1,
            [
                -0.40556356936530247,
                12.320824295518662,
                0.24888919150620323,
                7.032703052992956,
            ],
        ),
        (
            60,
            [
                303.8616377986504,
                -1.5829517244001214,
                5.789865412012195,
                -2.7709543684130398,
            ],
        ),
        (
            120,
            [
                599.4202954642632,
                1.297571182175638,
                4.394915827618537,
                3.1416849172481727,
            ],
        ),
    ] {
        assert_close(&FILTERED.means[second], &expected);
    }
}

/// From `python/reference.py`, as the filtered states.
#[test]
fn smoothed_states_are_those_of_jax() {
    for (second, expected) in [
        (
            0,
            [
                -3.9738047536863537,
                4.8357273177018465,
                5.705684797627947,
                2.19627160263257,
            ],
        ),
        (
            60,
            [
                301.7008431497957,
                -0.2654259142867448,
                5.012189755670105,
                -2.462556208522553,
            ],
        ),
        (
            119,
            [
                595.0130538979839,
                -1.836307663027974,
                4.419567304939852,
                3.1260727731590507,
            ],
        ),
    ] {
        assert_close(&SMOOTHED[second], &expected);
    }
}

/// From `python/reference.py`, as the filtered states.
#[test]
fn the_likelihood_is_that_of_jax() {
    assert_close(&[FILTERED.log_likelihood], &[-799.1588543772434]);
}

#[test]
fn the_last_state_has_nothing_to_be_smoothed_by() {
    assert_eq!(SMOOTHED[MEASUREMENTS - 1], FILTERED.means[MEASUREMENTS - 1]);
}

#[test]
fn a_line_that_is_no_measurement_is_named() {
    for line in ["1,2", "1,2,3,4", "1,2,north", "1,2,nan", "2,2,3", ""] {
        let csv = format!("time (s),x (m),y (m)\n0,1,2\n{line}\n2,1,2\n");
        assert_eq!(track::read(&csv), Err(TrackError::Line(3)), "{line}");
    }
}

#[test]
fn a_track_of_another_length_is_refused() {
    assert_eq!(
        track::read("time (s),x (m),y (m)\n0,1,2\n"),
        Err(TrackError::Length(1))
    );
}
