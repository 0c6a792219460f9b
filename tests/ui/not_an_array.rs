struct State;

#[cyxla::program("model:predict")]
fn predict(x: &[State; 8], scale: char) -> cyxla::Result<[f32; 8]>;

fn main() {}
