#[cyxla::program("model:predict", args = example_args, x64 = 1, deps = "weights", stablehlo_version = "1.10")]
fn predict(x: f32) -> cyxla::Result<f32>;

fn main() {}
