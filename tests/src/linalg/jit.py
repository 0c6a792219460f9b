"""What `jax.jit` takes for a function of `linalg_speed.py` on matrices of a type, a size and a batch."""

import jax_jit  # first, before anything can print

import jax
import linalg_speed
import numpy as np

jax.config.update("jax_enable_x64", True)


def uniform(count, seed):
    """The same numbers as in matrices.rs."""
    x = (np.arange(count, dtype=np.uint32) + np.uint32(seed)) * np.uint32(0x9E3779B1)
    x = (x ^ (x >> np.uint32(15))) * np.uint32(0x85EBCA6B)
    x = (x ^ (x >> np.uint32(13))) * np.uint32(0xC2B2AE35)
    return (x >> np.uint32(8)).astype(np.float64) / (1 << 23) - 1


def numbers(first, shape, dtype):
    count = int(np.prod(shape))
    re = uniform(count, first * count).reshape(shape)
    if np.issubdtype(dtype, np.complexfloating):
        return re + 1j * uniform(count, (first + 2) * count).reshape(shape)
    return re


def arguments(function, n, shape, dtype):
    a = numbers(0, shape, dtype)
    if function in ("cholesky", "eigh"):
        a = (a + a.swapaxes(-1, -2).conj()) / 2
    if function in ("cholesky", "solve_triangular"):
        a = a + 2 * n * np.eye(n)
    if function == "solve_triangular":
        return [a, numbers(1, shape, dtype)]
    return [a]


def make(function, dtype, n, batch):
    dtype, n, batch = np.dtype(dtype), int(n), int(batch)
    shape = (n, n) if batch == 1 else (batch, n, n)
    arrays = [array.astype(dtype) for array in arguments(function, n, shape, dtype)]
    jitted = jax.jit(getattr(linalg_speed, function))

    def run(count):
        for _ in range(count):
            for result in jax.block_until_ready(jitted(*arrays)):
                np.asarray(result)

    return run


jax_jit.serve(make)
