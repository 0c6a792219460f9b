"""A car drives from rest to rest around round obstacles, with the least acceleration and turning.

A trajectory `z` is a row of six numbers per knot, laid end to end: position x, y (m), heading (rad), speed (m/s),
acceleration (m/s²) and turn rate (rad/s). The knots are `seconds / (knots - 1)` apart, with the trapezoidal rule between
them. An obstacle is the position of its centre and its radius (m).

The problem is: minimise `objective` where the equalities are zero and the inequalities are not negative.
"""

import jax
import jax.numpy as jnp


def _knots(z):
    knots = z.reshape(-1, 6)
    return knots[:, :4], knots[:, 4:]


def objective(z, seconds):
    """The integral of acceleration² + turn rate² over the time."""
    _, controls = _knots(z)
    effort = jnp.sum(controls**2, axis=1)
    return jnp.trapezoid(effort, dx=seconds / (len(effort) - 1))


def _equalities(z, start, goal, seconds):
    states, controls = _knots(z)
    heading, speed = states[:, 2], states[:, 3]
    acceleration, turn_rate = controls.T
    motion = jnp.stack([speed * jnp.cos(heading), speed * jnp.sin(heading), turn_rate, acceleration], axis=1)
    step = seconds / (len(states) - 1)
    defects = states[1:] - states[:-1] - step / 2 * (motion[1:] + motion[:-1])
    return jnp.concatenate([defects.ravel(), states[0] - start, states[-1] - goal])


def _inequalities(z, obstacles):
    states, _ = _knots(z)
    away = states[:, None, :2] - obstacles[:, :2]
    return (jnp.sum(away**2, axis=2) - obstacles[:, 2] ** 2).ravel()


def constraints(z, start, goal, obstacles, seconds):
    """Equalities: the laws of motion, start and goal. Inequalities: each knot is outside of each obstacle (m²)."""
    return _equalities(z, start, goal, seconds), _inequalities(z, obstacles)


def gradient(z, seconds):
    """The gradient of `objective` by z."""
    return jax.grad(objective)(z, seconds)


def jacobians(z, start, goal, obstacles, seconds):
    """The Jacobians of both kinds of `constraints` by z."""
    return jax.jacfwd(constraints)(z, start, goal, obstacles, seconds)


def hessian(z, y, w, obstacles, seconds):
    """The Hessian by z of the Lagrangian: objective + y · equalities - w · inequalities."""

    def lagrangian(z):
        # Where the car starts and goes moves the equalities by constants only.
        anywhere = jnp.zeros(4)
        equalities, inequalities = constraints(z, anywhere, anywhere, obstacles, seconds)
        return objective(z, seconds) + y @ equalities - w @ inequalities

    return jax.hessian(lagrangian)(z)
