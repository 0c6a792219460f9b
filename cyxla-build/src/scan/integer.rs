use std::fmt;

/// A primitive integer type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct IntegerType {
    name: &'static str,
    bits: u32,
    signed: bool,
}

/// `usize` and `isize` have the 64 bits of the machines that cyxla runs on.
const TYPES: [IntegerType; 12] = [
    IntegerType::new("usize", 64, false),
    IntegerType::new("u8", 8, false),
    IntegerType::new("u16", 16, false),
    IntegerType::new("u32", 32, false),
    IntegerType::new("u64", 64, false),
    IntegerType::new("u128", 128, false),
    IntegerType::new("isize", 64, true),
    IntegerType::new("i8", 8, true),
    IntegerType::new("i16", 16, true),
    IntegerType::new("i32", 32, true),
    IntegerType::new("i64", 64, true),
    IntegerType::new("i128", 128, true),
];

impl IntegerType {
    /// The type of array lengths.
    pub(super) const USIZE: Self = TYPES[0];

    const fn new(name: &'static str, bits: u32, signed: bool) -> Self {
        Self { name, bits, signed }
    }

    /// The type of this name.
    pub(super) fn named(name: &str) -> Option<Self> {
        TYPES.into_iter().find(|ty| ty.name == name)
    }

    /// The least and the greatest value. Of the 128-bit types only what an `i128` holds: no array is longer.
    pub(super) fn range(self) -> (i128, i128) {
        let unsigned_bits = if self.signed {
            self.bits - 1
        } else {
            self.bits
        };
        let max = match unsigned_bits {
            127.. => i128::MAX,
            bits => (1 << bits) - 1,
        };
        (if self.signed { -max - 1 } else { 0 }, max)
    }

    /// `value`, if this type has it.
    pub(super) fn checked(self, value: i128) -> Option<i128> {
        let (min, max) = self.range();
        (min..=max).contains(&value).then_some(value)
    }

    /// The value of this type with the same low bits, as `as` gives it.
    pub(super) fn wrapped(self, value: i128) -> i128 {
        if self.bits >= 128 {
            return value;
        }
        let low = value & ((1 << self.bits) - 1);
        let (_, max) = self.range();
        if low > max {
            low - (1 << self.bits)
        } else {
            low
        }
    }

    /// Number of bits.
    pub(super) fn bits(self) -> u32 {
        self.bits
    }
}

impl fmt::Display for IntegerType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str) -> IntegerType {
        IntegerType::named(name).unwrap()
    }

    #[test]
    fn ranges_are_those_of_rust() {
        assert_eq!(named("u8").range(), (0, 255));
        assert_eq!(named("i8").range(), (i8::MIN.into(), i8::MAX.into()));
        assert_eq!(named("usize").range(), (0, u64::MAX.into()));
        assert_eq!(named("i64").range(), (i64::MIN.into(), i64::MAX.into()));
        assert_eq!(named("i128").range(), (i128::MIN, i128::MAX));
    }

    #[test]
    fn casts_keep_the_low_bits() {
        // 300 = 256 + 44; 200 = 256 - 56; -1 is all ones.
        assert_eq!(named("u8").wrapped(300), 44);
        assert_eq!(named("i8").wrapped(200), -56);
        assert_eq!(named("u32").wrapped(-1), u32::MAX.into());
        assert_eq!(named("i32").wrapped(i128::from(u32::MAX)), -1);
    }
}
