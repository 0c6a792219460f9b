use cyxla::Buffer;

#[cyxla::program("model:predict")]
fn predict(x: &mut Buffer<[[f32; 4]; 8]>, scale: Box<f32>) -> cyxla::Result<&Buffer<[f32; 8]>>;

#[cyxla::program("model:pair")]
fn pair(x: Buffer<Host<[f32; 3]>>) -> cyxla::Result<(Box<Buffer<[f32; 3]>>, [Host<f32>; 2])>;

fn main() {
    let _: Option<Buffer<f32>> = None;
}
