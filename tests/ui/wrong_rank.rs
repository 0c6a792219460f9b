#[cyxla::program("model:predict")]
fn predict(x: &[f32; 32], scale: f32) -> cyxla::Result<[f32; 8]>;

fn main() {}
