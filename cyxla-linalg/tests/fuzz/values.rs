//! What the arrays of a call hold.

use crate::random::Random;

/// How the elements of a call are made. Not finite, denormal and huge ones come alone and by the dozen; and so do matrices
/// that iterations get stuck on.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Values {
    /// Between −1 and 1.
    Ordinary,
    /// What floating point goes wrong with.
    Wild,
    /// Ordinary ones, with a wild one now and then.
    Spoilt,
    /// −1, 0 and 1: matrices with equal eigenvalues, and singular ones.
    Integers,
    /// One number everywhere.
    Constant(f64),
    /// Ordinary ones times one power of ten.
    Scaled(i32),
    /// Each of another magnitude.
    Graded,
    /// A permutation matrix that moves each row by as many: its eigenvalues lie on a circle.
    Cyclic(usize),
    /// Ones on a diagonal and next to it: a block of Jordan.
    Jordan,
    /// Any bits.
    Bits,
}

const WILD: [f64; 16] = [
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    0.0,
    -0.0,
    1.0,
    // Denormal in f32, then in f64.
    1e-40,
    -1e-45,
    1e-310,
    5e-324,
    // The largest of f32 and of f64, about.
    3e38,
    -3.4e38,
    1e308,
    -1.7e308,
    // Their squares leave the range.
    1e-25,
    1e200,
];

impl Values {
    pub(crate) fn choose(random: &mut Random) -> Self {
        match random.below(12) {
            0..=2 => Self::Ordinary,
            3 => Self::Wild,
            4 => Self::Spoilt,
            5 => Self::Integers,
            6 => Self::Constant(random.one_of(&WILD)),
            7 => Self::Scaled(random.below(640) as i32 - 330),
            8 => Self::Graded,
            9 => Self::Cyclic(random.below(5)),
            10 => Self::Jordan,
            _ => Self::Bits,
        }
    }

    /// The real or the imaginary part of an element of an array with these axes.
    pub(crate) fn part(self, index: usize, dims: &[usize], random: &mut Random) -> f64 {
        match self {
            Self::Wild => random.one_of(&WILD),
            Self::Spoilt if random.once_in(12) => random.one_of(&WILD),
            Self::Ordinary | Self::Spoilt => random.real(),
            Self::Integers => random.below(3) as f64 - 1.0,
            Self::Constant(value) => value,
            Self::Scaled(exponent) => random.real() * 10_f64.powi(exponent),
            Self::Graded => random.real() * 10_f64.powi(random.below(600) as i32 - 300),
            Self::Cyclic(shift) => {
                let (row, column) = place(index, dims);
                let rows = dims.last().copied().unwrap_or(1).max(1);
                f64::from(u8::from((column + shift) % rows == row % rows))
            }
            Self::Jordan => {
                let (row, column) = place(index, dims);
                f64::from(u8::from(column == row || column == row + 1))
            }
            Self::Bits => f64::from_bits(random.next()),
        }
    }
}

/// The row and the column of an element.
fn place(index: usize, dims: &[usize]) -> (usize, usize) {
    let &[.., rows, columns] = dims else {
        return (index, 0);
    };
    let index = index % (rows * columns).max(1);
    (index % rows.max(1), index / rows.max(1))
}
