"""Reads the clock when it is traced, and so gives something else each time."""
import time

import numpy as np

_now = np.float32(time.time() % 1000)


def fn(x):
    return x, x + _now


def example_args():
    return (np.float32(1),)
