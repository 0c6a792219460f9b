//! A recorded track, filtered measurement by measurement, and smoothed when it has ended.

#![forbid(unsafe_code)]
#![allow(unreachable_pub, reason = "nothing is outside of a binary")]

mod filter;
mod plot;
#[cfg(test)]
mod tests;
mod track;

use std::path::Path;

use track::SECONDS;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let track = track::read(track::RECORDED)?;
    let filtered = filter::filter(&track)?;
    let smoothed = filter::smooth(&filtered.means, &filtered.covariances)?;

    println!(
        "   time     measured (m)     filtered (m)     smoothed (m)         true (m)  speed (m/s)"
    );
    for second in (0..=SECONDS).step_by(10) {
        let at = usize::from(second);
        let [_, _, eastwards, northwards] = smoothed[at];
        print!("{second:5} s");
        for [x, y] in [
            track[at],
            track::position(filtered.means[at]),
            track::position(smoothed[at]),
            track::truth(second),
        ] {
            // Tenths; adding zero turns -0 into 0.
            let [x, y] = [x, y].map(|metres| (10.0 * metres).round() / 10.0 + 0.0);
            print!(" {x:8.1} {y:7.1}");
        }
        println!(" {:12.2}", eastwards.hypot(northwards));
    }

    println!("\nroot mean square distance from the truth");
    println!("  measured {:.2} m", track::error(&track));
    println!("  filtered {:.2} m", track::error(&filtered.means));
    println!("  smoothed {:.2} m", track::error(&smoothed));
    println!("\nlog likelihood {:.3}", filtered.log_likelihood);

    let file = Path::new("kalman.svg");
    std::fs::write(file, plot::svg(&track, &filtered.means, &smoothed))?;
    println!("written: {}", file.display());
    Ok(())
}
