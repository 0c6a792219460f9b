/// The JAX program `model:f`.
///
/// # Arguments
/// - `a`: `[f32; 2]`, which is `f32[2]`
/// - `b`: `[f32; 2]`, which is `f32[2]`
/// - `c`: `[f32; 2]`, which is `f32[2]`; donated
/// - `d`: `[f32; 2]`, which is `f32[2]`
/// - `e`: `[f32; 2]`, which is `f32[2]`
/// - `g`: `[f32; 2]`, which is `f32[2]`; donated
///
/// # Returns
/// - `result[0]`: `[f32; 2]`, which is `f32[2]`
/// - `result[1]`: `[f32; 2]`, which is `f32[2]`
/// - `result[2]`: `[f32; 2]`, which is `f32[2]`
///
/// # Errors
/// The program can't be loaded at its first call, or a call fails.
fn f(
    a: Host<[f32; N]>,
    b: &cyxla::Host<[f32; 2]>,
    c: Buffer<[f32; 2]>,
    d: &cyxla::Buffer<[f32; 2]>,
    e: &Buffer<[f32; 2]>,
    g: [f32; 2],
) -> cyxla::Result<(Host<[f32; 2]>, cyxla::Buffer<[f32; N]>, Buffer<[f32; 2]>)> {
    const _: () = ::cyxla::__private::check_argument::<
        [f32; N],
    >(
        &::cyxla::__private::argument::<[f32; N]>(),
        "`a` of model:f",
        ::cyxla::__private::ArrayType::scalar(::cyxla::__private::DType::F32).in_array(2),
    );
    const _: () = ::cyxla::__private::check_argument::<
        [f32; 2],
    >(
        &::cyxla::__private::argument::<[f32; 2]>(),
        "`b` of model:f",
        ::cyxla::__private::ArrayType::scalar(::cyxla::__private::DType::F32).in_array(2),
    );
    const _: () = ::cyxla::__private::check_argument::<
        [f32; 2],
    >(
        &::cyxla::__private::argument::<[f32; 2]>(),
        "`c` of model:f",
        ::cyxla::__private::ArrayType::scalar(::cyxla::__private::DType::F32).in_array(2),
    );
    const _: () = ::cyxla::__private::check_argument::<
        [f32; 2],
    >(
        &::cyxla::__private::argument::<[f32; 2]>(),
        "`d` of model:f",
        ::cyxla::__private::ArrayType::scalar(::cyxla::__private::DType::F32).in_array(2),
    );
    const _: () = ::cyxla::__private::check_argument::<
        [f32; 2],
    >(
        &::cyxla::__private::argument::<[f32; 2]>(),
        "`g` of model:f",
        ::cyxla::__private::ArrayType::scalar(::cyxla::__private::DType::F32).in_array(2),
    );
    const _: () = ::cyxla::__private::check_result::<
        Host<[f32; 2]>,
    >(
        "`result[0]` of model:f",
        ::cyxla::__private::ArrayType::scalar(::cyxla::__private::DType::F32).in_array(2),
    );
    const _: () = ::cyxla::__private::check_result::<
        cyxla::Buffer<[f32; N]>,
    >(
        "`result[1]` of model:f",
        ::cyxla::__private::ArrayType::scalar(::cyxla::__private::DType::F32).in_array(2),
    );
    const _: () = ::cyxla::__private::check_result::<
        Buffer<[f32; 2]>,
    >(
        "`result[2]` of model:f",
        ::cyxla::__private::ArrayType::scalar(::cyxla::__private::DType::F32).in_array(2),
    );
    ::cyxla::__private::call::<
        cyxla::Result<(Host<[f32; 2]>, cyxla::Buffer<[f32; N]>, Buffer<[f32; 2]>)>,
        (Host<[f32; 2]>, cyxla::Buffer<[f32; N]>, Buffer<[f32; 2]>),
    >(
        f::program(),
        &mut [
            ::cyxla::__private::argument::<[f32; N]>().view(&*{ a }),
            ::cyxla::__private::argument::<[f32; 2]>().view(b),
            ::cyxla::__private::argument::<[f32; 2]>().donated(c),
            ::cyxla::__private::argument::<[f32; 2]>().buffer(d),
            ::cyxla::__private::argument::<[f32; 2]>().buffer(e),
            ::cyxla::__private::argument::<[f32; 2]>().view(&g),
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
            x64: false,
            inputs: &[
                ::cyxla::__private::Parameter {
                    path: "a",
                    array_type: ::cyxla::__private::ArrayType::scalar(
                            ::cyxla::__private::DType::F32,
                        )
                        .in_array(2),
                    donated: false,
                },
                ::cyxla::__private::Parameter {
                    path: "b",
                    array_type: ::cyxla::__private::ArrayType::scalar(
                            ::cyxla::__private::DType::F32,
                        )
                        .in_array(2),
                    donated: false,
                },
                ::cyxla::__private::Parameter {
                    path: "c",
                    array_type: ::cyxla::__private::ArrayType::scalar(
                            ::cyxla::__private::DType::F32,
                        )
                        .in_array(2),
                    donated: true,
                },
                ::cyxla::__private::Parameter {
                    path: "d",
                    array_type: ::cyxla::__private::ArrayType::scalar(
                            ::cyxla::__private::DType::F32,
                        )
                        .in_array(2),
                    donated: false,
                },
                ::cyxla::__private::Parameter {
                    path: "e",
                    array_type: ::cyxla::__private::ArrayType::scalar(
                            ::cyxla::__private::DType::F32,
                        )
                        .in_array(2),
                    donated: false,
                },
                ::cyxla::__private::Parameter {
                    path: "g",
                    array_type: ::cyxla::__private::ArrayType::scalar(
                            ::cyxla::__private::DType::F32,
                        )
                        .in_array(2),
                    donated: true,
                },
            ],
            outputs: &[
                ::cyxla::__private::Parameter {
                    path: "result[0]",
                    array_type: ::cyxla::__private::ArrayType::scalar(
                            ::cyxla::__private::DType::F32,
                        )
                        .in_array(2),
                    donated: false,
                },
                ::cyxla::__private::Parameter {
                    path: "result[1]",
                    array_type: ::cyxla::__private::ArrayType::scalar(
                            ::cyxla::__private::DType::F32,
                        )
                        .in_array(2),
                    donated: false,
                },
                ::cyxla::__private::Parameter {
                    path: "result[2]",
                    array_type: ::cyxla::__private::ArrayType::scalar(
                            ::cyxla::__private::DType::F32,
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
    /// # Inputs
    /// - `a`: `[f32; 2]`, which is `f32[2]`
    /// - `b`: `[f32; 2]`, which is `f32[2]`
    /// - `c`: `[f32; 2]`, which is `f32[2]`; donated
    /// - `d`: `[f32; 2]`, which is `f32[2]`
    /// - `e`: `[f32; 2]`, which is `f32[2]`
    /// - `g`: `[f32; 2]`, which is `f32[2]`; donated
    ///
    /// # Outputs
    /// - `result[0]`: `[f32; 2]`, which is `f32[2]`
    /// - `result[1]`: `[f32; 2]`, which is `f32[2]`
    /// - `result[2]`: `[f32; 2]`, which is `f32[2]`
    ///
    /// # Errors
    /// The program can't be loaded, or there is no memory for the call.
    pub fn prepare() -> ::cyxla::Result<
        ::cyxla::Prepared<
            ([f32; N], [f32; 2], [f32; 2], [f32; 2], [f32; 2], [f32; 2]),
            ([f32; 2], [f32; N], [f32; 2]),
        >,
    > {
        ::cyxla::__private::prepare(Self::program())
    }
    /// Starts a call and returns while it runs: `wait()` or `.await` gives the results.
    ///
    /// # Arguments
    /// - `a`: `[f32; 2]`, which is `f32[2]`
    /// - `b`: `[f32; 2]`, which is `f32[2]`
    /// - `c`: `[f32; 2]`, which is `f32[2]`; donated
    /// - `d`: `[f32; 2]`, which is `f32[2]`
    /// - `e`: `[f32; 2]`, which is `f32[2]`
    /// - `g`: `[f32; 2]`, which is `f32[2]`; donated
    ///
    /// # Returns
    /// - `result[0]`: `[f32; 2]`, which is `f32[2]`
    /// - `result[1]`: `[f32; 2]`, which is `f32[2]`
    /// - `result[2]`: `[f32; 2]`, which is `f32[2]`
    ///
    /// # Errors
    /// The program can't be loaded, or the call can't be started; whoever waits is told how it ends.
    pub fn start(
        a: Host<[f32; N]>,
        b: &cyxla::Host<[f32; 2]>,
        c: Buffer<[f32; 2]>,
        d: &cyxla::Buffer<[f32; 2]>,
        e: &Buffer<[f32; 2]>,
        g: [f32; 2],
    ) -> ::cyxla::Result<
        ::cyxla::Pending<(Host<[f32; 2]>, cyxla::Buffer<[f32; N]>, Buffer<[f32; 2]>)>,
    > {
        ::cyxla::__private::start::<
            (Host<[f32; 2]>, cyxla::Buffer<[f32; N]>, Buffer<[f32; 2]>),
        >(
            Self::program(),
            &mut [
                ::cyxla::__private::argument::<[f32; N]>().view(&*{ a }),
                ::cyxla::__private::argument::<[f32; 2]>().view(b),
                ::cyxla::__private::argument::<[f32; 2]>().donated(c),
                ::cyxla::__private::argument::<[f32; 2]>().buffer(d),
                ::cyxla::__private::argument::<[f32; 2]>().buffer(e),
                ::cyxla::__private::argument::<[f32; 2]>().view(&g),
            ],
        )
    }
}
