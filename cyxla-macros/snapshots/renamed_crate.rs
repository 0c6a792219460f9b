/// The JAX program `model:f`.
///
/// # Arguments
/// - `in`: `cyxla::F16`, which is `f16[]`; donated
/// - `x`: `f32`, which is `f32[]`
///
/// # Returns
/// - `result`: `cyxla::F16`, which is `f16[]`
///
/// # Errors
/// The program can't be loaded at its first call, or a call fails.
fn r#type(r#in: ::renamed::F16, x: f32) -> renamed::Result<::renamed::F16> {
    const _: () = ::renamed::__private::check_argument::<
        f32,
    >(
        &::renamed::__private::argument::<f32>(),
        "`x` of model:f",
        ::renamed::__private::ArrayType::scalar(::renamed::__private::DType::F32),
    );
    ::renamed::__private::call::<
        renamed::Result<::renamed::F16>,
        ::renamed::F16,
    >(
        r#type::program(),
        &mut [
            ::renamed::__private::argument::<::renamed::F16>().view(&r#in),
            ::renamed::__private::argument::<f32>().view(&x),
        ],
    )
}
/// The program that [`type`](fn@type) calls, and other ways to call it; a type without values.
enum r#type {}
impl r#type {
    /// The program: to load it ahead of the first call, and to ask for its types.
    pub fn program() -> &'static ::renamed::Program {
        static PROGRAM: ::renamed::Program = ::renamed::Program::new(::renamed::__private::ProgramParts {
            name: "type",
            target: "model:f",
            platform: "cpu",
            x64: false,
            inputs: &[
                ::renamed::__private::Parameter {
                    path: "in",
                    array_type: ::renamed::__private::ArrayType::scalar(
                        ::renamed::__private::DType::F16,
                    ),
                    donated: true,
                },
                ::renamed::__private::Parameter {
                    path: "x",
                    array_type: ::renamed::__private::ArrayType::scalar(
                        ::renamed::__private::DType::F32,
                    ),
                    donated: false,
                },
            ],
            outputs: &[
                ::renamed::__private::Parameter {
                    path: "result",
                    array_type: ::renamed::__private::ArrayType::scalar(
                        ::renamed::__private::DType::F16,
                    ),
                    donated: false,
                },
            ],
            custom_calls: &["mine"],
            stablehlo_version: ::renamed::__private::StableHloVersion::new(1, 10, 0),
            calling_convention: 10,
            sha256: *b"z\xDF\"\xFCVq6\xEF\xD7\xB8r\x033N]\x8D1\x92\xDF\xE4\xCE\"A\x0C^},\xAD\xBEZ\xA0C",
            code: ::std::include_bytes!("/out/cyxla/code.mlirbc"),
        });
        &PROGRAM
    }
    /// A call with memory of its own: arguments are written in place, results are read in place.
    /// For loops that call again and again.
    ///
    /// # Inputs
    /// - `in`: `cyxla::F16`, which is `f16[]`; donated
    /// - `x`: `f32`, which is `f32[]`
    ///
    /// # Outputs
    /// - `result`: `cyxla::F16`, which is `f16[]`
    ///
    /// # Errors
    /// The program can't be loaded, or there is no memory for the call.
    pub fn prepare() -> ::renamed::Result<
        ::renamed::Prepared<(::renamed::F16, f32), ::renamed::F16>,
    > {
        ::renamed::__private::prepare(Self::program())
    }
    /// Starts a call and returns while it runs: `wait()` or `.await` gives the results.
    ///
    /// # Arguments
    /// - `in`: `cyxla::F16`, which is `f16[]`; donated
    /// - `x`: `f32`, which is `f32[]`
    ///
    /// # Returns
    /// - `result`: `cyxla::F16`, which is `f16[]`
    ///
    /// # Errors
    /// The program can't be loaded, or the call can't be started; whoever waits is told how it ends.
    pub fn start(
        r#in: ::renamed::F16,
        x: f32,
    ) -> ::renamed::Result<::renamed::Pending<::renamed::F16>> {
        ::renamed::__private::start::<
            ::renamed::F16,
        >(
            Self::program(),
            &mut [
                ::renamed::__private::argument::<::renamed::F16>().view(&r#in),
                ::renamed::__private::argument::<f32>().view(&x),
            ],
        )
    }
}
