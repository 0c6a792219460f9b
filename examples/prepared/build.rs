//! Has JAX lower the programs that `src/lib.rs` declares, unless `.cyxla/` holds them.

fn main() {
    cyxla_build::Builder::new().run();
}
