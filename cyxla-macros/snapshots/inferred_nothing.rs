/// The JAX program `model:f`.
///
/// # Errors
/// The program can't be loaded at its first call, or a call fails.
fn f() -> std::result::Result<(), cyxla::Error> {
    ::cyxla::__private::call::<
        std::result::Result<(), cyxla::Error>,
        (),
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
            outputs: &[],
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
    /// # Errors
    /// The program can't be loaded, or there is no memory for the call.
    pub fn prepare() -> ::cyxla::Result<::cyxla::Prepared<(), ()>> {
        ::cyxla::__private::prepare(Self::program())
    }
    /// Starts a call and returns while it runs: `wait()` or `.await` gives the results.
    ///
    /// # Errors
    /// The program can't be loaded, or the call can't be started; whoever waits is told how it ends.
    pub fn start() -> ::cyxla::Result<::cyxla::Pending<()>> {
        ::cyxla::__private::start::<()>(Self::program(), &mut [])
    }
}
