//! From an image to a program that can be called.

use cyxla_ffi::Handler;

use crate::code::CodeMemory;
use crate::cpu;
use crate::error::LoadError;
use crate::image::Image;

/// Who knows the handlers of custom calls, by name.
pub type Handlers<'a> = dyn Fn(&str) -> Option<&'static dyn Handler> + 'a;

/// An image on its way.
pub(crate) struct Loading<'a> {
    pub(crate) image: &'a Image,
    pub(crate) code: &'a CodeMemory,
    pub(crate) handlers: &'a Handlers<'a>,
}

/// Whether this processor runs the image.
///
/// # Errors
/// It is for another one, or contradicts itself.
pub(crate) fn check(image: &Image) -> Result<(), LoadError> {
    image.validate()?;
    let program = || image.name.clone();
    if !cpu::is_this(image.target.architecture) {
        return Err(LoadError::Architecture {
            program: program(),
            architecture: image.target.architecture,
        });
    }
    let missing = cpu::missing(&image.target);
    if !missing.is_empty() {
        return Err(LoadError::Features {
            program: program(),
            missing,
        });
    }
    Ok(())
}
