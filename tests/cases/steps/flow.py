"""Loops and branches: known and unknown lengths, nested, carried trees, gradients through them."""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

X64 = True


def fn(x, n, flag, index):
    def step(carry, y):
        carry = jnp.tanh(carry + y)
        return carry, carry.sum()

    branches = [jnp.sort, lambda v: v[::-1] * 2, lambda v: jnp.cumsum(v)]
    scanned = lambda x: lax.scan(step, x[0], x)[1].sum()
    return {
        "scan": lax.scan(step, x[0], x),
        "scan reverse": lax.scan(step, x[0], x, reverse=True, unroll=2),
        "fori": lax.fori_loop(0, 7, lambda i, v: v * 0.5 + i, x[0]),
        "fori unknown": lax.fori_loop(0, n, lambda i, v: v * 0.5 + i, x[0]),
        "while": lax.while_loop(lambda v: v.sum() < 100.0, lambda v: v * 1.5 + 1, x[0]),
        "nested": lax.fori_loop(0, n, lambda i, v: lax.fori_loop(0, i, lambda j, w: jnp.sin(w) + j, v), x[0]),
        "never": lax.while_loop(lambda v: v.sum() > 1e9, lambda v: v + 1, x[0]),
        "cond": lax.cond(flag, jnp.sort, lambda v: v @ v * v, x[0]),
        "switch": lax.switch(index, branches, x[0]),
        "beyond": lax.switch(index + 7, branches, x[0]),
        "mapped": lax.map(lambda v: lax.cond(v.sum() > 0, jnp.sort, jnp.negative, v), x),
        "gradient": jax.grad(scanned)(x),
        "hessian": jax.hessian(scanned)(x[:2, :2]),
        "associative": lax.associative_scan(jnp.multiply, x),
    }


def example_args():
    return np.random.RandomState(4).randn(6, 5), np.int32(5), np.bool_(True), np.int32(1)
