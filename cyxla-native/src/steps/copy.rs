use crate::image;
use crate::image::Slice;
use crate::memory::Bases;

use super::strides;

/// A copy of an array, perhaps into another order of elements.
pub(crate) struct Copy {
    source: Slice,
    destination: Slice,
    /// Nothing if both have the same order.
    reordered: Option<Reordered>,
}

struct Reordered {
    element: usize,
    /// Length, distance in the source and in the destination, in elements; the last axis is that whose neighbours are
    /// closest in the destination.
    axes: Vec<(usize, usize, usize)>,
}

impl Copy {
    pub(crate) fn new(copy: &image::Copy) -> Self {
        let (from, to) = (&copy.source.shape, &copy.destination.shape);
        let (source, destination) = (strides(from), strides(to));
        let order = to.minor_to_major.iter().rev().map(|&axis| axis as usize);
        // Axes of one element have no order.
        let axes = order.filter(|&axis| to.dims[axis] != 1);
        let axes: Vec<_> = axes
            .map(|axis| (to.dims[axis], source[axis], destination[axis]))
            .collect();
        let is_same = axes
            .iter()
            .all(|&(_, source, destination)| source == destination);
        Self {
            source: copy.source.slice,
            destination: copy.destination.slice,
            reordered: (!is_same && copy.source.slice.size > 0).then(|| Reordered {
                element: from.dtype.size(),
                axes,
            }),
        }
    }

    /// # Safety
    /// The bases hold source and destination.
    pub(crate) unsafe fn run(&self, bases: &Bases) {
        let (from, to) = (bases.at(self.source), bases.at(self.destination));
        // SAFETY: arrays of the same type, so that their bytes are as many; the distances are those of their shapes, and
        // stay in them.
        unsafe {
            match &self.reordered {
                None => std::ptr::copy(from, to, self.source.size),
                Some(Reordered { element, axes }) => match element {
                    1 => reorder::<u8>(axes, from.cast(), to.cast()),
                    2 => reorder::<u16>(axes, from.cast(), to.cast()),
                    4 => reorder::<u32>(axes, from.cast(), to.cast()),
                    8 => reorder::<u64>(axes, from.cast(), to.cast()),
                    _ => reorder::<[u64; 2]>(axes, from.cast(), to.cast()),
                },
            }
        }
    }
}

/// # Safety
/// For each index in the axes, an element at both places.
unsafe fn reorder<T: std::marker::Copy>(
    axes: &[(usize, usize, usize)],
    from: *const T,
    to: *mut T,
) {
    // SAFETY: as the caller promises, for each part.
    unsafe {
        match axes {
            [] => to.write(from.read()),
            &[(length, source, 1)] => {
                for index in 0..length {
                    to.add(index).write(from.add(index * source).read());
                }
            }
            // Both innermost axes in blocks: lines of the cache are used whole on both sides.
            &[(rows, row_from, row_to), (length, source, 1)] if source > 1 && row_from == 1 => {
                const BLOCK: usize = 16;
                for first_row in (0..rows).step_by(BLOCK) {
                    for first in (0..length).step_by(BLOCK) {
                        for row in first_row..rows.min(first_row + BLOCK) {
                            for index in first..length.min(first + BLOCK) {
                                let element = from.add(row + index * source).read();
                                to.add(row * row_to + index).write(element);
                            }
                        }
                    }
                }
            }
            [(length, source, destination), inner @ ..] => {
                for index in 0..*length {
                    let (from, to) = (from.add(index * source), to.add(index * destination));
                    reorder(inner, from, to);
                }
            }
        }
    }
}
