//! All that is wrong with the signature of a handler is said at once.

use cyxla::ffi;

struct Plant;

impl Plant {
    #[cyxla::ffi_handler("step")]
    fn step(&self, x: ffi::Array<'_, f32, 1>) {}
}

#[cyxla::ffi_handler("norm")]
async fn norm<T: ffi::Element>((x, y): (ffi::Array<'_, T, 1>, f32)) {}

#[cyxla::ffi_handler("")]
fn nameless() {}

#[cyxla::ffi_handler("state", platform = "cuda")]
fn elsewhere() {}

#[cyxla::ffi_handler("constant")]
const CONSTANT: f32 = 1.0;

fn main() {}
