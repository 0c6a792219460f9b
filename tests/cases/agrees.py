"""Does in Rust what it does in JAX, with a NaN, an infinity, a donated argument and arguments in Fortran order."""
import jax.numpy as jnp
import numpy as np

JIT = {"donate_argnums": (0,)}


def fn(state, x):
    return {"state": state + 1, "sum": (x @ x.T).sum(), "special": jnp.log(jnp.array([-1.0, 0.0]) * x[0, 0])}


def example_args():
    return np.arange(4, dtype=np.int32), np.arange(1, 16, dtype=np.float32).reshape(5, 3).T
