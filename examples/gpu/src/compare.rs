use std::error::Error;
use std::process::{Command, Stdio};

use crate::results::{Results, Values};

/// What came of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Outcome {
    /// Nothing is further apart than it may be.
    Same,
    /// Something is.
    Different,
}

/// Runs this binary on both platforms, each in a process of its own, and compares what they print.
pub(crate) fn compare() -> Result<Outcome, Box<dyn Error>> {
    let Results(cpu) = on("cpu")?;
    let Results(cuda) = on("cuda")?;
    if cpu.len() != cuda.len() {
        return Err(
            "one of the platforms has run other programs\n  help: use one binary for both".into(),
        );
    }
    let mut outcome = Outcome::Same;
    println!(
        "{:12} {:>8} {:>10} {:>10}",
        "program", "numbers", "apart", "allowed"
    );
    for (cpu, cuda) in cpu.iter().zip(&cuda) {
        let apart = distance(cpu, cuda);
        let verdict = if apart <= cpu.tolerance {
            ""
        } else {
            outcome = Outcome::Different;
            "  different"
        };
        println!(
            "{:12} {:>8} {apart:>10.1e} {:>10.0e}{verdict}",
            cpu.name,
            cpu.numbers.len(),
            cpu.tolerance,
        );
    }
    Ok(outcome)
}

fn on(platform: &str) -> Result<Results, Box<dyn Error>> {
    let child = Command::new(std::env::current_exe()?)
        .env("CYXLA_PLATFORM", platform)
        .stderr(Stdio::inherit())
        .output()?;
    if !child.status.success() {
        return Err(format!(
            "the programs can't run on {platform}: {}\n  help: the lines above say why",
            child.status
        )
        .into());
    }
    let text = String::from_utf8(child.stdout)?;
    Results::read(&text).ok_or_else(|| {
        format!("what was printed on {platform} is no list of results\n  help: build it anew")
            .into()
    })
}

/// The largest difference between two numbers at one place, in parts of the largest number; infinite if one of them is no
/// number, or there are more of one than of the other.
pub(crate) fn distance(a: &Values, b: &Values) -> f64 {
    if a.numbers.len() != b.numbers.len() {
        return f64::INFINITY;
    }
    let largest = a.numbers.iter().fold(f64::MIN_POSITIVE, |largest, number| {
        largest.max(number.abs())
    });
    let apart = |(a, b): (&f64, &f64)| {
        let apart = (a - b).abs() / largest;
        if apart.is_nan() { f64::INFINITY } else { apart }
    };
    a.numbers
        .iter()
        .zip(&b.numbers)
        .map(apart)
        .fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::results;

    fn values(numbers: &[f64]) -> Values {
        Values {
            name: "x".to_owned(),
            tolerance: 1e-5,
            numbers: numbers.to_vec(),
        }
    }

    #[test]
    fn differences_count_in_parts_of_the_largest_number() {
        let of = |b: &[f64]| distance(&values(&[1.0, -200.0]), &values(b));
        assert!(of(&[1.0, -200.0]).abs() < 1e-15);
        assert!((of(&[3.0, -200.0]) - 0.01).abs() < 1e-15);
        assert!(of(&[1.0, f64::NAN]).is_infinite());
        assert!(of(&[1.0]).is_infinite());
    }

    #[test]
    fn results_are_read_as_they_are_printed() -> cyxla::Result<()> {
        let all = results()?;
        assert_eq!(Results::read(&all.text()), Some(all.clone()));
        assert_eq!(Results::read("predict"), None);
        Ok(())
    }

    #[test]
    fn the_heat_of_a_ring_stays() -> cyxla::Result<()> {
        let all = results()?;
        let heat = all.0.iter().find(|values| values.name == "diffuse");
        let sum: f64 = heat.map_or(0.0, |values| values.numbers.iter().sum());
        assert!((sum - 1000.0).abs() < 0.1, "{sum}");
        Ok(())
    }
}
