#[cyxla::program("model:predict")]
fn predict(x: &[[f32; 4]; 8], scale: f32) -> std::io::Result<[f32; 8]>;

fn main() {}
