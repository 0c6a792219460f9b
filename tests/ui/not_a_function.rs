#[cyxla::program("model:predict")]
struct Predict;

fn main() {}
