"""Answers how long `jax.jit` takes: asked by lines, of which the last word is how many calls, answered in nanoseconds."""

import os
import sys
from time import perf_counter_ns

# Whatever is printed by others goes to stderr.
answers = os.fdopen(os.dup(1), "w", buffering=1)
os.dup2(2, 1)


def serve(make):
    """`make(*words)` gives a function that makes so many calls."""
    runs = {}
    for line in sys.stdin:
        *words, count = line.split()
        words = tuple(words)
        if words not in runs:
            runs[words] = make(*words)
            runs[words](3)
        start = perf_counter_ns()
        runs[words](int(count))
        print(perf_counter_ns() - start, file=answers)
