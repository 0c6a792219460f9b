use std::fmt::Write as _;

use cyxla::Buffer;

#[cyxla::program("model:predict")]
fn predict(x: &[f32; 2]) -> cyxla::Result<[f32; 2]>;

#[cyxla::program("model:error")]
fn error(x: &[f32; 2], target: &[f32; 2]) -> cyxla::Result<(f32, [f32; 2])>;

#[cyxla::program("model:swing")]
fn swing(angle: f64, seconds: f64) -> cyxla::Result<[[f64; 2]; 8]>;

#[cyxla::program("model:product")]
fn product(a: &Matrix, b: &Matrix) -> cyxla::Result<Box<Matrix>>;

#[cyxla::program("model:solve")]
fn solve(seed: i32) -> cyxla::Result<([f32; 16], [f32; 16])>;

#[cyxla::program("model:diffuse")]
fn diffuse(heat: Buffer<Heat>) -> cyxla::Result<Buffer<Heat>>;

type Matrix = [[f32; 64]; 64];
type Heat = [[f32; 64]; 64];

/// What each program gives.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Results(pub(crate) Vec<Values>);

/// The numbers of one program.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Values {
    /// What was computed.
    pub(crate) name: String,
    /// How far a number may be from another computation of it, in parts of the largest number.
    pub(crate) tolerance: f64,
    /// All numbers of the result.
    pub(crate) numbers: Vec<f64>,
}

impl Results {
    /// One line for each program.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        for values in &self.0 {
            // A `String` takes any text.
            let _ = write!(text, "{} {:e}", values.name, values.tolerance);
            for number in &values.numbers {
                let _ = write!(text, " {number:e}");
            }
            text.push('\n');
        }
        text
    }

    /// Reads what [`text`](Self::text) writes; none if it is something else.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let line = |line: &str| {
            let mut words = line.split(' ');
            Some(Values {
                name: words.next()?.to_owned(),
                tolerance: words.next()?.parse().ok()?,
                numbers: words.map(|word| word.parse().ok()).collect::<Option<_>>()?,
            })
        };
        text.lines().map(line).collect::<Option<_>>().map(Self)
    }
}

const SINGLE: f64 = 1e-5;
const DOUBLE: f64 = 1e-12;

/// Runs every program on the default plugin.
pub(crate) fn results() -> cyxla::Result<Results> {
    let mut all = Vec::new();
    let mut add = |name: &str, tolerance, numbers: Vec<f64>| {
        let name = name.to_owned();
        all.push(Values {
            name,
            tolerance,
            numbers,
        });
    };
    let single = |numbers: &[f32]| numbers.iter().map(|&number| number.into()).collect();

    add("predict", SINGLE, single(&predict(&[0.5, -1.0])?));
    let (distance, gradient) = error(&[0.5, -1.0], &[1.0, -0.5])?;
    add(
        "error",
        SINGLE,
        single(&[distance, gradient[0], gradient[1]]),
    );
    add("swing", DOUBLE, swing(0.5, 2.0)?.as_flattened().to_vec());

    let (a, b) = (matrix(7), matrix(11));
    add("product", SINGLE, single(product(&a, &b)?.as_flattened()));
    let (x, eigenvalues) = solve(42)?;
    // A's condition is about 5, and rounding is multiplied by it.
    add("solve", 10.0 * SINGLE, single(&x));
    add("eigenvalues", 10.0 * SINGLE, single(&eigenvalues));

    let mut start: Heat = [[0.0; 64]; 64];
    start[3][5] = 1000.0;
    let mut heat = Buffer::from(&start)?;
    for _ in 0..100 {
        heat = diffuse(heat)?;
    }
    add("diffuse", SINGLE, single(heat.to_host()?.as_flattened()));
    Ok(Results(all))
}

/// A matrix of numbers between -1 and 1 without a pattern that a wrong layout would keep.
fn matrix(factor: usize) -> Box<Matrix> {
    let mut matrix = Box::new([[0.0; 64]; 64]);
    for (i, row) in matrix.iter_mut().enumerate() {
        for (j, number) in row.iter_mut().enumerate() {
            // Less than 2001, which f32 holds exactly.
            let whole = u16::try_from((i * i * factor + j * 31 + i * j) % 2001).unwrap_or_default();
            *number = f32::from(whole) / 1000.0 - 1.0;
        }
    }
    matrix
}
