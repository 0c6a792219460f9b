"""As scientific code often starts."""

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)


def shifted(x):
    return x + jnp.arange(3.0)
