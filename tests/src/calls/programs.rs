//! The programs that are called.

use cyxla::{Buffer, Host};

/// `f32[1024,1024]`, 4 MiB.
pub type Large = [[f32; 1024]; 1024];

/// `f32[1 << 20]`, 4 MiB.
pub type State = [f32; 1 << 20];

/// `f32[3]`.
pub type Vector = [f32; 3];

/// Twice the sine.
#[cyxla::program("calls:tiny")]
pub fn tiny(x: &[f32; 2]) -> cyxla::Result<[f32; 2]>;

/// Twice the sine, on the device.
#[cyxla::program("calls:tiny")]
pub fn tiny_on_device(x: &Buffer<[f32; 2]>) -> cyxla::Result<Buffer<[f32; 2]>>;

/// A sum, copied to the heap.
#[cyxla::program("calls:add")]
pub fn large_box(a: &Host<Large>, b: &Host<Large>) -> cyxla::Result<Box<Large>>;

/// A sum that stays where the device has it.
#[cyxla::program("calls:add")]
pub fn large_view(a: &Host<Large>, b: &Host<Large>) -> cyxla::Result<Buffer<Large>>;

/// One step of a state, made anew.
#[cyxla::program("calls:step")]
pub fn step(state: &Buffer<State>, force: f32) -> cyxla::Result<Buffer<State>>;

/// One step of a state, in its own memory.
#[cyxla::program("calls:moved_step")]
pub fn moved_step(state: Buffer<State>, force: f32) -> cyxla::Result<Buffer<State>>;

/// Where a body is after a step of time.
#[cyxla::program("calls:twelve")]
#[allow(
    clippy::too_many_arguments,
    reason = "a call with many arguments is what is measured"
)]
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

/// The argument of [`tiny()`].
pub const X: [f32; 2] = [0.25, 1.0];

/// An argument of [`large_box()`] and [`large_view()`]: ones.
pub fn ones() -> Host<Large> {
    let mut ones = Host::<Large>::zeros();
    ones.as_flattened_mut().fill(1.0);
    ones
}

/// A state of zeros on the device.
///
/// # Errors
/// The plugin does not take it.
pub fn zero_state() -> cyxla::Result<Buffer<State>> {
    Buffer::from(&*Host::<State>::zeros())
}

/// The arguments of [`twelve()`].
#[derive(Clone, Copy, Debug)]
pub struct Body {
    position: Vector,
    velocity: Vector,
    force: Vector,
    torque: Vector,
    mass: f32,
    inertia: Vector,
    drag: f32,
    gravity: Vector,
    wind: Vector,
    gain: f32,
    target: Vector,
    dt: f32,
}

impl Body {
    /// The one that moves here.
    pub const SOME: Self = Self {
        position: [1.0, 2.0, 3.0],
        velocity: [4.0, 5.0, 6.0],
        force: [0.0, 0.0, 1.0],
        torque: [1.0, 0.0, 0.0],
        mass: 2.0,
        inertia: [1.0, 2.0, 3.0],
        drag: 0.1,
        gravity: [0.0, 0.0, -9.81],
        wind: [1.0, 0.0, 0.0],
        gain: 0.5,
        target: [3.0, 2.0, 1.0],
        dt: 0.01,
    };

    /// Calls [`twelve()`].
    ///
    /// # Errors
    /// The call fails.
    #[inline]
    pub fn step(&self) -> cyxla::Result<Vector> {
        twelve(
            &self.position,
            &self.velocity,
            &self.force,
            &self.torque,
            self.mass,
            &self.inertia,
            self.drag,
            &self.gravity,
            &self.wind,
            self.gain,
            &self.target,
            self.dt,
        )
    }

    /// The arguments in calling order.
    #[inline]
    pub fn arrays(&self) -> [&[f32]; 12] {
        let one = std::slice::from_ref;
        [
            &self.position,
            &self.velocity,
            &self.force,
            &self.torque,
            one(&self.mass),
            &self.inertia,
            one(&self.drag),
            &self.gravity,
            &self.wind,
            one(&self.gain),
            &self.target,
            one(&self.dt),
        ]
    }
}
