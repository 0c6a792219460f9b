//! Arrays on the heap and on the device, and calls that are prepared or started.

use cyxla::{Buffer, Host, Pending, Prepared, Result};

#[cyxla::program("model:predict")]
fn predict(x: &Host<[[f32; 4]; 8]>, scale: Host<f32>) -> Result<Host<[f32; 8]>>;

#[cyxla::program("model:update")]
fn update(state: Buffer<[f32; 4]>, step: f32) -> Result<Buffer<[f32; 4]>>;

#[cyxla::program("model:nothing")]
fn nothing() -> Result<_>;

mod by_value {
    #[cyxla::program("model:update")]
    pub fn update(state: [f32; 4], step: f32) -> cyxla::Result<cyxla::Host<_>>;
}

mod from_python {
    #[cyxla::program("model:affine", args = "model:affine_args")]
    pub(crate) fn affine(w: &cyxla::Buffer<_>, b: _) -> cyxla::Result<(cyxla::Buffer<_>, Box<_>)>;
}

// The function and the type of its name come together, and each name stands for its own program.
mod elsewhere {
    use super::from_python::affine;
    use super::by_value::update as updated;

    pub fn calls() -> cyxla::Result<()> {
        assert_eq!(affine::program().target(), "model:affine");
        assert_eq!(updated::program().target(), "model:update");
        updated([0.0; 4], 1.0)?;
        Ok(())
    }
}

type Affine = (Buffer<[cyxla::BF16; 2]>, Box<[f64; 8193]>);

fn main() {
    let _: fn(&Host<[[f32; 4]; 8]>, Host<f32>) -> Result<Host<[f32; 8]>> = predict;
    let _: fn(&Host<[[f32; 4]; 8]>, Host<f32>) -> Result<Pending<Host<[f32; 8]>>> = predict::start;
    let _: fn() -> Result<Prepared<([[f32; 4]; 8], f32), [f32; 8]>> = predict::prepare;

    let _: fn(Buffer<[f32; 4]>, f32) -> Result<Pending<Buffer<[f32; 4]>>> = update::start;
    let _: fn([f32; 4], f32) -> Result<Host<[f32; 4]>> = by_value::update;

    let _: fn() -> Result<Pending<()>> = nothing::start;
    let _: fn() -> Result<Prepared<(), ()>> = nothing::prepare;

    let _: fn(&Buffer<[[cyxla::BF16; 3]; 2]>, cyxla::Complex<f32>) -> Result<Affine> = from_python::affine;
    let _: fn() -> Result<()> = elsewhere::calls;
}
