#[cyxla::program("model:predict")]
fn predict(x: f32) -> cyxla::Result<(&f32, Vec<f32>, Box<[f32]>, (f32, f32), impl Copy, [f32; _])>;

fn main() {}
