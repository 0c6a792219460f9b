//! Has JAX lower the programs that `src/main.rs` declares.

fn main() {
    cyxla_build::Builder::new().python_path("python").run();
}
