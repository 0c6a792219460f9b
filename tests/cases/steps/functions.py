"""Elementary functions, which come from a library, and random numbers of every generator."""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.scipy import special

X64 = True
UNARY = [jnp.sin, jnp.cos, jnp.tan, jnp.arcsin, jnp.arccos, jnp.arctan, jnp.sinh, jnp.cosh, jnp.tanh, jnp.arcsinh,
         jnp.arctanh, jnp.exp, jnp.exp2, jnp.expm1, jnp.log1p, jnp.cbrt, jnp.sqrt, lax.rsqrt, lax.logistic, lax.erf,
         lax.erfc, special.gammaln, special.digamma, jnp.floor, jnp.ceil, jnp.round, jnp.trunc, jnp.sign, jnp.abs]


def fn(x, key, seeds):
    results = {}
    for name in ["float32", "float64"]:
        y = x.astype(name)
        results[name] = {function.__name__: function(y) for function in UNARY}
        results[name]["logs"] = [function(jnp.abs(y) + 0.1) for function in (jnp.log, jnp.log2, jnp.log10)]
        results[name]["pairs"] = [jnp.arctan2(y, y[::-1]), jnp.abs(y) ** y[::-1], jnp.hypot(y, y[::-1]),
                                  jnp.fmod(y, 0.3), jnp.remainder(y, -0.3), jnp.nextafter(y, y[::-1])]
    for name in ["float16", "bfloat16"]:
        y = x.astype(name)
        results[name] = [function(y) for function in (jnp.sin, jnp.exp, jnp.tanh, jnp.sqrt)]
    z = x[:16] + 1j * x[16:32]
    results["complex"] = [jnp.exp(z), jnp.sin(z), jnp.abs(z), jnp.sqrt(z), z * z, z / (z + 2)]
    threefry = jax.random.wrap_key_data(key)
    results["threefry"] = [jax.random.normal(threefry, (4,)), jax.random.uniform(threefry, (5,), "float64"),
                           jax.random.permutation(threefry, 10), jax.random.bits(threefry, (7,), "uint8")]
    rbg = jax.random.wrap_key_data(seeds, impl="rbg")
    results["rbg"] = [jax.random.normal(rbg, (4,)), jax.random.bits(rbg, (3,))]
    return results


def example_args():
    return np.random.RandomState(7).rand(64) * 1.8 - 0.9, np.array([1, 2], np.uint32), np.arange(4, dtype=np.uint32)
