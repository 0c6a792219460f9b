"""What `jax.jit` takes for the programs of `calls.py`, by row."""

import jax_jit  # first, before anything can print

import calls
import jax
import numpy as np

SIDE = 1024
STATE = 1 << 20


def to_numpy(function, *arguments):
    """NumPy arrays in, NumPy array out."""
    function = jax.jit(function)

    def run(count):
        for _ in range(count):
            np.asarray(function(*arguments))

    return run


def steps():
    """A state that is donated again and again, and waited for at the end."""
    state = jax.device_put(np.zeros(STATE, np.float32))
    force = np.float32(1)

    def run(count):
        nonlocal state
        for _ in range(count):
            state = calls.moved_step(state, force)
        state.block_until_ready()

    return run


def vector(*elements):
    return np.array(elements, np.float32)


def large():
    return np.ones((SIDE, SIDE), np.float32)


TWELVE = [
    vector(1, 2, 3),
    vector(4, 5, 6),
    vector(0, 0, 1),
    vector(1, 0, 0),
    np.float32(2),
    vector(1, 2, 3),
    np.float32(0.1),
    vector(0, 0, -9.81),
    vector(1, 0, 0),
    np.float32(0.5),
    vector(3, 2, 1),
    np.float32(0.01),
]

MAKERS = {
    "tiny": lambda: to_numpy(calls.tiny, vector(0.25, 1)),
    "large_box": lambda: to_numpy(calls.add, large(), large()),
    "donation": steps,
    "twelve": lambda: to_numpy(calls.twelve, *TWELVE),
}

jax_jit.serve(lambda row: MAKERS[row]())
