#[cyxla::program("model:predict")]
fn predict(#[cfg(unix)] x: f32) -> cyxla::Result<f32>;

fn main() {}
