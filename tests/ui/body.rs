#[cyxla::program("model:predict")]
fn predict(x: f32) -> cyxla::Result<f32> {
    Ok(2.0 * x)
}

fn main() {}
