//! Has JAX lower the programs that `src/main.rs` declares, for the processor and for GPUs of NVIDIA. Neither needs to be here.

use cyxla_build::{Builder, Platform};

fn main() {
    Builder::new()
        .python_path("python")
        .platforms([Platform::Cpu, Platform::Cuda])
        .run();
}
