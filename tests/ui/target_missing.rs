#[cyxla::program]
fn predict(x: f32) -> cyxla::Result<f32>;

#[cyxla::program(model)]
fn pair(x: f32) -> cyxla::Result<f32>;

fn main() {}
