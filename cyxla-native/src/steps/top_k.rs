use crate::image;
use crate::memory::Bases;

use super::Scratch;

/// The largest elements of each row, and their places.
pub(crate) struct TopK(image::TopK);

impl TopK {
    pub(crate) fn new(top_k: &image::TopK) -> Self {
        Self(top_k.clone())
    }

    /// # Safety
    /// The bases hold input and results.
    pub(crate) unsafe fn run(&self, bases: &Bases, scratch: &mut Scratch) {
        let image::TopK { length, k, .. } = self.0;
        if length == 0 || k == 0 {
            return;
        }
        // SAFETY: the slices of a validated image: rows of numbers, and room for `k` of each; any bytes are a `u32`.
        let (rows, values, indices, places) = unsafe {
            (
                bases.read::<f32>(self.0.input),
                bases.write::<f32>(self.0.values),
                bases.write::<i32>(self.0.indices),
                scratch.elements::<u32>(length),
            )
        };
        let results = values.chunks_exact_mut(k).zip(indices.chunks_exact_mut(k));
        for (row, (values, indices)) in rows.chunks_exact(length).zip(results) {
            for (place, number) in places.iter_mut().zip(0..) {
                *place = number;
            }
            // A total order: NaN is above infinity, 0 above -0; of equal ones the first is taken.
            let order = |&left: &u32, &right: &u32| {
                let (left_value, right_value) = (row[left as usize], row[right as usize]);
                right_value.total_cmp(&left_value).then(left.cmp(&right))
            };
            if k < length {
                places.select_nth_unstable_by(k - 1, order);
            }
            let best = &mut places[..k];
            best.sort_unstable_by(order);
            for ((place, value), index) in best.iter().zip(values).zip(indices) {
                *value = row[*place as usize];
                *index = place.cast_signed();
            }
        }
    }
}
