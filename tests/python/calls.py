"""Programs to measure calls with."""

import jax
import jax.numpy as jnp


def tiny(x):
    return 2 * jnp.sin(x)


def add(a, b):
    return a + b


def step(state, force):
    """One step of a damped state, made anew."""
    return 0.999 * state + force


moved_step = jax.jit(step, donate_argnums=0)
"""The same, in the memory of the state that goes in."""


def twelve(
    position, velocity, force, torque, mass, inertia, drag, gravity, wind, gain, target, dt
):
    """Where a body is after a step of time: 12 arguments, f32[3] and f32[]."""
    pull = force + drag * (wind - velocity) + gain * (target - position)
    acceleration = pull / mass + gravity
    spin = jnp.cross(torque / inertia, velocity)
    return position + dt * velocity + 0.5 * dt * dt * (acceleration + spin)
