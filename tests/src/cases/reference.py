"""Has JAX itself evaluate a case, and keeps arguments and results as raw bytes.

Arguments: the folder of the case, its name, the folder for what is kept. There it writes

    reference.json      x64, tolerance, and dtype, shape and file of each leaf; or the error
    argument-N.bin      row major, in the byte order of this machine; PRNG keys as their uint32 data, 4-bit integers with a
    result-N.bin        byte each
    cyxla_case.py       the case as a module to lower, with its options of jax.jit
"""

import ast
import importlib
import json
import os
import sys
import traceback

os.environ["JAX_PLATFORMS"] = "cpu"
sys.dont_write_bytecode = True

import jax
import jax.numpy as jnp
import numpy as np

SHIM = """import jax

import {name} as _case

fn = jax.jit(_case.fn, **getattr(_case, "JIT", {{}}))
example_args = _case.example_args
"""


def asks_for_x64(path):
    """Whether the module has `X64 = True`, which must hold before it is imported."""
    with open(path, encoding="utf-8") as file:
        tree = ast.parse(file.read(), path)
    return any(
        isinstance(node, ast.Assign)
        and any(isinstance(target, ast.Name) and target.id == "X64" for target in node.targets)
        and bool(ast.literal_eval(node.value))
        for node in tree.body
    )


def leaf(value):
    """One array, row major."""
    if isinstance(value, jax.Array) and jnp.issubdtype(value.dtype, jax.dtypes.prng_key):
        value = jax.random.key_data(value)
    value = np.asarray(jnp.asarray(value), order="C")
    dtype = value.dtype.name
    # A signed 4-bit integer is sign-extended to a byte here, and not by NumPy.
    return dtype, value.astype(np.int8) if dtype == "int4" else value


def keep(values, prefix, output):
    kept = []
    for i, value in enumerate(values):
        dtype, array = leaf(value)
        file = f"{prefix}-{i}.bin"
        with open(os.path.join(output, file), "wb") as stream:
            stream.write(array.tobytes())
        kept.append({"type": {"dtype": dtype, "shape": list(array.shape)}, "file": file})
    return kept


def evaluate(directory, name, output):
    x64 = asks_for_x64(os.path.join(directory, f"{name}.py"))
    jax.config.update("jax_enable_x64", x64)
    sys.path.insert(0, directory)
    case = importlib.import_module(name)
    arguments = case.example_args()
    # Kept first: evaluation may use up donated arguments.
    kept = keep(jax.tree_util.tree_leaves(arguments), "argument", output)
    results = jax.jit(case.fn, **getattr(case, "JIT", {}))(*arguments)
    with open(os.path.join(output, "cyxla_case.py"), "w", encoding="utf-8") as file:
        file.write(SHIM.format(name=name))
    return {
        "x64": x64,
        "tolerance": getattr(case, "TOL", None),
        "arguments": kept,
        "results": keep(jax.tree_util.tree_leaves(results), "result", output),
    }


def main():
    directory, name, output = sys.argv[1:]
    try:
        answer = {"ok": evaluate(directory, name, output)}
    except Exception as error:
        traceback.print_exc()
        answer = {"error": f"{type(error).__name__}: {error}"}
    with open(os.path.join(output, "reference.json"), "w", encoding="utf-8") as file:
        json.dump(answer, file)


main()
