#[cyxla::program("model:predict", x64 = true, x64 = true)]
fn predict(x: f32) -> cyxla::Result<f32>;

fn main() {}
