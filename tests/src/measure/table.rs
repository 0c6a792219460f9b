//! Prints the rows for people.

use std::fmt::Write as _;

use super::{Bound, Comparison, Quantity, Row};

/// The line above the rows.
pub fn head() -> String {
    format!(
        "{:16} {:11} {:>10} {:>10} {:19} {:>7} {:>8}",
        "row", "of", "ours", "rival", "", "ratio", "bound"
    )
}

/// The comparisons of a row, one a line. Whether a bound is reached is said if `judged`.
pub fn lines(row: &Row, judged: bool) -> String {
    let mut lines = String::new();
    for comparison in &row.comparisons {
        let Comparison {
            what,
            ours,
            rival,
            theirs,
            ..
        } = comparison;
        let verdict = match comparison.bound {
            Bound::None => "",
            _ if !judged => "",
            _ if comparison.is_reached() => "ok",
            _ => "MISSED",
        };
        let line = format!(
            "{:16} {what:11} {:>10} {:>10} {rival:19} {:>7.2} {:>8} {verdict}",
            row.name,
            quantity(*ours),
            quantity(*theirs),
            comparison.ratio(),
            bound(comparison.bound),
        );
        lines.push_str(line.trim_end());
        lines.push('\n');
    }
    if row.comparisons.is_empty() {
        for (name, value) in &row.values {
            // Writing to a string does not fail.
            let _ = writeln!(lines, "{:16} {name} = {value:.1}", row.name);
        }
    }
    lines
}

fn bound(bound: Bound) -> String {
    match bound {
        Bound::AtMost(bound) => format!("≤ {bound:.2}"),
        Bound::AtLeast(bound) | Bound::Faster(bound) => format!("≥ {bound:.2}"),
        Bound::None => String::new(),
    }
}

fn quantity(quantity: Quantity) -> String {
    match quantity {
        Quantity::Nanoseconds(time) if time >= 1e6 => format!("{:.2} ms", time / 1e6),
        Quantity::Nanoseconds(time) if time >= 1e5 => format!("{:.0} µs", time / 1e3),
        Quantity::Nanoseconds(time) if time < 1e3 => format!("{time:.1} ns"),
        Quantity::Nanoseconds(time) => format!("{:.2} µs", time / 1e3),
        Quantity::Times(times) => format!("{times:.2} ×"),
        Quantity::States(states) => format!("{states:.2} st."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_both_numbers_the_ratio_and_the_bound() {
        let mut row = Row::new("tiny");
        row.compare(
            "call",
            Quantity::Nanoseconds,
            Some(1500.0),
            ("jax.jit", Some(4800.0)),
            Bound::Faster(2.2),
        );
        let line = lines(&row, true);
        assert_eq!(
            line.split_whitespace().collect::<Vec<_>>(),
            [
                "tiny", "call", "1.50", "µs", "4.80", "µs", "jax.jit", "3.20", "≥", "2.20", "ok"
            ]
        );
        assert!(!lines(&row, false).contains("ok"));
        row.comparisons[0].bound = Bound::Faster(4.0);
        assert!(lines(&row, true).contains("MISSED"));
    }
}
