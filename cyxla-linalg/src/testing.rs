//! What the tests of the routines share: matrices, residuals in twice the precision, and LAPACK's own residuals.

use num_complex::Complex;

use crate::element::{Element, Number, Real};

/// The sizes in `reference/residuals.txt`.
pub(crate) fn sizes() -> impl Iterator<Item = usize> {
    (1..=64).chain([127])
}

/// An element type that tests run over.
pub(crate) trait Tested: Element {
    const NAME: &str;

    fn wide(self) -> Complex<f64>;

    fn unit_roundoff() -> f64;
}

macro_rules! tested {
    ($($name:literal $real:ident),*) => { $(
        impl Tested for $real {
            const NAME: &str = $name;

            fn wide(self) -> Complex<f64> {
                Complex::new(f64::from(self), 0.0)
            }

            fn unit_roundoff() -> f64 {
                f64::from(<$real as Real>::EPSILON)
            }
        }
    )* };
}

macro_rules! tested_complex {
    ($($name:literal $real:ident),*) => { $(
        impl Tested for Complex<$real> {
            const NAME: &str = $name;

            fn wide(self) -> Complex<f64> {
                Complex::new(f64::from(self.re), f64::from(self.im))
            }

            fn unit_roundoff() -> f64 {
                f64::from(<$real as Real>::EPSILON)
            }
        }
    )* };
}

tested!("f32" f32, "f64" f64);
tested_complex!("c64" f32, "c128" f64);

/// Calls a generic function with each element type.
macro_rules! for_each_type {
    ($function:ident $(, $argument:expr)*) => {
        $function::<f32>($($argument),*);
        $function::<f64>($($argument),*);
        $function::<num_complex::Complex<f32>>($($argument),*);
        $function::<num_complex::Complex<f64>>($($argument),*);
    };
}
pub(crate) use for_each_type;

/// The numbers that `reference/generate.py` makes too.
pub(crate) struct Numbers(u64);

impl Numbers {
    pub(crate) fn new(seed: usize) -> Self {
        Self(seed as u64)
    }

    /// The next one, in [−1, 1) and exact in f32.
    pub(crate) fn real(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        f64::from(u32::try_from(self.0 >> 44).expect("20 bits")) / 524_288.0 - 1.0
    }

    pub(crate) fn element<T: Tested>(&mut self) -> T {
        let re = T::Real::from_f64(self.real());
        let im = if T::IS_REAL {
            T::Real::ZERO
        } else {
            T::Real::from_f64(self.real())
        };
        T::from_parts(re, im)
    }

    /// One of the numbers that floating point goes wrong with.
    pub(crate) fn wild<T: Tested>(&mut self) -> T {
        let part = |numbers: &mut Self| {
            let values = [
                0.0,
                1.0,
                -1.0,
                f64::NAN,
                f64::INFINITY,
                f64::NEG_INFINITY,
                1e-310,
                1e-42,
                1e38,
                -1e308,
                numbers.real(),
                numbers.real() * 1e-20,
            ];
            let choice = (f64::midpoint(numbers.real(), 1.0) * values.len() as f64) as usize;
            T::Real::from_f64(values[choice])
        };
        let re = part(self);
        let im = if T::IS_REAL {
            T::Real::ZERO
        } else {
            part(self)
        };
        T::from_parts(re, im)
    }
}

pub(crate) fn random<T: Tested>(seed: usize, count: usize) -> Vec<T> {
    let mut numbers = Numbers::new(seed);
    (0..count).map(|_| numbers.element()).collect()
}

/// The Hermitian matrix with the lower triangle of a random one, and the real part of its diagonal.
pub(crate) fn hermitian<T: Tested>(seed: usize, size: usize) -> Vec<T> {
    let a = random::<T>(seed, size * size);
    let at = |k: usize| match (k % size, k / size) {
        (i, j) if i == j => T::from_re(a[k].re()),
        (i, j) if i > j => a[k],
        (i, j) => Number::conj(a[i * size + j]),
    };
    (0..size * size).map(at).collect()
}

/// A column-major matrix of exact values.
#[derive(Debug, Clone)]
pub(crate) struct Wide {
    pub(crate) rows: usize,
    pub(crate) cols: usize,
    pub(crate) elements: Vec<Complex<f64>>,
}

impl Wide {
    pub(crate) fn new<T: Tested>(rows: usize, cols: usize, elements: &[T]) -> Self {
        assert!(elements.len() >= rows * cols);
        let elements = elements[..rows * cols].iter().map(|x| x.wide()).collect();
        Self {
            rows,
            cols,
            elements,
        }
    }

    pub(crate) fn at(&self, row: usize, col: usize) -> Complex<f64> {
        self.elements[col * self.rows + row]
    }

    fn column(&self, col: usize) -> &[Complex<f64>] {
        &self.elements[col * self.rows..][..self.rows]
    }

    /// The matrix with the elements that `value` gives for each row and column.
    pub(crate) fn from_fn(
        rows: usize,
        cols: usize,
        value: impl Fn(usize, usize) -> Complex<f64>,
    ) -> Self {
        let elements = (0..cols).flat_map(|j| (0..rows).map(move |i| (i, j)));
        Self {
            rows,
            cols,
            elements: elements.map(|(i, j)| value(i, j)).collect(),
        }
    }

    pub(crate) fn identity(size: usize) -> Self {
        Self::from_fn(size, size, |i, j| {
            Complex::new(f64::from(u8::from(i == j)), 0.0)
        })
    }

    pub(crate) fn adjoint(&self) -> Self {
        Self::from_fn(self.cols, self.rows, |i, j| self.at(j, i).conj())
    }

    pub(crate) fn transpose(&self) -> Self {
        Self::from_fn(self.cols, self.rows, |i, j| self.at(j, i))
    }

    /// The first `cols` columns.
    pub(crate) fn columns(&self, cols: usize) -> Self {
        Self::from_fn(self.rows, cols, |i, j| self.at(i, j))
    }

    /// The part on and below the diagonal, of which the diagonal is ones where `unit`.
    pub(crate) fn lower(&self, unit: bool) -> Self {
        Self::from_fn(self.rows, self.cols, |i, j| match i.cmp(&j) {
            std::cmp::Ordering::Less => Complex::new(0.0, 0.0),
            std::cmp::Ordering::Equal if unit => Complex::new(1.0, 0.0),
            _ => self.at(i, j),
        })
    }

    /// The first `rows` rows of the part on and above the diagonal.
    pub(crate) fn upper(&self, rows: usize) -> Self {
        Self::from_fn(rows, self.cols, |i, j| {
            if i > j {
                Complex::new(0.0, 0.0)
            } else {
                self.at(i, j)
            }
        })
    }

    pub(crate) fn norm(&self) -> f64 {
        self.elements
            .iter()
            .map(Complex::norm_sqr)
            .sum::<f64>()
            .sqrt()
    }
}

/// `‖A B − C‖`, each element summed up in twice the precision of f64.
pub(crate) fn distance(a: &Wide, b: &Wide, c: &Wide) -> f64 {
    assert_eq!((a.rows, b.cols, a.cols), (c.rows, c.cols, b.rows));
    let rows = a.transpose();
    let is_real = |a: &Wide| a.elements.iter().all(|x| x.im == 0.0);
    let real = is_real(a) && is_real(b);
    Wide::from_fn(c.rows, c.cols, |i, j| {
        let (mut re, mut im) = (Sum::default(), Sum::default());
        for (x, y) in rows.column(i).iter().zip(b.column(j)) {
            re.add_product(x.re, y.re);
            if !real {
                re.add_product(-x.im, y.im);
                im.add_product(x.re, y.im);
                im.add_product(x.im, y.re);
            }
        }
        re.add_product(-1.0, c.at(i, j).re);
        im.add_product(-1.0, c.at(i, j).im);
        Complex::new(re.value + re.rest, im.value + im.rest)
    })
    .norm()
}

/// `‖A V − V diag(w)‖ / ‖A‖`
pub(crate) fn residual_of_eigenvectors(a: &Wide, v: &Wide, w: &Wide) -> f64 {
    residual_of_basis(
        a,
        v,
        &Wide::from_fn(
            w.rows,
            w.rows,
            |i, j| if i == j { w.at(i, 0) } else { 0.0.into() },
        ),
    )
}

/// `‖A Q − Q T‖ / ‖A‖`; where Q is unitary, this is `‖A − Q T Qᴴ‖ / ‖A‖`.
pub(crate) fn residual_of_basis(a: &Wide, q: &Wide, t: &Wide) -> f64 {
    let n = a.rows;
    let beside = Wide::from_fn(
        n,
        2 * n,
        |i, j| if j < n { a.at(i, j) } else { q.at(i, j - n) },
    );
    let below = Wide::from_fn(
        2 * n,
        n,
        |i, j| if i < n { q.at(i, j) } else { -t.at(i - n, j) },
    );
    distance(&beside, &below, &Wide::from_fn(n, n, |_, _| 0.0.into()))
        / a.norm().max(f64::MIN_POSITIVE)
}

/// A sum that keeps what rounding loses.
#[derive(Default)]
struct Sum {
    value: f64,
    rest: f64,
}

impl Sum {
    fn add_product(&mut self, x: f64, y: f64) {
        let product = x * y;
        let lost = x.mul_add(y, -product);
        let sum = self.value + product;
        let other = sum - self.value;
        self.rest += (self.value - (sum - other)) + (product - other) + lost;
        self.value = sum;
    }
}

/// Checks a residual against four times that of LAPACK for the same measure, element type and size. Below the unit roundoff
/// both are luck.
#[track_caller]
pub(crate) fn assert_as_exact_as_lapack<T: Tested>(measure: &str, size: usize, residual: f64) {
    let table = include_str!("../reference/residuals.txt");
    let line = table
        .lines()
        .find(|line| line.split(' ').take(2).eq([measure, T::NAME]))
        .expect("a measure of the table");
    let column = sizes()
        .position(|known| known == size)
        .expect("a size of the table");
    let lapack: f64 = line
        .split(' ')
        .nth(2 + column)
        .expect("a column")
        .parse()
        .expect("a number");
    let bound = 4.0 * lapack.max(T::unit_roundoff());
    assert!(
        residual <= bound,
        "{measure} of {} at {size}: {residual:e} > {bound:e}",
        T::NAME
    );
}
