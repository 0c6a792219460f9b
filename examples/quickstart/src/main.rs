//! Three JAX programs from `python/model.py`, called as Rust functions.

#[cfg(test)]
mod tests;

/// A network with two inputs and two outputs.
#[cyxla::program("model:predict")]
fn predict(x: &[f32; 2]) -> cyxla::Result<[f32; 2]>;

/// The squared distance of `predict(x)` from `target`, and its gradient by `x`.
#[cyxla::program("model:error")]
fn error(x: &[f32; 2], target: &[f32; 2]) -> cyxla::Result<(f32, [f32; 2])>;

/// Angle (rad) and angular velocity (rad/s) of a pendulum after each eighth of the time (s).
#[cyxla::program("model:swing")]
fn swing(angle: f64, seconds: f64) -> cyxla::Result<[[f64; 2]; 8]>;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut x = [0.5, -1.0];
    println!("predict({x:?}) = {:.4?}", predict(&x)?);

    println!("\nGradient descent to predict(x) = [1, -0.5]");
    let target = [1.0, -0.5];
    for step in 0..=20 {
        let (distance, gradient) = error(&x, &target)?;
        if step % 5 == 0 {
            println!("  step {step:2}: x = {x:8.4?}, squared distance {distance:.6}");
        }
        x = [x[0] - 0.1 * gradient[0], x[1] - 0.1 * gradient[1]];
    }

    println!("\nA pendulum of one metre, let go at 0.5 rad");
    for (eighth, [angle, velocity]) in (1..).zip(swing(0.5, 2.0)?) {
        let seconds = 2.0 * f64::from(eighth) / 8.0;
        println!("  {seconds:.2} s: {angle:7.4} rad, {velocity:7.4} rad/s");
    }
    Ok(())
}
