"""Programs of jnp.linalg that JAX lowers to custom calls of LAPACK: factors, and systems of equations."""

import jax
import jax.numpy as jnp
import jax.scipy.linalg


def solve(a, b):
    return jnp.linalg.solve(a, b)


def cholesky(a):
    return jnp.linalg.cholesky(a)


def qr(a):
    return jnp.linalg.qr(a)


def determinant(a):
    return jnp.linalg.det(a)


def solve_upper(a, b):
    return jax.scipy.linalg.solve_triangular(a, b, trans=1)


def solve_tridiagonal(lower, diagonal, upper, b):
    return jax.lax.linalg.tridiagonal_solve(lower, diagonal, upper, b)


def gradient(a, b):
    return jax.grad(lambda a: jnp.linalg.solve(a, b).sum())(a)
