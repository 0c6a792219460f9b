/// The JAX program `model:f`.
///
/// # Errors
/// The program can't be loaded at its first call, or a call fails.
fn f() -> std::result::Result<(), cyxla::Error> {
    ::cyxla::__private::call::<std::result::Result<(), cyxla::Error>>(f::program(), &[])
}
/// The program that [`f`](fn@f) calls.
mod f {
    /// The program: to load it ahead of the first call, and to ask for its types.
    pub fn program() -> &'static ::cyxla::Program {
        static PROGRAM: ::cyxla::Program = ::cyxla::Program::new(::cyxla::__private::ProgramParts {
            name: "f",
            target: "model:f",
            platform: "cpu",
            x64: false,
            inputs: &[],
            outputs: &[],
            custom_calls: &[],
            stablehlo_version: ::cyxla::__private::StableHloVersion::new(1, 10, 0),
            calling_convention: 10,
            sha256: *b"z\xDF\"\xFCVq6\xEF\xD7\xB8r\x033N]\x8D1\x92\xDF\xE4\xCE\"A\x0C^},\xAD\xBEZ\xA0C",
            code: ::std::include_bytes!("/out/cyxla/code.mlirbc"),
        });
        &PROGRAM
    }
}
