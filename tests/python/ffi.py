"""Programs that call Rust."""

import functools

import jax
import jax.numpy as jnp
import numpy as np


def like(x):
    return jax.ShapeDtypeStruct(x.shape, x.dtype)


def described(x):
    """Every kind of attribute that JAX takes."""
    attributes = {
        "flag": True,
        "count": 7,
        "small": np.int32(-7),
        "scale": 0.5,
        "narrow": np.float32(0.25),
        "text": "Grüße",
        "numbers": np.array([1, 2, 3]),
        "reals": np.array([0.5, -0.5]),
        "nested": {"inner": 2.5},
    }
    return jax.ffi.ffi_call("describe", jax.ShapeDtypeStruct((), jnp.float32))(x, **attributes)


def extremes(x):
    """Two results of other types and axes."""
    results = (jax.ShapeDtypeStruct(x.shape[:1], x.dtype), jax.ShapeDtypeStruct((), jnp.int32))
    return jax.ffi.ffi_call("extremes", results)(x)


def reversed_in_place(x):
    return jax.ffi.ffi_call("backwards", like(x), input_output_aliases={0: 0})(x)


def flipped(x):
    return jax.ffi.ffi_call("flip", like(x))(x)


def tripled_each(x):
    """The handler sees one row at a time."""
    triple = lambda row: jax.ffi.ffi_call("triple_row", like(row), vmap_method="sequential")(row)
    return jax.vmap(triple)(x)


def looped(x, n):
    """A handler inside of a loop and of a branch."""
    call = functools.partial(jax.ffi.ffi_call("add_offset", like(x)))
    body = lambda i, x: jax.lax.cond(i % 2 == 0, call, lambda x: x, x)
    return jax.lax.fori_loop(0, n, body, x)


def wrong_type(x):
    return jax.ffi.ffi_call("flip", like(x))(x)


def wrong_count(x):
    return jax.ffi.ffi_call("flip", like(x))(x, x)


def panics(x):
    return jax.ffi.ffi_call("panics", like(x))(x)
