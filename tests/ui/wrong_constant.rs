const ROWS: usize = 9;
type Row = [f32; 4];

#[cyxla::program("model:predict")]
fn predict(x: &[Row; ROWS], scale: f32) -> cyxla::Result<[f32; 8]>;

fn main() {}
