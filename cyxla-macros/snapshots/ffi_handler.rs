#[allow(elided_lifetimes_in_paths)]
/// Documented by the user.
#[cfg(unix)]
pub fn my_norm(
    x: ffi::Array<f32, 2>,
    r#type: &str,
    mut out: ffi::ArrayMut<f32, 1>,
) -> Result<(), ffi::Error> {
    out.fill(0.0);
    Ok(())
}
/// The handler of the custom call `norm.of.rows`, which calls [`my_norm`](fn@my_norm).
#[cfg(unix)]
#[allow(non_camel_case_types)]
#[derive(::core::clone::Clone, ::core::marker::Copy, ::core::fmt::Debug)]
pub struct my_norm {}
#[cfg(unix)]
#[allow(dead_code)]
impl my_norm {
    /// The target of the custom call.
    pub const TARGET: &'static str = "norm.of.rows";
    /// Registers the handler, once per process: see `cyxla::register_ffi_target`.
    ///
    /// # Errors
    /// The target has a handler already; a plugin that is loaded does not take it.
    pub fn register() -> ::renamed::Result<()> {
        ::renamed::register_ffi_target(Self::TARGET, Self {})
    }
}
#[cfg(unix)]
impl ::renamed::ffi::Handler for my_norm {
    fn call(
        &self,
        frame: &mut ::renamed::ffi::CallFrame<'_>,
    ) -> ::core::result::Result<(), ::renamed::ffi::Error> {
        let mut parameters = ::renamed::ffi::Parameters::new(frame)?;
        let parameter_0 = ::renamed::ffi::Parameter::take(&mut parameters, "x")?;
        let parameter_1 = ::renamed::ffi::Parameter::take(&mut parameters, "type")?;
        let parameter_2 = ::renamed::ffi::Parameter::take(&mut parameters, "out")?;
        parameters.finish()?;
        ::renamed::ffi::Returned::into_result(
            my_norm(parameter_0, parameter_1, parameter_2),
        )
    }
}
