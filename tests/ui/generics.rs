#[cyxla::program("model:predict")]
fn predict<const N: usize>(x: &[f32; N]) -> cyxla::Result<f32>;

fn main() {}
