//! What handlers see of their calls.

#![allow(clippy::unwrap_used, reason = "a test")]

use cyxla_ffi::{Attribute, Attributes, CallFrame, DType, Dictionary, Error, ErrorCode, OwnedCall};

type Returned = Result<(), Error>;

/// The error of a call.
fn failure(call: &OwnedCall, handler: fn(&mut CallFrame<'_>) -> Returned) -> String {
    let error = call.clone().run(&handler).unwrap_err();
    assert_eq!(error.code(), ErrorCode::InvalidArgument);
    error.message().to_owned()
}

/// f32[2,3] → f32[2,3].
fn matrix() -> OwnedCall {
    OwnedCall::new()
        .argument(&[1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0], &[2, 3])
        .and_then(|call| call.result::<f32>(&[2, 3]))
        .unwrap()
}

/// The second minus the first, in place of the first.
fn subtract(frame: &mut CallFrame<'_>) -> Returned {
    let parts = frame.parts::<2, 1>()?;
    let ([a, b], [y]) = (parts.arguments, parts.results);
    let b = b.as_slice::<i32>()?;
    for (y, b) in y.in_place_of::<i32>(&a)?.iter_mut().zip(b) {
        *y = b - *y;
    }
    Ok(())
}

fn two() -> OwnedCall {
    OwnedCall::new()
        .argument(&[1_i32, 2, 3], &[3])
        .and_then(|call| call.argument(&[10_i32, 20, 30], &[3]))
        .and_then(|call| call.result::<i32>(&[3]))
        .unwrap()
}

#[test]
fn in_place_is_the_same_with_and_without_shared_memory() {
    for mut call in [two(), two().in_place(0, 0).unwrap()] {
        call.run(&subtract).unwrap();
        assert_eq!(call.result_slice::<i32>(0).unwrap(), [9, 18, 27]);
    }
}

#[test]
fn an_argument_in_the_memory_of_a_result_can_not_be_read_beside_it() {
    let error = two().in_place(1, 0).unwrap().run(&subtract).unwrap_err();
    assert!(
        error
            .message()
            .starts_with("argument 1 shares its memory with result 0\n  help: "),
        "{error}"
    );
}

#[test]
fn separate_arguments_can_be_read_beside_any_result() {
    let separated = |frame: &mut CallFrame<'_>| {
        frame.separate()?;
        // A second time changes nothing.
        frame.separate()?;
        subtract(frame)
    };
    let mut call = two().in_place(1, 0).unwrap();
    call.run(&separated).unwrap();
    assert_eq!(call.result_slice::<i32>(0).unwrap(), [9, 18, 27]);
}

#[test]
fn other_numbers_of_arrays_are_told() {
    let text = failure(&matrix(), |frame| frame.parts::<2, 1>().map(drop));
    assert!(
        text.starts_with("called with 1 argument and 1 result, but takes 2 arguments and 1 result"),
        "{text}"
    );
}

#[test]
fn another_element_type_is_told_with_the_array() {
    let text = failure(&matrix(), |frame| {
        let [x] = frame.parts::<1, 1>()?.arguments;
        x.as_slice::<f64>().map(drop)
    });
    assert!(
        text.starts_with("argument 0 is f32[2,3], but the handler takes f64"),
        "{text}"
    );
}

#[test]
fn another_number_of_axes_is_told_with_the_array() {
    let text = failure(&matrix(), |frame| {
        let [y] = frame.parts::<1, 1>()?.results;
        y.named("out").into_typed::<f32, 1>().map(drop)
    });
    assert!(
        text.starts_with("result 0 (`out`) is f32[2,3], but the handler takes arrays of 1 axis"),
        "{text}"
    );
}

#[test]
fn arrays_of_other_sizes_do_not_go_in_place() {
    let call = OwnedCall::new()
        .argument(&[1.0_f32, 2.0], &[2])
        .and_then(|call| call.result::<f32>(&[3]))
        .unwrap();
    let text = failure(&call, |frame| {
        let parts = frame.parts::<1, 1>()?;
        let ([x], [y]) = (parts.arguments, parts.results);
        y.in_place_of::<f32>(&x).map(drop)
    });
    assert!(text.contains("equal numbers of elements"), "{text}");
}

#[test]
fn rows_go_along_the_last_axis() {
    let handler = |frame: &mut CallFrame<'_>| {
        let parts = frame.parts::<1, 1>()?;
        let ([x], [y]) = (parts.arguments, parts.results);
        let x = x.typed::<f32, 2>()?;
        let mut y = y.into_typed::<f32, 2>()?;
        for (y, x) in y.rows_mut().zip(x.rows().rev()) {
            y.copy_from_slice(x);
        }
        assert_eq!(x.rows().len(), 2);
        assert_eq!((x[[1, 0]], y[[1, 2]]), (4.0, 3.0));
        Ok(())
    };
    let mut call = matrix();
    call.run(&handler).unwrap();
    let expected = [4.0, 5.0, 6.0, 1.0, 2.0, 3.0];
    assert_eq!(call.result_slice::<f32>(0).unwrap(), expected);
}

#[test]
fn arrays_without_elements_have_their_rows() {
    let handler = |frame: &mut CallFrame<'_>| {
        let parts = frame.parts::<2, 1>()?;
        let ([flat, none], [y]) = (parts.arguments, parts.results);
        let flat = flat.typed::<u8, 2>()?;
        assert_eq!((flat.dims(), flat.rows().count()), ([2, 0], 2));
        assert_eq!(none.typed::<u8, 2>()?.rows().count(), 0);
        let mut y = y.into_typed::<u8, 3>()?;
        assert_eq!(y.rows_mut().filter(|row| row.is_empty()).count(), 6);
        Ok(())
    };
    let call = OwnedCall::new()
        .argument::<u8>(&[], &[2, 0])
        .and_then(|call| call.argument::<u8>(&[], &[0, 2]))
        .and_then(|call| call.result::<u8>(&[2, 3, 0]));
    call.unwrap().run(&handler).unwrap();
}

#[test]
fn scalars_are_indexed_by_nothing() {
    let handler = |frame: &mut CallFrame<'_>| {
        let parts = frame.parts::<1, 1>()?;
        let ([x], [y]) = (parts.arguments, parts.results);
        y.into_typed::<i64, 0>()?[[]] = 2 * x.typed::<i64, 0>()?[[]];
        Ok(())
    };
    let call = OwnedCall::new().argument(&[21_i64], &[]);
    let mut call = call.and_then(|call| call.result::<i64>(&[])).unwrap();
    call.run(&handler).unwrap();
    assert_eq!(call.result_slice::<i64>(0).unwrap(), [42]);
}

#[test]
fn truth_values_that_a_handler_did_not_write_are_false() {
    let handler = |frame: &mut CallFrame<'_>| {
        let [y] = frame.parts::<0, 1>()?.results;
        y.into_slice::<bool>()?[1] = true;
        Ok(())
    };
    let mut call = OwnedCall::new().result::<bool>(&[3]).unwrap();
    call.run(&handler).unwrap();
    assert_eq!(call.result_slice::<bool>(0).unwrap(), [false, true, false]);
}

#[test]
fn bytes_that_are_no_truth_values_are_an_error() {
    // Bytes that nobody wrote have all bits set.
    let call = OwnedCall::new().result::<bool>(&[2]).unwrap();
    let error = call.result_slice::<bool>(0).unwrap_err();
    assert!(error.message().contains("0xff"), "{error}");
}

#[test]
fn axes_must_fit_their_elements() {
    assert!(OwnedCall::new().argument(&[1.0_f32], &[2]).is_err());
    assert!(OwnedCall::new().result::<f64>(&[1 << 40, 1 << 40]).is_err());
    assert!(two().in_place(0, 1).is_err());
    assert!(two().in_place(0, 0).unwrap().in_place(1, 0).is_err());
}

#[test]
fn any_number_of_arrays_can_be_taken() {
    let sum = |frame: &mut CallFrame<'_>| {
        let (arguments, results) = frame.all_parts()?;
        let mut total = 0;
        for argument in &arguments {
            total += argument.as_slice::<i32>()?.iter().sum::<i32>();
        }
        for result in results {
            result.into_slice::<i32>()?.fill(total);
        }
        Ok(())
    };
    let mut call = two();
    call.run(&sum).unwrap();
    assert_eq!(call.result_slice::<i32>(0).unwrap(), [66, 66, 66]);
}

#[test]
fn attributes_are_read_by_name_and_type() {
    let inner = Dictionary::new().with("b", "text").with("a", 1_i64);
    let all = Dictionary::new()
        .with("uplo", b'L')
        .with("uplo", b'U')
        .with("numbers", &[1.5_f64, -2.5])
        .with("inner", inner);
    let all = all.attributes();
    assert_eq!(all.get::<u8>("uplo").unwrap(), b'U');
    assert_eq!(all.get::<&[f64]>("numbers").unwrap(), [1.5, -2.5]);
    let inner: Attributes<'_> = all.get("inner").unwrap();
    assert_eq!(inner.get::<&[u8]>("b").unwrap(), b"text");
    let names: Vec<_> = all.iter().map(|entry| entry.unwrap().0).collect();
    assert_eq!(names, [&b"inner"[..], b"numbers", b"uplo"]);
    assert!(matches!(
        all.get("numbers").unwrap(),
        Attribute::Array(array) if array.dtype() == DType::F64
    ));
}

#[test]
fn an_attribute_of_another_type_says_which_and_how_to_help_it() {
    let all = Dictionary::new().with("eps", 0.5_f64);
    let error = all.attributes().get::<f32>("eps").unwrap_err();
    assert!(
        error
            .message()
            .starts_with("attribute `eps` is f64, but the handler takes f32\n  help: "),
        "{error}"
    );
    let error = all.attributes().get::<&[f64]>("eps").unwrap_err();
    assert!(error.message().contains("takes an array of f64"), "{error}");
}

#[test]
fn an_attribute_may_be_missing_where_it_is_an_option() {
    let none = Attributes::NONE;
    assert_eq!(none.get::<Option<bool>>("flag").unwrap(), None);
    let error = none.get::<bool>("flag").unwrap_err();
    assert!(
        error.message().starts_with("there is no attribute `flag`"),
        "{error}"
    );
}
