use crate::image;
use crate::image::{Array, Slice};
use crate::memory::Bases;

use super::product::{Lengths, Matrix, Product};
use super::{Scratch, of_type, product, strides};

/// A product of matrices, or of a batch of them.
pub(crate) struct Dot {
    product: Product,
    lengths: Lengths,
    left: Side,
    right: Side,
    result: Side,
    element: usize,
    /// For each axis of the batch its length, and the distances in both factors and the result, in elements.
    batch: Vec<(usize, [usize; 3])>,
}

struct Side {
    slice: Slice,
    row: usize,
    column: usize,
}

impl Dot {
    /// # Errors
    /// An element type without a product, or more than one axis to sum over or to keep on a side, in words. XLA's compiler
    /// brings all products into the form with one.
    pub(crate) fn new(dot: &image::Dot) -> Result<Self, String> {
        let dtype = dot.lhs.shape.dtype;
        let product = product::of(dtype).filter(|_| dot.result.shape.dtype == dtype);
        let product = product.ok_or_else(|| of_type("product", dtype))?;
        let left = Factor::new(&dot.lhs, &dot.lhs_contracting, &dot.lhs_batch)?;
        let right = Factor::new(&dot.rhs, &dot.rhs_contracting, &dot.rhs_batch)?;
        let result = strides(&dot.result.shape);
        let batch = dot.lhs_batch.len();
        // The axes of the result: those of the batch, that of the left factor if it keeps one, that of the right.
        let mut next = batch;
        let mut kept = |factor: &Factor| {
            let axis = factor.kept.map(|_| next);
            next += usize::from(axis.is_some());
            axis.map_or(0, |axis| result[axis])
        };
        let (row, column) = (kept(&left), kept(&right));
        let distances = |axis: usize| {
            let length = dot.lhs.shape.dims[dot.lhs_batch[axis] as usize];
            (length, [left.batch[axis], right.batch[axis], result[axis]])
        };
        Ok(Self {
            product,
            lengths: Lengths {
                rows: left.kept.map_or(1, |(length, _)| length),
                inner: left.summed.0,
                columns: right.kept.map_or(1, |(length, _)| length),
            },
            left: Side {
                slice: dot.lhs.slice,
                row: left.kept.map_or(0, |(_, distance)| distance),
                column: left.summed.1,
            },
            right: Side {
                slice: dot.rhs.slice,
                row: right.summed.1,
                column: right.kept.map_or(0, |(_, distance)| distance),
            },
            result: Side {
                slice: dot.result.slice,
                row,
                column,
            },
            element: dtype.size(),
            batch: (0..batch).map(distances).collect(),
        })
    }

    /// # Safety
    /// The bases hold factors and result.
    pub(crate) unsafe fn run(&self, bases: &Bases, _: &mut Scratch) {
        let starts = [
            bases.at(self.left.slice),
            bases.at(self.right.slice),
            bases.at(self.result.slice),
        ];
        // SAFETY: the lengths and distances are those of a validated image.
        unsafe { self.multiply(&self.batch, starts) }
    }

    unsafe fn multiply(&self, batch: &[(usize, [usize; 3])], starts: [*mut u8; 3]) {
        if let [(length, distances), inner @ ..] = batch {
            for index in 0..*length {
                let at =
                    |side: usize| starts[side].wrapping_add(index * distances[side] * self.element);
                // SAFETY: indices below the length of the axis.
                unsafe { self.multiply(inner, [at(0), at(1), at(2)]) }
            }
            return;
        }
        let [left, right, result] = starts;
        let matrix = |side: &Side, start: *mut u8| Matrix {
            start: start.cast_const(),
            row: side.row,
            column: side.column,
        };
        let to = Matrix {
            start: result,
            row: self.result.row,
            column: self.result.column,
        };
        let (left, right) = (matrix(&self.left, left), matrix(&self.right, right));
        // SAFETY: the matrices of this index of the batch; XLA gives a result memory of its own.
        unsafe { (self.product)(self.lengths, &left, &right, &to) }
    }
}

/// A factor: length and distance of the axis that is summed over, and of that which is kept.
struct Factor {
    summed: (usize, usize),
    kept: Option<(usize, usize)>,
    batch: Vec<usize>,
}

impl Factor {
    fn new(array: &Array, contracting: &[u32], batch: &[u32]) -> Result<Self, String> {
        let strides = strides(&array.shape);
        let dims = &array.shape.dims;
        let axis = |axis: usize| (dims[axis], strides[axis]);
        let rank = u32::try_from(dims.len()).unwrap_or(u32::MAX);
        let kept = (0..rank).filter(|axis| !contracting.contains(axis) && !batch.contains(axis));
        let kept: Vec<_> = kept.collect();
        match (contracting, &kept[..]) {
            (&[] | &[_], &[] | &[_]) => Ok(Self {
                summed: contracting
                    .first()
                    .map_or((1, 0), |&summed| axis(summed as usize)),
                kept: kept.first().map(|&kept| axis(kept as usize)),
                batch: batch.iter().map(|&batch| strides[batch as usize]).collect(),
            }),
            _ => Err("a product over several axes".to_owned()),
        }
    }
}
