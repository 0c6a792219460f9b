#[cyxla::program("python/model.py")]
fn predict(x: f32) -> cyxla::Result<f32>;

fn main() {}
