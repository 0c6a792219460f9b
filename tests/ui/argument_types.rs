#[cyxla::program("model:predict")]
fn predict(
    mutable: &mut [f32; 3],
    boxed: Box<[f32; 3]>,
    slice: &[f32],
    vector: Vec<f32>,
    opaque: impl Into<f32>,
    tuple: (f32, f32),
    twice: &&f32,
    partly: &[_; 3],
) -> cyxla::Result<f32>;

fn main() {}
