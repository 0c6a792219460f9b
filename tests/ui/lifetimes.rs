#[cyxla::program("model:predict")]
fn predict<'a>(x: &'a [f32; 3]) -> cyxla::Result<f32>;

fn main() {}
