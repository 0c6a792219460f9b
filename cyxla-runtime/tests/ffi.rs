//! Custom calls that Rust answers, on every plugin.

#![allow(clippy::unwrap_used, reason = "a test")]

mod support;

use std::sync::Once;
use std::sync::atomic::{AtomicU16, Ordering};

use cyxla_artifact::{ArrayType, DType, LoweredProgram};
use cyxla_ffi::{Attribute, Attributes, CallFrame, Error, ErrorCode};
use cyxla_runtime::{
    BF16, Client, CompileError, Complex, Executable, FfiError, HostArray, HostView,
    compile_program, register_ffi_target,
};
use support::{array, clients, program, sine, zero_copy_clients};

type Returned = Result<(), Error>;

/// Registers the handlers of all programs here, after plugins were loaded.
fn register() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        clients();
        let count = AtomicU16::new(0);
        let handlers = [
            register_ffi_target("test_scale", scale),
            register_ffi_target("test_attributes", attributes),
            register_ffi_target("test_arrays", arrays),
            register_ffi_target("test_nibbles", nibbles),
            register_ffi_target("test_in_place", in_place),
            register_ffi_target("test_separate", separate),
            register_ffi_target("test_double", double),
            register_ffi_target("test_late", double),
            register_ffi_target("test_fail", |_: &mut CallFrame<'_>| -> Returned {
                Err(Error::new(ErrorCode::OutOfRange, "the tank\0 is empty: ½"))
            }),
            register_ffi_target("test_panic", |_: &mut CallFrame<'_>| -> Returned {
                panic!("{} is not enough", 41)
            }),
            register_ffi_target("test_panic_number", |_: &mut CallFrame<'_>| -> Returned {
                std::panic::panic_any(41)
            }),
            register_ffi_target("test_inside", inside),
            register_ffi_target("test_count", move |frame: &mut CallFrame<'_>| {
                let [_] = frame.parts::<1, 1>()?.arguments;
                let [y] = frame.parts::<1, 1>()?.results;
                let calls = count.fetch_add(1, Ordering::Relaxed) + 1;
                y.into_slice::<f32>()?.fill(f32::from(calls));
                Ok(())
            }),
        ];
        for registered in handlers {
            registered.unwrap();
        }
    });
}

/// 2 x, or whatever the attribute says.
fn scale(frame: &mut CallFrame<'_>) -> Returned {
    let factor: f32 = frame.attribute("factor")?;
    let parts = frame.parts::<1, 1>()?;
    let ([x], [y]) = (parts.arguments, parts.results);
    assert_eq!((x.dims(), y.dims()), (&[2, 3][..], &[2, 3][..]));
    let x = x.typed::<f32, 2>()?;
    for (y, x) in y.into_slice::<f32>()?.iter_mut().zip(x.iter()) {
        *y = factor * x;
    }
    Ok(())
}

fn attributes(frame: &mut CallFrame<'_>) -> Returned {
    assert!(frame.attribute::<bool>("flag")?);
    assert_eq!(frame.attribute::<i8>("i8")?, -8);
    assert_eq!(frame.attribute::<i16>("i16")?, -16);
    assert_eq!(frame.attribute::<i32>("i32")?, -32);
    assert_eq!(frame.attribute::<i64>("i64")?, -64);
    assert_eq!(frame.attribute::<u8>("u8")?, 8);
    assert_eq!(frame.attribute::<u16>("u16")?, 16);
    assert_eq!(frame.attribute::<u32>("u32")?, 32);
    assert_eq!(frame.attribute::<u64>("u64")?, 64);
    assert_eq!(frame.attribute::<f32>("f32")?, 0.5);
    assert_eq!(frame.attribute::<f64>("f64")?, 0.25);
    assert_eq!(frame.attribute::<&str>("text")?, "Grüße");
    assert_eq!(frame.attribute::<&str>("none")?, "");
    assert_eq!(frame.attribute::<&[i32]>("numbers")?, [1, -2, 3]);
    assert_eq!(frame.attribute::<&[i64]>("large")?, [5_000_000_000]);
    assert_eq!(frame.attribute::<&[f64]>("reals")?, [1.5, -2.5]);
    assert!(frame.attribute::<&[f32]>("empty")?.is_empty());
    let nested: Attributes<'_> = frame.attribute("nested")?;
    assert_eq!(nested.get::<i32>("inner")?, 7);
    let deeper: Attributes<'_> = nested.get("deeper")?;
    assert_eq!(deeper.get::<&str>("text")?, "deep");
    assert_eq!((frame.attributes().len(), deeper.len()), (18, 1));
    assert_eq!(frame.attribute::<Option<f32>>("missing")?, None);
    assert!(matches!(
        frame.attribute("i32")?,
        Attribute::Scalar(scalar) if scalar.dtype() == DType::I32
    ));

    let other = frame.attribute::<f32>("f64").unwrap_err();
    let missing = frame.attribute::<f32>("missing").unwrap_err();
    assert!(
        other
            .message()
            .contains("attribute `f64` is f64, but the handler takes f32")
    );
    assert!(
        missing
            .message()
            .contains("there is no attribute `missing`")
    );
    let [y] = frame.parts::<0, 1>()?.results;
    y.into_slice::<f32>()?[0] = 1.0;
    Ok(())
}

/// Not a, the conjugate of b, c, and the number of axes of all.
fn arrays(frame: &mut CallFrame<'_>) -> Returned {
    let parts = frame.parts::<3, 4>()?;
    let ([a, b, c], [not, conjugate, nothing, axes]) = (parts.arguments, parts.results);
    let sum = a.dims().len() + b.dims().len() + c.dims().len();
    for (y, x) in not.into_slice()?.iter_mut().zip(a.as_slice::<bool>()?) {
        *y = !x;
    }
    let b = b.typed::<Complex<f32>, 2>()?;
    let mut conjugate = conjugate.into_typed::<Complex<f32>, 2>()?;
    for i in 0..2 {
        for j in 0..2 {
            conjugate[[i, j]] = b[[i, j]].conj();
        }
    }
    assert_eq!(c.typed::<BF16, 2>()?.dims(), [0, 2]);
    assert!(nothing.into_slice::<BF16>()?.is_empty());
    axes.into_slice::<i32>()?[0] = i32::try_from(sum).unwrap();
    Ok(())
}

fn nibbles(frame: &mut CallFrame<'_>) -> Returned {
    let parts = frame.parts::<2, 2>()?;
    for (y, x) in parts.results.into_iter().zip(parts.arguments) {
        y.into_bytes().copy_from_slice(x.bytes()?);
    }
    Ok(())
}

/// x + 1, and whether it lies in the memory of x.
fn in_place(frame: &mut CallFrame<'_>) -> Returned {
    let parts = frame.parts::<1, 2>()?;
    let ([x], [y, shared]) = (parts.arguments, parts.results);
    let shared = shared.into_slice::<i32>()?;
    shared[0] = i32::from(x.as_slice::<f64>().is_err());
    for y in y.in_place_of::<f64>(&x)? {
        *y += 1.0;
    }
    Ok(())
}

/// x backwards, which needs all of x while y is written.
fn separate(frame: &mut CallFrame<'_>) -> Returned {
    frame.separate()?;
    let parts = frame.parts::<1, 1>()?;
    let ([x], [y]) = (parts.arguments, parts.results);
    let x = x.as_slice::<f32>()?.iter().rev();
    for (y, x) in y.into_slice::<f32>()?.iter_mut().zip(x) {
        *y = *x;
    }
    Ok(())
}

/// Takes double precision only.
fn double(frame: &mut CallFrame<'_>) -> Returned {
    let parts = frame.parts::<1, 1>()?;
    let ([x], [y]) = (parts.arguments, parts.results);
    let x = x.named("x").typed::<f64, 1>()?;
    y.into_slice::<f64>()?.copy_from_slice(&x);
    Ok(())
}

/// Calls a program.
fn inside(frame: &mut CallFrame<'_>) -> Returned {
    let [y] = frame.parts::<1, 1>()?.results;
    y.into_slice::<f32>()?.fill(0.0);
    let mut told = Vec::new();
    for client in clients() {
        let compiled = compile_program(&client, &sine(), false);
        told.push(compiled.map(drop).unwrap_err().to_string());
    }
    Err(Error::internal(told.join("\n")))
}

fn pair() -> ArrayType {
    array(DType::F32, &[2])
}

/// A program that calls `test_{name}` with f32[2], and gives what that gives.
fn calling(name: &str) -> LoweredProgram {
    with_call(
        program(&format!("ffi_{name}"), &[pair()], &[pair()]),
        &format!("test_{name}"),
    )
}

fn with_call(mut program: LoweredProgram, target: &str) -> LoweredProgram {
    program.record.custom_calls = vec![target.to_owned()];
    program
}

fn compiled(client: &Client, program: &LoweredProgram) -> Executable {
    compile_program(client, program, false).unwrap().0
}

fn run(client: &Client, program: &LoweredProgram, arguments: &[HostView<'_>]) -> Vec<HostArray> {
    compiled(client, program).run(arguments).unwrap()
}

/// The error of the program that calls `test_{name}`.
fn failure(client: &Client, name: &str) -> String {
    let executable = compiled(client, &calling(name));
    let error = executable.run(&[HostView::of(&[1.0_f32, 2.0])]);
    error.unwrap_err().to_string()
}

#[test]
fn a_handler_reads_arguments_and_attributes_and_fills_results() {
    register();
    let matrix = array(DType::F32, &[2, 3]);
    let program = with_call(program("ffi_scale", &[matrix], &[matrix]), "test_scale");
    for client in clients() {
        let x = [[1.0_f32, 2.0, 3.0], [4.0, 5.0, 6.0]];
        let y = run(&client, &program, &[HostView::of(&x)]);
        let expected = [2.5, 5.0, 7.5, 10.0, 12.5, 15.0];
        assert_eq!(y[0].as_slice::<f32>(), Some(&expected[..]));
    }
}

#[test]
fn attributes_of_every_kind_arrive() {
    register();
    let scalar = array(DType::F32, &[]);
    let program = with_call(program("ffi_attributes", &[], &[scalar]), "test_attributes");
    for client in zero_copy_clients() {
        let y = run(&client, &program, &[]);
        assert_eq!(y[0].as_slice::<f32>(), Some(&[1.0][..]));
    }
}

#[test]
fn arrays_of_several_types_and_without_elements_arrive() {
    register();
    let types = [
        array(DType::Bool, &[3]),
        array(DType::C64, &[2, 2]),
        array(DType::BF16, &[0, 2]),
        array(DType::I32, &[]),
    ];
    let program = with_call(program("ffi_arrays", &types[..3], &types), "test_arrays");
    for client in clients() {
        let b = [[(1.0_f32, 2.0), (3.0, 4.0)], [(5.0, 6.0), (7.0, 8.0)]];
        let b = b.map(|row| row.map(|(re, im)| Complex::new(re, im)));
        let c: [[BF16; 2]; 0] = [];
        let arguments = [
            HostView::of(&[true, false, true]),
            HostView::of(&b),
            HostView::of(&c),
        ];
        let y = run(&client, &program, &arguments);
        assert_eq!(y[0].as_slice(), Some(&[false, true, false][..]));
        let conjugate = [(1.0_f32, -2.0), (3.0, -4.0), (5.0, -6.0), (7.0, -8.0)];
        let conjugate = conjugate.map(|(re, im)| Complex::new(re, im));
        assert_eq!(y[1].as_slice(), Some(&conjugate[..]));
        assert_eq!(y[3].as_slice(), Some(&[5_i32][..]));
    }
}

#[test]
fn four_bit_integers_are_packed_two_to_a_byte() {
    register();
    let types = [array(DType::I4, &[3]), array(DType::U4, &[3])];
    let program = with_call(program("ffi_nibbles", &types, &types), "test_nibbles");
    for client in zero_copy_clients() {
        let (signed, unsigned) = ([0x01, 0xFE, 0x07], [1, 14, 7]);
        let arguments = [
            HostView::new(&types[0], &signed).unwrap(),
            HostView::new(&types[1], &unsigned).unwrap(),
        ];
        let y = run(&client, &program, &arguments);
        assert_eq!((y[0].bytes(), y[1].bytes()), (&signed[..], &unsigned[..]));
    }
}

#[test]
fn a_result_may_lie_in_the_memory_of_an_argument() {
    register();
    let matrix = array(DType::F64, &[2, 3]);
    let results = [matrix, array(DType::I32, &[])];
    let program = with_call(
        program("ffi_in_place", &[matrix], &results),
        "test_in_place",
    );
    for client in clients() {
        let x = [[1.0_f64, 2.0, 3.0], [4.0, 5.0, 6.0]];
        let y = run(&client, &program, &[HostView::of(&x)]);
        let expected = [2.0, 3.0, 4.0, 5.0, 6.0, 7.0];
        assert_eq!(y[0].as_slice::<f64>(), Some(&expected[..]));
        // XLA does share the memory, so that looking at x alone was refused.
        assert_eq!(y[1].as_slice::<i32>(), Some(&[1][..]));
    }
}

#[test]
fn an_argument_in_the_memory_of_a_result_can_be_copied_away() {
    register();
    let triple = array(DType::F32, &[3]);
    let program = with_call(
        program("ffi_separate", &[triple], &[triple]),
        "test_separate",
    );
    for client in clients() {
        let y = run(&client, &program, &[HostView::of(&[1.0_f32, 2.0, 3.0])]);
        assert_eq!(y[0].as_slice::<f32>(), Some(&[3.0, 2.0, 1.0][..]));
    }
}

#[test]
fn the_error_of_a_handler_is_the_error_of_the_program() {
    register();
    for client in clients() {
        let text = failure(&client, "fail");
        assert!(
            text.contains("the custom call `test_fail` failed: the tank\u{FFFD} is empty: ½"),
            "{text}"
        );
    }
}

#[test]
fn a_panic_is_an_error_and_the_next_call_works() {
    register();
    for client in zero_copy_clients() {
        let text = failure(&client, "panic");
        assert!(
            text.contains("the handler of the custom call `test_panic` panicked: 41 is not enough"),
            "{text}"
        );
        let text = failure(&client, "panic_number");
        assert!(
            text.contains("panicked: with a value that is no text"),
            "{text}"
        );
        let y = run(&client, &sine(), &[HostView::of(&[0.0_f32, 0.0])]);
        assert_eq!(y[0].as_slice::<f32>(), Some(&[0.0, 0.0][..]));
    }
}

#[test]
fn another_element_type_is_an_error_that_names_the_argument() {
    register();
    for client in zero_copy_clients() {
        for name in ["double", "late"] {
            let text = failure(&client, name);
            assert!(
                text.contains("argument 0 (`x`) is f32[2], but the handler takes f64"),
                "{text}"
            );
        }
    }
}

#[test]
fn a_handler_that_uses_cyxla_gets_an_error() {
    register();
    for client in zero_copy_clients() {
        let text = failure(&client, "inside");
        let refusal = "the handler of a custom call can't use cyxla";
        assert_eq!(text.matches(refusal).count(), clients().len(), "{text}");
        // Outside of the handler it works again.
        run(&client, &sine(), &[HostView::of(&[0.0_f32, 0.0])]);
    }
}

#[test]
fn a_handler_has_state_and_is_called_from_many_threads() {
    register();
    let client = &zero_copy_clients()[0];
    let executable = compiled(client, &calling("count"));
    let mut calls: Vec<f32> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|_| {
                let call = || {
                    let y = executable.run(&[HostView::of(&[0.0_f32, 0.0])]).unwrap();
                    y[0].as_slice::<f32>().unwrap()[1]
                };
                scope.spawn(move || (0..25).map(|_| call()).collect::<Vec<_>>())
            })
            .collect();
        let calls = threads.into_iter().map(|thread| thread.join().unwrap());
        calls.flatten().collect()
    });
    calls.sort_by(f32::total_cmp);
    assert_eq!(calls, (1..=100_u16).map(f32::from).collect::<Vec<_>>());
}

#[test]
fn a_second_handler_for_a_target_is_refused() {
    register();
    let error = register_ffi_target("test_scale", double).unwrap_err();
    assert!(
        matches!(
            &error,
            cyxla_runtime::Error::Ffi(error)
                if matches!(&**error, FfiError::Duplicate { target } if target == "test_scale")
        ),
        "{error}"
    );
}

#[test]
fn names_that_no_custom_call_has_are_refused() {
    for name in ["", "two\nlines", "zero\0"] {
        let error = register_ffi_target(name, double).unwrap_err();
        assert!(error.to_string().contains("can't be the target"), "{error}");
    }
}

#[test]
fn names_that_mlir_quotes_can_be_registered() {
    // Proven by a program as soon as one calls it; here, only that nothing refuses it.
    register_ffi_target("a \"quoted\" name", double).unwrap();
}

#[test]
fn a_program_without_its_handler_is_refused_by_name() {
    register();
    for client in zero_copy_clients() {
        let error = compile_program(&client, &calling("unknown"), false).unwrap_err();
        match &error {
            cyxla_runtime::Error::Compile(error) => assert!(
                matches!(&**error, CompileError::CustomCalls { targets, .. } if targets == &["test_unknown"]),
                "{error}"
            ),
            other => panic!("{other}"),
        }
        assert!(error.to_string().contains("register_ffi_target"), "{error}");
    }
}
