#[cyxla::program("model.predict", x64 = "yes", platform = "cpu")]
async fn predict<T>(&self, (a, b): (T, T)) -> f32 {}

fn main() {}
