"""Functions whose machine code is made; each has a step of one kind that is no kernel."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax


def elementwise(x):
    return jnp.sin(x) * 2


def transcendental(x):
    return jnp.arctan2(x, x + 1), jnp.power(x, 1.7), lax.erf(x), jnp.fmod(x, 0.3), jnp.cbrt(x)


def constants(x):
    return x * np.array([[3, 1], [4, 1], [5, 9]], np.float32), jnp.ones(3)


def twice(x):
    return x, x, x + 1


def accumulated(x, total):
    return total + x, x * 2


def product(x):
    return x @ x.T


def looped(x):
    """Too much work for XLA to make one kernel of the loop."""
    return lax.fori_loop(0, 7, lambda _, y: jnp.tanh(y @ y), x)


def scanned(x):
    return lax.scan(lambda carry, row: (jnp.sin(carry) + row, carry.sum()), x[0], x)


def chosen(p, x):
    return lax.cond(p, lambda x: jnp.sort(x), lambda x: x @ x, x)


def switched(i, x):
    return lax.switch(i, [jnp.sin, lambda x: x @ x, lambda x: jnp.sort(x, axis=0)], x)


def sorted_together(keys, values):
    return lax.sort((keys, values), num_keys=1)


def transformed(x):
    return jnp.fft.rfft(x)


def convolved(x, kernel):
    numbers = ("NHWC", "HWIO", "NHWC")
    return lax.conv_general_dilated(x, kernel, (2, 1), "SAME", dimension_numbers=numbers)


def largest(x):
    return lax.top_k(x, 2)


def factored(x):
    return jnp.linalg.cholesky(x)


def called(x):
    call = jax.ffi.ffi_call("scale", jax.ShapeDtypeStruct(x.shape, x.dtype))
    return call(x, factor=2.5, steps=3, name="a\"b")


def in_small_floats(x):
    return jnp.exp(x) @ x


def of_packed_integers(x):
    return x.astype(jnp.int8) + 1
