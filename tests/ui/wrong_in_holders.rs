use cyxla::{Buffer, Host, Result};

type Row = [f64; 4];

#[cyxla::program("model:predict")]
fn predict(x: &Buffer<[Row; 8]>, scale: Host<i32>) -> Result<cyxla::Buffer<[f64; 8]>>;

#[cyxla::program("model:pair")]
fn pair(x: Buffer<[f32; 4]>) -> Result<(Host<[f32; 2]>, Buffer<cyxla::BF16>)>;

fn main() {}
