#[cyxla::program("model:predict")]
fn predict(x: &[[f32; 8]; 4], scale: f64) -> cyxla::Result<f32>;

fn main() {}
