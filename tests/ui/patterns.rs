#[cyxla::program("model:predict")]
fn predict([x, y]: [f32; 2], mut z: f32) -> cyxla::Result<f32>;

fn main() {}
