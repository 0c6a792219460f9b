//! Declarations inside of functions, beside others of the same name.

#[cyxla::program("model:scale")]
fn scale(x: f32) -> cyxla::Result<f32>;

fn inner() -> fn(f64) -> cyxla::Result<f64> {
    #[cyxla::program("model:scale")]
    fn scale(x: f64) -> cyxla::Result<f64>;

    assert_eq!(scale::program().inputs()[0].array_type.to_string(), "f64[]");
    scale
}

fn main() {
    let _: fn(f32) -> cyxla::Result<f32> = scale;
    assert_eq!(scale::program().inputs()[0].array_type.to_string(), "f32[]");
    inner();
}
