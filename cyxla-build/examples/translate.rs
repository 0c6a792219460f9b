//! Translates an executable that JAX serialized into an image: `translate EXECUTABLE IMAGE`.

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let (Some(executable), Some(image)) = (arguments.next(), arguments.next()) else {
        return Err("two files are needed: an executable to read, an image to write".into());
    };
    let translated = cyxla_build::native::translate(&std::fs::read(executable)?)?;
    std::fs::write(image, translated.to_bytes())?;
    Ok(())
}
