//! JAX programs that call Rust: row norms with a gradient, both computed by the functions below.

use cyxla::ffi;

#[cfg(test)]
mod tests;

/// √(Σ x² + ε) of each row.
#[cyxla::ffi_handler("my_norm")]
fn my_norm(
    x: ffi::Array<f32, 2>,
    eps: f32,
    mut out: ffi::ArrayMut<f32, 1>,
) -> Result<(), ffi::Error> {
    if eps < 0.0 {
        let message = format!("eps is {eps}, but roots of negative numbers are not real");
        return Err(ffi::Error::invalid_argument(message));
    }
    for (out, row) in out.iter_mut().zip(x.rows()) {
        *out = (row.iter().map(|x| x * x).sum::<f32>() + eps).sqrt();
    }
    Ok(())
}

/// What a change of the norms of `x` by `by_norms` is as a change of `x`: each row, divided by its norm.
#[cyxla::ffi_handler("my_norm_gradient")]
fn my_norm_gradient(
    x: ffi::Array<f32, 2>,
    norms: ffi::Array<f32, 1>,
    by_norms: ffi::Array<f32, 1>,
    mut by_x: ffi::ArrayMut<f32, 2>,
) {
    let factors = by_norms
        .iter()
        .zip(norms.iter())
        .map(|(by, norm)| by / norm);
    for ((by_x, x), factor) in by_x.rows_mut().zip(x.rows()).zip(factors) {
        for (by_x, x) in by_x.iter_mut().zip(x) {
            *by_x = factor * x;
        }
    }
}

/// The length of each row.
#[cyxla::program("model:lengths", custom_calls = ["my_norm"])]
fn lengths(x: &[[f32; 3]; 4]) -> cyxla::Result<[f32; 4]>;

/// The energy of springs with the lengths `rest` at rest, and the force on their ends: JAX's gradient, through Rust.
#[cyxla::program("model:springs", custom_calls = ["my_norm", "my_norm_gradient"])]
fn springs(x: &[[f32; 3]; 4], rest: &[f32; 4]) -> cyxla::Result<(f32, [[f32; 3]; 4])>;

/// Fails: the handler refuses what it is asked for.
#[cyxla::program("model:imaginary", custom_calls = ["my_norm"])]
fn imaginary(x: &[[f32; 3]; 4]) -> cyxla::Result<[f32; 4]>;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    my_norm::register()?;
    my_norm_gradient::register()?;

    let mut x = [
        [3.0, 4.0, 0.0],
        [1.0, -2.0, 2.0],
        [0.0, 0.5, 0.0],
        [-1.0, -1.0, 1.0],
    ];
    println!("The lengths of the springs are {:.4?}", lengths(&x)?);

    println!("\nThey relax to the length 1");
    for step in 0..=40 {
        let (energy, force) = springs(&x, &[1.0; 4])?;
        if step % 10 == 0 {
            println!(
                "  step {step:2}: energy {energy:.6}, lengths {:.4?}",
                lengths(&x)?
            );
        }
        for (x, force) in x.as_flattened_mut().iter_mut().zip(force.as_flattened()) {
            *x += 0.2 * force;
        }
    }

    if let Err(error) = imaginary(&x) {
        println!("\nAn error of a handler is an error of its program:\n{error}");
    }
    Ok(())
}
