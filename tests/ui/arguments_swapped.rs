#[cyxla::program("model:predict")]
fn predict(scale: f32, x: &[[f32; 4]; 8]) -> cyxla::Result<[f32; 8]>;

fn main() {}
