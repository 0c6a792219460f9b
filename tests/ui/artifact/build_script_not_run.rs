#[cyxla::program("model:predict")]
fn predict(x: &[[f32; 4]; 8], scale: f32) -> cyxla::Result<[f32; 8]>;

fn main() {
    let _ = predict(&[[0.0; 4]; 8], 1.0);
}
