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
        [f32; 8],
    >(
        "`result` of model:predict",
        ::cyxla::__private::ArrayType::scalar(::cyxla::__private::DType::F32).in_array(8),
    );
    ::cyxla::__private::call::<
        cyxla::Result<Box<[f32; 8]>>,
    >(
        predict::program(),
        &[
            ::cyxla::__private::argument::<[[f32; 4]; ROWS]>().view(x),
            ::cyxla::__private::argument::<Scalar>().view(&scale),
        ],
    )
}
/// The program that [`predict`](fn@predict) calls.
#[cfg(unix)]
#[doc(hidden)]
pub(crate) mod predict {
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
}
