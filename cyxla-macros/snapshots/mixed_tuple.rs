/// The JAX program `model:f`.
///
/// # Returns
/// - `result['a']`: `[f32; 2]`, which is `f32[2]`
/// - `result['b']`: `f64`, which is `f64[]`
/// - `result['c']`: `[u8; 1]`, which is `u8[1]`
/// - `result['d']`: `[u8; 2]`, which is `u8[2]`
///
/// # Errors
/// The program can't be loaded at its first call, or a call fails.
fn f() -> cyxla::Result<([f32; N], Box<f64>, [u8; 1], Box<[u8; 2]>)> {
    const _: () = ::cyxla::__private::check_result::<
        [f32; N],
    >(
        "`result['a']` of model:f",
        ::cyxla::__private::ArrayType::scalar(::cyxla::__private::DType::F32).in_array(2),
    );
    const _: () = ::cyxla::__private::check_result::<
        Box<f64>,
    >(
        "`result['b']` of model:f",
        ::cyxla::__private::ArrayType::scalar(::cyxla::__private::DType::F64),
    );
    const _: () = ::cyxla::__private::check_result::<
        Box<[u8; 2]>,
    >(
        "`result['d']` of model:f",
        ::cyxla::__private::ArrayType::scalar(::cyxla::__private::DType::U8).in_array(2),
    );
    ::cyxla::__private::call::<
        cyxla::Result<([f32; N], Box<f64>, [u8; 1], Box<[u8; 2]>)>,
        ([f32; N], Box<f64>, [u8; 1], Box<[u8; 2]>),
    >(f::program(), &mut [])
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
                    path: "result['a']",
                    array_type: ::cyxla::__private::ArrayType::scalar(
                            ::cyxla::__private::DType::F32,
                        )
                        .in_array(2),
                    donated: false,
                },
                ::cyxla::__private::Parameter {
                    path: "result['b']",
                    array_type: ::cyxla::__private::ArrayType::scalar(
                        ::cyxla::__private::DType::F64,
                    ),
                    donated: false,
                },
                ::cyxla::__private::Parameter {
                    path: "result['c']",
                    array_type: ::cyxla::__private::ArrayType::scalar(
                            ::cyxla::__private::DType::U8,
                        )
                        .in_array(1),
                    donated: false,
                },
                ::cyxla::__private::Parameter {
                    path: "result['d']",
                    array_type: ::cyxla::__private::ArrayType::scalar(
                            ::cyxla::__private::DType::U8,
                        )
                        .in_array(2),
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
    /// - `result['a']`: `[f32; 2]`, which is `f32[2]`
    /// - `result['b']`: `f64`, which is `f64[]`
    /// - `result['c']`: `[u8; 1]`, which is `u8[1]`
    /// - `result['d']`: `[u8; 2]`, which is `u8[2]`
    ///
    /// # Errors
    /// The program can't be loaded, or there is no memory for the call.
    pub fn prepare() -> ::cyxla::Result<
        ::cyxla::Prepared<(), ([f32; N], f64, [u8; 1], [u8; 2])>,
    > {
        ::cyxla::__private::prepare(Self::program())
    }
    /// Starts a call and returns while it runs: `wait()` or `.await` gives the results.
    ///
    /// # Returns
    /// - `result['a']`: `[f32; 2]`, which is `f32[2]`
    /// - `result['b']`: `f64`, which is `f64[]`
    /// - `result['c']`: `[u8; 1]`, which is `u8[1]`
    /// - `result['d']`: `[u8; 2]`, which is `u8[2]`
    ///
    /// # Errors
    /// The program can't be loaded, or the call can't be started; whoever waits is told how it ends.
    pub fn start() -> ::cyxla::Result<
        ::cyxla::Pending<([f32; N], Box<f64>, [u8; 1], Box<[u8; 2]>)>,
    > {
        ::cyxla::__private::start::<
            ([f32; N], Box<f64>, [u8; 1], Box<[u8; 2]>),
        >(Self::program(), &mut [])
    }
}
