#[cyxla::program("model:predict", donate = [scala, scale, scale, "x"])]
fn predict(x: [[f32; 4]; 8], scale: f32) -> cyxla::Result<[f32; 8]>;

fn main() {}
