//! How far two arrays of one type are from each other.

use cyxla::{ArrayType, DType};

/// The largest difference between two arrays, relative to the larger of the expected element and the root mean square of
/// all expected elements that are finite; so elements that cancel to almost nothing count by the scale of their array.
/// Infinite where one is NaN or infinite and the other is not the same.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug)]
pub struct Difference(pub f64);

impl Difference {
    /// Compares the bytes of two arrays; none if there is no rule for their element type, or they differ in length.
    pub fn of(array_type: &ArrayType, found: &[u8], expected: &[u8]) -> Option<Self> {
        let dtype = array_type.dtype();
        let (found_numbers, expected_numbers) = (numbers(dtype, found)?, numbers(dtype, expected)?);
        if found_numbers.len() != expected_numbers.len() {
            return None;
        }
        if found == expected {
            return Some(Self(0.0));
        }
        let scale = root_mean_square(&expected_numbers);
        let differences = found_numbers.iter().zip(&expected_numbers);
        let largest = differences
            .map(|(&found, &expected)| relative(found, expected, scale))
            .fold(0.0, f64::max);
        // Integers beyond 2⁵³ may differ by less than their conversion keeps.
        let exact = tolerance(dtype) == 0.0;
        Some(Self(if exact {
            largest.max(f64::EPSILON)
        } else {
            largest
        }))
    }
}

/// What two right answers may differ by: the order of a sum and the rounding of a function are not fixed. Integers and truth
/// values must be equal; types of few bits may differ in the last one.
pub fn tolerance(dtype: DType) -> f64 {
    match dtype {
        DType::F64 | DType::C128 => 1e-10,
        DType::F32 | DType::C64 => 2e-5,
        DType::F16 => 2e-3,
        DType::BF16 => 1e-2,
        DType::F8E3M4 => 1.0 / 16.0,
        DType::F8E4M3 | DType::F8E4M3FN | DType::F8E4M3FNUZ | DType::F8E4M3B11FNUZ => 1.0 / 8.0,
        DType::F8E5M2 | DType::F8E5M2FNUZ => 1.0 / 4.0,
        DType::F8E8M0FNU => 1.0,
        _ => 0.0,
    }
}

#[expect(
    clippy::float_cmp,
    reason = "infinities and zeros of either sign are equal or not"
)]
fn relative(found: f64, expected: f64, scale: f64) -> f64 {
    if found == expected || (found.is_nan() && expected.is_nan()) {
        return 0.0;
    }
    let difference = (found - expected).abs() / expected.abs().max(scale);
    if difference.is_nan() {
        f64::INFINITY
    } else {
        difference
    }
}

#[expect(clippy::cast_precision_loss, reason = "a count that only scales")]
fn root_mean_square(numbers: &[f64]) -> f64 {
    let finite = numbers.iter().filter(|number| number.is_finite());
    let (count, sum) = finite.fold((0_u64, 0.0), |(count, sum), number| {
        (count + 1, sum + number * number)
    });
    if count == 0 {
        0.0
    } else {
        (sum / count as f64).sqrt()
    }
}

/// The elements as numbers, the parts of complex ones one after the other.
#[expect(
    clippy::cast_precision_loss,
    reason = "64-bit integers are compared by their bytes first"
)]
fn numbers(dtype: DType, bytes: &[u8]) -> Option<Vec<f64>> {
    fn decode<const N: usize>(bytes: &[u8], number: impl Fn([u8; N]) -> f64) -> Option<Vec<f64>> {
        let (elements, rest) = bytes.as_chunks::<N>();
        rest.is_empty()
            .then(|| elements.iter().map(|&element| number(element)).collect())
    }
    let small = |number: fn(u8) -> f32| decode(bytes, |[bits]| f64::from(number(bits)));
    match dtype {
        DType::Bool | DType::U4 | DType::U8 => decode(bytes, |[byte]| f64::from(byte)),
        DType::I4 | DType::I8 => decode(bytes, |byte| f64::from(i8::from_ne_bytes(byte))),
        DType::I16 => decode(bytes, |bytes| f64::from(i16::from_ne_bytes(bytes))),
        DType::I32 => decode(bytes, |bytes| f64::from(i32::from_ne_bytes(bytes))),
        DType::I64 => decode(bytes, |bytes| i64::from_ne_bytes(bytes) as f64),
        DType::U16 => decode(bytes, |bytes| f64::from(u16::from_ne_bytes(bytes))),
        DType::U32 => decode(bytes, |bytes| f64::from(u32::from_ne_bytes(bytes))),
        DType::U64 => decode(bytes, |bytes| u64::from_ne_bytes(bytes) as f64),
        DType::F8E3M4 => small(|bits| cyxla::F8E3M4::from_bits(bits).to_f32()),
        DType::F8E4M3 => small(|bits| cyxla::F8E4M3::from_bits(bits).to_f32()),
        DType::F8E4M3FN => small(|bits| cyxla::F8E4M3FN::from_bits(bits).to_f32()),
        DType::F8E4M3FNUZ => small(|bits| cyxla::F8E4M3FNUZ::from_bits(bits).to_f32()),
        DType::F8E4M3B11FNUZ => small(|bits| cyxla::F8E4M3B11FNUZ::from_bits(bits).to_f32()),
        DType::F8E5M2 => small(|bits| cyxla::F8E5M2::from_bits(bits).to_f32()),
        DType::F8E5M2FNUZ => small(|bits| cyxla::F8E5M2FNUZ::from_bits(bits).to_f32()),
        DType::F8E8M0FNU => small(|bits| cyxla::F8E8M0FNU::from_bits(bits).to_f32()),
        DType::BF16 => decode(bytes, |bytes| cyxla::BF16::from_ne_bytes(bytes).to_f64()),
        DType::F16 => decode(bytes, |bytes| cyxla::F16::from_ne_bytes(bytes).to_f64()),
        DType::F32 | DType::C64 => decode(bytes, |bytes| f64::from(f32::from_ne_bytes(bytes))),
        DType::F64 | DType::C128 => decode(bytes, f64::from_ne_bytes),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EQUAL: Difference = Difference(0.0);
    const INCOMPARABLE: Difference = Difference(f64::INFINITY);

    fn of(found: &[f32], expected: &[f32]) -> Difference {
        let bytes =
            |numbers: &[f32]| -> Vec<u8> { numbers.iter().flat_map(|x| x.to_ne_bytes()).collect() };
        let array_type = ArrayType::new(DType::F32, &[expected.len()]).unwrap();
        Difference::of(&array_type, &bytes(found), &bytes(expected)).unwrap()
    }

    #[test]
    fn a_difference_is_relative() {
        assert_eq!(of(&[101.0], &[100.0]), Difference(0.01));
        // The root mean square of 3 and 4 is √12.5.
        let close = |found: Difference, expected: f64| (found.0 - expected).abs() < 1e-12;
        assert!(close(of(&[4.0, 4.0], &[3.0, 4.0]), 1.0 / 12.5_f64.sqrt()));
        assert!(close(
            of(&[0.001, 1.0], &[0.0, 1.0]),
            f64::from(0.001_f32) / 0.5_f64.sqrt()
        ));
    }

    #[test]
    fn nan_equals_nan_and_infinity_equals_infinity() {
        let infinity = f32::INFINITY;
        assert_eq!(
            of(&[f32::NAN, infinity, 1.0], &[-f32::NAN, infinity, 1.0]),
            EQUAL
        );
        for (found, expected) in [
            (f32::NAN, 1.0),
            (1.0, f32::NAN),
            (infinity, 1.0),
            (infinity, -infinity),
        ] {
            assert_eq!(
                of(&[found, 1.0], &[expected, 1.0]),
                INCOMPARABLE,
                "{found} {expected}"
            );
        }
    }

    #[test]
    fn zeros_of_either_sign_are_equal() {
        assert_eq!(of(&[0.0], &[-0.0]), EQUAL);
        assert_eq!(of(&[1e-30], &[0.0]), INCOMPARABLE);
        assert_eq!(of(&[], &[]), EQUAL);
    }

    #[test]
    fn large_integers_that_differ_by_one_differ() {
        let array_type = ArrayType::new(DType::I64, &[1]).unwrap();
        let [a, b] = [i64::MAX, i64::MAX - 1].map(i64::to_ne_bytes);
        assert!(Difference::of(&array_type, &a, &b).unwrap().0 > tolerance(DType::I64));
        assert_eq!(Difference::of(&array_type, &a, &a), Some(EQUAL));
    }

    #[test]
    fn every_element_type_can_be_compared() {
        for &dtype in DType::ALL {
            let array_type = ArrayType::scalar(dtype);
            let bytes = vec![0; dtype.size()];
            assert_eq!(
                Difference::of(&array_type, &bytes, &bytes),
                Some(EQUAL),
                "{dtype}"
            );
        }
    }

    #[test]
    fn arrays_of_other_lengths_are_not_compared() {
        let array_type = ArrayType::scalar(DType::F32);
        assert_eq!(Difference::of(&array_type, &[0; 4], &[0; 8]), None);
        assert_eq!(Difference::of(&array_type, &[0; 3], &[0; 3]), None);
    }
}
