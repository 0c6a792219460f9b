//! Cyxla under another name.

mod vendored {
    pub use cyxla as renamed;
}

#[vendored::renamed::program("model:pair", crate = "crate::vendored::renamed")]
fn pair(x: &[f32; 3]) -> vendored::renamed::Result<([f32; 3], _)>;

fn main() {
    let _: fn(&[f32; 3]) -> cyxla::Result<([f32; 3], f32)> = pair;
}
