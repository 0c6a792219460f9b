#[cyxla::program("model:predict")]
fn predict(x: f32, _: ...) -> cyxla::Result<f32>;

fn main() {}
