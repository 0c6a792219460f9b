"""Programs whose results are simple arithmetic, for the tests of typed calls."""

import jax
import jax.numpy as jnp


def predict(x, scale):
    """The sum of each row, scaled: f32[8,4], f32[] -> f32[8]."""
    return x.sum(axis=1) * scale


def pair(x):
    """Twice the vector, and its sum."""
    return 2 * x, x.sum()


def affine(params, x):
    """A pytree among the arguments; its keys come sorted."""
    return params["w"] @ x + params["b"]


def affine_args():
    shape = jax.ShapeDtypeStruct
    params = {"w": shape((2, 3), jnp.float32), "b": shape((2,), jnp.float32)}
    return params, shape((3,), jnp.float32)


def statistics(x):
    """A dict among the results."""
    return {"mean": x.mean(), "range": (x.min(), x.max())}


def answer():
    """No arguments at all."""
    return jnp.arange(3) + 40


def nothing(x):
    """No results at all."""
    return ()


def first(x, unused):
    """An argument that the result doesn't depend on."""
    return x


def transpose(x):
    """Results are row major whatever XLA does inside."""
    return x.T


def after_one(x):
    """Needs 64 bits to tell 1 + 2**-40 from 1."""
    return 1.0 + x


def scale(factor, x):
    return factor * x


class Plant:
    """A target may be an attribute of an attribute."""

    @staticmethod
    def step(state):
        return state + 0.5


FACTOR = jnp.float32(3)


def by_constant(x):
    """Uses a constant that was made when the module was imported."""
    return FACTOR * x


def count_to(n):
    """A loop whose end is known at run time only."""
    return jax.lax.while_loop(lambda i: i < n, lambda i: i + 1, jnp.int32(0))


def twice_sine(x):
    return 2 * jnp.sin(x)
