//! The programs that are called.

/// `f32[1024,1024]`, 4 MiB.
pub type Large = [[f32; 1024]; 1024];

/// `f32[3]`.
pub type Vector = [f32; 3];

/// Twice the sine.
#[cyxla::program("calls:tiny")]
pub fn tiny(x: &[f32; 2]) -> cyxla::Result<[f32; 2]>;

/// A sum, copied to the heap.
#[cyxla::program("calls:add")]
pub fn large_box(a: &Large, b: &Large) -> cyxla::Result<Box<Large>>;

/// `f32[1 << 20]`, 4 MiB.
pub type State = [f32; 1 << 20];

/// One step of a state, made anew.
#[cyxla::program("calls:step")]
pub fn step(state: &State, force: f32) -> cyxla::Result<Box<State>>;

/// Where a body is after a step of time.
#[cyxla::program("calls:twelve")]
#[allow(clippy::too_many_arguments, reason = "it is about many arguments")]
pub fn twelve(
    position: &Vector,
    velocity: &Vector,
    force: &Vector,
    torque: &Vector,
    mass: f32,
    inertia: &Vector,
    drag: f32,
    gravity: &Vector,
    wind: &Vector,
    gain: f32,
    target: &Vector,
    dt: f32,
) -> cyxla::Result<Vector>;
