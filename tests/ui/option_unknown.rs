#[cyxla::program("model:predict", platform = "cpu")]
fn predict(x: f32) -> cyxla::Result<f32>;

fn main() {}
