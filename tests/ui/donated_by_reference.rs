#[cyxla::program("model:update")]
fn update(state: &cyxla::Buffer<[f32; 4]>, step: f32) -> cyxla::Result<[f32; 4]>;

mod borrowed {
    #[cyxla::program("model:update")]
    pub fn update(state: &[f32; 4], step: f32) -> cyxla::Result<[f32; 4]>;
}

mod on_the_heap {
    #[cyxla::program("model:update")]
    pub fn update(state: &cyxla::Host<_>, step: f32) -> cyxla::Result<[f32; 4]>;
}

mod by_option {
    #[cyxla::program("model:pair", donate = [x])]
    pub fn pair(x: &cyxla::Buffer<[f32; 3]>) -> cyxla::Result<_>;
}

fn main() {}
