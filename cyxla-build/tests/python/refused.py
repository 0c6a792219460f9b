"""Functions that can't be lowered, each for another reason."""

import sys

import jax
import jax.experimental
import jax.numpy as jnp
import numpy as np
from jax import export

VALUE = 3


def takes_two(x, y):
    return x + y


def adds_text(x):
    return jnp.sin(x) + "text"


def branches(x):
    if x > 0:
        return x
    return -x


def prints(x):
    jax.debug.print("x is {}", x)
    return x


def reports(x):
    def body(_, y):
        jax.debug.callback(lambda value: None, y)
        return y * 2

    return jax.lax.fori_loop(0, 3, body, x)


def asks_numpy(x):
    return jax.pure_callback(np.sin, jax.ShapeDtypeStruct(x.shape, x.dtype), x) + 1


def reads_a_file(x):
    shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
    return jax.lax.cond(x > 0, lambda: jax.experimental.io_callback(np.sin, shape, x), lambda: x)


def calls_foreign_code(x):
    return jax.ffi.ffi_call("my_kernel", jax.ShapeDtypeStruct(x.shape, x.dtype))(x)


def gives_text(x):
    return {"value": x, "name": "text"}


@jax.jit
def gives_text_jitted(x):
    return [x, object()]


def gives_strings(x):
    return np.array(["a", "b"])


def gives_two_bits(x):
    return x.astype("int2")


def joins_two_bits(x):
    small = x.astype("int2")
    return jnp.concatenate([small, small]).astype("int8")


def ends_the_process(x):
    sys.exit(3)


def identity(x):
    return x


def symbolic():
    (n,) = export.symbolic_shape("n")
    return (jax.ShapeDtypeStruct((n, 6), np.float32),)


def doubles():
    return (np.ones(3),)


def strings():
    return ({"name": "text"},)


def fails():
    raise ValueError("no arguments today")


def three():
    return 1.0, 2.0, 3.0


def raises_at_length(x):
    raise ValueError("\x1b[31m" + 100_000 * "long ")


class Unprintable(Exception):
    def __str__(self):
        raise RuntimeError("no text")


def raises_unprintable(x):
    raise Unprintable
