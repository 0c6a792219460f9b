//! Prints the outcomes for people.

use super::{Outcome, Row};

/// The line above the rows.
pub fn head() -> String {
    format!(
        "{:24} {:14} {:>9} {:>9} {:>9} {:>9}  {}",
        "case", "outcome", "lower", "compile", "load", "call", "remark"
    )
}

/// One row, on one line.
pub fn line(row: &Row) -> String {
    let times = [
        row.lower_seconds,
        row.compile_seconds,
        row.load_seconds,
        row.call_seconds,
    ]
    .map(time);
    let reason = row.reason.lines().next().unwrap_or_default();
    format!(
        "{:24} {:14} {:>9} {:>9} {:>9} {:>9}  {reason}",
        row.name,
        row.outcome.name(),
        times[0],
        times[1],
        times[2],
        times[3]
    )
}

/// How many there are of each outcome.
pub fn summary(rows: &[Row]) -> String {
    let count = |outcome| rows.iter().filter(|row| row.outcome == outcome).count();
    format!(
        "{} ok, {} differ, {} not exportable, {} not native, {} fail",
        count(Outcome::Ok),
        count(Outcome::Differs),
        count(Outcome::NotExportable),
        count(Outcome::NotNative),
        count(Outcome::Fails)
    )
}

/// With three digits and the unit that suits.
fn time(seconds: Option<f64>) -> String {
    let Some(seconds) = seconds else {
        return "-".into();
    };
    let (value, unit) = if seconds >= 1.0 {
        (seconds, "s")
    } else if seconds >= 1e-3 {
        (seconds * 1e3, "ms")
    } else {
        (seconds * 1e6, "µs")
    };
    let digits = if value >= 100.0 {
        0
    } else if value >= 10.0 {
        1
    } else {
        2
    };
    format!("{value:.digits$} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_three_digits_and_a_unit() {
        let texts = [Some(12.345), Some(0.5), Some(0.00789), Some(3.21e-6), None].map(time);
        assert_eq!(texts, ["12.3 s", "500 ms", "7.89 ms", "3.21 µs", "-"]);
    }

    #[test]
    fn a_row_is_one_line() {
        let mut row = Row::new("a_case", cyxla::Engine::Pjrt);
        row.reason = "it is broken\n  help: mend it".into();
        let line = line(&row);
        assert!(line.starts_with("a_case"));
        assert!(line.ends_with("it is broken"));
        assert_eq!(
            summary(&[row]),
            "0 ok, 0 differ, 0 not exportable, 0 not native, 1 fail"
        );
    }
}
