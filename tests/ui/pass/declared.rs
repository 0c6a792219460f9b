//! Types that say what the program says.

const ROWS: usize = 8;
type Row = [f32; 4];

#[cyxla::program("model:predict")]
fn predict(x: &[[f32; 4]; 8], scale: f32) -> cyxla::Result<[f32; 8]>;

mod named {
    use super::{ROWS, Row};

    // Another signature of the same program: constants, an alias, a box.
    #[cyxla::program("model:predict")]
    pub fn predict(x: &[Row; ROWS], scale: f32) -> cyxla::Result<Box<[f32; ROWS]>>;
}

mod imported {
    use cyxla::{Result, program};

    #[program("model:pair")]
    pub fn pair(x: &[f32; 3]) -> Result<([f32; 3], f32)>;
}

fn main() {
    let _: fn(&[[f32; 4]; 8], f32) -> cyxla::Result<[f32; 8]> = predict;
    let _: fn(&[[f32; 4]; 8], f32) -> cyxla::Result<Box<[f32; 8]>> = named::predict;
    let _: fn(&[f32; 3]) -> cyxla::Result<([f32; 3], f32)> = imported::pair;
    assert_eq!(predict::program().target(), "model:predict");
    assert_eq!(predict::program().inputs()[0].path, "x");
    assert_eq!(imported::pair::program().outputs()[1].array_type.to_string(), "f32[]");
}
