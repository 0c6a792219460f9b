"""A model with arrays of its own."""

import jax
import jax.numpy as jnp
import numpy as np

TABLE = np.arange(64 * 32, dtype=np.float32).reshape(64, 32) % 7
SMALL = np.float32([1.0, 2.0])


def load_params():
    return {
        "dense": {"w": np.arange(4 * 3, dtype=np.float32).reshape(4, 3), "b": jnp.ones(3)},
        "activation": "tanh",
        "big": jnp.arange(4096.0) % 5,
    }


def apply(params, x):
    assert params["activation"] == "tanh"
    return x @ params["dense"]["w"] + params["dense"]["b"] + params["big"][:3]


def value_and_grad(x, params):
    """The gradient with respect to `x` is the sum of the columns of `w`."""
    return jax.value_and_grad(lambda x: apply(params, x).sum())(x)


@jax.jit
def rows(i):
    return jnp.asarray(TABLE)[i]


def look_up(i):
    """Rows of a table that a jitted function closes over, out of a loop: sum of rows 0 to i - 1."""
    return jax.lax.fori_loop(0, i, lambda k, total: total + rows(k), jnp.zeros(32)) + SMALL[0]


def table():
    return TABLE.reshape(32, 64)


def scaled(x, *, scale):
    return x * scale
