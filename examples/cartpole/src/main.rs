//! A controller and a simulation as machine code: JAX functions that are called in nanoseconds, without a plugin.

use std::time::Instant;

/// Position (m), velocity (m/s), angle from upright (rad) and angular velocity (rad/s).
type State = [f32; 4];

/// The state a hundredth of a second later, under a force (N) on the cart.
#[cyxla::program("cartpole:step")]
fn step(state: &State, force: f32) -> cyxla::Result<State>;

/// The force (N) that keeps the pole upright.
#[cyxla::program("cartpole:act")]
fn act(state: &State) -> cyxla::Result<f32>;

fn main() -> cyxla::Result<()> {
    let start = Instant::now();
    let mut state = [0.0, 0.0, 0.4, 0.0];
    state = step(&state, act(&state)?)?;
    println!("the first step took {:.0?}", start.elapsed());

    for second in 1..=6 {
        for _ in 0..100 {
            state = step(&state, act(&state)?)?;
        }
        let [position, _, angle, _] = state;
        println!("{second} s: the cart is at {position:6.3} m, the pole at {angle:7.4} rad");
    }

    let calls = 1_000_000;
    let start = Instant::now();
    for _ in 0..calls {
        state = step(&state, act(&state)?)?;
    }
    println!(
        "a step with its control takes {:?}",
        start.elapsed() / calls
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pole_is_brought_upright_without_a_plugin() {
        let mut state = [0.0, 0.0, 0.4, 0.0];
        for _ in 0..1000 {
            state = step(&state, act(&state).unwrap()).unwrap();
        }
        assert!(state.iter().all(|value| value.abs() < 1e-3), "{state:?}");
        assert!(!cyxla::is_initialized());
    }

    #[test]
    fn a_pole_that_nobody_holds_falls_as_the_equation_of_motion_says() {
        // For small angles θ'' = k θ, so that θ(t) = θ₀ cosh(√k t).
        let k = 9.81 / (0.5 * (4.0 / 3.0 - 0.1 / 1.1));
        let mut state = [0.0, 0.0, 1e-4, 0.0];
        for _ in 0..50 {
            state = step(&state, 0.0).unwrap();
        }
        let expected = 1e-4 * (0.5 * f32::sqrt(k)).cosh();
        assert!(
            (state[2] / expected - 1.0).abs() < 1e-3,
            "{state:?}, {expected}"
        );
    }
}
