use cyxla_artifact::{ArrayType, MAX_RANK};

use super::super::{Array, Image, Shape};
use super::{Check, ensure};

impl Image {
    /// An array that is read.
    pub(super) fn readable_array(&self, array: &Array) -> Check {
        self.readable(array.slice)?;
        let nbytes = shape(&array.shape)?;
        ensure!(
            array.slice.size == nbytes,
            "an array of {nbytes} bytes is in {} bytes",
            array.slice.size
        );
        Ok(())
    }

    /// An array that is written.
    pub(super) fn writable_array(&self, array: &Array) -> Check {
        self.readable_array(array)?;
        self.writable(array.slice)
    }
}

/// The number of bytes that an array of this shape has.
fn shape(shape: &Shape) -> Result<usize, String> {
    let Shape {
        dtype,
        dims,
        minor_to_major,
    } = shape;
    let rank = dims.len();
    ensure!(rank <= MAX_RANK, "an array has {rank} axes");
    let array = ArrayType::new(*dtype, dims).map_err(|error| error.to_string())?;
    ensure!(
        minor_to_major.len() == rank && distinct(minor_to_major, rank),
        "{minor_to_major:?} is no layout of {rank} axes"
    );
    Ok(array.nbytes())
}

/// Whether these are different axes of an array with so many.
pub(super) fn distinct(axes: &[u32], rank: usize) -> bool {
    let mut seen = [false; MAX_RANK];
    axes.iter().all(|&axis| {
        (axis as usize) < rank
            && seen
                .get_mut(axis as usize)
                .is_some_and(|seen| !std::mem::replace(seen, true))
    })
}

/// Whether the elements lie row major.
pub(super) fn is_row_major(shape: &Shape) -> bool {
    shape
        .minor_to_major
        .iter()
        .rev()
        .enumerate()
        .all(|(place, &axis)| axis as usize == place)
}
