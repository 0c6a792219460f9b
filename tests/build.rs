//! Has JAX lower the programs that the tests declare.

fn main() {
    cyxla_build::Builder::new().python_path("python").run();
}
