#[cyxla::program("model:predict")]
const unsafe extern "C" fn predict(x: f32) -> cyxla::Result<f32>;

fn main() {}
