#[cyxla::program("model:predict")]
fn predict(x: &[[f32; 4]; 8], scale: f32, offset: f32) -> cyxla::Result<([f32; 8], f32)>;

fn main() {}
