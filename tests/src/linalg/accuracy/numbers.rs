//! The four element types of LAPACK, and matrices of them.

#![allow(
    clippy::cast_possible_truncation,
    reason = "the nearest number is what is asked for"
)]

use cyxla::Complex;
use cyxla::ffi::Element;

/// One of LAPACK's element types.
pub(super) trait Number: Element {
    /// Its real type.
    type Real: Number;

    /// Its complex type.
    type Complex: Number;

    /// Its letter in the names of routines.
    const LETTER: char;

    /// Its name, and that of its bytes in NumPy.
    const NAMES: (&'static str, &'static str);

    /// The distance from one to the next number, halved.
    const ROUNDOFF: f64;

    /// Whether it is real.
    const IS_REAL: bool;

    /// The nearest number; a real type has the real part.
    fn of(re: f64, im: f64) -> Self;

    /// Its real and its imaginary part.
    fn parts(self) -> (f64, f64);

    /// Its bytes, the least first.
    fn write(self, to: &mut Vec<u8>);
}

macro_rules! numbers {
    ($($real:ty: $s:literal $c:literal $names:expr, $complex_names:expr;)*) => {$(
        impl Number for $real {
            type Real = Self;
            type Complex = Complex<Self>;
            const LETTER: char = $s;
            const NAMES: (&'static str, &'static str) = $names;
            const ROUNDOFF: f64 = <$real>::EPSILON as f64 / 2.0;
            const IS_REAL: bool = true;

            fn of(re: f64, _: f64) -> Self {
                re as Self
            }

            fn parts(self) -> (f64, f64) {
                (f64::from(self), 0.0)
            }

            fn write(self, to: &mut Vec<u8>) {
                to.extend(self.to_le_bytes());
            }
        }

        impl Number for Complex<$real> {
            type Real = $real;
            type Complex = Self;
            const LETTER: char = $c;
            const NAMES: (&'static str, &'static str) = $complex_names;
            const ROUNDOFF: f64 = <$real>::EPSILON as f64 / 2.0;
            const IS_REAL: bool = false;

            fn of(re: f64, im: f64) -> Self {
                Self::new(re as $real, im as $real)
            }

            fn parts(self) -> (f64, f64) {
                (f64::from(self.re), f64::from(self.im))
            }

            fn write(self, to: &mut Vec<u8>) {
                self.re.write(to);
                self.im.write(to);
            }
        }
    )*};
}

numbers! {
    f32: 's' 'c' ("f32", "<f4"), ("c64", "<c8");
    f64: 'd' 'z' ("f64", "<f8"), ("c128", "<c16");
}

/// Column-major matrices, one after the other.
#[derive(Clone, Debug)]
pub(super) struct Matrices<T> {
    pub(super) count: usize,
    pub(super) rows: usize,
    pub(super) cols: usize,
    pub(super) elements: Vec<T>,
}

impl<T: Number> Matrices<T> {
    /// With the elements that a function gives for member, row and column.
    pub(super) fn from_fn(
        [count, rows, cols]: [usize; 3],
        mut element: impl FnMut(usize, usize, usize) -> T,
    ) -> Self {
        let mut elements = Vec::with_capacity(count * rows * cols);
        for member in 0..count {
            for j in 0..cols {
                elements.extend((0..rows).map(|i| element(member, i, j)));
            }
        }
        Self {
            count,
            rows,
            cols,
            elements,
        }
    }

    /// Numbers in [−1, 1) that are the same for the same seed, and exact in single precision.
    pub(super) fn random(dims: [usize; 3], seed: usize) -> Self {
        let mut state = seed as u64;
        let mut next = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            f64::from(u32::try_from(state >> 44).unwrap_or(0)) / 524_288.0 - 1.0
        };
        Self::from_fn(dims, |_, _, _| {
            let re = next();
            T::of(re, if T::IS_REAL { 0.0 } else { next() })
        })
    }

    /// Hermitian, with `diagonal` added to the diagonal.
    pub(super) fn hermitian(count: usize, n: usize, seed: usize, diagonal: f64) -> Self {
        let random = Self::random([count, n, n], seed);
        Self::from_fn([count, n, n], |member, i, j| {
            let (re, im) = random.at(member, i.max(j), i.min(j)).parts();
            match i.cmp(&j) {
                std::cmp::Ordering::Less => T::of(re, -im),
                std::cmp::Ordering::Equal => T::of(re + diagonal, 0.0),
                std::cmp::Ordering::Greater => T::of(re, im),
            }
        })
    }

    pub(super) fn dims(&self) -> [usize; 3] {
        [self.count, self.rows, self.cols]
    }

    pub(super) fn at(&self, member: usize, i: usize, j: usize) -> T {
        self.elements[(member * self.cols + j) * self.rows + i]
    }

    /// The part of each matrix from these rows and columns on, `rows` × `cols`.
    pub(super) fn part(&self, (i, j): (usize, usize), (rows, cols): (usize, usize)) -> Self {
        Self::from_fn([self.count, rows, cols], |member, row, col| {
            self.at(member, i + row, j + col)
        })
    }
}
