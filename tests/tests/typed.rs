//! What a user writes under `#[cyxla::program]`, end to end.

use std::sync::Barrier;

const ROWS: usize = 8;
type Row = [f32; 4];

/// The sum of each row, scaled.
#[cyxla::program("model:predict")]
fn predict(x: &[[f32; 4]; 8], scale: f32) -> cyxla::Result<[f32; 8]>;

/// The same with a constant and an alias in the shape.
#[cyxla::program("model:predict")]
fn predict_named(x: &[Row; ROWS], scale: f32) -> cyxla::Result<Box<[f32; ROWS]>>;

#[cyxla::program("model:pair")]
fn pair(x: &[f32; 3]) -> cyxla::Result<([f32; 3], f32)>;

#[cyxla::program("model:affine", args = "model:affine_args")]
fn affine(b: &_, w: &_, x: &_) -> cyxla::Result<_>;

#[cyxla::program("model:statistics")]
fn statistics(x: &[f32; 4]) -> cyxla::Result<(f32, f32, f32)>;

#[cyxla::program("model:answer")]
fn answer() -> cyxla::Result<[i32; 3]>;

#[cyxla::program("model:nothing")]
fn nothing(x: f32) -> cyxla::Result<()>;

#[cyxla::program("model:first")]
fn first(x: [f32; 2], unused: &[i32; 5]) -> cyxla::Result<[f32; 2]>;

#[cyxla::program("model:transpose")]
fn transpose(x: &[[f32; 3]; 2]) -> cyxla::Result<[[f32; 2]; 3]>;

#[cyxla::program("model:after_one")]
fn after_one64(x: f64) -> cyxla::Result<f64>;

#[cyxla::program("model:after_one")]
fn after_one32(x: f32) -> cyxla::Result<f32>;

#[cyxla::program("model:Plant.step")]
fn step(state: [f64; 2]) -> cyxla::Result<[f64; 2]>;

#[cyxla::program("model:by_constant")]
fn by_constant(x: f32) -> cyxla::Result<f32>;

#[cyxla::program("model:by_constant")]
fn by_constant64(x: f64) -> cyxla::Result<f64>;

#[cyxla::program("model:count_to")]
fn count_to(n: i32) -> cyxla::Result<i32>;

mod nested {
    pub(crate) const N: usize = 2;

    pub(crate) mod deeper {
        #[cyxla::program("model:scale")]
        pub(crate) fn scale(factor: f32, x: &[f32; super::N + 1]) -> cyxla::Result<[f32; 3]>;
    }
}

#[cfg(not(test))]
#[cyxla::program("model:scale")]
fn scale(factor: f64, x: &[f64; 3]) -> cyxla::Result<[f64; 3]>;

#[cfg(test)]
#[cyxla::program("model:scale")]
fn scale(factor: i32, x: &[i32; 3]) -> cyxla::Result<[i32; 3]>;

fn table() -> [[f32; 4]; 8] {
    let mut x = [[0.0; 4]; 8];
    for (i, element) in (0u8..).zip(x.as_flattened_mut()) {
        *element = f32::from(i);
    }
    x
}

/// Row i of `table` holds 4i … 4i + 3, which add up to 16i + 6.
const HALF_SUMS: [f32; 8] = [3.0, 11.0, 19.0, 27.0, 35.0, 43.0, 51.0, 59.0];

#[test]
fn arrays_go_in_by_reference_and_come_out_by_value() {
    assert_eq!(predict(&table(), 0.5).unwrap(), HALF_SUMS);
}

#[test]
fn constants_and_aliases_are_shapes_too() {
    assert_eq!(*predict_named(&table(), 0.5).unwrap(), HALF_SUMS);
}

#[test]
fn several_results_are_a_tuple() {
    assert_eq!(pair(&[1.0, 2.0, 3.5]).unwrap(), ([2.0, 4.0, 7.0], 6.5));
}

#[test]
fn shapes_may_come_from_python() {
    let result: [f32; 2] = affine(
        &[10.0, 20.0],
        &[[1.0, 0.0, 0.0], [0.0, 2.0, 3.0]],
        &[1.0, 2.0, 3.0],
    )
    .unwrap();
    assert_eq!(result, [11.0, 33.0]);
}

#[test]
fn leaves_of_a_dict_come_in_the_order_of_its_keys() {
    assert_eq!(statistics(&[1.0, 2.0, 3.0, 6.0]).unwrap(), (3.0, 1.0, 6.0));
    let paths: Vec<_> = affine::program()
        .inputs()
        .iter()
        .map(|input| input.path)
        .collect();
    assert_eq!(paths, ["params['b']", "params['w']", "x"]);
}

#[test]
fn no_arguments_and_no_results_are_fine() {
    assert_eq!(answer().unwrap(), [40, 41, 42]);
    nothing(1.0).unwrap();
}

#[test]
fn unused_arguments_stay() {
    assert_eq!(first([1.0, 2.0], &[0; 5]).unwrap(), [1.0, 2.0]);
}

#[test]
fn results_are_row_major() {
    assert_eq!(
        transpose(&[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]).unwrap(),
        [[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]]
    );
}

#[test]
fn programs_with_64_bit_types_are_computed_in_64_bits() {
    assert_eq!(after_one64(2f64.powi(-40)).unwrap(), 1.0 + 2f64.powi(-40));
    assert_eq!(after_one32(2f32.powi(-40)).unwrap(), 1.0);
}

#[test]
fn a_constant_of_the_module_serves_both_widths() {
    assert_eq!(by_constant(2.0).unwrap(), 6.0);
    assert_eq!(by_constant64(0.1).unwrap(), 3.0 * 0.1);
}

#[test]
fn the_target_may_be_a_dotted_attribute() {
    assert_eq!(step([1.0, 2.0]).unwrap(), [1.5, 2.5]);
}

#[test]
fn loops_run_as_long_as_the_argument_says() {
    assert_eq!(count_to(1000).unwrap(), 1000);
}

#[test]
fn programs_in_nested_modules_see_their_own_constants() {
    assert_eq!(
        nested::deeper::scale(2.0, &[1.0, 2.0, 3.0]).unwrap(),
        [2.0, 4.0, 6.0]
    );
}

#[test]
fn both_sides_of_a_cfg_are_lowered() {
    assert_eq!(scale(3, &[1, 2, 3]).unwrap(), [3, 6, 9]);
}

#[test]
fn a_function_may_be_declared_inside_of_another() {
    #[cyxla::program("model:scale")]
    fn local(factor: f64, x: &[f64; 1]) -> cyxla::Result<[f64; 1]>;

    assert_eq!(local(4.0, &[0.25]).unwrap(), [1.0]);
}

#[test]
fn nan_and_infinity_pass() {
    let (doubled, sum) = pair(&[f32::NAN, f32::INFINITY, f32::MAX]).unwrap();
    assert!(doubled[0].is_nan() && sum.is_nan());
    assert_eq!(doubled[1..], [f32::INFINITY, f32::INFINITY]);
}

#[test]
fn a_program_tells_its_types() {
    let program = predict::program();
    assert_eq!(
        (program.name(), program.target(), program.platform()),
        ("predict", "model:predict", "cpu")
    );
    let types: Vec<_> = program
        .inputs()
        .iter()
        .map(|input| input.array_type.to_string())
        .collect();
    assert_eq!(types, ["f32[8,4]", "f32[]"]);
    assert_eq!(program.outputs()[0].array_type.to_string(), "f32[8]");
    assert_eq!(program.stablehlo_version().to_string(), "1.10.0");
}

#[test]
fn a_program_can_be_loaded_ahead() {
    #[cyxla::program("model:scale")]
    fn ahead(factor: f32, x: &[f32; 7]) -> cyxla::Result<[f32; 7]>;

    assert!(ahead::program().statistics().is_none());
    let first = ahead::program().load().unwrap();
    assert_eq!(first.compiled + first.loaded, 1);
    assert_eq!(ahead::program().load().unwrap(), first);
}

#[test]
fn threads_that_call_at_once_compile_once_and_get_their_own_results() {
    #[cyxla::program("model:scale")]
    fn shared(factor: f32, x: &[f32; 16]) -> cyxla::Result<[f32; 16]>;

    let together = Barrier::new(8);
    std::thread::scope(|scope| {
        for thread in 0..8u8 {
            let together = &together;
            scope.spawn(move || {
                together.wait();
                for call in 0..500u16 {
                    let x = [f32::from(call); 16];
                    let expected = [f32::from(call) * f32::from(thread); 16];
                    assert_eq!(shared(f32::from(thread), &x).unwrap(), expected);
                }
            });
        }
    });
    let statistics = shared::program().statistics().unwrap();
    assert_eq!(statistics.compiled + statistics.loaded, 1);
}

#[test]
fn a_call_can_be_passed_on_like_any_function() {
    let call: fn(&[f32; 3]) -> _ = pair;
    assert_eq!(call(&[1.0; 3]).unwrap().1, 3.0);
}
