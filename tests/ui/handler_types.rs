//! What a handler takes and returns.

use cyxla::ffi;

#[cyxla::ffi_handler("norm")]
fn norm(x: Vec<f32>, eps: f32) -> f32 {
    x.len() as f32 + eps
}

#[cyxla::ffi_handler("elements")]
fn elements(x: ffi::Array<'_, char, 1>) {
    drop(x);
}

fn main() {
    norm::register().unwrap();
    elements::register().unwrap();
}
