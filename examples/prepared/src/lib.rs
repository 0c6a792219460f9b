//! A library with a JAX program inside, and its lowered form in `.cyxla/`.
//!
//! Whoever builds it needs neither Python nor JAX; README.md tells how the copy is kept fresh.

/// Smooths a signal: a Savitzky-Golay filter, a quadratic fit over five samples.
///
/// # Shape
/// `f32[64]` to `f32[64]`, samples at equal distances, in any unit. At both ends the last sample is repeated.
///
/// # Errors
/// No PJRT plugin for the CPU is installed.
#[cyxla::program("filters:smooth")]
pub fn smooth(signal: &[f32; 64]) -> cyxla::Result<[f32; 64]>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parabola_stays_as_it_is() {
        let mut parabola = [0.0; 64];
        for (x, y) in (0u8..).zip(&mut parabola) {
            let x = f32::from(x) / 8.0;
            *y = x * x - 3.0 * x;
        }
        let smoothed = smooth(&parabola).unwrap();
        for (y, smoothed) in parabola.iter().zip(smoothed).skip(2).take(60) {
            assert!((y - smoothed).abs() < 1e-4, "{y} became {smoothed}");
        }
    }

    #[test]
    fn a_single_peak_is_spread_by_the_weights() {
        let mut peak = [0.0; 64];
        peak[30] = 35.0;
        let smoothed = smooth(&peak).unwrap();
        for (found, expected) in smoothed[27..34]
            .iter()
            .zip([0.0, -3.0, 12.0, 17.0, 12.0, -3.0, 0.0])
        {
            assert!((found - expected).abs() < 1e-4, "{found} is not {expected}");
        }
    }
}
