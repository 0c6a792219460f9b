fn main() {
    cyxla_build::Builder::new().run();
}
