#[cyxla::program("model:pair")]
fn pair(x: &[f32; 3]) -> cyxla::Result<([f32; 3], char)>;

fn main() {}
