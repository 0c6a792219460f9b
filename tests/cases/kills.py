"""Ends the process that tries it."""
import os
import signal


def fn(x):
    return x


def example_args():
    os.kill(os.getppid(), signal.SIGKILL)
