fn main() {
    cyxla_build::Builder::new().python_path("python").run();
}
