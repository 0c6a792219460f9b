"""Programs of linear algebra whose results can be checked by multiplying them together again."""

import jax
import jax.numpy as jnp
import jax.scipy.linalg


def solve(a, b):
    return jnp.linalg.solve(a, b)


def cholesky(a):
    return jnp.linalg.cholesky(a)


def qr(a):
    return jnp.linalg.qr(a)


def pivoted_qr(a):
    return jax.scipy.linalg.qr(a, mode="economic", pivoting=True)


def svd(a):
    return jnp.linalg.svd(a, full_matrices=False)


def eigh(a):
    return jnp.linalg.eigh(a)


def eig(a):
    return jnp.linalg.eig(a)


def expm(a):
    return jax.scipy.linalg.expm(a)


def lstsq(a, b):
    return jnp.linalg.lstsq(a, b)[0]


def schur(a):
    return jax.scipy.linalg.schur(a)


def sqrtm(a):
    return jax.scipy.linalg.sqrtm(a)


def hessenberg(a):
    return jax.scipy.linalg.hessenberg(a, calc_q=True)


def kalman(measured):
    """Positions and speeds of something that moves at a steady speed, and of which both are measured, with noise."""
    move = jnp.array([[1.0, 1.0], [0.0, 1.0]], measured.dtype)
    of_process, of_measurement = 0.5 * jnp.eye(2, dtype=measured.dtype), 2.0 * jnp.eye(2, dtype=measured.dtype)

    def step(state, z):
        x, p = state
        x, p = move @ x, move @ p @ move.T + of_process
        factor = jax.scipy.linalg.cho_factor(p + of_measurement)
        gain = jax.scipy.linalg.cho_solve(factor, p).T
        x, p = x + gain @ (z - x), p - gain @ p
        return (x, p), x

    start = (jnp.zeros(2, measured.dtype), jnp.eye(2, dtype=measured.dtype))
    return jax.lax.scan(step, start, measured)[1]
