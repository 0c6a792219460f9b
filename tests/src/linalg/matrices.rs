//! The matrices that are measured with.

use cyxla::{Complex, DType, HostArray};

use super::Shape;
use crate::measure::Failure;

/// The arguments of a function: the same numbers as in jit.py.
///
/// # Shape
/// `[n, n]`, or `[batch, n, n]`.
///
/// # Errors
/// The shape is too large.
pub(super) fn arguments(function: &str, shape: Shape) -> Result<Vec<HostArray>, Failure> {
    let Shape { n, batch, .. } = shape;
    let count = batch * n * n;
    let numbers = |first: usize| -> Vec<f64> { (first..first + count).map(uniform).collect() };
    let (mut re, mut im) = (numbers(0), numbers(2 * count));
    for (re, im) in re.chunks_exact_mut(n * n).zip(im.chunks_exact_mut(n * n)) {
        if matches!(function, "cholesky" | "eigh") {
            symmetrize(re, n, 1.0);
            symmetrize(im, n, -1.0);
        }
        if matches!(function, "cholesky" | "solve_triangular") {
            // Far from singular.
            #[expect(clippy::cast_precision_loss, reason = "a few hundred")]
            let shift = 2.0 * n as f64;
            re.iter_mut().step_by(n + 1).for_each(|a| *a += shift);
        }
    }
    let mut arguments = vec![shape.array(&re, &im)?];
    if function == "solve_triangular" {
        arguments.push(shape.array(&numbers(count), &numbers(3 * count))?);
    }
    Ok(arguments)
}

impl Shape {
    fn dims(self) -> Vec<usize> {
        match self.batch {
            1 => vec![self.n; 2],
            batch => vec![batch, self.n, self.n],
        }
    }

    /// Of real types, the imaginary parts are left out.
    #[expect(clippy::cast_possible_truncation, reason = "rounding is meant")]
    fn array(self, re: &[f64], im: &[f64]) -> Result<HostArray, Failure> {
        let dims = self.dims();
        let parts = re.iter().zip(im);
        Ok(match self.dtype {
            DType::F32 => {
                let elements: Vec<_> = re.iter().map(|&re| re as f32).collect();
                HostArray::from_slice(&elements, &dims)?
            }
            DType::C64 => {
                let elements: Vec<_> = parts
                    .map(|(&re, &im)| Complex::new(re as f32, im as f32))
                    .collect();
                HostArray::from_slice(&elements, &dims)?
            }
            DType::C128 => {
                let elements: Vec<_> = parts.map(|(&re, &im)| Complex::new(re, im)).collect();
                HostArray::from_slice(&elements, &dims)?
            }
            _ => HostArray::from_slice(re, &dims)?,
        })
    }
}

/// From -1 to 1, as 24 bits of a hash.
fn uniform(index: usize) -> f64 {
    #[expect(clippy::cast_possible_truncation, reason = "a hash")]
    let mut x = (index as u32).wrapping_mul(0x9E37_79B1);
    x = (x ^ (x >> 15)).wrapping_mul(0x85EB_CA6B);
    x = (x ^ (x >> 13)).wrapping_mul(0xC2B2_AE35);
    f64::from(x >> 8) / f64::from(1 << 23) - 1.0
}

/// Replaces a matrix by the mean of itself and `sign` times its transpose.
fn symmetrize(a: &mut [f64], n: usize, sign: f64) {
    for i in 0..n {
        for j in 0..=i {
            let mean = f64::midpoint(a[i * n + j], sign * a[j * n + i]);
            a[i * n + j] = mean;
            a[j * n + i] = sign * mean;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: Shape = Shape {
        dtype: DType::F64,
        n: 3,
        batch: 2,
    };

    #[test]
    fn cholesky_gets_symmetric_matrices_with_a_dominant_diagonal() {
        let arguments = arguments("cholesky", SHAPE).unwrap();
        let a = arguments[0].as_slice::<f64>().unwrap();
        assert_eq!(a.len(), 2 * 3 * 3);
        for a in a.chunks_exact(9) {
            for i in 0..3 {
                let others: f64 = (0..3).filter(|&j| j != i).map(|j| a[3 * i + j].abs()).sum();
                assert!(a[4 * i] > others, "{a:?}");
                assert!((0..3).all(|j| a[3 * i + j] == a[3 * j + i]), "{a:?}");
            }
        }
    }

    #[test]
    fn complex_matrices_for_eigh_are_hermitian() {
        let complex = Shape {
            dtype: DType::C128,
            ..SHAPE
        };
        let arguments = arguments("eigh", complex).unwrap();
        let a = arguments[0].as_slice::<Complex<f64>>().unwrap();
        assert_ne!(a[1].im, 0.0);
        for a in a.chunks_exact(9) {
            assert!((0..9).all(|k| a[k] == a[k % 3 * 3 + k / 3].conj()), "{a:?}");
        }
    }

    #[test]
    fn a_batch_is_a_dimension_and_a_single_matrix_has_none() {
        let single = Shape { batch: 1, ..SHAPE };
        let shapes = |shape| -> Vec<Vec<usize>> {
            let arguments = arguments("solve_triangular", shape).unwrap();
            let types = arguments.iter().map(HostArray::array_type);
            types.map(|found| found.shape().to_vec()).collect()
        };
        assert_eq!(shapes(SHAPE), [[2, 3, 3], [2, 3, 3]]);
        assert_eq!(shapes(single), [[3, 3], [3, 3]]);
    }
}
