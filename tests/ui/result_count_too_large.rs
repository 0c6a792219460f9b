#[cyxla::program("model:many")]
fn many() -> cyxla::Result<_>;

fn main() {}
