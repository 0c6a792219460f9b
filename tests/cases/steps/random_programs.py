"""Fifty random programs, by the seed in RANDOM_SEED: elementwise, reductions, products, gathers, scatters, scans, branches, sorts."""
import os
import random

import jax.numpy as jnp
import numpy as np
from jax import lax

X64 = True
COUNT = 50


def elementwise(pick, x, y):
    unary = [jnp.sin, jnp.tanh, jnp.exp2, jnp.abs, jnp.negative, lax.logistic, lambda v: v * v, jnp.floor, jnp.arctan]
    binary = [jnp.add, jnp.subtract, jnp.multiply, jnp.maximum, jnp.minimum, lambda a, b: a / (1.5 + b * b),
              lambda a, b: jnp.where(a > b, a, -b), jnp.arctan2]
    return pick(binary)(x, pick(unary)(y))


def reduction(pick, x, y):
    axis = pick([0, 1])
    value = pick([jnp.sum, jnp.max, jnp.min, jnp.mean, lambda v, axis: jnp.argmax(v, axis).astype(v.dtype)])(x, axis=axis)
    return y + jnp.expand_dims(value, axis)


def product(pick, x, y):
    n = x.shape[0] * x.shape[1]
    return pick([lambda: x @ (y.T @ x) / n, lambda: (x @ y.T) @ y / n, lambda: jnp.einsum("ij,ij->j", x, y) + x])()


def gather(pick, x, y):
    indices = (jnp.abs(y[:, 0]) * 7).astype(jnp.int32) % x.shape[0]
    return pick([lambda: x[indices], lambda: jnp.take_along_axis(x, indices[:, None], axis=0) + y,
                 lambda: jnp.roll(x, pick([1, 2, -1]), pick([0, 1]))])()


def scatter(pick, x, y):
    indices = (jnp.abs(y[0]) * 5).astype(jnp.int32) % x.shape[1]
    return pick([lambda: x.at[:, indices].add(y), lambda: x.at[0, indices].max(0.25), lambda: x.at[1:3].multiply(0.5)])()


def loop(pick, x, y):
    step = pick([lambda c, v: (jnp.tanh(c + v), c * v), lambda c, v: (c * 0.5 + v, jnp.maximum(c, v))])
    kind = pick(["scan", "reverse", "fori", "while"])
    if kind == "fori":
        return lax.fori_loop(0, pick([2, 5]), lambda i, v: jnp.sin(v) * y + i, x)
    if kind == "while":
        return lax.while_loop(lambda c: c[1] < 4, lambda c: (jnp.tanh(c[0] + y), c[1] + 1), (x, 0))[0]
    carry, rows = lax.scan(step, x[0], y, reverse=kind == "reverse")
    return rows + carry


def branch(pick, x, y):
    sides = pick([(jnp.sin, lambda v: v @ v.T @ v / 9), (lambda v: v[::-1], lambda v: jnp.cumsum(v, 0) / 5)])
    if pick([True, False]):
        return lax.cond(x.sum() > y.sum(), *sides, x)
    return lax.switch((jnp.abs(y).sum()).astype(jnp.int32) % 3, [*sides, jnp.negative], x)


def order(pick, x, y):
    return pick([lambda: jnp.sort(x, axis=pick([0, 1])), lambda: y[jnp.argsort(jnp.round(x[:, 0], 1), stable=True)],
                 lambda: jnp.flip(x, pick([0, 1])) + y, lambda: x + lax.top_k(y.T, 2)[0][:, 0]])()


KINDS = [elementwise, elementwise, reduction, product, gather, scatter, loop, branch, order]


def fn(arguments):
    generator = random.Random(int(os.environ.get("RANDOM_SEED", "0")))
    pick = generator.choice
    results = []
    for _ in range(COUNT):
        values = list(pick(arguments))
        for _ in range(generator.randint(2, 6)):
            value = pick(KINDS)(pick, pick(values), pick(values))
            # Bounded, so that rounding stays small.
            values.append(jnp.tanh(value))
        results.append(values[-1])
    return results


def example_args():
    numbers = np.random.RandomState(9)
    pairs = [(shape, dtype) for shape in [(4, 6), (5, 5), (9, 3)] for dtype in (np.float32, np.float64)]
    return ([tuple(numbers.randn(*shape).astype(dtype) for _ in range(2)) for shape, dtype in pairs],)
