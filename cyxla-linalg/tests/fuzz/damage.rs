//! What can be wrong with a call.

use cyxla_ffi::{Dictionary, OwnedAttribute};

use crate::calls::{Array, Call, KINDS};
use crate::random::Random;

/// Changes something. The call may fit all the same.
pub(crate) fn damage(call: &mut Call, random: &mut Random) {
    match random.below(12) {
        0..=5 => damage_array(call, random),
        6 => drop_array(call, random),
        7 => add_array(call, random),
        8..=9 => damage_attribute(call, random),
        10 => empty_all(call, random),
        _ => share(call, random),
    }
}

/// One of the two lists of arrays.
fn arrays<'a>(call: &'a mut Call, random: &mut Random) -> &'a mut Vec<Array> {
    if random.once_in(2) {
        &mut call.arguments
    } else {
        &mut call.results
    }
}

fn damage_array(call: &mut Call, random: &mut Random) {
    let arrays = arrays(call, random);
    if arrays.is_empty() {
        return;
    }
    let index = random.below(arrays.len());
    let Array { kind, dims } = &mut arrays[index];
    match random.below(6) {
        0 if !dims.is_empty() => {
            let axis = random.below(dims.len());
            dims[axis] = random.below(9);
        }
        1 => drop(dims.pop()),
        2 => dims.push(random.below(4)),
        3 => *kind = random.one_of(&KINDS),
        // No elements, yet more rows, columns or matrices than there is memory for.
        4 if !dims.is_empty() => {
            let huge = [1 << 16, 1 << 31, 1 << 33, 1 << 62, usize::MAX];
            let axis = random.below(dims.len());
            dims[axis] = random.one_of(&huge);
            let axis = random.below(dims.len());
            dims[axis] = 0;
        }
        _ => dims.reverse(),
    }
}

/// Leaves no array an element, yet has them be of more than there is memory for.
fn empty_all(call: &mut Call, random: &mut Random) {
    let huge = random.one_of(&[1 << 31, 1 << 40, 1 << 62, usize::MAX]);
    let axes = [random.below(3), random.below(3), random.below(3)];
    for Array { dims, .. } in call.arguments.iter_mut().chain(&mut call.results) {
        for (axis, length) in axes.into_iter().zip([huge, huge, 0]) {
            if let Some(place) = dims.get_mut(axis) {
                *place = length;
            }
        }
    }
}

fn drop_array(call: &mut Call, random: &mut Random) {
    arrays(call, random).pop();
}

fn add_array(call: &mut Call, random: &mut Random) {
    let arrays = arrays(call, random);
    if let Some(array) = arrays.last().cloned() {
        let index = random.below(arrays.len() + 1);
        arrays.insert(index, array);
    }
}

fn damage_attribute(call: &mut Call, random: &mut Random) {
    if call.attributes.is_empty() {
        call.attributes.push(("of no use", attribute(random)));
        return;
    }
    let index = random.below(call.attributes.len());
    match random.below(4) {
        0 => drop(call.attributes.remove(index)),
        1 => call.attributes[index].1 = attribute(random),
        2 => call.attributes[index].1 = (random.next() as u8).into(),
        _ => call.attributes[index].1 = (random.one_of(&[-1, 0, 1, 2, 9, i32::MAX])).into(),
    }
}

fn attribute(random: &mut Random) -> OwnedAttribute {
    match random.below(8) {
        0 => true.into(),
        1 => (random.next() as i64).into(),
        2 => f64::NAN.into(),
        3 => "L".into(),
        4 => b"LU".into(),
        5 => Dictionary::new().with("uplo", b'L').into(),
        6 => (&[0_i64; 0]).into(),
        _ => u64::MAX.into(),
    }
}

/// Has an argument and a result of the same type lie in one memory.
pub(crate) fn share(call: &mut Call, random: &mut Random) {
    if call.arguments.is_empty() || call.results.is_empty() {
        return;
    }
    let argument = random.below(call.arguments.len());
    let result = random.below(call.results.len());
    if call.shared.iter().all(|pair| pair.1 != result) {
        call.shared.push((argument, result));
    }
}
