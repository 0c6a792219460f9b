#[cyxla::program("model:scale")]
fn scale(x: i32) -> cyxla::Result<i32>;

fn main() {}
