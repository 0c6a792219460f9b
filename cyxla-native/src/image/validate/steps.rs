use super::super::wire::MAX_DEPTH;
use super::super::{
    Conditional, Copy, CustomCall, FunctionKind, Image, KernelCall, Sequence, Slice, Step, While,
};
use super::{Check, ensure, operations};
use crate::image::Attribute;

pub(super) fn sequence(image: &Image, sequence: &Sequence, depth: u32) -> Check {
    ensure!(depth < MAX_DEPTH, "the schedule is nested too deep");
    sequence
        .steps
        .iter()
        .try_for_each(|step| self::step(image, step, depth))
}

fn step(image: &Image, step: &Step, depth: u32) -> Check {
    match step {
        Step::Kernel(call) => kernel(image, call),
        Step::Copy(copy) => self::copy(image, copy),
        Step::Call(called) => sequence(image, called, depth + 1),
        Step::While(While {
            condition,
            body,
            predicate,
            trip_count: _,
        }) => {
            image.readable(*predicate)?;
            ensure!(
                predicate.size == 1,
                "a predicate has {} bytes",
                predicate.size
            );
            sequence(image, condition, depth + 1)?;
            sequence(image, body, depth + 1)
        }
        Step::Conditional(choice) => conditional(image, choice, depth),
        Step::Dot(dot) => operations::dot(image, dot),
        Step::Convolution(convolution) => operations::convolution(image, convolution),
        Step::Fft(fft) => operations::fft(image, fft),
        Step::Sort(sort) => operations::sort(image, sort),
        Step::TopK(top_k) => operations::top_k(image, top_k),
        Step::RngState { state, delta: _ } => fixed(image, *state, 16),
        Step::PartitionId { result } | Step::ReplicaId { result } => fixed(image, *result, 4),
        Step::CustomCall(call) => custom_call(image, call),
    }
}

/// A slice of a known size that is written.
fn fixed(image: &Image, slice: Slice, size: usize) -> Check {
    image.writable(slice)?;
    ensure!(
        slice.size == size,
        "{} bytes are written, not {size}",
        slice.size
    );
    Ok(())
}

fn kernel(image: &Image, call: &KernelCall) -> Check {
    image.function(call.function, FunctionKind::Kernel)?;
    let [x, y, z] = call.workgroups;
    ensure!(
        x.checked_mul(y)
            .and_then(|xy| xy.checked_mul(z))
            .is_some_and(|count| count > 0),
        "a kernel can't have {x} × {y} × {z} workgroups"
    );
    let alignment = call.alignment as usize;
    ensure!(
        alignment.is_power_of_two() && alignment <= 64,
        "a kernel can't have its arguments aligned to {alignment} bytes"
    );
    ensure!(
        call.results as usize <= call.arguments.len(),
        "a kernel has more results than arguments"
    );
    for (index, argument) in call.arguments.iter().enumerate() {
        image.readable(*argument)?;
        ensure!(
            argument.offset % alignment == 0,
            "argument {index} of a kernel is not at a multiple of {alignment} bytes"
        );
    }
    Ok(())
}

fn copy(image: &Image, copy: &Copy) -> Check {
    let Copy {
        source,
        destination,
    } = copy;
    image.readable_array(source)?;
    image.writable_array(destination)?;
    ensure!(
        source.shape.dtype == destination.shape.dtype
            && source.shape.dims == destination.shape.dims,
        "a copy is of another type than what it copies"
    );
    let apart = source.slice.allocation != destination.slice.allocation
        || source.slice.offset + source.slice.size <= destination.slice.offset
        || destination.slice.offset + destination.slice.size <= source.slice.offset;
    ensure!(
        apart || source == destination,
        "a copy overlaps what it copies"
    );
    Ok(())
}

fn conditional(image: &Image, choice: &Conditional, depth: u32) -> Check {
    image.readable(choice.index)?;
    let branches = choice.branches.len();
    ensure!(
        matches!((choice.index.size, branches), (1, 2) | (4, 1..)),
        "{branches} branches are chosen by {} bytes",
        choice.index.size
    );
    choice
        .branches
        .iter()
        .try_for_each(|branch| sequence(image, branch, depth + 1))
}

fn custom_call(image: &Image, call: &CustomCall) -> Check {
    call.operands
        .iter()
        .try_for_each(|operand| image.readable_array(operand))?;
    call.results
        .iter()
        .try_for_each(|result| image.writable_array(result))?;
    attributes(&call.attributes, 0)
}

fn attributes(attributes: &[(String, Attribute)], depth: u32) -> Check {
    ensure!(depth < MAX_DEPTH, "attributes are nested too deep");
    ensure!(
        attributes.is_sorted_by(|(left, _), (right, _)| left < right),
        "attributes are not sorted"
    );
    for (name, attribute) in attributes {
        match attribute {
            Attribute::Scalar { dtype, bytes } => ensure!(
                bytes.len() == dtype.size(),
                "attribute `{name}` has {} bytes",
                bytes.len()
            ),
            Attribute::Array { dtype, bytes } => ensure!(
                bytes.len() % dtype.size() == 0,
                "attribute `{name}` has {} bytes",
                bytes.len()
            ),
            Attribute::String(_) => {}
            Attribute::Dictionary(entries) => self::attributes(entries, depth + 1)?,
        }
    }
    Ok(())
}
