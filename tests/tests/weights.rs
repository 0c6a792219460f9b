//! Arrays that programs hold.

#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, reason = "a test")]

use std::path::Path;

use cyxla::{ArrayType, DType, Error, WeightsError};

#[cyxla::program("weights:apply", bind(params = "weights:load_params"), engine = "pjrt")]
fn apply(x: &[f32; 4]) -> cyxla::Result<[f32; 3]>;

#[cyxla::program("weights:apply", bind(params = "weights:load_params"), engine = "pjrt")]
fn swapped(x: &[f32; 4]) -> cyxla::Result<[f32; 3]>;

#[cyxla::program(
    "weights:value_and_grad",
    bind(params = "weights:load_params"),
    engine = "pjrt"
)]
fn value_and_grad(x: &[f32; 4]) -> cyxla::Result<(f32, [f32; 4])>;

#[cyxla::program(
    "weights:apply",
    bind(params = "weights:load_params"),
    weights = "file",
    engine = "pjrt"
)]
fn from_file(x: &[f32; 4]) -> cyxla::Result<[f32; 3]>;

#[cyxla::program(
    "weights:apply",
    bind(params = "weights:load_params"),
    weights = "code",
    engine = "pjrt"
)]
fn in_code(x: &[f32; 4]) -> cyxla::Result<[f32; 3]>;

#[cyxla::program("weights:look_up", engine = "pjrt")]
fn look_up(i: i32) -> cyxla::Result<[f32; 32]>;

#[cyxla::program("weights:look_up", weights_from = 1_000_000, engine = "pjrt")]
fn look_up_in_code(i: i32) -> cyxla::Result<[f32; 32]>;

#[cyxla::program("weights:scaled", bind(scale = "weights:table"), engine = "pjrt")]
fn scaled(x: f32) -> cyxla::Result<Box<[[f32; 64]; 32]>>;

/// x = (1, 2, 3, 4) times w, whose rows are (0, 1, 2), (3, 4, 5), …: (60, 70, 80). With b = 1 and the first elements of `big`,
/// 0, 1 and 2.
const X: [f32; 4] = [1.0, 2.0, 3.0, 4.0];
const Y: [f32; 3] = [61.0, 72.0, 83.0];

fn names(program: &cyxla::Program) -> Vec<&'static str> {
    program.weights().iter().map(|weight| weight.path).collect()
}

#[test]
fn what_is_bound_is_no_argument() {
    assert_eq!(apply(&X).unwrap(), Y);
    let f32_of = |shape: &[usize]| ArrayType::new(DType::F32, shape).unwrap();
    let weights = apply::program().weights();
    assert_eq!(
        names(apply::program()),
        [
            "params['big']",
            "params['dense']['b']",
            "params['dense']['w']"
        ]
    );
    assert_eq!(weights[2].array_type, f32_of(&[4, 3]));
    assert_eq!((weights[0].nbytes(), weights[0].bound), (4 * 4096, true));
    assert_eq!(apply::program().inputs().len(), 1);
}

#[test]
fn a_gradient_holds_the_same_arrays() {
    // The gradient is the sum of each row of w: 3, 12, 21, 30.
    let (value, gradient) = value_and_grad(&X).unwrap();
    assert_eq!((value, gradient), (216.0, [3.0, 12.0, 21.0, 30.0]));
}

#[test]
fn weights_are_as_good_in_files_and_in_the_code() {
    assert_eq!(from_file(&X).unwrap(), Y);
    assert!(from_file::program().weights()[0].file().is_some());
    assert_eq!(in_code(&X).unwrap(), Y);
    assert!(in_code::program().weights().is_empty());
    assert!(apply::program().code().len() < in_code::program().code().len());
}

#[test]
fn large_constants_are_taken_out_of_functions_and_loops() {
    // Element k of rows 0, 1, 2 is (32 row + k) mod 7, and 1 is added.
    let expected: [f32; 32] = std::array::from_fn(|k| {
        (0..3_u8).fold(1.0, |sum, row| {
            let k = u8::try_from(k).unwrap();
            sum + f32::from((32 * row + k) % 7)
        })
    });
    assert_eq!(look_up(3).unwrap(), expected);
    assert_eq!(look_up_in_code(3).unwrap(), expected);
    let [table] = look_up::program().weights() else {
        panic!("{:?}", look_up::program().weights());
    };
    assert_eq!((table.nbytes(), table.bound), (64 * 32 * 4, false));
    assert!(look_up_in_code::program().weights().is_empty());
}

#[test]
fn equal_contents_of_other_types_are_told_apart() {
    let scaled = scaled(2.0).unwrap();
    // Element (1, 3) is number 67, and 67 mod 7 is 4.
    assert_eq!(scaled[1][3], 8.0);
    assert_eq!(look_up(1).unwrap()[3], 4.0);
}

#[test]
fn prepared_and_started_calls_have_weights_too() {
    let mut call = apply::prepare().unwrap();
    *call.inputs() = X;
    assert_eq!(call.run().unwrap(), &Y);
    assert_eq!(apply::start(&X).unwrap().wait().unwrap(), Y);
}

/// Writes a file in the format of safetensors, of elements f32.
fn write(path: &Path, tensors: &[(&str, &[usize], Vec<f32>)]) {
    let mut header = Vec::new();
    let mut data = Vec::new();
    for (name, shape, elements) in tensors {
        let from = data.len();
        data.extend(elements.iter().flat_map(|element| element.to_le_bytes()));
        let to = data.len();
        header.push(format!(
            r#""{name}": {{"dtype": "F32", "shape": {shape:?}, "data_offsets": [{from}, {to}]}}"#
        ));
    }
    let header = format!("{{{}}}", header.join(", "));
    let length = u64::try_from(header.len()).unwrap().to_le_bytes();
    std::fs::write(path, [&length, header.as_bytes(), &data].concat()).unwrap();
}

fn refusal(program: &cyxla::Program, path: &Path) -> WeightsError {
    match program.load_weights(path) {
        Err(Error::Weights(error)) => *error,
        other => panic!("{other:?}"),
    }
}

#[test]
fn weights_are_exchanged_for_others_of_the_same_types() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new.safetensors");
    let program = swapped::program();
    let mut call = swapped::prepare().unwrap();
    *call.inputs() = X;
    assert_eq!(call.run().unwrap(), &Y);

    let (w, b, big) = (vec![1.0; 12], vec![0.5; 3], vec![0.0; 4096]);
    write(
        &path,
        &[
            ("dense.w", &[4, 3], w.clone()),
            ("dense.b", &[3], b.clone()),
        ],
    );
    let error = refusal(program, &path);
    assert!(
        matches!(&error, WeightsError::Missing { missing, .. } if missing == &["params['big']"]),
        "{error}"
    );
    write(
        &path,
        &[
            ("dense.w", &[3, 4], w.clone()),
            ("dense.b", &[3], b.clone()),
            ("big", &[4096], big.clone()),
        ],
    );
    let error = refusal(program, &path);
    assert!(matches!(&error, WeightsError::Type { .. }), "{error}");
    assert!(error.to_string().contains("F32[3,4]"), "{error}");
    assert_eq!(swapped(&X).unwrap(), Y);

    write(
        &path,
        &[
            ("dense.w", &[4, 3], w),
            ("params.dense.b", &[3], b),
            ("big", &[4096], big),
            ("optimizer.step", &[], vec![1.0]),
        ],
    );
    program.load_weights(&path).unwrap();
    // (1 + 2 + 3 + 4) · 1 + 0.5
    assert_eq!(swapped(&X).unwrap(), [10.5; 3]);
    assert_eq!(call.run().unwrap(), &[10.5; 3]);
    // Another program keeps what it shared.
    assert_eq!(apply(&X).unwrap(), Y);
}

#[test]
fn calls_see_the_old_weights_or_the_new_ones() {
    #[cyxla::program("weights:apply", bind(params = "weights:load_params"), engine = "pjrt")]
    fn watched(x: &[f32; 4]) -> cyxla::Result<[f32; 3]>;

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new.safetensors");
    let result = |value: f32| [10.0 * value + value; 3];
    let write = |value: f32| {
        let tensors: [(&str, &[usize], _); 3] = [
            ("dense.w", &[4, 3], vec![value; 12]),
            ("dense.b", &[3], vec![value; 3]),
            ("big", &[4096], vec![0.0; 4096]),
        ];
        write(&path, &tensors);
        watched::program().load_weights(&path).unwrap();
    };
    write(0.0);
    std::thread::scope(|scope| {
        let caller = scope.spawn(|| {
            let mut seen = 0.0;
            while seen < 50.0 {
                let found = watched(&X).unwrap();
                seen = found[0] / 11.0;
                assert_eq!(found, result(seen.round()), "a mixture");
            }
        });
        for value in 1..=50_u8 {
            write(f32::from(value));
        }
        caller.join().unwrap();
    });
}

#[test]
fn a_program_without_weights_of_its_own_has_none_to_exchange() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new.safetensors");
    write(&path, &[("w", &[1], vec![1.0])]);
    assert!(matches!(
        refusal(in_code::program(), &path),
        WeightsError::Nothing { .. }
    ));
}

#[test]
fn what_is_no_safetensors_file_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("other");
    std::fs::write(&path, b"PK\x03\x04 and more of it").unwrap();
    assert!(matches!(
        refusal(apply::program(), &path),
        WeightsError::Format { .. }
    ));
    assert!(matches!(
        refusal(apply::program(), &folder.path().join("absent")),
        WeightsError::Open { .. }
    ));
}
