#[cyxla::program("model:pair")]
fn pair(x: &[f32; 3]) -> cyxla::Result<(Box<[f32; 4]>, f64)>;

fn main() {}
