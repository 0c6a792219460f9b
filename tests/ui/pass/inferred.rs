//! Types that Python gives.

use cyxla::{BF16, Complex};

#[cyxla::program("model:affine", args = "model:affine_args")]
fn affine(w: &_, b: _) -> cyxla::Result<_>;

#[cyxla::program("model:pair")]
fn pair(x: &[f32; 3]) -> cyxla::Result<(_, f32)>;

#[cyxla::program("model:nothing")]
fn nothing() -> cyxla::Result<_>;

#[cyxla::program("model:most")]
fn most() -> cyxla::Result<_>;

fn main() {
    // More than 64 KiB come in a box.
    type Results = ([BF16; 2], Box<[f64; 8193]>);
    let _: fn(&[[BF16; 3]; 2], Complex<f32>) -> cyxla::Result<Results> = affine;
    let _: fn(&[f32; 3]) -> cyxla::Result<([f32; 3], f32)> = pair;
    let _: fn() -> cyxla::Result<()> = nothing;
    let results = || -> cyxla::Result<f32> { Ok(most()?.23) };
    let _ = results;
}
