"""Products of matrices: element types, orders of axes, batches, sizes worth several threads."""
import jax.numpy as jnp
import numpy as np
from jax import lax

X64 = True
REALS = ["float16", "bfloat16", "float32", "float64"]
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
COMPLEX = ["complex64", "complex128"]


def fn(a, b, batch, large):
    results = {}
    for name in REALS + INTEGERS + COMPLEX:
        x, y = a.astype(name), b.astype(name)
        results[name] = x @ y
        results[name + " transposed"] = lax.dot_general(x, y.T, (((1,), (1,)), ((), ())))
        results[name + " from the left"] = lax.dot_general(x.T, y, (((0,), (0,)), ((), ())))
    results["vector"] = a[0] @ b
    results["inner"] = b[:, 0] @ b[:, 1]
    results["outer"] = jnp.outer(a[0], b[0])
    results["batch"] = jnp.einsum("bij,bjk->bik", batch, batch.swapaxes(1, 2))
    results["batch last"] = jnp.einsum("ijb,jkb->ikb", batch.transpose(1, 2, 0), batch.transpose(2, 1, 0))
    results["large"] = large @ large.T
    results["nothing"] = jnp.zeros((3, 0)) @ jnp.zeros((0, 2))
    return results


def example_args():
    random = np.random.RandomState(0)
    integers = lambda *shape: random.randint(0, 4, shape).astype(np.float64)
    return integers(5, 7), integers(7, 3), random.rand(4, 6, 5), random.rand(200, 300).astype(np.float32)
