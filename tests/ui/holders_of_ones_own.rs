//! Names that mean something else than cyxla's are no way around the comparison of types.

trait Other {
    type Array;
}

impl Other for [f32; 8] {
    type Array = [bool; 32];
}

type Host<T> = <T as Other>::Array;

type Result<T> = cyxla::Result<<T as Other>::Array>;

#[cyxla::program("model:predict")]
fn predict(x: &[[f32; 4]; 8], scale: f32) -> cyxla::Result<Host<[f32; 8]>>;

mod result {
    use super::Result;

    #[cyxla::program("model:predict")]
    fn predict(x: &[[f32; 4]; 8], scale: f32) -> Result<[f32; 8]>;
}

fn main() {}
