"""What moves and makes memory: transposes, slices, gathers, scatters, constants, results that are arguments, no elements."""
import jax.numpy as jnp
import numpy as np
from jax import lax

X64 = True
TABLE = np.random.RandomState(6).randn(40, 30)


def fn(x, indices, same, empty):
    return {
        "transposes": [x.transpose(axes) for axes in [(2, 1, 0), (0, 2, 1), (1, 2, 0)]],
        "slices": [x[::2, 1:, ::-1], x[1], x[..., -1]],
        "gather": x[indices],
        "pairs": x[indices, indices[::-1] % 4],
        "scatter": [x.at[indices].add(1.0), x.at[indices].set(2.0), x.at[:, indices % 4].max(0.1)],
        "dynamic": lax.dynamic_slice(x, (indices[0], 0, 1), (2, 2, 2)),
        "update": lax.dynamic_update_slice(x, jnp.ones((2, 2, 2)), (1, indices[1], 0)),
        "pad": jnp.pad(x, ((1, 2), (0, 0), (3, 0))),
        "joined": jnp.concatenate([x, x[::-1], jnp.zeros_like(x)], axis=1),
        "constant": [TABLE @ TABLE.T, jnp.eye(3), jnp.arange(5)],
        "same": [same, same, same],
        "empty": [empty, empty.sum(axis=0), jnp.concatenate([empty, jnp.ones((1, 3))])],
        "bits": lax.bitcast_convert_type(x, "uint64"),
        "bools": x > 0,
        "narrow": [x.astype(name) for name in ["int8", "float16", "bfloat16", "float8_e4m3fn", "complex64"]],
        "sums": [x.sum(), x.sum(0), x.prod(1), x.max(2), x.argmin(1), jnp.cumsum(x, 1), jnp.linalg.norm(x)],
        "windows": lax.reduce_window(x, 0.0, lax.add, (1, 2, 2), (1, 1, 2), "SAME"),
        "large": jnp.sin(jnp.arange(300_000.0)).reshape(300, 1000).sum(axis=1),
    }


def example_args():
    return (np.random.RandomState(5).randn(5, 4, 3), np.array([4, 0, 2, 2]), np.arange(3.0), np.zeros((0, 3)))
