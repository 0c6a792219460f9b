#[cyxla::program("model:predict")]
fn predict(x: &cyxla::Buffer<String>, scale: f32) -> cyxla::Result<cyxla::Host<char>>;

fn main() {}
