#[allow(unused_variables)]
pub fn f(x: &[f32; 3]) -> cyxla::Result<f32> {
    loop {}
}
/// The program that [`f`](fn@f) calls, and other ways to call it; a type without values.
pub enum f {}
impl f {
    /// The program: to load it ahead of the first call, and to ask for its types.
    pub fn program() -> &'static ::cyxla::Program {
        loop {}
    }
    /// A call with memory of its own: arguments are written in place, results are read in place.
    /// For loops that call again and again.
    ///
    /// # Errors
    /// The program can't be loaded, or there is no memory for the call.
    pub fn prepare() -> ::cyxla::Result<::cyxla::Prepared<[f32; 3], f32>> {
        loop {}
    }
    /// Starts a call and returns while it runs: `wait()` or `.await` gives the results.
    ///
    /// # Errors
    /// The program can't be loaded, or the call can't be started; whoever waits is told how it ends.
    #[allow(unused_variables)]
    pub fn start(x: &[f32; 3]) -> ::cyxla::Result<::cyxla::Pending<f32>> {
        loop {}
    }
}
