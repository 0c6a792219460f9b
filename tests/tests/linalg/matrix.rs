//! Matrices to multiply what a program gave, whatever its element type.

use cyxla::{Complex, DType, HostArray};

type C = Complex<f64>;

/// A number of any of the four types of LAPACK.
pub(crate) trait Number: Copy {
    /// How exact one is.
    const EPSILON: f64;
    /// The number nearest to this one; a real type has the real part.
    fn of(number: C) -> Self;
    fn wide(self) -> C;
}

macro_rules! numbers {
    ($($real:ty: $epsilon:expr;)*) => {$(
        impl Number for $real {
            const EPSILON: f64 = $epsilon;
            fn of(number: C) -> Self {
                number.re as $real
            }
            fn wide(self) -> C {
                C::new(f64::from(self), 0.0)
            }
        }
        impl Number for Complex<$real> {
            const EPSILON: f64 = $epsilon;
            fn of(number: C) -> Self {
                Self::new(number.re as $real, number.im as $real)
            }
            fn wide(self) -> C {
                C::new(f64::from(self.re), f64::from(self.im))
            }
        }
    )*};
}
numbers! {
    f32: f32::EPSILON as f64;
    f64: f64::EPSILON;
}

/// A matrix, row major.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Matrix {
    columns: usize,
    elements: Vec<C>,
}

impl Matrix {
    pub(crate) fn from_fn(
        rows: usize,
        columns: usize,
        element: impl Fn(usize, usize) -> C,
    ) -> Self {
        let elements = (0..rows * columns).map(|at| element(at / columns, at % columns));
        Self {
            columns,
            elements: elements.collect(),
        }
    }

    /// What is best shown of a factorisation: no symmetry, no zeros, and a condition number of about ten.
    pub(crate) fn example(rows: usize, columns: usize) -> Self {
        Self::from_fn(rows, columns, |i, j| {
            let (x, y) = (i as f64, j as f64);
            let heavier = if i == j { 2.0 } else { 0.0 };
            C::new(
                heavier + (3.0 * x + 5.0 * y + 1.0).sin(),
                (2.0 * x + 7.0 * y).cos(),
            )
        })
    }

    pub(crate) fn identity(n: usize) -> Self {
        Self::diagonal(&vec![1.0; n])
    }

    pub(crate) fn diagonal<T: Number>(elements: &[T]) -> Self {
        Self::from_fn(elements.len(), elements.len(), |i, j| {
            if i == j { elements[i].wide() } else { C::ZERO }
        })
    }

    pub(crate) fn of<T: Number, const N: usize, const M: usize>(array: &[[T; N]; M]) -> Self {
        Self::from_fn(M, N, |i, j| array[i][j].wide())
    }

    pub(crate) fn column<T: Number>(elements: &[T]) -> Self {
        Self::from_fn(elements.len(), 1, |i, _| elements[i].wide())
    }

    /// The array that is nearest.
    pub(crate) fn array<T: Number, const N: usize, const M: usize>(&self) -> [[T; N]; M] {
        assert_eq!((self.rows(), self.columns), (M, N));
        std::array::from_fn(|i| std::array::from_fn(|j| T::of(self.at(i, j))))
    }

    /// A result of one or two axes; one axis is a column.
    pub(crate) fn of_host(array: &HostArray) -> Self {
        let shape = array.array_type().shape().to_vec();
        let elements = match array.array_type().dtype() {
            DType::F32 => wide(array.as_slice::<f32>().unwrap()),
            DType::F64 => wide(array.as_slice::<f64>().unwrap()),
            DType::C64 => wide(array.as_slice::<Complex<f32>>().unwrap()),
            DType::C128 => wide(array.as_slice::<Complex<f64>>().unwrap()),
            other => panic!("{other} is no type of LAPACK"),
        };
        Self {
            columns: shape.get(1).copied().unwrap_or(1),
            elements,
        }
    }

    /// The nearest array of elements `T`.
    pub(crate) fn host<T: Number + cyxla::Element>(&self) -> HostArray {
        let elements: Vec<T> = self.elements.iter().map(|&x| T::of(x)).collect();
        HostArray::from_slice(&elements, &[self.rows(), self.columns]).unwrap()
    }

    pub(crate) fn rows(&self) -> usize {
        self.elements.len() / self.columns
    }

    pub(crate) fn at(&self, i: usize, j: usize) -> C {
        self.elements[i * self.columns + j]
    }

    pub(crate) fn times(&self, other: &Self) -> Self {
        assert_eq!(self.columns, other.rows());
        Self::from_fn(self.rows(), other.columns, |i, j| {
            (0..self.columns)
                .map(|k| self.at(i, k) * other.at(k, j))
                .sum()
        })
    }

    pub(crate) fn plus(&self, other: &Self) -> Self {
        Self::from_fn(self.rows(), self.columns, |i, j| {
            self.at(i, j) + other.at(i, j)
        })
    }

    pub(crate) fn negative(&self) -> Self {
        Self::from_fn(self.rows(), self.columns, |i, j| -self.at(i, j))
    }

    /// The conjugate transpose.
    pub(crate) fn adjoint(&self) -> Self {
        Self::from_fn(self.columns, self.rows(), |i, j| self.at(j, i).conj())
    }

    /// The elements' real parts.
    pub(crate) fn real(&self) -> Self {
        Self::from_fn(self.rows(), self.columns, |i, j| {
            C::new(self.at(i, j).re, 0.0)
        })
    }

    /// A A* + 1: hermitian and positive definite.
    pub(crate) fn gram(&self) -> Self {
        self.times(&self.adjoint())
            .plus(&Self::identity(self.rows()))
    }

    pub(crate) fn largest(&self) -> f64 {
        self.elements
            .iter()
            .map(|x| x.norm_sqr().sqrt())
            .fold(0.0, f64::max)
    }

    /// Asserts that all below the diagonal `below` is zero; 0 is the diagonal itself.
    #[track_caller]
    pub(crate) fn assert_upper(&self, below: usize) {
        for i in 0..self.rows() {
            for j in 0..self.columns.min(i.saturating_sub(below)) {
                assert_eq!(self.at(i, j), C::ZERO, "at {i}, {j} of {self:?}");
            }
        }
    }

    /// Asserts that it is `expected`, up to `tolerance` of the largest element.
    #[track_caller]
    pub(crate) fn assert_near(&self, expected: &Self, tolerance: f64) {
        assert_eq!(
            (self.rows(), self.columns),
            (expected.rows(), expected.columns)
        );
        let difference = self.plus(&expected.negative()).largest();
        let allowed = tolerance * expected.largest().max(1.0);
        assert!(
            difference <= allowed,
            "{difference:e} > {allowed:e}: {self:?} is not {expected:?}"
        );
    }

    /// Asserts that its columns are orthonormal.
    #[track_caller]
    pub(crate) fn assert_orthonormal(&self, tolerance: f64) {
        self.adjoint()
            .times(self)
            .assert_near(&Self::identity(self.columns), tolerance);
    }
}

fn wide<T: Number>(elements: &[T]) -> Vec<C> {
    elements.iter().map(|&x| x.wide()).collect()
}
