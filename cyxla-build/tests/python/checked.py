"""A check as the users of equinox write it."""

import os
import sys

sys.path.append(os.path.join(os.path.dirname(__file__), "site-packages"))

import equinox


def root(x):
    x = equinox.error_if(x, x < 0, "x must not be negative")
    return x**0.5
