"""Functions that can be lowered."""

import dataclasses
import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np


def affine(x, scale):
    """The rows of x, summed and scaled."""
    return (x * scale).sum(1)


@functools.lru_cache
def unused_cache():
    return None


def keeps_unused(x, unused, scale=2.0):
    return x * scale


class Pair(NamedTuple):
    left: Any
    right: Any


@functools.partial(jax.tree_util.register_dataclass, data_fields=["gain", "bias"], meta_fields=["name"])
@dataclasses.dataclass
class Settings:
    gain: Any
    bias: Any
    name: str


def structures(params, pair, settings, *rest):
    return {
        "z": params["b"] + settings.gain,
        "a": Pair(pair.left, None),
        "list": [params["w"], (rest[0], 1.5)],
        "settings": Settings(settings.bias, params["b"], "out"),
    }


def structures_args():
    one = np.float32(1)
    params = {"w": np.zeros((2, 3), np.float32), "b": np.zeros(3, np.float32)}
    return params, Pair(np.int32(1), None), Settings(one, one, "in"), np.zeros(4, np.uint8), True


def update(state, step):
    return {"u": state["u"] + step, "v": state["v"] * step}, state["u"].sum()


update_in_place = jax.jit(update, donate_argnums=0)
give_away_by_name = jax.jit(update, donate_argnames="state")


def update_args():
    state = {"u": np.zeros((4, 4), np.float32), "v": np.zeros((4, 4), np.float32)}
    return state, np.float32(0.5)


def moves(x, y, count):
    """Of the type of y there is a result, of the type of count there is none."""
    return x + y * count


@functools.partial(jax.jit, static_argnames="power")
def powers(x, power):
    return x**power


def powers_args():
    return np.ones(3, np.float32), 3


def next_key(key):
    key, sub = jax.random.split(key)
    return key, jax.random.normal(sub, (3,))


def key_args():
    return (jax.random.key(7),)


def many_keys_args():
    return (jax.random.split(jax.random.key(7, impl="rbg"), 5),)


def doubled(x):
    return x + x


def numbers_args():
    return np.ones(3, np.float32), 2


def one_list():
    return [np.float32(1), np.float32(2)]


def total(values):
    return values[0] + values[1]


EXAMPLE = (np.zeros(2, np.float32), np.zeros(2, np.float32))


def cholesky(x):
    return jnp.linalg.cholesky(x)


def pivoted(x):
    return jax.scipy.linalg.qr(x, pivoting=True)


def factored(x):
    return jnp.linalg.cholesky(x), jnp.linalg.qr(x), jnp.linalg.solve(x, x), jnp.linalg.svd(x), jnp.linalg.eigh(x)


def shuffled(key, x):
    return jax.random.permutation(key, x), jax.lax.top_k(x, 2), jax.scipy.special.erfinv(x)


def foreign(x):
    return jax.ffi.ffi_call("my_kernel", jax.ShapeDtypeStruct(x.shape, x.dtype))(x)


class Model:
    def __init__(self, weight):
        self.weight = weight

    def apply(self, x):
        return self.weight * x

    @staticmethod
    def negated(x):
        return -x

    def __call__(self, x):
        return self.weight + x


model = Model(3.0)
partial = functools.partial(affine, scale=3.0)
WIDTH = jnp.arange(3).dtype.name


def reports_width(x):
    assert WIDTH == jnp.arange(3).dtype.name, f"{WIDTH} was made under another setting"
    return x + jnp.arange(3)


def nothing():
    return jnp.arange(3, dtype=jnp.int32)


def small_types(x):
    return x.astype(jnp.float8_e4m3fn), x.astype(jnp.int4), x > 0, x.astype(jnp.bfloat16)
