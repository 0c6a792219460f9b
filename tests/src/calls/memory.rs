//! How much memory this process uses, as Linux tells it.

use crate::measure::Failure;

const STATUS: &str = "/proc/self/status";
const CLEAR: &str = "/proc/self/clear_refs";

/// Resident memory, in bytes.
pub(super) fn resident() -> Result<f64, Failure> {
    field("VmRSS:")
}

/// The most resident memory since [`reset_peak`], in bytes.
pub(super) fn peak() -> Result<f64, Failure> {
    field("VmHWM:")
}

/// Has the peak start anew from what is resident now.
pub(super) fn reset_peak() -> Result<(), Failure> {
    // The number is from the manual of proc_pid_clear_refs.
    std::fs::write(CLEAR, "5").map_err(|error| Failure::Memory {
        file: CLEAR,
        reason: error.to_string(),
    })
}

fn field(name: &str) -> Result<f64, Failure> {
    let failure = |reason: String| Failure::Memory {
        file: STATUS,
        reason,
    };
    let status = std::fs::read_to_string(STATUS).map_err(|error| failure(error.to_string()))?;
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    let number = line.and_then(|line| line.split_whitespace().next());
    let kilobytes = number.and_then(|number| number.parse::<f64>().ok());
    kilobytes
        .map(|kilobytes| kilobytes * 1024.0)
        .ok_or_else(|| failure(format!("there is no {name}")))
}
