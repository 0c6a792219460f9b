#[cyxla::program("model:wide")]
fn wide(x: f32) -> cyxla::Result<f32>;

fn main() {}
