/// Documented by the user.
#[must_use]
#[cfg(unix)]
#[doc(hidden)]
pub(crate) fn predict(
    x: &[[f32; 4]; ROWS],
    scale: Scalar,
) -> cyxla::Result<Box<[f32; 8]>> {
    const _: () = ::cyxla::__private::check_argument::<
        [[f32; 4]; ROWS],
    >(
        &::cyxla::__private::argument::<[[f32; 4]; ROWS]>(),
        "`x` of model:predict",
        ::cyxla::__private::ArrayType::scalar(::cyxla::__private::DType::F32)
            .in_array(4)
            .in_array(8),
    );
    const _: () = ::cyxla::__private::check_argument::<
        Scalar,
    >(
        &::cyxla::__private::argument::<Scalar>(),
        "`scale` of model:predict",
        ::cyxla::__private::ArrayType::scalar(::cyxla::__private::DType::F32),
    );
    const _: () = ::cyxla::__private::check_result::<
        Box<[f32; 8]>,
    >(
        "`result` of model:predict",
        ::cyxla::__private::ArrayType::scalar(::cyxla::__private::DType::F32).in_array(8),
    );
    ::cyxla::__private::call::<
        cyxla::Result<Box<[f32; 8]>>,
        Box<[f32; 8]>,
    >(
        predict::program(),
        &mut [
            ::cyxla::__private::argument::<[[f32; 4]; ROWS]>().view(x),
            ::cyxla::__private::argument::<Scalar>().view(&scale),
        ],
    )
}
/// The program that [`predict`](fn@predict) calls, and other ways to call it; a type without values.
#[cfg(unix)]
#[doc(hidden)]
pub(crate) enum predict {}
#[cfg(unix)]
impl predict {
    /// The program: to load it ahead of the first call, and to ask for its types.
    pub fn program() -> &'static ::cyxla::Program {
        static PROGRAM: ::cyxla::Program = ::cyxla::Program::new(::cyxla::__private::ProgramParts {
            name: "predict",
            target: "model:predict",
            platform: "cpu",
            x64: false,
            inputs: &[
                ::cyxla::__private::Parameter {
                    path: "x",
                    array_type: ::cyxla::__private::ArrayType::scalar(
                            ::cyxla::__private::DType::F32,
                        )
                        .in_array(4)
                        .in_array(8),
                    donated: false,
                },
                ::cyxla::__private::Parameter {
                    path: "scale",
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
                        )
                        .in_array(8),
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
    /// - `x`: `[[f32; 4]; 8]`, which is `f32[8,4]`
    /// - `scale`: `f32`, which is `f32[]`
    ///
    /// # Outputs
    /// - `result`: `[f32; 8]`, which is `f32[8]`
    ///
    /// # Errors
    /// The program can't be loaded, or there is no memory for the call.
    pub fn prepare() -> ::cyxla::Result<
        ::cyxla::Prepared<([[f32; 4]; ROWS], Scalar), [f32; 8]>,
    > {
        ::cyxla::__private::prepare(Self::program())
    }
    /// Starts a call and returns while it runs: `wait()` or `.await` gives the results.
    ///
    /// # Arguments
    /// - `x`: `[[f32; 4]; 8]`, which is `f32[8,4]`
    /// - `scale`: `f32`, which is `f32[]`
    ///
    /// # Returns
    /// - `result`: `[f32; 8]`, which is `f32[8]`
    ///
    /// # Errors
    /// The program can't be loaded, or the call can't be started; whoever waits is told how it ends.
    pub fn start(
        x: &[[f32; 4]; ROWS],
        scale: Scalar,
    ) -> ::cyxla::Result<::cyxla::Pending<Box<[f32; 8]>>> {
        ::cyxla::__private::start::<
            Box<[f32; 8]>,
        >(
            Self::program(),
            &mut [
                ::cyxla::__private::argument::<[[f32; 4]; ROWS]>().view(x),
                ::cyxla::__private::argument::<Scalar>().view(&scale),
            ],
        )
    }
}
