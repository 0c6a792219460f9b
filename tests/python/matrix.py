"""Operations whose StableHLO has changed from version to version of JAX."""

import jax
import jax.numpy as jnp


def special(x):
    """erf and sinh, composite operations in newer JAX."""
    return jax.scipy.special.erf(x), jnp.sinh(x)


def largest(x):
    """The two largest, and where they are: a custom call in older JAX, a composite in newer."""
    return jax.lax.top_k(x, 2)


def uniform(seed):
    """Random numbers bring operations of the Shardy dialect."""
    return jax.random.uniform(jax.random.key(seed), (1000,))


def accumulate(x):
    """A loop."""
    return jax.lax.scan(lambda total, term: (total + term, total + term), jnp.float32(0), x)
