use std::iter::Sum;
use std::ops::{Add, AddAssign};

/// What it took to get executables: how many were compiled, how many came from the disk cache, and how long that was.
///
/// Source: `CompileStatistics` of the Python package.
///
/// ```
/// use cyxla_runtime::CompileStatistics;
///
/// let one = CompileStatistics { compile_seconds: 0.5, compiled: 1, ..Default::default() };
/// let other = CompileStatistics { load_seconds: 0.25, loaded: 1, ..Default::default() };
/// let all: CompileStatistics = [one, other].into_iter().sum();
/// assert_eq!((all.compiled, all.loaded), (1, 1));
/// ```
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct CompileStatistics {
    /// Seconds of wall time that compilers took.
    pub compile_seconds: f64,
    /// Seconds of wall time that loading from the disk cache took.
    pub load_seconds: f64,
    /// How many programs were compiled.
    pub compiled: usize,
    /// How many programs were loaded from the disk cache.
    pub loaded: usize,
}

impl Add for CompileStatistics {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            compile_seconds: self.compile_seconds + other.compile_seconds,
            load_seconds: self.load_seconds + other.load_seconds,
            compiled: self.compiled + other.compiled,
            loaded: self.loaded + other.loaded,
        }
    }
}

impl AddAssign for CompileStatistics {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sum for CompileStatistics {
    fn sum<I: Iterator<Item = Self>>(statistics: I) -> Self {
        statistics.fold(Self::default(), |all, one| all + one)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_is_added() {
        let one = CompileStatistics {
            compile_seconds: 0.5,
            load_seconds: 2.0,
            compiled: 3,
            loaded: 5,
        };
        let two = CompileStatistics {
            compile_seconds: 1.0,
            load_seconds: 4.0,
            compiled: 6,
            loaded: 10,
        };
        let three = CompileStatistics {
            compile_seconds: 1.5,
            load_seconds: 6.0,
            compiled: 9,
            loaded: 15,
        };
        assert_eq!(one + two, three);
        assert_eq!([one, two].into_iter().sum::<CompileStatistics>(), three);
        let mut sum = one;
        sum += two;
        assert_eq!(sum, three);
    }
}
