#[cyxla::program("model:predict")]
async fn predict(x: f32) -> cyxla::Result<f32>;

fn main() {}
