#[cyxla::program("model:predict")]
fn predict(x: &cyxla::Buffer<char>, scale: f32) -> cyxla::Result<cyxla::Host<char>>;

fn main() {}
