//! Prints what an image holds: `image FILE`.

use std::error::Error;

use cyxla_native::image::{
    Array, Image, Input, KernelCall, Output, PatchValue, Sequence, Shape, Slice, Step,
};

fn main() -> Result<(), Box<dyn Error>> {
    let Some(file) = std::env::args_os().nth(1) else {
        return Err("a file is needed: the image to print".into());
    };
    let image = Image::from_bytes(&std::fs::read(file)?)?;
    print(&image);
    Ok(())
}

fn print(image: &Image) {
    let features: Vec<_> = image.target.features.iter().map(|f| f.name()).collect();
    println!("{} for {}", image.name, image.target.architecture);
    println!("  needs {}", features.join(" "));
    println!(
        "  {} bytes of code, {} patches; {} bytes of constants",
        image.code.bytes.len(),
        image.code.patches.len(),
        image.constants.len()
    );
    for patch in &image.code.patches {
        match patch.value {
            PatchValue::Code(address) => println!("  patch {:#x}: code {address:#x}", patch.offset),
            PatchValue::Symbol(symbol) => println!("  patch {:#x}: {symbol}", patch.offset),
            _ => println!("  patch {:#x}: {:?}", patch.offset, patch.value),
        }
    }
    for (index, function) in image.functions.iter().enumerate() {
        println!(
            "function {index}: {:?} {} at {:#x}",
            function.kind, function.name, function.entry
        );
    }
    for (index, allocation) in image.allocations.iter().enumerate() {
        println!(
            "allocation {index}: {} bytes, {:?}",
            allocation.size, allocation.role
        );
    }
    for (
        index,
        Input {
            array_type,
            allocation,
        },
    ) in image.inputs.iter().enumerate()
    {
        println!("input {index}: {array_type} in {allocation}");
    }
    for (index, Output { array_type, slice }) in image.outputs.iter().enumerate() {
        println!("output {index}: {array_type} in {}", self::slice(slice));
    }
    sequence(image, &image.schedule, 0);
}

fn sequence(image: &Image, sequence: &Sequence, depth: usize) {
    for step in &sequence.steps {
        self::step(image, step, depth);
    }
}

fn step(image: &Image, step: &Step, depth: usize) {
    let indent = "  ".repeat(depth);
    match step {
        Step::Kernel(call) => println!("{indent}{}", kernel(image, call)),
        Step::Copy(copy) => println!(
            "{indent}copy {} -> {}",
            array(&copy.source),
            array(&copy.destination)
        ),
        Step::Call(called) => {
            println!("{indent}call");
            sequence(image, called, depth + 1);
        }
        Step::While(repetition) => {
            let count = repetition.trip_count;
            let count = count.map_or("unknown".to_owned(), |count| count.to_string());
            println!(
                "{indent}while {}, count {count}",
                slice(&repetition.predicate)
            );
            sequence(image, &repetition.condition, depth + 1);
            println!("{indent}do");
            sequence(image, &repetition.body, depth + 1);
        }
        Step::Conditional(choice) => {
            println!("{indent}choice by {}", slice(&choice.index));
            for (index, branch) in choice.branches.iter().enumerate() {
                println!("{indent}branch {index}");
                sequence(image, branch, depth + 1);
            }
        }
        Step::Dot(dot) => println!(
            "{indent}dot {} * {} -> {}, contracting {:?} {:?}, batch {:?} {:?}",
            array(&dot.lhs),
            array(&dot.rhs),
            array(&dot.result),
            dot.lhs_contracting,
            dot.rhs_contracting,
            dot.lhs_batch,
            dot.rhs_batch
        ),
        Step::Sort(sort) => println!(
            "{indent}sort {} along {}, by function {}, stable {}, {:?}",
            arrays(&sort.operands),
            sort.axis,
            sort.comparator,
            sort.stable,
            sort.direction
        ),
        Step::CustomCall(call) => println!(
            "{indent}custom call {} {} -> {}, {:?}",
            call.target,
            arrays(&call.operands),
            arrays(&call.results),
            call.attributes
        ),
        other => println!("{indent}{other:?}"),
    }
}

fn kernel(image: &Image, call: &KernelCall) -> String {
    let name = image.functions.get(call.function as usize);
    let name = name.map_or("?", |function| &function.name);
    let read = call.arguments.len() - call.results as usize;
    let slices = |slices: &[Slice]| slices.iter().map(slice).collect::<Vec<_>>().join(", ");
    format!(
        "kernel {name} {:?}, aligned {}: {} -> {}",
        call.workgroups,
        call.alignment,
        slices(&call.arguments[..read]),
        slices(&call.arguments[read..])
    )
}

fn slice(slice: &Slice) -> String {
    let Slice {
        allocation,
        offset,
        size,
    } = slice;
    format!("{allocation}[{offset}..{}]", offset + size)
}

fn arrays(arrays: &[Array]) -> String {
    arrays.iter().map(array).collect::<Vec<_>>().join(", ")
}

fn array(array: &Array) -> String {
    let Shape {
        dtype,
        dims,
        minor_to_major,
    } = &array.shape;
    format!(
        "{dtype}{dims:?}{{{minor_to_major:?}}} {}",
        slice(&array.slice)
    )
}
