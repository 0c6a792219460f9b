//! Products of matrices of any element type.

use std::convert::Infallible;

use cyxla_artifact::DType;
use half::{bf16, f16};
use num_complex::Complex;

use crate::parallel;

/// A matrix in memory: where it begins, and the distances of neighbours, in elements.
#[derive(Clone, Copy)]
pub(super) struct Matrix<P> {
    pub(super) start: P,
    /// From a row to the next.
    pub(super) row: usize,
    /// From a column to the next.
    pub(super) column: usize,
}

/// The lengths of a product: `[rows, inner] × [inner, columns]`.
#[derive(Clone, Copy)]
pub(super) struct Lengths {
    pub(super) rows: usize,
    pub(super) inner: usize,
    pub(super) columns: usize,
}

/// Multiplies: overwrites the third matrix with the product of the others.
pub(super) type Product =
    unsafe fn(Lengths, &Matrix<*const u8>, &Matrix<*const u8>, &Matrix<*mut u8>);

/// The product of matrices of this type, if there is one. Whoever calls it sees to it that the matrices have as many elements of the type as their
/// lengths and distances say; the third overlaps with nothing and is used by nobody else.
pub(super) fn of(dtype: DType) -> Option<Product> {
    Some(match dtype {
        DType::F32 => by_gemm::<f32>,
        DType::F64 => by_gemm::<f64>,
        DType::C64 => by_gemm::<Complex<f32>>,
        DType::C128 => by_gemm::<Complex<f64>>,
        DType::F16 => by_sums::<f16>,
        DType::BF16 => by_sums::<bf16>,
        DType::I8 => by_sums::<i8>,
        DType::I16 => by_sums::<i16>,
        DType::I32 => by_sums::<i32>,
        DType::I64 => by_sums::<i64>,
        DType::U8 => by_sums::<u8>,
        DType::U16 => by_sums::<u16>,
        DType::U32 => by_sums::<u32>,
        DType::U64 => by_sums::<u64>,
        _ => return None,
    })
}

/// Products with fewer multiplications are not worth a thread: it takes microseconds to wake one.
const WORTH_A_THREAD: usize = 1 << 22;

/// A product, or a part of one.
#[derive(Clone, Copy)]
struct Part {
    lengths: Lengths,
    left: Matrix<*const u8>,
    right: Matrix<*const u8>,
    to: Matrix<*mut u8>,
}

// SAFETY: parts that are given to threads don't overlap in the result, and the factors are only read.
unsafe impl Sync for Part {}

impl Part {
    /// The rows from `first` on, or the columns, at most so many; none if there are none.
    fn cut<T>(self, by_rows: bool, first: usize, length: usize) -> Option<Self> {
        let mut part = self;
        let bytes = |elements: usize| elements * size_of::<T>();
        if by_rows {
            part.lengths.rows = length.min(self.lengths.rows.checked_sub(first)?);
            part.left.start = self.left.start.wrapping_add(bytes(first * self.left.row));
            part.to.start = self.to.start.wrapping_add(bytes(first * self.to.row));
        } else {
            part.lengths.columns = length.min(self.lengths.columns.checked_sub(first)?);
            part.right.start = self
                .right
                .start
                .wrapping_add(bytes(first * self.right.column));
            part.to.start = self.to.start.wrapping_add(bytes(first * self.to.column));
        }
        Some(part)
    }

    /// # Safety
    /// As [`of`] says.
    unsafe fn multiply<T: Scale>(self) {
        let Self {
            lengths,
            left,
            right,
            to,
        } = self;
        // SAFETY: as the caller promises.
        unsafe {
            gemm::gemm(
                lengths.rows,
                lengths.columns,
                lengths.inner,
                to.start.cast(),
                to.column.cast_signed(),
                to.row.cast_signed(),
                false,
                left.start.cast(),
                left.column.cast_signed(),
                left.row.cast_signed(),
                right.start.cast(),
                right.column.cast_signed(),
                right.row.cast_signed(),
                T::ZERO,
                T::ONE,
                false,
                false,
                false,
                gemm::Parallelism::None,
            );
        }
    }
}

/// # Safety
/// As [`of`] says.
unsafe fn by_gemm<T: Scale>(
    lengths: Lengths,
    left: &Matrix<*const u8>,
    right: &Matrix<*const u8>,
    to: &Matrix<*mut u8>,
) {
    let whole = Part {
        lengths,
        left: *left,
        right: *right,
        to: *to,
    };
    let Lengths {
        rows,
        inner,
        columns,
    } = lengths;
    let work = rows.saturating_mul(inner).saturating_mul(columns);
    let threads = match work / WORTH_A_THREAD {
        0 | 1 => 1,
        worth => worth.min(parallel::threads()),
    };
    // The longer side is cut.
    let by_rows = rows > columns;
    let length = if by_rows { rows } else { columns }.div_ceil(threads);
    let part = |number: usize| -> Result<(), Infallible> {
        if let Some(part) = whole.cut::<T>(by_rows, number * length, length) {
            // SAFETY: parts of what the caller promises.
            unsafe { part.multiply::<T>() }
        }
        Ok(())
    };
    // None fails.
    let _ = parallel::each(threads, &part);
}

/// What `gemm` scales by.
trait Scale: Send + Copy + 'static {
    const ZERO: Self;
    const ONE: Self;
}

macro_rules! scales {
    ($($type:ty = $zero:expr, $one:expr;)*) => {$(
        impl Scale for $type {
            const ZERO: Self = $zero;
            const ONE: Self = $one;
        }
    )*};
}

scales! {
    f32 = 0.0, 1.0;
    f64 = 0.0, 1.0;
    Complex<f32> = Complex::new(0.0, 0.0), Complex::new(1.0, 0.0);
    Complex<f64> = Complex::new(0.0, 0.0), Complex::new(1.0, 0.0);
}

/// A type whose products are summed in another.
trait Summed: Copy {
    type Sum: Copy + Default;
    fn add_product(sum: Self::Sum, left: Self, right: Self) -> Self::Sum;
    fn from_sum(sum: Self::Sum) -> Self;
}

macro_rules! integers {
    ($($type:ty),*) => {$(
        /// Modulo the range of the type, as XLA has it.
        impl Summed for $type {
            type Sum = Self;
            fn add_product(sum: Self, left: Self, right: Self) -> Self {
                sum.wrapping_add(left.wrapping_mul(right))
            }
            fn from_sum(sum: Self) -> Self {
                sum
            }
        }
    )*};
}

integers!(i8, i16, i32, i64, u8, u16, u32, u64);

macro_rules! halves {
    ($($type:ty),*) => {$(
        impl Summed for $type {
            type Sum = f32;
            fn add_product(sum: f32, left: Self, right: Self) -> f32 {
                left.to_f32().mul_add(right.to_f32(), sum)
            }
            fn from_sum(sum: f32) -> Self {
                Self::from_f32(sum)
            }
        }
    )*};
}

halves!(f16, bf16);

/// # Safety
/// As [`of`] says.
unsafe fn by_sums<T: Summed>(
    lengths: Lengths,
    left: &Matrix<*const u8>,
    right: &Matrix<*const u8>,
    to: &Matrix<*mut u8>,
) {
    let (left_start, right_start) = (left.start.cast::<T>(), right.start.cast::<T>());
    let start = to.start.cast::<T>();
    for row in 0..lengths.rows {
        for column in 0..lengths.columns {
            let mut sum = T::Sum::default();
            // SAFETY: indices below the lengths, as the caller promises.
            unsafe {
                for inner in 0..lengths.inner {
                    let left = left_start.add(row * left.row + inner * left.column).read();
                    let right = right_start.add(inner * right.row + column * right.column);
                    sum = T::add_product(sum, left, right.read());
                }
                start
                    .add(row * to.row + column * to.column)
                    .write(T::from_sum(sum));
            }
        }
    }
}
