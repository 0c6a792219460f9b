/// The JAX program `model:double`.
///
/// # Arguments
/// - `x`: `f32`, which is `f32[]`
///
/// # Returns
/// - `result`: `f32`, which is `f32[]`
///
/// # Errors
/// The program can't be loaded at its first call, or a call fails.
fn double(x: f32) -> cyxla::Result<f32> {
    const _: () = ::cyxla::__private::check_argument::<
        f32,
    >(
        &::cyxla::__private::argument::<f32>(),
        "`x` of model:double",
        ::cyxla::__private::ArrayType::scalar(::cyxla::__private::DType::F32),
    );
    const _: () = ::cyxla::__private::check_result::<
        f32,
    >(
        "`result` of model:double",
        ::cyxla::__private::ArrayType::scalar(::cyxla::__private::DType::F32),
    );
    if let Some(code) = ::cyxla::__private::machine_code(double::program()) {
        return code
            .call::<
                cyxla::Result<f32>,
                f32,
            >(&[::cyxla::__private::argument::<f32>().bytes(&x)]);
    }
    ::cyxla::__private::call::<
        cyxla::Result<f32>,
        f32,
    >(double::program(), &mut [::cyxla::__private::argument::<f32>().view(&x)])
}
/// The program that [`double`](fn@double) calls, and other ways to call it; a type without values.
enum double {}
impl double {
    /// The program: to load it ahead of the first call, and to ask for its types.
    pub fn program() -> &'static ::cyxla::Program {
        static PROGRAM: ::cyxla::Program = ::cyxla::Program::new(::cyxla::__private::ProgramParts {
                name: "double",
                target: "model:double",
                platform: "cpu",
                x64: false,
                inputs: &[
                    ::cyxla::__private::Parameter {
                        path: "x",
                        array_type: ::cyxla::__private::ArrayType::scalar(
                            ::cyxla::__private::DType::F32,
                        ),
                        donated: false,
                    },
                ],
                outputs: &[
                    ::cyxla::__private::Parameter {
                        path: "result",
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
            })
            .with_native(::cyxla::__private::NativeParts {
                engine: ::cyxla::__private::Engine::Auto,
                images: &[
                    ::std::include_bytes!("/out/cyxla/double-x86-64-v3.image"),
                    ::std::include_bytes!("/out/cyxla/double-x86-64-v2.image"),
                ],
                reason: ::core::option::Option::None,
            });
        &PROGRAM
    }
    /// A call with memory of its own: arguments are written in place, results are read in place.
    /// For loops that call again and again.
    ///
    /// # Inputs
    /// - `x`: `f32`, which is `f32[]`
    ///
    /// # Outputs
    /// - `result`: `f32`, which is `f32[]`
    ///
    /// # Errors
    /// The program can't be loaded, or there is no memory for the call.
    pub fn prepare() -> ::cyxla::Result<::cyxla::Prepared<f32, f32>> {
        ::cyxla::__private::prepare(Self::program())
    }
    /// Starts a call and returns while it runs: `wait()` or `.await` gives the results.
    ///
    /// # Arguments
    /// - `x`: `f32`, which is `f32[]`
    ///
    /// # Returns
    /// - `result`: `f32`, which is `f32[]`
    ///
    /// # Errors
    /// The program can't be loaded, or the call can't be started; whoever waits is told how it ends.
    pub fn start(x: f32) -> ::cyxla::Result<::cyxla::Pending<f32>> {
        ::cyxla::__private::start::<
            f32,
        >(Self::program(), &mut [::cyxla::__private::argument::<f32>().view(&x)])
    }
}
