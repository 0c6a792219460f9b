"""Row norms that Rust computes, with their gradient."""

import functools

import jax
import jax.numpy as jnp
import numpy as np


@functools.partial(jax.custom_vjp, nondiff_argnums=(1,))
def norms(x, eps):
    """The square root of the sum of squares and eps, of each row of x."""
    result = jax.ShapeDtypeStruct(x.shape[:1], x.dtype)
    return jax.ffi.ffi_call("my_norm", result)(x, eps=np.float32(eps))


def norms_forward(x, eps):
    y = norms(x, eps)
    return y, (x, y)


def norms_backward(eps, saved, by_norms):
    x, y = saved
    result = jax.ShapeDtypeStruct(x.shape, x.dtype)
    return (jax.ffi.ffi_call("my_norm_gradient", result)(x, y, by_norms),)


norms.defvjp(norms_forward, norms_backward)


def lengths(x):
    return norms(x, 1e-6)


def springs(x, rest):
    """The energy of springs x with these lengths at rest, and the force on their ends."""

    def energy(x):
        return 0.5 * jnp.sum((norms(x, 1e-6) - rest) ** 2)

    value, gradient = jax.value_and_grad(energy)(x)
    return value, -gradient


def imaginary(x):
    """Asks the handler for what it refuses."""
    return norms(x, -1.0)
