#[allow(unused_variables)]
pub fn f(x: &[f32; 3]) -> cyxla::Result<f32> {
    loop {}
}
/// The program that [`f`](fn@f) calls.
pub mod f {
    /// The program: to load it ahead of the first call, and to ask for its types.
    pub fn program() -> &'static ::cyxla::Program {
        loop {}
    }
}
