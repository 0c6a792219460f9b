#[cyxla::program("model:predict")]
fn predict(x: &[[f32; 4]; 8], scale: f32) -> cyxla::Result<[f32; 4]>;

fn main() {}
