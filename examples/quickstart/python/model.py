"""Three small programs, each an ordinary JAX function."""

import jax
import jax.numpy as jnp
import numpy as np

# Weights are constants of the program: they are baked into the binary.
HIDDEN = np.array([[1.0, -0.5, 0.25], [0.5, 1.0, -1.0]], np.float32)
OUTPUT = np.array([[1.0, 0.5], [0.5, -1.0], [-0.5, 1.0]], np.float32)
BIAS = np.array([0.25, -0.25], np.float32)


def predict(x):
    """A network with one hidden layer."""
    return jnp.tanh(x @ HIDDEN) @ OUTPUT + BIAS


def error(x, target):
    """The squared distance of `predict(x)` from `target`, and its gradient by `x`."""

    def squared_distance(x):
        return jnp.sum((predict(x) - target) ** 2)

    return jax.value_and_grad(squared_distance)(x)


def swing(angle, seconds):
    """A pendulum of one metre, let go at rest: (angle, angular velocity) after each eighth of the time."""
    samples, steps = 8, 100
    h = seconds / (samples * steps)

    def motion(state):
        return jnp.array([state[1], -9.81 * jnp.sin(state[0])])

    def runge_kutta(_, state):
        k1 = motion(state)
        k2 = motion(state + h / 2 * k1)
        k3 = motion(state + h / 2 * k2)
        k4 = motion(state + h * k3)
        return state + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)

    def sample(state, _):
        state = jax.lax.fori_loop(0, steps, runge_kutta, state)
        return state, state

    start = jnp.array([angle, 0.0])
    return jax.lax.scan(sample, start, length=samples)[1]
