"""The programs of the quickstart, and some that take what a GPU is for; nothing in them names a device."""

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


def product(a, b):
    """A product in the full precision of float32; by default GPUs round the factors."""
    return jnp.matmul(a, b, precision=jax.lax.Precision.HIGHEST)


def solve(seed):
    """Random numbers, and linear algebra: x with A x = b, and the eigenvalues of A."""
    key = jax.random.key(seed)
    root = jax.random.normal(key, (16, 16), jnp.float32)
    a = root @ root.T / 16 + jnp.eye(16)
    b = jax.random.uniform(key, (16,), jnp.float32)
    factor = jax.scipy.linalg.cho_factor(a, lower=True)
    return jax.scipy.linalg.cho_solve(factor, b), jnp.linalg.eigvalsh(a)


def diffuse(heat):
    """One step of heat on a ring of rings."""
    neighbours = sum(jnp.roll(heat, shift, axis) for shift in (-1, 1) for axis in (0, 1))
    return heat + 0.2 * (neighbours - 4 * heat)
