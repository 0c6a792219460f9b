struct Plant;

impl Plant {
    #[cyxla::program("model:predict")]
    fn predict(&self, x: f32) -> cyxla::Result<f32>;
}

fn main() {}
