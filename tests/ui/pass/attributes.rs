//! What else stands on a function holds for it, and no lint has anything to say.

#![deny(warnings, missing_docs, unreachable_pub, unused_qualifications, elided_lifetimes_in_paths)]
#![deny(missing_debug_implementations, missing_copy_implementations, single_use_lifetimes, trivial_casts)]
#![forbid(unsafe_code, dead_code)]

/// Predicts.
#[must_use]
#[inline(never)]
#[cyxla::program("model:predict")]
pub(crate) fn predict(x: &[[f32; 4]; 8], scale: f32) -> cyxla::Result<[f32; 8]>;

#[cfg(any())]
#[cyxla::program("model:of_another_platform")]
fn left_out(x: f32) -> cyxla::Result<f32>;

#[cyxla::program("model:of_another_platform")]
#[cfg(any())]
fn left_out_too(x: f32) -> cyxla::Result<f32>;

#[cyxla::program("model:pair")]
#[allow(non_snake_case)]
fn r#pair(x: &[f32; 3]) -> cyxla::Result<([f32; 3], f32)>;

/// Of another crate's view, the type beside it too.
#[cyxla::program("model:update")]
pub fn update(state: [f32; 4], step: f32) -> cyxla::Result<cyxla::Host<[f32; 4]>>;

fn main() {
    let _: fn(&[[f32; 4]; 8], f32) -> cyxla::Result<[f32; 8]> = predict;
    let _: fn(&[f32; 3]) -> cyxla::Result<([f32; 3], f32)> = pair;
}
