//! The recorded track, and the truth that it departs from.

use std::f64::consts::TAU;
use std::fmt;

use crate::filter::State;

/// The track as `python/record.py` writes it: a measured position each second, in m.
pub const RECORDED: &str = include_str!("../track.csv");

/// The time of the last measurement; the first is at zero.
pub const SECONDS: u8 = 120;

/// The number of measurements.
pub const MEASUREMENTS: usize = SECONDS as usize + 1;

/// x and y (m), second by second.
pub type Track = [[f64; 2]; MEASUREMENTS];

/// A file is no track.
#[derive(Debug, PartialEq)]
pub enum TrackError {
    /// A line, counted from one, is not three numbers, or the time is not that of its turn.
    Line(usize),
    /// It has so many measurements.
    Length(usize),
}

impl fmt::Display for TrackError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => write!(
                f,
                "line {line} of the track is no measurement\n  help: write `time (s),x (m),y (m)`, with the time one \
                 more than in the line before, the first 0"
            ),
            Self::Length(found) => write!(
                f,
                "the track has {found} measurements, not {MEASUREMENTS}\n  help: set `SECONDS` in `src/track.rs` to \
                 the time of the last one"
            ),
        }
    }
}

impl std::error::Error for TrackError {}

/// Reads a table with a line of names, and then time (s), x (m) and y (m) in each line, from time zero on in whole seconds.
///
/// # Errors
/// It is not of that form, or of another length.
pub fn read(csv: &str) -> Result<Track, TrackError> {
    let mut track = Vec::new();
    for (at, line) in csv.lines().enumerate().skip(1) {
        let bad = || TrackError::Line(at + 1);
        let mut fields = line.split(',').map(str::trim);
        let mut field = || fields.next().ok_or_else(bad);
        let (time, x, y) = (field()?, field()?, field()?);
        if fields.next().is_some() || time.parse() != Ok(at - 1) {
            return Err(bad());
        }
        let metres = |field: &str| match field.parse::<f64>() {
            Ok(metres) if metres.is_finite() => Ok(metres),
            _ => Err(bad()),
        };
        track.push([metres(x)?, metres(y)?]);
    }
    track
        .try_into()
        .map_err(|track: Vec<_>| TrackError::Length(track.len()))
}

/// Where the boat was (m): it makes 5 m/s eastwards, on a sine of 60 m to each side and 120 s long.
pub fn truth(second: u8) -> [f64; 2] {
    let time = f64::from(second);
    [5.0 * time, 60.0 * (TAU * time / 120.0).sin()]
}

/// x and y (m), which a state begins with.
pub fn position([x, y, ..]: State) -> [f64; 2] {
    [x, y]
}

/// The root mean square distance (m) from the truth, of rows that begin with x and y (m).
pub fn error<const N: usize>(rows: &[[f64; N]; MEASUREMENTS]) -> f64 {
    let squares = (0..=SECONDS).zip(rows).map(|(second, row)| {
        let [x, y] = truth(second);
        (row[0] - x).powi(2) + (row[1] - y).powi(2)
    });
    (squares.sum::<f64>() / (f64::from(SECONDS) + 1.0)).sqrt()
}
