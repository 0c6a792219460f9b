#[cyxla::program("model:update")]
fn update(state: cyxla::Buffer<[f32; 4]>, step: f32) -> cyxla::Result<cyxla::Buffer<[f32; 4]>>;

fn main() -> cyxla::Result<()> {
    let state = cyxla::Buffer::from(&[0.0; 4])?;
    let next = update(state, 0.5)?;
    println!("{:?} {:?}", state.view()?, next.view()?);
    let pending = update::start(next, 0.5)?;
    println!("{:?} {:?}", next.view()?, pending.wait()?.view()?);
    Ok(())
}
