"""Programs for every element type."""

import jax.numpy as jnp


def identity(x):
    return x


def widen(x):
    """The value as float32."""
    return x.astype(jnp.float32)


def same_and_wide(x):
    """The value unchanged, and as float32."""
    return x, x.astype(jnp.float32)


def conjugate(x):
    return jnp.conj(x)


def reverse(x):
    """All axes reversed."""
    return jnp.flip(x)


def negate(x):
    return jnp.logical_not(x)


def successor(x):
    return x + jnp.ones((), x.dtype)
