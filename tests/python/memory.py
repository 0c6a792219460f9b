"""Programs for the tests of where arrays live."""

from functools import partial

import jax
import jax.numpy as jnp


def add(x, y):
    return x + y


def step(state, force):
    """The next state, and its largest element."""
    state = state + force
    return state, state.max()


@partial(jax.jit, donate_argnums=0)
def jitted_step(state, force):
    return state + force


def swap(a, b):
    """Two donated arguments, and two results that can take either memory."""
    return b * 2, a * 2


def flags(x):
    """Whether each element is positive, and how many are."""
    positive = x > 0
    return positive, positive.sum(dtype=jnp.int32)


def constant():
    """A result that depends on nothing, so that it may be a constant of the program."""
    return jnp.arange(1024, dtype=jnp.float32).reshape(32, 32)


def slow(x, rounds):
    """Many products of matrices: long enough to see that it runs beside its caller."""

    def one(_, m):
        return jnp.tanh(m @ x)

    return jax.lax.fori_loop(0, rounds, one, x)


def nibbles(x):
    return x + x


def three(a, b, c):
    """a + b, b c and c."""
    return a + b, b * c, c
