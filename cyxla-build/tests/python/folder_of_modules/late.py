from . import deeper


def twice(x):
    return deeper.FACTOR * x
