//! Optimal control: JAX gives the values and derivatives of the problem, an interior-point method in Rust solves it.

#![allow(unreachable_pub, reason = "nothing is outside of a binary")]

mod car;
mod interior_point;
mod plot;

use std::path::Path;

use car::{Drive, PER_KNOT};
use interior_point::{Progress, minimise};

const DRIVE: Drive = Drive {
    start: [0.0, 0.0, 0.0, 0.0],
    goal: [10.0, 6.0, 0.0, 0.0],
    obstacles: [[3.0, 1.2, 1.2], [6.5, 4.8, 1.6]],
    seconds: 8.0,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("step    objective   KKT residual   constraints    barrier");
    let solution = minimise(&DRIVE, DRIVE.straight(), print)?;
    let Progress {
        steps, objective, ..
    } = solution.progress;
    println!("optimum after {steps} steps: objective {objective:.7}");

    println!("\nprogram        µs per call");
    for (name, duration) in DRIVE.durations(&solution.z, &solution.y, &solution.w)? {
        println!("{name:12}   {:11.1}", duration.as_secs_f64() * 1e6);
    }

    println!("\n  time      x      y  heading  speed  acceleration  turn rate");
    let knots = solution.z.as_slice().as_chunks::<PER_KNOT>().0;
    for (knot, values) in knots.iter().enumerate() {
        if knot % 3 == 0 {
            // Adding zero turns -0 into 0.
            let [x, y, heading, speed, acceleration, turn_rate] =
                values.map(|value| (1e3 * value).round() / 1e3 + 0.0);
            println!(
                "{:6.2} {x:6.2} {y:6.2} {heading:8.3} {speed:6.2} {acceleration:13.3} {turn_rate:10.3}",
                DRIVE.time(knot)
            );
        }
    }

    let file = Path::new("trajectory.svg");
    std::fs::write(file, plot::svg(&DRIVE, knots))?;
    println!("\nwritten: {}", file.display());
    Ok(())
}

fn print(progress: &Progress) {
    let Progress {
        steps,
        objective,
        residual,
        violation,
        barrier,
    } = progress;
    println!("{steps:4}  {objective:11.7}   {residual:12.1e}   {violation:11.1e}   {barrier:8.1e}");
}
