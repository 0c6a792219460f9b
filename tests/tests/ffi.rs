//! JAX programs that call Rust, end to end.

#![allow(clippy::unwrap_used, reason = "a test")]
#![allow(
    clippy::needless_pass_by_value,
    clippy::too_many_arguments,
    reason = "handlers take what their calls give"
)]

use std::sync::Once;

use cyxla::ffi;

/// A number that is 1 if all attributes are what Python gave.
#[cyxla::ffi_handler]
fn describe(
    flag: bool,
    count: i64,
    small: i32,
    scale: f64,
    narrow: f32,
    x: ffi::AnyArray,
    text: &str,
    numbers: &[i64],
    reals: &[f64],
    nested: ffi::Attributes,
    missing: Option<f32>,
    mut out: ffi::ArrayMut<f32, 0>,
) -> Result<(), ffi::Error> {
    assert_eq!((x.dtype(), x.dims()), (ffi::DType::F32, &[3][..]));
    assert_eq!((flag, count, small), (true, 7, -7));
    assert_eq!((scale, narrow, text), (0.5, 0.25, "Grüße"));
    assert_eq!((numbers, reals), (&[1, 2, 3][..], &[0.5, -0.5][..]));
    assert_eq!((nested.get::<f64>("inner")?, missing), (2.5, None));
    out[[]] = 1.0;
    Ok(())
}

#[cyxla::program("ffi:described", custom_calls = ["describe"])]
fn described(x: &[f32; 3]) -> cyxla::Result<f32>;

/// The largest of each row, and the number of rows.
#[cyxla::ffi_handler("extremes")]
fn largest(
    x: ffi::Array<f64, 2>,
    mut largest: ffi::ArrayMut<f64, 1>,
    mut rows: ffi::ArrayMut<i32, 0>,
) {
    for (largest, row) in largest.iter_mut().zip(x.rows()) {
        *largest = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    }
    rows[[]] = i32::try_from(x.dims()[0]).unwrap();
}

#[cyxla::program("ffi:extremes", custom_calls = ["extremes"])]
fn extremes(x: &[[f64; 3]; 2]) -> cyxla::Result<([f64; 2], i32)>;

/// The elements from the last to the first.
#[cyxla::ffi_handler("backwards")]
fn backwards(x: ffi::Array<i32, 1>, mut out: ffi::ArrayMut<i32, 1>) {
    for (out, x) in out.iter_mut().zip(x.iter().rev()) {
        *out = *x;
    }
}

#[cyxla::program("ffi:reversed_in_place", custom_calls = ["backwards"])]
fn reversed_in_place(x: &[i32; 5]) -> cyxla::Result<[i32; 5]>;

type Flags<'a> = ffi::Array<'a, bool, 1>;

/// An alias for a type, and an error of the user's own.
#[cyxla::ffi_handler("flip")]
fn flip(flags: Flags, mut out: ffi::ArrayMut<bool, 1>) -> Result<(), String> {
    if flags.iter().all(|flag| *flag) {
        return Err("there is nothing to flip".to_owned());
    }
    for (out, flag) in out.iter_mut().zip(flags.iter()) {
        *out = !flag;
    }
    Ok(())
}

#[cyxla::program("ffi:flipped", custom_calls = ["flip"])]
fn flipped(x: &[bool; 3]) -> cyxla::Result<[bool; 3]>;

#[cyxla::program("ffi:wrong_type", custom_calls = ["flip"])]
fn wrong_type(x: &[f32; 3]) -> cyxla::Result<[f32; 3]>;

#[cyxla::program("ffi:wrong_count", custom_calls = ["flip"])]
fn wrong_count(x: &[bool; 3]) -> cyxla::Result<[bool; 3]>;

#[cyxla::ffi_handler("triple_row")]
fn triple_row(x: ffi::Array<cyxla::BF16, 1>, mut out: ffi::ArrayMut<cyxla::BF16, 1>) {
    assert_eq!(x.len(), 2);
    for (out, x) in out.iter_mut().zip(x.iter()) {
        *out = cyxla::BF16::from_f32(3.0) * x;
    }
}

#[cyxla::program("ffi:tripled_each", custom_calls = ["triple_row"])]
fn tripled_each(x: &[[cyxla::BF16; 2]; 4]) -> cyxla::Result<[[cyxla::BF16; 2]; 4]>;

#[cyxla::program("ffi:looped", custom_calls = ["add_offset"])]
fn looped(x: &[f32; 2], n: i32) -> cyxla::Result<[f32; 2]>;

#[cyxla::ffi_handler("panics")]
fn panics(x: ffi::AnyArray, out: ffi::AnyArrayMut) {
    assert!(
        x.is_empty() && out.is_empty(),
        "there are {} elements",
        x.len()
    );
}

#[cyxla::program("ffi:panics", custom_calls = ["panics"])]
fn panicking(x: &[f32; 3]) -> cyxla::Result<[f32; 3]>;

fn register() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        describe::register().unwrap();
        largest::register().unwrap();
        backwards::register().unwrap();
        flip::register().unwrap();
        triple_row::register().unwrap();
        panics::register().unwrap();
        let offset = 1.5_f32;
        cyxla::register_ffi_target("add_offset", move |frame: &mut ffi::CallFrame<'_>| {
            let parts = frame.parts::<1, 1>()?;
            let ([x], [y]) = (parts.arguments, parts.results);
            for y in y.in_place_of::<f32>(&x)? {
                *y += offset;
            }
            Ok(())
        })
        .unwrap();
    });
}

#[test]
fn attributes_arrive_as_python_gave_them() {
    register();
    assert_eq!(described(&[0.0; 3]).unwrap(), 1.0);
}

#[test]
fn a_handler_fills_several_results() {
    register();
    let found = extremes(&[[1.0, -2.0, 0.5], [-3.0, -1.5, -2.0]]).unwrap();
    assert_eq!(found, ([1.0, -1.5], 2));
}

#[test]
fn arguments_in_the_memory_of_results_are_read_before_they_are_written() {
    register();
    assert_eq!(
        reversed_in_place(&[1, 2, 3, 4, 5]).unwrap(),
        [5, 4, 3, 2, 1]
    );
}

#[test]
fn errors_of_the_user_arrive() {
    register();
    assert_eq!(flipped(&[true, false, true]).unwrap(), [false, true, false]);
    let error = flipped(&[true; 3]).unwrap_err().to_string();
    assert!(
        error.contains("the custom call `flip` failed: there is nothing to flip"),
        "{error}"
    );
}

#[test]
fn types_and_numbers_are_checked_before_the_body() {
    register();
    let error = wrong_type(&[1.0; 3]).unwrap_err().to_string();
    assert!(
        error.contains("argument 0 (`flags`) is f32[3], but the handler takes bool"),
        "{error}"
    );
    let error = wrong_count(&[true; 3]).unwrap_err().to_string();
    assert!(
        error.contains("called with 2 arguments and 1 result, but takes 1 argument and 1 result"),
        "{error}"
    );
}

#[test]
fn panics_are_errors() {
    register();
    let error = panicking(&[1.0; 3]).unwrap_err().to_string();
    assert!(
        error.contains("the handler of the custom call `panics` panicked: there are 3 elements"),
        "{error}"
    );
}

#[test]
fn handlers_are_mapped_over_rows() {
    register();
    let x = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]];
    let found = tripled_each(&x.map(|row| row.map(cyxla::BF16::from_f32))).unwrap();
    let expected = x.map(|row| row.map(|x| 3.0 * x));
    assert_eq!(found.map(|row| row.map(f32::from)), expected);
}

#[test]
fn handlers_are_called_from_loops_and_branches() {
    register();
    // Once for each even number below 5.
    assert_eq!(looped(&[0.0, 1.0], 5).unwrap(), [4.5, 5.5]);
}

#[test]
fn a_handler_is_a_function_too() {
    let mut call = ffi::OwnedCall::new()
        .argument(&[1_i32, 2, 3], &[3])
        .and_then(|call| call.result::<i32>(&[3]))
        .unwrap();
    call.run(&backwards {}).unwrap();
    assert_eq!(call.result_slice::<i32>(0).unwrap(), [3, 2, 1]);
    assert_eq!(
        (describe::TARGET, largest::TARGET),
        ("describe", "extremes")
    );
}
