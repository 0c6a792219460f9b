"""Functions of linear algebra whose speed is measured: square matrices, or batches of them, in; a tuple out."""

import jax.numpy as jnp
import jax.scipy.linalg


def cholesky(a):
    return (jnp.linalg.cholesky(a),)


def lu(a):
    return tuple(jax.scipy.linalg.lu_factor(a))


def solve_triangular(a, b):
    return (jax.scipy.linalg.solve_triangular(a, b, lower=True),)


def qr(a):
    return tuple(jnp.linalg.qr(a))


def eigh(a):
    return tuple(jnp.linalg.eigh(a))


def svd(a):
    return tuple(jnp.linalg.svd(a))


def eig(a):
    return tuple(jnp.linalg.eig(a))


def schur(a):
    return tuple(jax.scipy.linalg.schur(a, output="complex" if jnp.iscomplexobj(a) else "real"))
