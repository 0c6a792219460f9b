use crate::image;
use crate::image::{Array, Slice};
use crate::kernel::Comparator;
use crate::memory::Bases;

use super::{Scratch, strides};

/// A sort of one or more arrays along an axis, by the comparator of the program.
pub(crate) struct Sort {
    comparator: Comparator,
    operands: Vec<Operand>,
    /// The length of the axis.
    length: usize,
    /// The other axes, with their distances in the first operand.
    outer: Vec<usize>,
}

struct Operand {
    slice: Slice,
    element: usize,
    /// The distance of neighbours along the axis, in bytes.
    distance: usize,
    /// Length and distance of each other axis, in bytes.
    outer: Vec<(usize, usize)>,
}

impl Operand {
    fn new(array: &Array, axis: usize) -> Self {
        let element = array.shape.dtype.size();
        let strides = strides(&array.shape);
        let outer = (0..strides.len()).filter(|&other| other != axis);
        Self {
            slice: array.slice,
            element,
            distance: strides[axis] * element,
            outer: outer
                .map(|other| (array.shape.dims[other], strides[other] * element))
                .collect(),
        }
    }
}

/// So many elements are sorted by insertion.
const RUN: usize = 8;

impl Sort {
    pub(crate) fn new(sort: &image::Sort, comparator: Comparator) -> Self {
        let axis = sort.axis as usize;
        let operands: Vec<_> = sort
            .operands
            .iter()
            .map(|array| Operand::new(array, axis))
            .collect();
        Self {
            comparator,
            length: sort
                .operands
                .first()
                .map_or(0, |first| first.shape.dims[axis]),
            outer: operands
                .first()
                .map(|first| first.outer.iter().map(|&(length, _)| length).collect())
                .unwrap_or_default(),
            operands,
        }
    }

    /// # Safety
    /// The bases hold the operands, and the comparator is that of their types.
    pub(crate) unsafe fn run(&self, bases: &Bases, scratch: &mut Scratch) {
        if self.length < 2 || self.operands.is_empty() {
            return;
        }
        // The order before and after a merge, then one line of each operand.
        let line: usize = self.operands.iter().map(|operand| operand.element).sum();
        let order_bytes = (2 * self.length * size_of::<u32>()).next_multiple_of(64);
        let room = scratch.room(order_bytes + self.length * line + 64 * self.operands.len());
        // SAFETY: room aligned to 64 for as many numbers, initialised.
        #[expect(clippy::cast_ptr_alignment, reason = "room is aligned to 64")]
        let order = unsafe { std::slice::from_raw_parts_mut(room.cast::<u32>(), 2 * self.length) };
        let mut lines = Vec::with_capacity(self.operands.len());
        let mut start = room.wrapping_add(order_bytes);
        for operand in &self.operands {
            lines.push(start);
            start = start.wrapping_add((self.length * operand.element).next_multiple_of(64));
        }
        let mut arguments = vec![std::ptr::null::<u8>(); 2 * self.operands.len()];
        let mut starts = vec![std::ptr::null_mut::<u8>(); self.operands.len()];
        let count: usize = self.outer.iter().product();
        let mut index = vec![0; self.outer.len()];
        for number in 0..count {
            let mut rest = number;
            for (at, length) in index.iter_mut().zip(&self.outer).rev() {
                *at = rest % length;
                rest /= length;
            }
            for (start, operand) in starts.iter_mut().zip(&self.operands) {
                let offsets = operand.outer.iter().zip(&index);
                let offset: usize = offsets.map(|(&(_, distance), &at)| distance * at).sum();
                *start = bases.at(operand.slice).wrapping_add(offset);
            }
            // SAFETY: the line lies in each operand, and has a copy's room in the scratch.
            unsafe {
                for ((operand, &line), &start) in self.operands.iter().zip(&lines).zip(&starts) {
                    for at in 0..self.length {
                        let from = start.add(at * operand.distance);
                        let to = line.add(at * operand.element);
                        std::ptr::copy_nonoverlapping(from, to, operand.element);
                    }
                }
                self.sort_line(&lines, order, &mut arguments);
                let sorted = &order[..self.length];
                for ((operand, &line), &start) in self.operands.iter().zip(&lines).zip(&starts) {
                    for (at, &from) in sorted.iter().enumerate() {
                        let from = line.add(from as usize * operand.element);
                        let to = start.add(at * operand.distance);
                        std::ptr::copy_nonoverlapping(from, to, operand.element);
                    }
                }
            }
        }
    }

    /// Sorts one line: the first half of `order` has its elements in order then. A merge sort, stable, and of bounded effort
    /// whatever the comparator says.
    ///
    /// # Safety
    /// The lines have elements of the types of the comparator.
    unsafe fn sort_line(&self, lines: &[*mut u8], order: &mut [u32], arguments: &mut [*const u8]) {
        let mut is_before = |left: u32, right: u32| {
            for (pair, (operand, &line)) in arguments
                .chunks_exact_mut(2)
                .zip(self.operands.iter().zip(lines))
            {
                let at = |index: u32| line.wrapping_add(index as usize * operand.element);
                pair[0] = at(left);
                pair[1] = at(right);
            }
            // SAFETY: as the caller promises.
            unsafe { self.comparator.is_before(arguments) }
        };
        let (mut from, mut to) = order.split_at_mut(self.length);
        for (place, number) in from.iter_mut().zip(0..) {
            *place = number;
        }
        // Short runs by insertion.
        for run in from.chunks_mut(RUN) {
            for end in 1..run.len() {
                let mut at = end;
                while at > 0 && is_before(run[at], run[at - 1]) {
                    run.swap(at, at - 1);
                    at -= 1;
                }
            }
        }
        let mut width = RUN;
        let mut swapped = false;
        while width < self.length {
            for (run, merged) in from.chunks(2 * width).zip(to.chunks_mut(2 * width)) {
                let (mut left, mut right) = run.split_at(width.min(run.len()));
                for place in merged {
                    // Of equal ones the left comes first.
                    let take_right = match (left.first(), right.first()) {
                        (Some(&left), Some(&right)) => is_before(right, left),
                        (left, _) => left.is_none(),
                    };
                    let side = if take_right { &mut right } else { &mut left };
                    if let Some((&first, rest)) = side.split_first() {
                        *place = first;
                        *side = rest;
                    }
                }
            }
            std::mem::swap(&mut from, &mut to);
            swapped = !swapped;
            width *= 2;
        }
        if swapped {
            to.copy_from_slice(from);
        }
    }
}
