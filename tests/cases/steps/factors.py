"""Custom calls: the factors of jnp.linalg, in batches and in loops."""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

X64 = True


def fn(a, b):
    spd = a @ a.swapaxes(-1, -2) + 5 * jnp.eye(a.shape[-1])
    q, r = jnp.linalg.qr(a)
    w, v = jnp.linalg.eigh(spd)
    u, s, vt = jnp.linalg.svd(a)
    return {
        "cholesky": jnp.linalg.cholesky(spd),
        "solve": jnp.linalg.solve(spd, b),
        "inverse": jnp.linalg.inv(spd),
        "determinant": jnp.linalg.slogdet(a),
        "qr": q @ r,
        "eigh": [w, (v * w[:, None, :]) @ v.swapaxes(-1, -2)],
        "svd": [s, (u * s[:, None, :]) @ vt],
        "exponential": jax.scipy.linalg.expm(0.1 * a[0]),
        "loop": lax.fori_loop(0, 3, lambda i, x: jnp.linalg.solve(spd[0], x), b[0]),
        "not definite": jnp.linalg.cholesky(-spd[0]),
    }


def example_args():
    random = np.random.RandomState(8)
    return random.randn(3, 6, 6), random.randn(3, 6, 2)
