/// The JAX program `model:f`.
///
/// # Returns
/// - `result[0]`: `f32`, which is `f32[]`
///
/// # Errors
/// The program can't be loaded at its first call, or a call fails.
fn f() -> cyxla::Result<(f32,)> {
    ::cyxla::__private::call::<cyxla::Result<(f32,)>, (f32,)>(f::program(), &mut [])
}
/// The program that [`f`](fn@f) calls, and other ways to call it; a type without values.
enum f {}
impl f {
    /// The program: to load it ahead of the first call, and to ask for its types.
    pub fn program() -> &'static ::cyxla::Program {
        static PROGRAM: ::cyxla::Program = ::cyxla::Program::new(::cyxla::__private::ProgramParts {
            name: "f",
            target: "model:f",
            platform: "cpu",
            x64: false,
            inputs: &[],
            outputs: &[
                ::cyxla::__private::Parameter {
                    path: "result[0]",
                    array_type: ::cyxla::__private::ArrayType::scalar(
                        ::cyxla::__private::DType::F32,
                    ),
                    donated: false,
                },
            ],
            custom_calls: &[],
            stablehlo_version: ::cyxla::__private::StableHloVersion::new(1, 10, 0),
            calling_convention: 10,
            sha256: *b"z\xDF\"\xFCVq6\xEF\xD7\xB8r\x033N]\x8D1\x92\xDF\xE4\xCE\"A\x0C^},\xAD\xBEZ\xA0C",
            code: ::std::include_bytes!("/out/cyxla/code.mlirbc"),
        });
        &PROGRAM
    }
    /// A call with memory of its own: arguments are written in place, results are read in place.
    /// For loops that call again and again.
    ///
    /// # Outputs
    /// - `result[0]`: `f32`, which is `f32[]`
    ///
    /// # Errors
    /// The program can't be loaded, or there is no memory for the call.
    pub fn prepare() -> ::cyxla::Result<::cyxla::Prepared<(), f32>> {
        ::cyxla::__private::prepare(Self::program())
    }
    /// Starts a call and returns while it runs: `wait()` or `.await` gives the results.
    ///
    /// # Returns
    /// - `result[0]`: `f32`, which is `f32[]`
    ///
    /// # Errors
    /// The program can't be loaded, or the call can't be started; whoever waits is told how it ends.
    pub fn start() -> ::cyxla::Result<::cyxla::Pending<(f32,)>> {
        ::cyxla::__private::start::<(f32,)>(Self::program(), &mut [])
    }
}
