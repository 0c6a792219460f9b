//! Optimal control: JAX gives the values and derivatives of the problem, an interior-point method in Rust solves it.

mod car;
mod interior_point;
mod plot;

use std::path::Path;

use car::{Drive, KNOTS, PER_KNOT};
use interior_point::minimise;

const DRIVE: Drive = Drive {
    start: [0.0, 0.0, 0.0, 0.0],
    goal: [10.0, 6.0, 0.0, 0.0],
    obstacles: [[3.0, 1.2, 1.2], [6.5, 4.8, 1.6]],
    seconds: 8.0,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("step    objective   KKT residual   constraints    barrier");
    let solution = minimise(&DRIVE, DRIVE.straight(), |progress| {
        println!(
            "{:4}  {:11.7}   {:12.1e}   {:11.1e}   {:8.1e}",
            progress.steps,
            progress.objective,
            progress.residual,
            progress.violation,
            progress.barrier
        );
    })?;

    println!("\nprogram        µs per call");
    for (name, duration) in DRIVE.durations(&solution.z, &solution.y, &solution.w)? {
        println!("{name:12}   {:11.1}", duration.as_secs_f64() * 1e6);
    }

    println!("\n  time      x      y  heading  speed  acceleration  turn rate");
    let knots = solution.z.as_slice().as_chunks::<PER_KNOT>().0;
    for (knot, [x, y, heading, speed, acceleration, turn_rate]) in knots.iter().enumerate() {
        if knot % 3 == 0 || knot == KNOTS - 1 {
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
