//! What was measured of a row.

use std::borrow::Cow;

/// A row: its numbers, and how they compare with what must be reached.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    /// Its name on the command line and in JSON.
    pub name: &'static str,
    /// All numbers, by name. The ends of the names are the units.
    pub values: Vec<(Cow<'static, str>, f64)>,
    /// What must be reached.
    pub comparisons: Vec<Comparison>,
}

/// Two numbers, and what must be of them.
#[derive(Clone, PartialEq, Debug)]
pub struct Comparison {
    /// What is compared.
    pub what: Cow<'static, str>,
    /// Our number.
    pub ours: Quantity,
    /// Whom it is compared with.
    pub rival: &'static str,
    /// The number to compare with.
    pub theirs: Quantity,
    /// What must be reached.
    pub bound: Bound,
}

/// A number with its unit.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Quantity {
    /// A time, in nanoseconds.
    Nanoseconds(f64),
    /// How many times as much.
    Times(f64),
    /// Memory, in numbers of the array that is the state.
    States(f64),
}

/// What a ratio must reach.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Bound {
    /// Ours ÷ theirs is at most this.
    AtMost(f64),
    /// Ours ÷ theirs is at least this.
    AtLeast(f64),
    /// Theirs ÷ ours is at least this.
    Faster(f64),
    /// Nothing: for information.
    None,
}

impl Row {
    /// A row without numbers.
    pub fn new(name: &'static str) -> Self {
        Self {
            name,
            values: Vec::new(),
            comparisons: Vec::new(),
        }
    }

    /// Adds a number, if it was measured.
    pub fn value(&mut self, name: impl Into<Cow<'static, str>>, value: Option<f64>) {
        self.values.extend(value.map(|value| (name.into(), value)));
    }

    /// Adds a comparison, if both numbers were measured.
    pub fn compare(
        &mut self,
        what: impl Into<Cow<'static, str>>,
        unit: fn(f64) -> Quantity,
        ours: Option<f64>,
        (rival, theirs): (&'static str, Option<f64>),
        bound: Bound,
    ) {
        if let (Some(ours), Some(theirs)) = (ours, theirs) {
            self.comparisons.push(Comparison {
                what: what.into(),
                ours: unit(ours),
                rival,
                theirs: unit(theirs),
                bound,
            });
        }
    }

    /// The numbers as an object.
    pub fn to_json(&self) -> serde_json::Value {
        let values = self.values.iter();
        values
            .map(|(name, value)| (name.clone().into_owned(), (*value).into()))
            .collect::<serde_json::Map<_, _>>()
            .into()
    }
}

impl Comparison {
    /// The ratio that the bound is about.
    pub fn ratio(&self) -> f64 {
        let (ours, theirs) = (self.ours.number(), self.theirs.number());
        match self.bound {
            Bound::Faster(_) => theirs / ours,
            _ => ours / theirs,
        }
    }

    /// Whether the bound is reached.
    pub fn is_reached(&self) -> bool {
        match self.bound {
            Bound::AtMost(bound) => self.ratio() <= bound,
            Bound::AtLeast(bound) | Bound::Faster(bound) => self.ratio() >= bound,
            Bound::None => true,
        }
    }
}

impl Quantity {
    fn number(self) -> f64 {
        match self {
            Self::Nanoseconds(number) | Self::Times(number) | Self::States(number) => number,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compared(ours: f64, theirs: f64, bound: Bound) -> Comparison {
        let mut row = Row::new("tiny");
        let rival = ("raw C", Some(theirs));
        row.compare("call", Quantity::Nanoseconds, Some(ours), rival, bound);
        row.comparisons.remove(0)
    }

    #[test]
    fn bounds_look_at_the_ratio_of_their_direction() {
        assert!(compared(110.0, 100.0, Bound::AtMost(1.1)).is_reached());
        assert!(!compared(111.0, 100.0, Bound::AtMost(1.1)).is_reached());
        assert!(compared(1.9, 2.0, Bound::AtLeast(0.95)).is_reached());
        assert!(!compared(1.8, 2.0, Bound::AtLeast(0.95)).is_reached());
        assert!(compared(2.0, 4.4, Bound::Faster(2.2)).is_reached());
        assert!(!compared(2.0, 4.3, Bound::Faster(2.2)).is_reached());
        assert!(compared(9.0, 1.0, Bound::None).is_reached());
    }

    #[test]
    fn what_was_not_measured_is_not_compared() {
        let mut row = Row::new("tiny");
        row.compare(
            "call",
            Quantity::Nanoseconds,
            Some(1.0),
            ("jax.jit", None),
            Bound::Faster(2.2),
        );
        row.value("jax_jit_ns", None);
        row.value("ours_ns", Some(1.0));
        assert!(row.comparisons.is_empty());
        assert_eq!(row.to_json(), serde_json::json!({ "ours_ns": 1.0 }));
    }
}
