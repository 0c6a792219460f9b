#[cyxla::program("model:predict")]
#[cyxla::program("model:pair")]
fn predict(x: f32) -> cyxla::Result<f32>;

fn main() {}
