//! A call with twelve arguments.

use std::hint::black_box;

use cyxla_rival::Call;

use super::{Setup, jax_side};
use crate::calls::programs::{Vector, twelve};
use crate::calls::sides::Side;
use crate::calls::{Bound, Failure, Quantity, Row};

/// The arguments of a call.
#[derive(Clone, Copy)]
struct Body {
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

const BODY: Body = Body {
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

const VECTOR: &[i64] = &[3];
const SCALAR: &[i64] = &[];
const SHAPES: [&[i64]; 12] = [
    VECTOR, VECTOR, VECTOR, VECTOR, SCALAR, VECTOR, SCALAR, VECTOR, VECTOR, SCALAR, VECTOR, SCALAR,
];

impl Body {
    fn arrays(&self) -> [&[f32]; 12] {
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

pub(super) fn measure(setup: &mut Setup) -> Result<Row, Failure> {
    let program = setup.compile(twelve::program())?;
    let mut call = Call::new(&program, &SHAPES)?;
    let ours = || {
        let b = black_box(&BODY);
        black_box(twelve(
            &b.position,
            &b.velocity,
            &b.force,
            &b.torque,
            b.mass,
            &b.inertia,
            b.drag,
            &b.gravity,
            &b.wind,
            b.gain,
            &b.target,
            b.dt,
        )?);
        Ok(())
    };
    let raw = || {
        let mut y = [0.0; 3];
        for (index, array) in black_box(&BODY).arrays().into_iter().enumerate() {
            call.input(index).copy_from_slice(array);
        }
        call.run()?.read(0, &mut y)?;
        black_box(y);
        Ok(())
    };
    let mut sides = vec![Side::of_calls("ours", ours), Side::of_calls("raw_c", raw)];
    sides.extend(jax_side(&mut setup.jax, "twelve"));
    let measured = setup.plan.whole(&mut sides, 200, 1000)?;

    let mut row = Row::new("twelve");
    row.value("ours_ns", measured.median("ours"));
    row.value("raw_c_ns", measured.median("raw_c"));
    row.value("jax_jit_ns", measured.median("jax_jit"));
    row.compare(
        "call",
        Quantity::Nanoseconds,
        measured.median("ours"),
        ("raw C", measured.median("raw_c")),
        Bound::AtMost(1.15),
    );
    row.compare(
        "call",
        Quantity::Nanoseconds,
        measured.median("ours"),
        ("jax.jit", measured.median("jax_jit")),
        Bound::None,
    );
    Ok(row)
}
