//! Arguments from the heap, from slices and from `ndarray`.

use cyxla::Host;
use cyxla::ndarray::{Array2, ShapeBuilder};

/// The sum of each row, scaled.
#[cyxla::program("model:predict")]
fn predict(x: &[[f32; 4]; 8], scale: f32) -> cyxla::Result<[f32; 8]>;

/// The numbers 0 to 31, row major.
fn numbers() -> Vec<f32> {
    (0..32_u8).map(f32::from).collect()
}

/// Row `i` is 4i, 4i + 1, 4i + 2, 4i + 3, so that its sum is 16i + 6; half of it is 8i + 3.
const HALVED: [f32; 8] = [3.0, 11.0, 19.0, 27.0, 35.0, 43.0, 51.0, 59.0];

#[test]
fn an_owned_array_is_an_argument() {
    let x = Host::from_slice(&numbers()).unwrap();
    assert_eq!(predict(&x, 0.5).unwrap(), HALVED);
}

#[test]
fn a_slice_is_an_argument() {
    let x = numbers();
    assert_eq!(
        predict(cyxla::from_slice(&x).unwrap(), 0.5).unwrap(),
        HALVED
    );
}

#[test]
fn an_ndarray_is_an_argument() {
    let x = Array2::from_shape_vec([8, 4], numbers()).unwrap();
    let y = predict(cyxla::from_ndarray(&x).unwrap(), 0.5).unwrap();
    assert_eq!(y, HALVED);
    assert_eq!(cyxla::as_ndarray(&y).sum(), 248.0);
}

#[test]
fn an_ndarray_of_another_layout_is_copied() {
    // Column by column: x[i][j] is i + 8j, so that the sum of row i is 4i + 48.
    let x = Array2::from_shape_vec([8, 4].f(), numbers()).unwrap();
    assert!(cyxla::from_ndarray::<[[f32; 4]; 8], _>(&x).is_err());
    let y = predict(&Host::from_ndarray(&x).unwrap(), 0.5).unwrap();
    assert_eq!(y, [24.0, 26.0, 28.0, 30.0, 32.0, 34.0, 36.0, 38.0]);
}
