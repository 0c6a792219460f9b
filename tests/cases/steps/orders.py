"""Sorts and largest elements: element types, axes, several operands, equal keys, NaN and zeros of either sign."""
import jax.numpy as jnp
import numpy as np
from jax import lax

X64 = True


def fn(x, keys, special):
    results = {name: jnp.sort(x.astype(name), axis=1) for name in
               ["int8", "uint8", "int32", "int64", "float16", "bfloat16", "float32", "float64"]}
    results["complex"] = jnp.sort(x + 1j * x[::-1])
    results["bools"] = jnp.sort(x > 0, axis=0)
    results["axes"] = [jnp.sort(x, axis=axis) for axis in (0, 1, 2)]
    results["stable"] = jnp.argsort(keys, stable=True)
    results["descending"] = jnp.argsort(keys, stable=True, descending=True)
    results["by two"] = jnp.lexsort((keys[::-1], keys))
    results["several"] = lax.sort((keys, keys * 2, jnp.arange(keys.size)), num_keys=2)
    results["special"] = jnp.sort(special)
    results["top"] = lax.top_k(x.astype("float32"), 3)
    results["top of special"] = lax.top_k(special, 4)
    results["median"] = jnp.median(x)
    results["unique"] = jnp.unique(keys, size=6)
    results["found"] = jnp.searchsorted(jnp.sort(keys), jnp.arange(5))
    return results


def example_args():
    random = np.random.RandomState(3)
    special = np.array([0.0, -0.0, np.nan, np.inf, -np.inf, 1.0, -1.0, np.nan], np.float32)
    return random.randn(4, 37, 3) * 50, random.randint(0, 5, 300), special
