#[cyxla::program("model:predict")]
fn predict(x: f32);

fn main() {}
