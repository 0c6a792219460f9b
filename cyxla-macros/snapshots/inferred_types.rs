/// The JAX program `model:f`, defined in python/model.py:7.
///
/// # Arguments
/// - `params['w']`: `[[cyxla::BF16; 3]; 2]`, which is `bf16[2,3]`
/// - `params['b']`: `cyxla::Complex<f64>`, which is `c128[]`
///
/// # Returns
/// - `result`: `[cyxla::I4; 5]`, which is `i4[5]`
///
/// # Errors
/// The program can't be loaded at its first call, or a call fails.
fn f(
    x: &[[::cyxla::BF16; 3]; 2],
    y: ::cyxla::Complex<f64>,
) -> cyxla::Result<[::cyxla::I4; 5]> {
    ::cyxla::__private::call::<
        cyxla::Result<[::cyxla::I4; 5]>,
        [::cyxla::I4; 5],
    >(
        f::program(),
        &mut [
            ::cyxla::__private::argument::<[[::cyxla::BF16; 3]; 2]>().view(x),
            ::cyxla::__private::argument::<::cyxla::Complex<f64>>().view(&y),
        ],
    )
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
            x64: true,
            inputs: &[
                ::cyxla::__private::Parameter {
                    path: "params['w']",
                    array_type: ::cyxla::__private::ArrayType::scalar(
                            ::cyxla::__private::DType::BF16,
                        )
                        .in_array(3)
                        .in_array(2),
                    donated: false,
                },
                ::cyxla::__private::Parameter {
                    path: "params['b']",
                    array_type: ::cyxla::__private::ArrayType::scalar(
                        ::cyxla::__private::DType::C128,
                    ),
                    donated: false,
                },
            ],
            outputs: &[
                ::cyxla::__private::Parameter {
                    path: "result",
                    array_type: ::cyxla::__private::ArrayType::scalar(
                            ::cyxla::__private::DType::I4,
                        )
                        .in_array(5),
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
    /// # Inputs
    /// - `params['w']`: `[[cyxla::BF16; 3]; 2]`, which is `bf16[2,3]`
    /// - `params['b']`: `cyxla::Complex<f64>`, which is `c128[]`
    ///
    /// # Outputs
    /// - `result`: `[cyxla::I4; 5]`, which is `i4[5]`
    ///
    /// # Errors
    /// The program can't be loaded, or there is no memory for the call.
    pub fn prepare() -> ::cyxla::Result<
        ::cyxla::Prepared<
            ([[::cyxla::BF16; 3]; 2], ::cyxla::Complex<f64>),
            [::cyxla::I4; 5],
        >,
    > {
        ::cyxla::__private::prepare(Self::program())
    }
    /// Starts a call and returns while it runs: `wait()` or `.await` gives the results.
    ///
    /// # Arguments
    /// - `params['w']`: `[[cyxla::BF16; 3]; 2]`, which is `bf16[2,3]`
    /// - `params['b']`: `cyxla::Complex<f64>`, which is `c128[]`
    ///
    /// # Returns
    /// - `result`: `[cyxla::I4; 5]`, which is `i4[5]`
    ///
    /// # Errors
    /// The program can't be loaded, or the call can't be started; whoever waits is told how it ends.
    pub fn start(
        x: &[[::cyxla::BF16; 3]; 2],
        y: ::cyxla::Complex<f64>,
    ) -> ::cyxla::Result<::cyxla::Pending<[::cyxla::I4; 5]>> {
        ::cyxla::__private::start::<
            [::cyxla::I4; 5],
        >(
            Self::program(),
            &mut [
                ::cyxla::__private::argument::<[[::cyxla::BF16; 3]; 2]>().view(x),
                ::cyxla::__private::argument::<::cyxla::Complex<f64>>().view(&y),
            ],
        )
    }
}
